"""The server of `tritonc explore`: what its page asks, requests that are refused, and how it ends."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from explorer_kernels import PRODUCT, SCALE, SOURCE, TRITONC, cells_of, kernels, last  # noqa: F401  a fixture
from programs import PATIENCE


class Server:
    def __init__(self, path, *options):
        command = [TRITONC, "explore", path, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        address = self.process.stdout.readline()
        found = re.fullmatch(r"open http://127\.0\.0\.1:(\d+)(/\?key=(\w{48}))\n", address)
        assert found, address + self.process.communicate()[1]
        self.port, self.path, self.key = int(found[1]), found[2], {"Cookie": f"other=1; nereid-{found[1]}={found[3]}"}

    def send(self, method, path, body=None, **headers):
        """The connection of a request, which has the key of the page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body, {**self.key, **headers})
        return connection

    def request(self, method, path, body=None, **headers):
        response = self.send(method, path, body, **headers).getresponse()
        return response, response.read()

    def ask(self, path, question):
        response, body = self.request("POST", path, json.dumps(question))
        assert response.status == 200
        return json.loads(body)

    def ticks(self):
        """How many hundredths of a second it has computed."""
        return int(Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11])

    def compile(self, **question):
        return self.ask("/compile", question)

    def simulate(self, **question):
        return self.ask("/simulate", question)


@pytest.fixture
def serve():
    with contextlib.ExitStack() as stack:

        def start(path, *options):
            server = Server(path, *options)
            stack.callback(lambda: server.process.poll() is None and server.process.kill())
            return server

        yield start


def test_compilations_of_changed_text(kernels, serve):
    server = serve(f"{kernels}:scale", "--signature", SCALE, "--target", "cuda:80")
    response, body = server.request("GET", "/question")
    question = json.loads(body)
    assert question["kernel"] == "scale" and question["source"] == SOURCE and question["signature"] == SCALE
    assert "passes" in server.compile(**question)
    wrong = server.compile(source=SOURCE.replace("value * factor", "value * fctor"))
    assert wrong["error"]["line"] == 10 and "fctor" in wrong["error"]["text"]
    assert wrong["error"]["column"] == SOURCE.splitlines()[9].index("factor") + 1
    unfinished = server.compile(source=SOURCE[: SOURCE.index("mask=i < n")])
    assert "line" in unfinished["error"]
    assert (
        "no target" in server.compile(target="cuda:9x")["error"]["text"]
        or "9x" in server.compile(target="cuda:9x")["error"]["text"]
    )
    assert "BLOCK" in server.compile(signature="*fp32,*fp32,i32,fp32")["error"]["text"]
    guessed = server.compile(signature="")
    assert guessed["signature"].split(",")[:2] == ["*fp32:16", "*fp32:16"] and "passes" in guessed
    assert "passes" in server.compile(kernel="product", signature="")
    other = server.compile(kernel="product", signature=PRODUCT, num_warps=8)
    assert other["kernel"] == "product" and other["num_warps"] == 8
    assert kernels.read_text() == SOURCE
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=PATIENCE) == 0


@pytest.mark.parametrize("target, last_text", [("cuda:90", "ptx"), ("sim:cuda:90", None), ("cpu", "asm")])
def test_a_quick_answer_says_what_it_leaves_out(kernels, serve, target, last_text):
    server = serve(f"{kernels}:scale", "--target", target)
    quick = server.compile(quick=True)
    assert quick["is_complete"] == (target != "cuda:90")
    assert [each["name"] for each in quick["assembly"]][-1:] == ([last_text] if last_text else [])
    assert quick["signature"] == "*fp32:16,*fp32:16,i32,i32,64"
    whole = server.compile()
    assert whole["is_complete"] and whole["has_each_text"]
    last = server.compile(quick=True, each_text=False)
    assert not last["is_complete"] and not last["has_each_text"]
    assert [each["name"] for each in last["passes"]] == [each["name"] for each in quick["passes"]]
    texts = {each["stage"]: each["after"]["text"] for each in quick["passes"] if "after" in each}
    assert {each["stage"]: each["after"]["text"] for each in last["passes"] if "after" in each} == texts


def test_requests_that_are_refused(kernels, serve):
    server = serve(f"{kernels}:scale", "--signature", SCALE)
    page, body = server.request("GET", "/")
    assert page.status == 200 and b"main.js" in body
    policy = page.getheader("Content-Security-Policy")
    assert "script-src 'self'" in policy and "unsafe" not in policy
    assert b"<script>" not in body and b"style=" not in body
    for path in re.findall(rb'(?:src|href)="([^"]*)"', body):
        assert server.request("GET", "/" + path.decode())[0].status == 200
    assert server.request("GET", "/../etc/passwd")[0].status in (400, 403, 404)
    assert server.request("POST", "/compile", "{}", Origin="http://example.com")[0].status == 403
    assert server.request("GET", "/question", Host=f"example.com:{server.port}")[0].status == 403
    for path in ("/", "/question", f"/question{server.path[1:]}", f"{server.path}0", server.path[:-1]):
        refused, body = server.request("GET", path, Cookie="")
        assert refused.status == 403 and b"open the whole address" in body and not refused.getheader("Set-Cookie")
    opened, _ = server.request("GET", server.path, Cookie="")
    assert opened.status == 200 and opened.getheader("Set-Cookie").startswith(server.key["Cookie"].split("; ")[1])
    assert server.request("POST", "/compile", "{}", Origin=f"http://127.0.0.1:{server.port}")[0].status == 200
    for body in ("", "[1]", "{", "\xff", "[" * 100_000, '{"a":' * 100_000):
        assert server.request("POST", "/compile", body.encode("latin-1"))[0].status == 400
    assert server.request("POST", "/compile", "x" * (5 << 20))[0].status == 413
    second = subprocess.run(
        [TRITONC, "explore", f"{kernels}:scale", "--signature", SCALE, "--port", str(server.port)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert second.returncode == 2 and f"port {server.port} is in use" in second.stderr


def test_answers_are_not_compressed(kernels, serve):
    """Brotli at its slowest level takes longer than the compilation."""
    server = serve(f"{kernels}:scale", "--signature", SCALE, "--target", "cuda:80")
    accept = {"Accept_Encoding": "gzip, deflate, br"}
    for method, path, body in [
        ("GET", "/", None),
        ("GET", "/main.js", None),
        ("GET", "/question", None),
        ("POST", "/compile", "{}"),
        ("POST", "/compile", "["),
    ]:
        response, text = server.request(method, path, body, **accept)
        assert response.getheader("Content-Encoding") is None and text[:1] in b"<{/["


def test_options_that_are_wrong(kernels, serve):
    server = serve(f"{kernels}:scale", "--signature", SCALE, "--target", "cuda:80")

    def error(**question):
        return server.compile(**question)["error"]["text"]

    for warps in (0, -1, 3, 64):
        assert f"the option `num_warps` is {warps}; it must be a power of two from 1 to 32" in error(num_warps=warps)
    assert "the option `num_stages` is -5; it must be 0 or more" in error(num_stages=-5)
    assert error(num_warps=1.5) == "the option `num_warps` is 1.5; it must be an integer"
    assert error(num_stages=None) == "the option `num_stages` is null; it must be an integer"
    assert "must be an integer" in error(num_warps=1 << 40)


def test_kernels_of_a_text_with_an_error(kernels, serve):
    server = serve(f"{kernels}:scale", "--signature", SCALE, "--target", "cuda:80")
    wrong = server.compile(source=SOURCE.replace("value * factor", "value * fctor"))
    assert wrong["error"]["line"] == 10 and wrong["kernels"] == ["scale", "product"]
    assert "kernels" not in server.compile(source="def (")


def test_a_launch_that_is_guessed(kernels, serve):
    server = serve(f"{kernels}:scale", "--signature", SCALE, "--target", "cuda:80")
    memory = server.simulate()["memory"]
    assert memory["grid"] == "1" and not memory["findings"]
    assert memory["arguments"] == "x=rand:fp32[200], out=rand:fp32[200], n=200, factor=0.5, BLOCK=1024"
    assert sorted(cells_of(memory, "out")[1]) == list(range(200))
    memory = server.simulate(kernel="product", signature="*fp16:16,*fp16:16,*fp32:16,N=64", target="cuda:90")["memory"]
    assert not memory["findings"] and cells_of(memory, "shared memory")[1]
    again = server.simulate(grid="2", arguments="x=ones:f32[10], out=ones:f32[10], n=20, factor=1.0, BLOCK=1024")
    assert {finding["line"] for finding in again["memory"]["findings"]} == {8, 10}
    assert "choose a target" in server.simulate(target="cpu")["error"]["text"]
    assert "not an integer" in server.simulate(grid="x")["error"]["text"]
    assert "name=value" in server.simulate(arguments="5")["error"]["text"]
    partly = server.simulate(arguments="n=5")["memory"]
    assert partly["arguments"].startswith("n=5, x=rand:fp32[200]"), "what is not given is guessed"
    assert [item["name"] for item in partly["guessed"]] == ["grid", "x", "out", "factor", "BLOCK"]
    wrong = server.simulate(source=SOURCE.replace("value * factor", "value * fctor"))
    assert wrong["error"]["line"] == 10


ENDLESS = """import triton
import triton.language as tl


@triton.jit
def spin(x):
    while tl.load(x + 1, volatile=True) == 0:
        tl.atomic_add(x, 1)
"""


def test_questions_that_are_given_up(kernels, serve):
    kernels.write_text(ENDLESS)
    server = serve(f"{kernels}:spin", "--signature", "*i32:16", "--target", "cuda:80")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        launch = {"grid": "1", "arguments": "x=zeros:i32[4]"}

        def begin_endless():
            before = server.ticks()
            answer = pool.submit(server.simulate, page="a", **launch)
            wait_for_work(server, before)
            return answer

        endless = begin_endless()
        # A second page waits for its turn. It does not abandon what the first one asked.
        other = pool.submit(server.compile, page="b")
        time.sleep(0.5)  # should it come after the cancellation all the same, on a busy machine, it is answered
        assert not endless.done() and not other.done()
        assert server.request("POST", "/cancel", '{"page": "a"}')[0].status == 200
        assert endless.result(timeout=PATIENCE) == {"abandoned": True}
        assert "passes" in other.result(timeout=PATIENCE)
        endless = begin_endless()
        newer = pool.submit(server.simulate, page="a", grid="x", arguments="x=zeros:i32[4]")
        assert endless.result(timeout=PATIENCE) == {"abandoned": True}
        assert "not an integer" in newer.result(timeout=PATIENCE)["error"]["text"]


def wait_for_work(server, before):
    """Until the server has computed for half a second, which only a simulation takes."""
    while server.ticks() < before + 50:
        time.sleep(0.05)


def begin_simulation(server):
    """Asks for one that does not end, and waits until it has computed for a while. Returns its connection."""
    before = server.ticks()
    launch = {"page": "a", "grid": "1", "arguments": "x=zeros:i32[4]"}
    connection = server.send("POST", "/simulate", json.dumps(launch))
    wait_for_work(server, before)
    return connection


def test_a_closed_page_leaves_no_work(kernels, serve):
    kernels.write_text(ENDLESS)
    server = serve(f"{kernels}:spin", "--signature", "*i32:16", "--target", "cuda:80")
    begin_simulation(server).close()
    assert "passes" in server.compile(page="b")


def test_waiting_pages_keep_nobody_out(kernels, serve):
    kernels.write_text(ENDLESS)
    server = serve(f"{kernels}:spin", "--signature", "*i32:16", "--target", "cuda:80")
    connections = [begin_simulation(server)]
    for number in range(20):
        connections.append(server.send("POST", "/compile", json.dumps({"page": str(number)})))
    assert server.request("GET", "/")[0].status == 200
    for connection in connections:
        connection.close()
    assert "passes" in server.compile(page="b")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_while_it_works(kernels, serve, number):
    kernels.write_text(ENDLESS)
    server = serve(f"{kernels}:spin", "--signature", "*i32:16", "--target", "cuda:80")
    connection = begin_simulation(server)
    server.process.send_signal(number)
    assert server.process.wait(timeout=PATIENCE) == 0
    connection.close()


STAGED = """import triton
import triton.language as tl


@triton.jit
def inner(acc, q, k_ptr, lo, hi, stride_kn, stride_kk, STAGE: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    n, d = tl.arange(0, N), tl.arange(0, D)
    if STAGE == 1:
        hi = hi - N
    elif STAGE == 2:
        lo = hi - N
    for start in range(lo, hi, N):
        k = tl.load(k_ptr + (start + n)[:, None] * stride_kn + d[None, :] * stride_kk)
        acc += tl.dot(tl.dot(q, tl.trans(k)).to(q.dtype), k)
    return acc


@triton.jit
def attend(q_ptr, k_ptr, out_ptr, stride_qz, stride_qm, stride_qd, stride_kz, stride_kn, stride_kd,
           stride_oz, stride_om, stride_od, length, STAGE: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
           D: tl.constexpr, IS_PLAIN: tl.constexpr):
    z = tl.program_id(1)
    m, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
    q = tl.load(q_ptr + z * stride_qz + m[:, None] * stride_qm + d[None, :] * stride_qd)
    acc = tl.zeros((M, D), tl.float32)
    if not IS_PLAIN:
        if STAGE & 1:
            acc = inner(acc, q, k_ptr + z * stride_kz, 0, length, stride_kn, stride_kd, 4 - STAGE, N, D)
        if STAGE & 2:
            acc = inner(acc, q, k_ptr + z * stride_kz, 0, length, stride_kn, stride_kd, 2, N, D)
    tl.store(out_ptr + z * stride_oz + m[:, None] * stride_om + d[None, :] * stride_od, acc)
"""


def test_guesses_keep_branches_alive(kernels, serve):
    """Also branches of the functions that are called. Strides are those of arrays, so that programs store apart."""
    kernels.write_text(STAGED)
    server = serve(f"{kernels}:attend", "--target", "cuda:80")
    answer = server.compile()
    guessed = {each["name"]: (each["value"], each["why"]) for each in answer["guessed"]}
    assert list(guessed) == re.findall(
        r"\w+", STAGED.partition("def attend(")[2].partition("):")[0].replace(": tl.constexpr", "")
    )
    assert guessed["STAGE"] == ("3", "branches ask for each of its bits")
    assert guessed["IS_PLAIN"][0] == "False"
    assert [guessed[f"stride_o{axis}"][0] for axis in "zmd"] == ["i32:16", "i32:16", "1"]
    assert ",".join(value for value, _ in guessed.values()) == answer["signature"]
    ttir = last(answer, "ttir")
    assert ttir["text"].count("tt.dot ") == 4
    assert server.compile(signature=answer["signature"])["guessed"] == []
    memory = server.simulate()["memory"]
    launched = {each["name"]: each["value"] for each in memory["guessed"]}
    assert launched["grid"] == "2,2"
    assert [launched[f"stride_o{axis}"] for axis in "zmd"] == ["65536", "256", "1"]
    assert all(each["why"] for each in memory["guessed"])
    assert memory["findings"] == []


def test_guessed_strides_where_the_innermost_is_no_parameter(kernels, serve):
    text = """import triton
import triton.language as tl


@triton.jit
def copy(x, out, stride_xb, stride_xm, stride_ob, stride_om, D: tl.constexpr):
    b, m = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, D)
    i = tl.arange(0, 4)
    tl.store(out + b * stride_ob + (m * 4 + i)[:, None] * stride_om + d[None, :],
             tl.load(x + b * stride_xb + (m * 4 + i)[:, None] * stride_xm + d[None, :]))
"""
    kernels.write_text(text)
    memory = serve(f"{kernels}:copy", "--target", "cuda:80").simulate()["memory"]
    launched = {each["name"]: each["value"] for each in memory["guessed"]}
    assert (launched["stride_ob"], launched["stride_om"]) == ("65536", "256") and memory["findings"] == []


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        (["{path}:nothing", "--signature", SCALE], 2, "nothing"),
        (["{path}"], 2, "has 2 kernels"),
        (["{folder}/missing.py:x"], 2, "cannot read"),
        (["{path}:scale", "--signature", SCALE, "--export", "{path}/page.html"], 2, "cannot write"),
        (["{path}:scale", "--signature", SCALE, "--beside", "{folder}/missing.ptx"], 2, "cannot read"),
        (["{path}:scale", "--signature", SCALE, "--beside", TRITONC], 2, "is not a text; `--beside` takes texts"),
        (["{folder}/empty.py"], 2, "has no kernel; a kernel is a function with `@triton.jit`"),
        (["{path}:scale", "--port", "99999"], 2, "there is no port 99999"),
        ([], 2, "name a kernel"),
    ],
)
def test_wrong_commands(kernels, arguments, status, message):
    kernels.with_name("empty.py").write_text("n = 1\n")
    filled = [str(argument).format(path=kernels, folder=kernels.parent) for argument in arguments]
    if "--export" not in filled:
        filled += ["--export", str(kernels.parent / "page.html")]
    done = subprocess.run([TRITONC, "explore", *filled], capture_output=True, text=True)
    assert done.returncode == status and message in done.stderr
    assert not list(kernels.parent.glob("*.html*"))


def test_questions_about_the_text(kernels, serve):
    """What the page's editor asks the language server about a text that is on no disk."""
    server = serve(f"{kernels}:scale", "--signature", SCALE, "--target", "cuda:80")
    line = SOURCE.splitlines()[9]
    changed = SOURCE.replace(line, f"{line}\n    tl.ato")

    def ask(method, line, character):
        return server.ask("/text", {"source": changed, "method": method, "line": line, "character": character})

    names = [item["label"] for item in ask("completion", 10, 10)["result"]["items"]]
    assert "atomic_add" in names and all(name.startswith("ato") for name in names)
    load = next(k for k, text in enumerate(SOURCE.splitlines()) if "tl.load" in text)
    at = SOURCE.splitlines()[load].index("load")
    help = ask("hover", load, at)["result"]["contents"]["value"]
    assert "tl.load(pointer" in help
    (signature,) = ask("signatureHelp", load, at + 5)["result"]["signatures"]
    assert signature["label"].startswith("tl.load(")
    assert ask("hover", 0, 0)["result"] is None
    assert "`rename`" in ask("rename", 0, 0)["error"]["text"]


def test_a_recorded_launch_is_offered(tmp_path, serve, monkeypatch):
    """A launch of another process: the page opens on it, and simulates it with the contents of its arrays."""
    program = tmp_path / "program.py"
    program.write_text(
        SOURCE
        + """

if __name__ == "__main__":
    import numpy
    x = numpy.arange(300, dtype=numpy.float32)
    scale[(3,)](x, numpy.empty(300, numpy.float32), 300, 2.0, BLOCK=128, num_warps=2)
"""
    )
    environment = {**os.environ, "TRITON_RECORD": str(tmp_path / "launches")}
    subprocess.run([sys.executable, program], check=True, env=environment)
    (launch,) = (tmp_path / "launches").iterdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    server = serve(f"{program}:scale", "--launch", str(launch), "--target", "cuda:80", "--python", sys.executable)
    question = json.loads(server.request("GET", "/question")[1])
    assert question["num_warps"] == 2 and question["grid"] == "3,1,1"
    compiled = server.compile(**question)
    (preset,) = compiled["configurations"]
    assert preset["values"]["BLOCK"] == "128" and preset["values"]["n"] == "i32" and "grid 3,1,1" in preset["text"]
    assert {each["name"]: each["item"] for each in compiled["parameters"]} == preset["values"]
    memory = server.simulate(**question)["memory"]
    assert "f32[300]" in memory["arguments"] or "fp32[300]" in memory["arguments"]
    assert memory["guessed"] == [] and memory["findings"] == []
    assert [each.name.startswith("triton-launches") for each in (tmp_path / "temporary").iterdir()] == [True]
    kept = server.send("GET", "/")
    kept.getresponse().read()  # the connection stays, so that the server ends at once
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=PATIENCE) == 0
    kept.close()
    assert list((tmp_path / "temporary").iterdir()) == []
    wrong = subprocess.run(
        [TRITONC, "explore", program, "--launch", program, "--python", sys.executable], capture_output=True, text=True
    )
    assert wrong.returncode == 2 and "is not a file of a launch, as TRITON_RECORD writes them" in wrong.stderr
