"""What `tritonc` and the commands of the package say and return, where that is no part of one command alone."""

import base64
import json
import os
import re
import resource
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TRITONC = Path(sys.executable).with_name("tritonc")
SOURCE = """import numpy as np
import triton
import triton.language as tl


@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def wave(x):
    tl.store(x, np.sin(tl.load(x)))


@triton.jit
def talk(x):
    tl.device_print("x", tl.load(x))
"""
PACKAGE = [sys.executable, "-m", "triton.tools.tritonc"]
C = ["--emit", "c", "--grid", "1,1,1"]
SCALE = ["scale.py:scale", "--signature", "*fp32:16,i32,64"]


@pytest.fixture
def run(tmp_path):
    (tmp_path / "scale.py").write_text(SOURCE)
    return lambda *arguments, command=(TRITONC,), **more: subprocess.run(
        [*command, *arguments], cwd=tmp_path, text=True, **{"capture_output": True, **more}
    )


@pytest.mark.parametrize(
    "arguments, status, message",
    [
        (["show", "missing.py:f"], 2, "cannot read `missing.py`"),
        (["show", "scale.py:missing"], 2, "`scale.py` defines no kernel named `missing`"),
        (["run", "scale.py:scale", "--arg", "n=1"], 2, "argument `x`"),
        (["show", "scale.py:scale", "--signature", "*fp32"], 2, "argument `n`"),
        (["show", "scale.py:scale", "--signature", "*fp32:3,i32,64"], 2, "`3` is not a hint of an array; write 16"),
        (["show", "scale.py:wave", "--signature", "*fp32"], 1, "scale.py:14:"),
        (["show", *SCALE, "--stage", "ptx", "--target", "cuda:90", "--num-warps", "3"], 1, "power of two"),
        (["show", *SCALE, "--stage", "ptx", "--target", "cuda:90", "--num-stages", "-5"], 1, "it must be 0 or more"),
        (
            ["show", *SCALE, "--stage", "llir", "--target", "hip:gfx942", "--num-stages", "-5"],
            1,
            "it must be 0 or more",
        ),
        (["compile", *SCALE, "--num-warps", "many"], 2, "num-warps"),
        (["compile"], 2, "name a kernel as file.py:kernel"),
        (["show", *SCALE, "--target", "vax"], 2, "no target `vax`"),
        (["show", *SCALE, "--target", "cpu:vax"], 1, "`vax` is not a processor"),
        (["run", "scale.py:scale", "--repeat", "0"], 2, "--repeat 0"),
        (["run", "scale.py:scale", "--threads", "-1"], 2, "--threads -1"),
        (["run", "scale.py:scale", "--arg", "z=1"], 2, "has no parameter `z`\n"),
        (["bisect", "scale.py:scale", "--arg", "n=1"], 2, "argument `x`"),
        (["compile", "missing.py:f", *C], 2, "cannot read `missing.py`"),
        (["compile", "scale.py:missing", *C], 2, "defines no kernel named `missing`"),
        (["compile", "scale.py:scale", *C], 2, "`--signature` is missing"),
        (["compile", "scale.py:scale", *C, "--signature", "*fp33,i32,64"], 2, "types are i1, i8"),
        (["compile", *SCALE, "--emit", "c", "--grid", "q,1,1"], 2, "`q` is not a parameter"),
        (["compile", *SCALE, *C, "--target", "vax"], 2, "there is no backend `vax`"),
        (["compile", *SCALE, *C, "--target", "hip:vax"], 1, "`vax` is not an architecture"),
        (["compile", "scale.py:talk", *C, "--signature", "*fp32", "--target", "hip:gfx942"], 1, "it prints or asserts"),
    ],
)
def test_exit_codes(run, arguments, status, message):
    done = run(*arguments)
    assert (done.returncode, message in done.stderr) == (status, True), done


def test_a_full_disk_behind_standard_output(run):
    with open("/dev/full", "w") as full:
        done = run("show", *SCALE, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2 and "cannot write standard output: No space left" in done.stderr


def test_artifacts_are_written_all_or_none(run, tmp_path):
    assert run("compile", *SCALE, "-o", "out").returncode == 0
    written = list((tmp_path / "out").iterdir())
    assert {path.name for path in written} >= {"scale.ttir", "scale.o", "scale.json"}
    largest = max(path.stat().st_size for path in written)
    for path in written:
        path.write_text("old")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest - 1, largest - 1))

    for folder in ("out", "new"):
        done = run("compile", *SCALE, "-o", folder, preexec_fn=limit)
        assert done.returncode == 2 and "File too large" in done.stderr and not done.stdout
    assert {path.read_text() for path in (tmp_path / "out").iterdir()} == {"old"}
    assert not list((tmp_path / "new").iterdir())


def test_what_a_signature_may_hold(run):
    unknown = run("show", "scale.py:scale", "--signature", "*fp33,i32,64").stderr
    assert "`*fp33` is neither a type nor a constant" in unknown
    assert all(name in unknown for name in ("i1,", "u8,", "fp16, bf16, fp32, fp64", "True, False, None"))
    missing = run("show", "scale.py:scale")
    assert missing.returncode == 2 and "`--signature` is missing" in missing.stderr
    guess = re.search("--signature '([^']*)'", missing.stderr)[1]
    assert run("show", "scale.py:scale", "--signature", guess).returncode == 0


@pytest.fixture
def run_examples(tmp_path):
    """Runs the examples of a help text as they stand, beside the README's first program as `add.py`."""
    text = re.search(r"^```python\n(import numpy.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)[1]
    (tmp_path / "add.py").write_text(text)
    (tmp_path / "x.bin").write_bytes(bytes(4 * 9999))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(sys.executable)
    (tmp_path / "bin/tritonc").symlink_to(TRITONC)
    subprocess.run([ROOT / "scripts/link_commands.sh", tmp_path], check=True)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TRITON_CACHE_DIR": str(tmp_path / "cache"),
    }

    def run_command(line):
        done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        return done.stdout

    def run(command):
        text = run_command(command + " --help").replace("\\\n", " ")
        lines = re.search(r"^examples:\n+((?:  .*\n)+)", text, re.M | re.I)[1].splitlines()
        examples = [line for line in lines if "pytest" not in line]
        assert any(line.startswith(f"  {command} ") for line in examples), text
        for line in examples:
            run_command(line)

    return run


def test_examples_of_the_help(run, run_examples):
    commands = re.findall(r"^  (\w+) +- ", run("--help").stdout.partition("OPTIONS:")[0], re.MULTILINE)
    assert len(commands) > 10
    for command in ["tritonc", *(f"tritonc {name}" for name in commands if name != "lsp")]:
        run_examples(command)


def test_examples_of_the_help_of_the_package(run_examples):
    modules = ("tools.compile", "tools.link", "audit", "compatibility")
    for command in [*(f"python -m triton.{module}" for module in modules), "proton", "proton-viewer"]:
        run_examples(command)


def test_the_help_names_types_and_defaults(run):
    text = run("compile", "--help").stdout
    assert re.search(r"--num-warps=<int> .*\(default: 4\)", text) and re.search(r"-o <dir> .*\(default: \.\)", text)
    assert re.search(r"--target=<target> .*\(default: cpu\)", text)
    for command, option in (("explain", "target"), ("bundle", "target"), ("explore", "grid")):
        assert not re.search(f"--{option}=.*default", run(command, "--help").stdout)
    done = subprocess.run([sys.executable, "-m", "triton.tools.compile", "--help"], capture_output=True, text=True)
    assert "--num-stages N" in done.stdout and "(default: 3)" in done.stdout


def test_functions_of_numpy_have_counterparts(run):
    done = run("show", "scale.py:wave", "--signature", "*fp32")
    assert done.returncode == 1 and "help: use `tl.sin`" in done.stderr, done.stderr


def test_commands_of_the_package(tmp_path):
    """An environment that has the build on its path has what the wheel would install."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(sys.executable)
    subprocess.run([ROOT / "scripts/link_commands.sh", tmp_path], check=True)
    assert {path.name for path in (tmp_path / "bin").iterdir()} == {"python", "proton", "proton-viewer", "tritonc"}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for command in ("proton", "proton-viewer"):
        done = subprocess.run([tmp_path / "bin" / command, "--help"], env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and "usage: " + command in done.stdout, done


@pytest.mark.parametrize(
    "names, message, remedy",
    [
        (["_C.cpython-39-x86_64-linux-gnu.so"], "for Python 3.9, and this is Python 3.", "start Python 3.9, or "),
        (["_C.cpython-399t-x86_64-linux-gnu.so"], "for Python 3.99t, and this", "start Python 3.99t, or "),
        ([], "has no extension module", ""),
    ],
)
def test_a_package_for_another_python(tmp_path, names, message, remedy):
    folder = tmp_path / "triton"
    folder.mkdir()
    for path in (ROOT / "python/triton").iterdir():
        (folder / path.name).symlink_to(path)
    (folder / "_wrong_python.py").unlink()
    (folder / "_wrong_python.py").write_bytes((ROOT / "python/triton/_wrong_python.py").read_bytes())
    for name in names:
        (folder / name).touch()
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import triton"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and message in done.stderr and "make build PYTHON=" in done.stderr
    assert f"help: {remedy}build it" in done.stderr


def test_headers_name_the_standard_that_they_need(tmp_path):
    (tmp_path / "main.cpp").write_text("#include <triton/triton.h>\n")
    command = ["clang++-22", "-fsyntax-only", "-I", ROOT / "include", tmp_path / "main.cpp"]
    old = subprocess.run([*command, "-std=c++17"], capture_output=True, text=True)
    first = next(line for line in old.stderr.splitlines() if " error: " in line)
    assert "the headers of Triton need C++20 or later" in first
    assert subprocess.run([*command, "-std=c++20"]).returncode == 0


@pytest.mark.parametrize("arguments", [["--version"], ["show", *SCALE], ["show", "scale.py:missing"], []])
def test_the_package_alone_has_the_command(run, arguments):
    program, package = run(*arguments), run(*arguments, command=PACKAGE)
    told = [(done.returncode, done.stdout, done.stderr) for done in (program, package)]
    assert told[0] == told[1]


def test_the_package_alone_writes_pages(run, tmp_path):
    refused = run("explore", *SCALE, command=PACKAGE)
    assert refused.returncode == 2 and "no server of pages; write one with --export" in refused.stderr
    assert run("explore", *SCALE, "--export", "page.html", command=PACKAGE).returncode == 0
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")


def test_the_package_alone_has_the_language_server(run):
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]
    texts = [json.dumps(message) for message in messages]
    sent = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts)
    done = run("lsp", command=PACKAGE, input=sent)
    assert done.returncode == 0 and '"hoverProvider":true' in done.stdout, done


def test_settings(run, tmp_path):
    """The comment comes before the file, and the command line before both."""
    comment = '# tritonc: num-warps = 2, signature = "*fp32:16, i32, 64"\n'
    marked = SOURCE.replace("@triton.jit\ndef scale", f"{comment}@triton.jit\ndef scale")
    (tmp_path / "scale.py").write_text(marked)
    (tmp_path / ".triton.toml").write_text('target = "cuda:80"\nnum-warps = 8\n')
    shown = run("show", "scale.py:scale", "--stage", "ttgir").stdout
    assert '"ttg.num-warps" = 2' in shown and 'ttg.target = "cuda:80"' in shown and "tensor<64xf32" in shown
    given = ["--target", "hip:gfx942", "--num-warps", "1", "--signature", "*fp32,i32,BLOCK=128"]
    shown = run("show", "scale.py:scale", "--stage", "ttgir", *given).stdout
    assert '"ttg.num-warps" = 1' in shown and "gfx942" in shown and "tensor<128xf32" in shown
    explained = json.loads(run("explain", "scale.py:scale", "--json").stdout)
    assert (explained["target"], explained["num_warps"]) == ("cuda:80", 2)
    arrays = ["--arg", "x=ones:f32[64]", "--arg", "n=64", "--arg", "BLOCK=64"]
    assert "first 2 2 2 2" in run("run", "scale.py:scale", *arrays).stdout, "where it runs, settings do not say"
    (tmp_path / ".triton.toml").write_text('[kernel.scale]\nnum-stages = "8"\n')
    wrong = run("show", "scale.py:scale", "--stage", "ttgir")
    assert wrong.returncode == 1
    assert '.triton.toml:2:14: error: `num-stages` takes a number from 0 to 100, not `"8"`' in wrong.stderr
    (tmp_path / ".triton.toml").unlink()
    (tmp_path / "scale.py").write_text(marked + "\n\n# tritonc: num-warps = 4\nBLOCK = 64\n")
    wrong = run("show", "scale.py:scale", "--stage", "ttgir")
    assert wrong.returncode == 1 and "this comment has settings and stands above no kernel" in wrong.stderr
    (tmp_path / "scale.py").write_text(marked)
    (tmp_path / "user.py").write_text("from scale import scale\n")
    shown = run("show", "user.py:scale", "--stage", "ttgir", "--target", "cuda:80")
    assert '"ttg.num-warps" = 2' in shown.stdout, shown.stderr
    page = tmp_path / "page.html"
    (tmp_path / "scale.py").write_text(marked.replace("*fp32:16, i32, 64", "BLOCK=64"))
    assert run("explore", "scale.py:scale", "--target", "cuda:80", "--export", page).returncode == 0
    packed = re.search(r'id="data">([^<]*)<', page.read_text())[1]
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert data["configurations"][0]["text"] == "the settings: num-warps 2, signature BLOCK=64"
    assert data["num_warps"] == 2 and [each["name"] for each in data["guessed"]] == ["x", "n"]
