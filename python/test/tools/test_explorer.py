"""`tritonc explore`: the data of its page, the exported file, and requests that are refused."""

import base64
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

TRITONC = Path(sys.executable).with_name("tritonc")
SOURCE = """import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    # </script><script>alert("a kernel's text is no markup")</script>
    tl.store(out + i, value * factor, mask=i < n)


@triton.jit
def product(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))
"""
SCALE = "*fp32:16,*fp32:16,i32,fp32,BLOCK=1024"
PRODUCT = "*fp16:16,*fp16:16,*fp32:16,N=64"


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE)
    return path


def exported(path, kernel, signature, target, *options):
    page = path.with_suffix(".html")
    command = [TRITONC, "explore", f"{path}:{kernel}", "--target", target, "--signature", signature, "--export", page]
    command += options
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    data = re.search(r'id="data">([^<]*)</script>', text)[1]
    return text, json.loads(zlib.decompress(base64.b64decode(data)))


def last(data, stage):
    return [each["after"] for each in data["passes"] if each["stage"] == stage and "after" in each][-1]


def lines_with(linked, word):
    """The kernel's lines of the lines of the text that have the word."""
    return {line for text, line in zip(linked["text"].splitlines(), linked["lines"], strict=True) if word in text}


@pytest.mark.parametrize("target, assembly", [("cpu", "asm"), ("cuda:90", "ptx"), ("hip:gfx942", "amdgcn")])
def test_lines_of_all_stages(kernels, target, assembly):
    _, data = exported(kernels, "scale", SCALE, target)
    load, store = (
        1 + SOURCE.splitlines().index(line)
        for line in SOURCE.splitlines()
        if "tl.load(x" in line or "value * f" in line
    )
    ttir = last(data, "ttir")
    assert lines_with(ttir, "tt.load") == {load} and lines_with(ttir, "tt.store") == {store}
    llir = last(data, "llir")
    assert {load, store} <= set(llir["lines"])
    assert "!dbg" not in llir["text"]
    (texts,) = [each for each in data["assembly"] if each["name"] == assembly]
    assert {load, store} <= set(texts["lines"])
    assert ".loc" not in texts["text"]
    instruction = {"ptx": "st.global", "amdgcn": "store"}.get(assembly)
    if instruction:
        assert store in lines_with(texts, instruction)
    assert data["source"] == SOURCE and data["kernel"] == "scale" and data["kernels"] == ["scale", "product"]
    assert all(each["seconds"] >= 0 for each in data["passes"])
    purposes = {each["name"]: each.get("purpose") for each in data["passes"]}
    assert purposes["canonicalize"] == "Canonicalize operations"
    assert purposes["triton-combine"] == "merge operations into cheaper ones"
    for each in data["passes"]:
        if "after" in each:
            assert len(each["after"]["text"].splitlines()) == len(each["after"]["lines"])


def element_of(layout, values):
    place = [0] * len(layout["shape"])
    for part, value in zip(layout["inputs"], values, strict=True):
        for bit, basis in enumerate(part["bases"]):
            if value >> bit & 1:
                place = [coordinate ^ component for coordinate, component in zip(place, basis, strict=True)]
    return tuple(place)


def test_layouts_and_facts(kernels):
    _, data = exported(kernels, "product", PRODUCT, "cuda:80")
    tensors = [layout for layout in data["layouts"] if not layout["is_shared"]]
    assert any("nvidia_mma" in layout["encoding"] for layout in tensors)
    assert any(layout["is_shared"] for layout in data["layouts"])
    for layout in tensors:
        sizes = [1 << len(part["bases"]) for part in layout["inputs"]]
        points = [()]
        for size in sizes:
            points = [(*point, value) for point in points for value in range(size)]
        elements = {element_of(layout, point) for point in points}
        expected = 1
        for extent in layout["shape"]:
            expected *= extent
        assert len(elements) == expected
    (product,) = data["explain"]["products"]
    assert (product["m"], product["n"], product["k"]) == (64, 64, 64)


def test_an_exported_page_runs_its_own_script_alone(kernels):
    page, data = exported(kernels, "scale", SCALE, "cuda:80")
    assert "alert(" in data["source"]
    script = re.search(r"<script>(.*?)</script>", page, re.S)[1]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert page.count("<script") == 2 and "alert(" not in page
    assert not re.search(r"^(import|export) ", script, re.M)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)


SPILLING = """import triton
import triton.language as tl


@triton.jit
def wide(a, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(a + i)
    tl.store(out + i, x - tl.max(x))
"""


def test_spills_have_lines(kernels):
    """What the page counts: instructions of the assembly, each with a line of the kernel where it has one."""
    kernels.write_text(SPILLING)
    _, data = exported(kernels, "wide", "*fp32:16,*fp32:16,32768", "hip:gfx942", "--num-warps", "1")
    (assembly,) = data["assembly"]
    spilled = {"Spill": {}, "Reload": {}}
    for text, line in zip(assembly["text"].splitlines(), assembly["lines"], strict=True):
        if found := re.search(r"scratch_(?:store|load)_.*; (\d+)-byte Folded (Spill|Reload)", text):
            bytes_of_line = spilled[found[2]]
            bytes_of_line[line] = bytes_of_line.get(line, 0) + int(found[1])
    load, store = 8, 9
    assert spilled["Spill"][load] > 0 and spilled["Reload"][store] > 0
    assert set(spilled["Spill"]) | set(spilled["Reload"]) <= {0, load, store}
    assert 0 < sum(spilled["Spill"].values()) <= data["explain"]["resources"]["spill_bytes"]


DISASSEMBLY = """cat <<'END'
\t.section\t.text.wide
\t//## File "{path}", line 8
        /*0000*/                   LDG.E R0, [R2] ;
        /*0010*/                   STL.64 [R1+0x8], R4 ;
\t//## File "triton.language.standard.py", line 1 inlined at "{path}", line 9
        /*0020*/              @!P0 LDL.LU R4, [R1+0x8] ;
\t//## File "triton.language.standard.py", line 2
        /*0030*/                   STL [R1], R4 ;
END
"""


def stand_in_for_nvdisasm(kernels, status=0):
    """A program that prints what nvdisasm prints for a kernel which spills."""
    program = kernels.with_name("nvdisasm")
    program.write_text("#!/bin/sh\n" + DISASSEMBLY.format(path=kernels) + f"echo 'no cubin' >&2; exit {status}\n")
    program.chmod(0o755)
    return program


def test_machine_code_has_lines(kernels, monkeypatch):
    kernels.write_text(SPILLING)
    monkeypatch.setenv("TRITON_NVDISASM_PATH", str(stand_in_for_nvdisasm(kernels)))
    _, data = exported(kernels, "wide", "*fp32:16,*fp32:16,1024", "cuda:90")
    ptx, sass = data["assembly"]
    assert (ptx["name"], sass["name"]) == ("ptx", "sass") and "//##" not in sass["text"]
    assert sass["lines"] == [0, 8, 8, 9, 0]
    monkeypatch.setenv("TRITON_NVDISASM_PATH", str(stand_in_for_nvdisasm(kernels, status=3)))
    _, data = exported(kernels, "wide", "*fp32:16,*fp32:16,1024", "cuda:90")
    assert len(data["assembly"]) == 1 and re.search("failed .exit code 3.*no cubin", data["no_machine_code"], re.S)
    monkeypatch.setenv("TRITON_NVDISASM_PATH", "/nowhere/nvdisasm")
    _, data = exported(kernels, "wide", "*fp32:16,*fp32:16,1024", "cuda:90")
    assert "/nowhere/nvdisasm" in data["no_machine_code"]


SPECIALIZED = """import triton
import triton.language as tl


@triton.jit
def product(x, y, out, n, B: tl.constexpr, D: tl.constexpr):
    left = tl.make_tensor_descriptor(x, [n, n], [n, 1], [B, D])
    right = tl.make_tensor_descriptor(y, [n, n], [n, 1], [D, B])
    total = tl.zeros((B, B), tl.float32)
    for k in range(0, n, D):
        total = tl.dot(left.load([0, k]), right.load([k, 0]), total)
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(out + at, total)
"""
SPECIALIZED_SIGNATURE = "*fp16:16,*fp16:16,*fp32:16,i32:16,B=128,D=64"


def test_waits_of_warp_groups(kernels):
    kernels.write_text(SPECIALIZED)
    _, data = exported(kernels, "product", SPECIALIZED_SIGNATURE, "sim:cuda:90", "--num-warps", "8")
    loops = {loop["role"]: loop for loop in data["waits"]}
    assert sorted(loops) == ["consumers", "mover"]
    assert {loop["line"] for loop in data["waits"]} == {10}
    assert (loops["mover"]["warps"], loops["consumers"]["warps"]) == (1, 8)
    assert [wait["kind"] for wait in loops["mover"]["waits"]] == ["mbarrier"]
    full, products = loops["consumers"]["waits"]
    assert full["kind"] == "mbarrier" and "pending" not in full
    assert (products["kind"], products["line"], products["pending"]) == ("wgmma", 11, 1)


def test_waits_for_copies(kernels):
    text = """import triton
import triton.language as tl

@triton.jit
def product(x, y, out, n, B: tl.constexpr, D: tl.constexpr):
    i, d = tl.arange(0, B), tl.arange(0, D)
    total = tl.zeros((B, B), tl.float32)
    for k in range(0, n, D):
        left = tl.load(x + i[:, None] * n + k + d[None, :])
        total = tl.dot(left, tl.load(y + (k + d[:, None]) * B + i[None, :]), total)
    tl.store(out + i[:, None] * B + i[None, :], total)
"""
    kernels.write_text(text)
    _, data = exported(kernels, "product", "*fp16:16,*fp16:16,*fp32:16,i32:16,B=64,D=32", "sim:cuda:80")
    (loop,) = data["waits"]
    assert (loop["role"], loop["warps"], loop["line"]) == ("all", 4, 8)
    assert [wait["kind"] for wait in loop["waits"]] == ["copies"]


class Server:
    def __init__(self, path, *options):
        command = [TRITONC, "explore", path, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        address = self.process.stdout.readline()
        found = re.fullmatch(r"open http://127\.0\.0\.1:(\d+)/\n", address)
        assert found, address + self.process.communicate()[1]
        self.port = int(found[1])

    def request(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
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
    assert server.process.wait(timeout=20) == 0


@pytest.mark.parametrize("target, last_text", [("cuda:90", "ptx"), ("sim:cuda:90", None), ("cpu", "asm")])
def test_a_quick_answer_says_what_it_leaves_out(kernels, serve, target, last_text):
    server = serve(f"{kernels}:scale", "--target", target)
    quick = server.compile(quick=True)
    assert quick["is_complete"] == (target != "cuda:90")
    assert [each["name"] for each in quick["assembly"]][-1:] == ([last_text] if last_text else [])
    assert quick["signature"] == "*fp32:16,*fp32:16,i32,i32,64"
    assert server.compile()["is_complete"]


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
    assert server.request("POST", "/compile", "{}", Origin=f"http://127.0.0.1:{server.port}")[0].status == 200
    for body in ("", "[1]", "{", "\xff", "[" * 100_000, '{"a":' * 100_000):
        assert server.request("POST", "/compile", body.encode("latin-1"))[0].status == 400
    assert server.request("POST", "/compile", "x" * (5 << 20))[0].status == 413
    second = subprocess.run(
        [TRITONC, "explore", f"{kernels}:scale", "--signature", SCALE, "--port", str(server.port)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert second.returncode == 2 and f"port {server.port} is in use" in second.stderr


def test_files_beside_the_kernel(kernels):
    other = kernels.with_name("other.ttir")
    other.write_text("module { </script> }\n")
    page, data = exported(kernels, "scale", SCALE, "cpu", "--beside", other, "--beside", kernels)
    assert data["beside"] == [
        {"name": "other.ttir", "text": "module { </script> }\n"},
        {"name": "kernels.py", "text": SOURCE},
    ]
    assert page.count("</script>") == 2


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


def test_a_page_for_a_pipe(kernels):
    """A device keeps its name: the page goes into it."""
    command = [TRITONC, "explore", f"{kernels}:scale", "--signature", SCALE, "--export", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("<!DOCTYPE html>")


WRONG = """import triton
import triton.language as tl


@triton.jit
def shift(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i + 1, value, mask=i < n)
    tl.store(out + 3, tl.sum(value))
"""
ARGUMENTS = ["x=rand:f32[200]", "out=zeros:f32[200]", "n=200", "BLOCK=64"]
LAUNCH = ["--grid", "4", *(word for argument in ARGUMENTS for word in ("--arg", argument))]


def cells_of(memory, name):
    (area,) = [area for area in memory["areas"] if area["name"] == name]
    return area, {run["first"] + i: run for run in area["cells"] for i in range(run["count"])}


@pytest.mark.parametrize("target", ["cuda:90", "sim:cuda:80", "hip:gfx942"])
def test_a_map_of_a_launch(kernels, target):
    kernels.write_text(WRONG)
    _, data = exported(kernels, "shift", "*fp32:16,*fp32:16,i32,BLOCK=64", target, *LAUNCH)
    memory = data["memory"]
    assert memory["grid"] == "4" and memory["target"] == "sim:" + target.removeprefix("sim:")
    area, read = cells_of(memory, "x")
    assert (area["bytes"], area["cell_bytes"]) == (800, 4)
    assert sorted(read) == list(range(200))
    assert all(run["reads"] >= 1 and run["writes"] == 0 and not run["errors"] for run in read.values())
    assert all(run["programs"] == [index // 64, index // 64] for index, run in read.items())
    _, written = cells_of(memory, "out")
    assert sorted(written) == list(range(1, 201))
    assert [index for index, run in written.items() if "access out of bounds" in run["errors"]] == [200]
    assert [index for index, run in written.items() if "race on global memory" in run["errors"]] == [3]
    assert written[3]["programs"] == [0, 3]
    lines = {memory["places"][place]["line"] for place in written[3]["places"]}
    assert lines == {9, 10}
    found = {(finding["line"], finding["kind"]) for finding in memory["findings"]}
    assert found == {(9, "access out of bounds"), (10, "race on global memory")}
    assert all(finding["remedy"] for finding in memory["findings"])
    loaded = sum(each["global_load_bytes"] for each in memory["by_place"])
    assert loaded >= 800
    assert {memory["places"][each["place"]]["line"] for each in memory["by_place"] if each["global_load_bytes"]} == {8}


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

        def begin(ask, **question):
            """What is asked afterwards comes later to the server, too, however busy the machine is."""
            answer = pool.submit(ask, **question)
            time.sleep(2)
            return answer

        endless = begin(server.simulate, page="a", **launch)
        # A second page waits for its turn. It does not abandon what the first one asked.
        other = begin(server.compile, page="b")
        assert not endless.done() and not other.done()
        assert server.request("POST", "/cancel", '{"page": "a"}')[0].status == 200
        assert endless.result(timeout=60) == {"abandoned": True}
        assert "passes" in other.result(timeout=60)
        endless = begin(server.simulate, page="a", **launch)
        newer = pool.submit(server.simulate, page="a", grid="x", arguments="x=zeros:i32[4]")
        assert endless.result(timeout=60) == {"abandoned": True}
        assert "not an integer" in newer.result(timeout=60)["error"]["text"]


def begin_simulation(server):
    """Asks for one that does not end, and waits until it has computed for a while. Returns its connection."""
    before = server.ticks()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    launch = {"page": "a", "grid": "1", "arguments": "x=zeros:i32[4]"}
    connection.request("POST", "/simulate", json.dumps(launch))
    while server.ticks() < before + 50:
        time.sleep(0.05)
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
        connections.append(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60))
        connections[-1].request("POST", "/compile", json.dumps({"page": str(number)}))
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
    assert server.process.wait(timeout=20) == 0
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
        (["{path}:scale", "--signature", SCALE, "--beside", TRITONC], 2, "is no text; `--beside` takes texts"),
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
