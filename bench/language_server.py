"""How fast `tritonc lsp` answers while somebody types, how much memory it takes, and what it says about correct files.

python bench/language_server.py                    # times and memory, for files of several lengths
python bench/language_server.py check FOLDER...    # the diagnostics of every file with kernels in these folders
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}


class Client:
    """As much of the protocol as the figures need."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids = 0
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            sys.exit("the server has ended")
        return json.loads(self.process.stdout.read(length))

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params):
        self.ids += 1
        self.send({"id": self.ids, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.ids:
            pass
        return message["result"]

    def diagnostics(self, uri, version):
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                if params["uri"] == uri and params["version"] == version:
                    return params["diagnostics"]

    def open(self, path, text):
        uri = pathlib.Path(path).resolve().as_uri()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def peak_memory(self):
        """In MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def end(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.wait()


HEADER = "import triton\nimport triton.language as tl\n\n\n"
KERNEL = '''@triton.jit
def normalize_{n}(x_ptr, weight_ptr, y_ptr, rows, columns, stride, eps, BLOCK: tl.constexpr, GATED: tl.constexpr):
    """Divides each row by the root of the mean of its squares."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        index = start + offsets
        x = tl.load(x_ptr + row * stride + index, mask=index < columns, other=0.0).to(tl.float32)
        total += x * x
    scale = tl.rsqrt(tl.sum(total, axis=0) / columns + eps)
    for start in range(0, columns, BLOCK):
        index = start + offsets
        inside = index < columns
        x = tl.load(x_ptr + row * stride + index, mask=inside, other=0.0)
        weight = tl.load(weight_ptr + index, mask=inside, other=0.0)
        y = x * scale * weight
        if GATED:
            y = y * tl.sigmoid(y)
        tl.store(y_ptr + row * stride + index, y, mask=inside)


'''


def sample(lines):
    text, count = HEADER, 0
    while text.count("\n") < lines:
        text += KERNEL.format(n=count)
        count += 1
    return text


def typed_edits(text):
    """Changes of one character each, as they type and delete a word within the middle kernel."""
    lines = text.split("\n")
    line = max(i for i in range(len(lines) // 2 + 25) if "y = x * scale" in lines[i])
    column = len(lines[line])
    word = " + offsets * 2"
    for i, character in enumerate(word):
        place = {"line": line, "character": column + i}
        yield {"range": {"start": place, "end": place}, "text": character}
    for i in reversed(range(len(word))):
        start, end = ({"line": line, "character": column + i + k} for k in (0, 1))
        yield {"range": {"start": start, "end": end}, "text": ""}


def measure(command, lines):
    client = Client(command)
    text = sample(lines)
    begin = time.perf_counter()
    uri = client.open(f"/tmp/sample_{lines}.py", text)
    client.diagnostics(uri, 1)
    first = time.perf_counter() - begin
    edits, answers = [], []
    for version, change in enumerate(typed_edits(text), start=2):
        begin = time.perf_counter()
        document = {"uri": uri, "version": version}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        client.diagnostics(uri, version)
        edits.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        position = change["range"]["start"]
        client.request("textDocument/completion", {"textDocument": {"uri": uri}, "position": position})
        answers.append(time.perf_counter() - begin)
    memory = client.peak_memory()
    client.end()
    ms = [1e3 * x for x in (first, statistics.median(edits), max(edits), statistics.median(answers))]
    print(f"{lines:6d} lines: opening {ms[0]:6.1f} ms; edit to diagnostics {ms[1]:5.1f} ms, ", end="")
    print(f"at most {ms[2]:5.1f} ms; completion {ms[3]:5.1f} ms; memory {memory:4.0f} MiB")


def check(command, folders):
    """One server for all files, so that its memory is seen to stay bounded."""
    client = Client(command)
    counts, files, slowest = collections.Counter(), 0, (0, "")
    for path in sorted(p for folder in folders for p in pathlib.Path(folder).rglob("*.py")):
        text = path.read_text(errors="replace")
        if "jit" not in text or "triton" not in text:
            continue
        files += 1
        begin = time.perf_counter()
        uri = client.open(path, text)
        found = client.diagnostics(uri, 1)
        slowest = max(slowest, (time.perf_counter() - begin, str(path)))
        client.close(uri)
        for diagnostic in found:
            severity = SEVERITIES[diagnostic["severity"]]
            counts[severity] += 1
            line = diagnostic["range"]["start"]["line"] + 1
            message = diagnostic["message"].split("\n")[0]
            print(f"{path}:{line}: {severity}: {message}")
    print(f"{files} files: {counts['error']} errors, {counts['information']} remarks, ", end="")
    print(f"{counts['hint']} hints that name a guess")
    print(f"slowest: {slowest[0]:.2f} s, {slowest[1]}; memory {client.peak_memory():.0f} MiB")
    client.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("TRITONC") or shutil.which("tritonc") or ROOT / "build/tools/tritonc/tritonc"
    parser.add_argument("--tritonc", default=default)
    parser.add_argument("action", nargs="?", choices=["check"])
    parser.add_argument("folders", nargs="*")
    arguments = parser.parse_args()
    command = [str(arguments.tritonc), "lsp"]
    if arguments.action == "check":
        check(command, arguments.folders)
    else:
        for lines in (100, 1000, 10000):
            measure(command, lines)


if __name__ == "__main__":
    main()
