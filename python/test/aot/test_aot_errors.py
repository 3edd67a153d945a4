"""Mistakes in ahead-of-time compilations: one message on standard error, and no files."""

import pathlib
import resource
import subprocess
import sys

import pytest
from aot_programs import KERNELS, run_tool

TRITONC = pathlib.Path(sys.executable).with_name("tritonc")
SCALE = "*fp32, *fp32, i32, fp32, 64"
SCALE_LINE = 1 + KERNELS.read_text().splitlines().index("def scale(x, out, n, factor, BLOCK: tl.constexpr):")

#: name → (kernel, signature, grid, target, part of the message)
MISTAKES = {
    "missing kernel": ("scales", SCALE, "n, 1, 1", "cpu", "`scales`"),
    "missing item": ("scale", "*fp32, *fp32, i32", "n, 1, 1", "cpu", "argument `factor`: the signature has 3 items"),
    "unknown type": (
        "scale",
        "*fp33, *fp32, i32, fp32, 64",
        "n, 1, 1",
        "cpu",
        "argument `x`: `*fp33` is neither a type",
    ),
    "unknown hint": (
        "scale",
        "*fp32:32, *fp32, i32, fp32, 64",
        "n, 1, 1",
        "cpu",
        "argument `x`: there is no hint `32`",
    ),
    "type for a constant": ("scale", "*fp32, *fp32, i32, fp32, i32", "n, 1, 1", "cpu", "argument `BLOCK`: it is a `tl"),
    "number for a pointer": ("scale", "fp32, *fp32, i32, fp32, 64", "n, 1, 1", "cpu", "`pointer` of `tl.load` must be"),
    "two extents": ("scale", SCALE, "n, 1", "cpu", "grid: `n, 1` has 2 expressions; give three"),
    "unknown name in the grid": ("scale", SCALE, "m, 1, 1", "cpu", "grid: `m`: `m` is not a parameter of the kernel"),
    "unknown backend": ("scale", SCALE, "n, 1, 1", "metal", "target `metal`: there is no backend `metal`"),
    "unknown architecture": ("scale", SCALE, "n, 1, 1", "hip:gfx1:32", "`gfx1`"),
    "unknown capability": ("scale", SCALE, "n, 1, 1", "cuda:12:32", "`12` is not a compute capability"),
    "no capability": ("scale", SCALE, "n, 1, 1", "cuda:sm_90:32", "`sm_90` is not a compute capability"),
    "unknown processor": ("scale", SCALE, "n, 1, 1", "cpu:foo", "`foo` is not a processor"),
    "wrong warp": ("scale", SCALE, "n, 1, 1", "cuda:90:64", "a warp has 32 lanes there, not 64"),
    "simulated GPU": ("scale", SCALE, "n, 1, 1", "sim:cuda:90", "a simulated GPU runs nothing from C"),
}

#: Of the kernel or of what its target has; the others are the command line's, for which tritonc has another exit code.
KERNEL_MISTAKES = {
    "number for a pointer",
    *("unknown architecture", "unknown capability", "no capability", "unknown processor"),
}


def run_both(folder, path, kernel, signature, grid, target, **options):
    """The results of both command lines, which write to `folder`."""
    python = run_tool(
        "compile", path, "-n", kernel, "-s", signature, "-g", grid, "-t", target, "-o", folder / "x", **options
    )
    command = [TRITONC, "compile", f"{path}:{kernel}", "--emit=c", "--signature", signature, "--grid", grid]
    command += ["--target", target, "-o", folder]
    return [python, subprocess.run(command, capture_output=True, text=True, **options)]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(tmp_path, mistake):
    *arguments, message = MISTAKES[mistake]
    results = run_both(tmp_path / "out", KERNELS, *arguments)
    assert [done.returncode for done in results] == [1, 1 if mistake in KERNEL_MISTAKES else 2]
    for done in results:
        assert message in done.stderr
        if message.startswith(("argument", "grid")):
            assert done.stderr.startswith(f"error: {KERNELS}:{SCALE_LINE}: {message}")
        assert "Traceback" not in done.stderr and not done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("    tl.store(x, tl.arange(0, 8) +", ":4"),
        ("    tl.store(x + tl.arange(0, 8), tl.arange(0, 3))", ":4:35: error"),
    ],
)
def test_kernels_with_errors(tmp_path, text, place):
    path = tmp_path / "k.py"
    path.write_text(f"import triton, triton.language as tl\n@triton.jit\ndef k(x):\n{text}\n")
    for done in run_both(tmp_path / "out", path, "k", "*i32", "1, 1, 1", "cpu"):
        assert done.returncode == 1
        assert f"{path}{place}" in done.stderr and "Traceback" not in done.stderr
    # Python may write the compiled module.
    assert {found.name for found in tmp_path.iterdir()} <= {"k.py", "__pycache__"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import triton\nimport nothing_there", ":2: ModuleNotFoundError: No module named 'nothing_there'"),
        ("def f():\n    return 1 / 0\nf()", ":2: ZeroDivisionError: division by zero"),
        ("import json\njson.loads('[')", ":2: JSONDecodeError: Expecting value"),
        ("x = '\0'", ": source code string cannot contain null bytes"),
    ],
)
def test_files_that_cannot_be_executed(tmp_path, text, message):
    """Other than `tritonc`, the tool executes the file."""
    path = tmp_path / "k.py"
    path.write_text(text)
    out = tmp_path / "out"
    done = run_tool("compile", path, "-n", "k", "-s", "*i32", "-g", "1, 1, 1", "-t", "cpu", "-o", out / "x")
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {path}{message}") and done.stderr.count("\n") == 1
    assert not out.exists()


def test_missing_file(tmp_path):
    results = run_both(tmp_path / "out", tmp_path / "k.py", "k", "*i32", "1, 1, 1", "cpu")
    assert [done.returncode for done in results] == [1, 2]
    for done in results:
        assert "k.py`" in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    for folder, message in ((tmp_path / "file", "Not a directory"), (pathlib.Path("/proc"), "cannot write `/proc/")):
        for done in run_both(folder, KERNELS, "scale", SCALE, "n, 1, 1", "cpu"):
            assert done.returncode in (1, 2)
            assert message in done.stderr or "cannot make" in done.stderr
            assert "Traceback" not in done.stderr
    assert (tmp_path / "file").read_text() == "not a folder"


def test_full_folder(tmp_path):
    """The header fits, the source does not: neither is there at the end, and files of before stay as they were."""
    out = tmp_path / "out"
    assert [done.returncode for done in run_both(out, KERNELS, "scale", SCALE, "n, 1, 1", "cuda:80")] == [0, 0]
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    for folder in (out, tmp_path / "new"):
        done = run_both(folder, KERNELS, "scale", SCALE, "n, 1, 1", "cuda:80", preexec_fn=limit)
        for result in done:
            assert result.returncode in (1, 2), result
            assert "cannot write" in result.stderr and "File too large" in result.stderr
            assert "crashed" not in result.stderr
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert not list((tmp_path / "new").iterdir())


def test_command_lines():
    assert run_tool("compile", KERNELS).returncode == 2
    for arguments, message in (
        (
            ["compile", f"{KERNELS}:scale", "--emit=d", f"--signature={SCALE}"],
            "there are --emit=c, --emit=cpp and the artifacts",
        ),
        (["compile", f"{KERNELS}:scale", "--emit=c"], "--emit=c needs --grid"),
        (["compile", f"{KERNELS}:scale", "--emit=cpp"], "--emit=cpp needs --grid"),
        (["compile", f"{KERNELS}:scale", "--target=cpu,cuda:80"], "are for --emit=cpp"),
        (["show", f"{KERNELS}:scale", "--target=cpu,cuda:80"], "give one of each"),
        (["compile", "k.ttir", "--emit=c", "--grid=1,1,1"], "needs a kernel's text"),
        (["link", "a.h"], "link needs headers and -o"),
        (["link", "-o", "x"], "link needs headers and -o"),
    ):
        done = subprocess.run([TRITONC, *arguments], capture_output=True, text=True)
        assert done.returncode == 2
        assert message in done.stderr
