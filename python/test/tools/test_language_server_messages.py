"""What `tritonc lsp` answers to messages that no client would send, written byte by byte."""

import json
import subprocess

import pytest
from editor_client import TRITONC
from programs import PATIENCE


def exchange(*bodies):
    """The answers to messages of any bytes; the server must end by itself, with its exit code."""
    data = b"".join(b if b.startswith(b"Content") else b"Content-Length: %d\r\n\r\n%s" % (len(b), b) for b in bodies)
    done = subprocess.run([TRITONC, "lsp"], input=data, capture_output=True, timeout=PATIENCE)
    answers, rest = [], done.stdout
    while rest:
        header, _, rest = rest.partition(b"\r\n\r\n")
        length = int(header.partition(b":")[2])
        answers.append(json.loads(rest[:length]))
        rest = rest[length:]
    return answers, done.returncode


def message(**members):
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


NOT_A_FILE = {"textDocument": {"uri": "ftp:x"}, "position": {"line": 0, "character": 0}}
GOOD = message(id=7, method="initialize", params={"capabilities": {}})


@pytest.mark.parametrize(
    "body, reason",
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[1, 2]", "not an object"),
        (b"null", "not an object"),
        (b'{"id": 1, "method": "initialize"}', "jsonrpc"),
        (message(id=1), "no method"),
        (message(id={}, method="shutdown"), "`id`"),
        (b"[" * 100_000, "nested deeper"),
        (b"Content-Size: 4\r\n\r\n", "Content-Length"),
        (b"Content-Length: many\r\n\r\n", "Content-Length"),
        (message(id=1, method="textDocument/hover", params={"textDocument": 3}), "failed to decode"),
        (message(id=1, method="textDocument/hover", params=None), "failed to decode"),
        (message(id=1, method="no/such/method", params={}), "method not found"),
        (message(id=1, method="textDocument/hover", params=NOT_A_FILE), "failed to decode"),
    ],
)
def test_malformed_messages_are_answered(body, reason):
    answers, code = exchange(body, GOOD, message(id=8, method="shutdown"), message(method="exit"))
    assert len(answers) == 3 and code == 0
    assert reason in answers[0]["error"]["message"]
    assert answers[1]["id"] == 7 and "capabilities" in answers[1]["result"]


def test_the_client_goes_away():
    assert exchange(GOOD) == exchange(GOOD, b"Content-Length: 50\r\n\r\n{")
    assert exchange(GOOD)[1] == 1
    assert exchange() == ([], 1)
