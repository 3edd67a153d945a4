"""The server of `python -m triton.debug --page`: sessions of pages, requests that are refused, and how it ends."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from urllib.parse import urlsplit

import numpy as np
import pytest
from programs import PATIENCE
from triton.runtime._launch_files import describe_launch, write_file
from triton.tools.kernel_names import module_of_file

PROGRAM = """\
import numpy as np
import triton
import triton.language as tl


@triton.jit
def double(x):
    value = tl.load(x)
    tl.store(x, value * 2)


x = np.ones(1, np.float32)
double[(1,)](x)
print("doubled", x[0])
"""


class Server:
    def __init__(self, folder, *arguments):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", "triton.debug", "--page", *arguments]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment)
        address = urlsplit(self.process.stdout.readline().split()[1])
        self.port, self.cookie = address.port, None
        response, _ = self.exchange("GET", f"{address.path}?{address.query}")
        self.cookie = response.headers["Set-Cookie"]

    def request(self, method, path, body=None, **headers):
        response, text = self.exchange(method, path, body, {"Cookie": self.cookie.split(";")[0], **headers})
        return response.status, text

    def exchange(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response, response.read().decode()

    def ask(self, command, page="first", **arguments):
        status, text = self.request("POST", "/debug", json.dumps(dict(page=page, command=command, arguments=arguments)))
        assert status == 200
        answer = json.loads(text)
        return answer["error"]["text"] if "error" in answer else answer["body"]

    def start(self, page, number=0, **choice):
        self.ask("start", page, program=number)
        self.ask("initialize", page)
        answer = self.ask("launch", page, program="another.py", **choice)
        self.ask("configurationDone", page)
        return answer

    def wait_for(self, event, page="first"):
        """The body of the first event of this kind in a session."""
        seen = []
        while not any(each["event"] == event for each in seen):
            answer = self.ask("events", page, after=len(seen))
            assert answer["events"] or not answer["ended"], seen
            seen += answer["events"]
        return next(each["body"] for each in seen if each["event"] == event)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    (folder / "program.py").write_text(PROGRAM)
    server = Server(folder, "program.py")
    yield server
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(PATIENCE) == 0


def test_sessions_of_two_pages(server):
    (program,) = json.loads(server.request("GET", "/question")[1])["stepped"]
    assert program["kernels"] == ["double"] and program["source"] == PROGRAM
    for page in ("first", "second"):
        assert server.start(page, kernel="double") == {}  # the program is that of the command line
    for page in ("first", "second"):
        assert server.wait_for("stopped", page)["reason"] == "entry"
    server.ask("continue")
    assert server.wait_for("exited")["exitCode"] == 0 and "doubled 2.0" in server.wait_for("output")["output"]
    (frame, _) = server.ask("stackTrace", "second")["stackFrames"]
    assert frame["line"] == 8 and server.ask("source", "second", source=frame["source"])["content"] == PROGRAM
    assert "cannot be read" in server.ask("source", "second", source={"path": "/no/such.py"})
    server.ask("start", "second")  # ends the one before
    assert "no program has stopped" in server.ask("stackTrace", "second")


def test_requests_that_are_refused(server):
    files = [server.request("GET", path)[1] for path in ("/", "/steps.js", "/style.css")]
    assert "main.js" in files[0] and "stepBack" in files[1] and ".margin" in files[2]
    assert server.request("GET", "/program.py")[0] == 404
    for cookie in ("", "other=1", server.cookie.split("=")[0] + "=guess", "é=("):
        status, text = server.request("POST", "/debug", "{}", Cookie=cookie)
        assert status == 403 and "open the whole address" in text
    assert server.request("GET", "/?key=guess", Cookie="")[0] == 403
    assert "HttpOnly; SameSite=Strict" in server.cookie
    for headers in ({"Host": "example.com"}, {"Origin": "http://example.com"}):
        assert server.request("POST", "/debug", "{}", **headers)[0] == 403
        assert server.request("GET", "/question", **headers)[0] == 403
    assert "there is no session; start one" in server.ask("threads", "third")
    assert "there are the programs 0 to 0" in server.ask("start", "third", program=1)
    for body in ("{", "[]", "{}", '{"page": 1, "command": "start"}'):
        assert "error" in json.loads(server.request("POST", "/debug", body)[1])


def test_launches_among_which_one_is_chosen(tmp_path):
    module = tmp_path / "doubling.py"
    module.write_text(PROGRAM[: PROGRAM.index("x = np")])
    kernel = module_of_file(module).double
    for value in (3, 5):
        x = np.full(1, value, np.float32)
        write_file(tmp_path / f"{value}.safetensors", *describe_launch(kernel, (x,), {}, (1, 1, 1)))
    server = Server(tmp_path, "3.safetensors", "5.safetensors")
    programs = json.loads(server.request("GET", "/question")[1])["stepped"]
    assert [each["kernel"] for each in programs] == ["double"] * 2 and programs[0]["path"] == str(module)
    server.start("first", number=1, kernel="double")
    server.wait_for("stopped")
    assert server.ask("evaluate", expression="tl.load(x)")["result"] == "5"
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--page"], "needs the program whose kernels it steps through"),
        (["--page", "absent.py"], "`absent.py` cannot be read: no such file or directory; the program is"),
        (["--page", "--target", "sm_1", "program.py"], "the target is `sm_1`; write one of sm_80"),
        (["program.py"], "belong to `--page`"),
    ],
)
def test_wrong_command_lines(arguments, message, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "triton.debug", *arguments]
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert found.returncode == 2 and message in found.stderr
