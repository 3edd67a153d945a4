"""Errors of kernels: the class, the place, what is said, and how it looks."""

import inspect
import re
import traceback

import bad_kernels
import numpy as np
import pytest
import triton
import triton.language as tl
from programs import PATIENCE, run, start

pytestmark = pytest.mark.usefixtures("host_device")

KERNELS = [value for value in vars(bad_kernels).values() if isinstance(value, triton.JITFunction)]
MARKER = re.compile(r"# (error|unsupported|assertion): (.*)$")
CLASSES = {
    "error": triton.CompilationError,
    "unsupported": triton.compiler.UnsupportedLanguageConstruct,
    "assertion": triton.compiler.CompileTimeAssertionFailure,
}
LINES = inspect.getsource(bad_kernels).splitlines()


def marker_of(kernel):
    """(line in the file, class, regular expression) of a kernel's marked line."""
    if kernel is bad_kernels.error_in_helper:
        kernel = bad_kernels.helper_with_error
    for number, line in enumerate(kernel.raw_src, kernel._first_line):
        if match := MARKER.search(line):
            return number, match.group(1), match.group(2)
    raise AssertionError(f"`{kernel.__name__}` has no marker")


def error_of(kernel):
    x, i = np.zeros(16, np.float32), np.zeros(16, np.int32)
    with pytest.raises(triton.TritonError) as caught:
        kernel[(1,)](x, i, 7)
    return caught.value


@pytest.mark.parametrize(
    "kernel", [k for k in KERNELS if k is not bad_kernels.helper_with_error], ids=lambda kernel: kernel.__name__
)
def test_wrong_kernel(kernel):
    line, kind, pattern = marker_of(kernel)
    error = error_of(kernel)
    text = str(error)
    assert isinstance(error, CLASSES[kind]), text
    assert re.search(pattern, error.error_message), text
    assert error.line == line, text
    code = LINES[line - 1]
    first, excerpt, carets = text.splitlines()[:3]
    assert re.match(rf".*bad_kernels\.py:{line}:{error.column}: error: ", first)
    # the excerpt is the line of the file, and the mark lies under the column that is named
    assert excerpt.strip() == code.strip()
    marks = re.fullmatch(r"( *)([~^]+)", carets.rstrip())
    assert marks, carets
    indent = len(excerpt) - len(excerpt.lstrip())
    assert len(marks.group(1)) - indent == error.column - 1 - (len(code) - len(code.lstrip()))
    assert 0 < len(marks.group(2)) <= len(code.strip())


def test_suggestion():
    assert "did you mean `load`" in str(error_of(bad_kernels.misspelled_builtin))


def test_both_places_of_a_conflict_are_shown():
    kernel = bad_kernels.branches_disagree
    text = str(error_of(kernel))
    assert all(f"bad_kernels.py:{kernel._first_line + line}:" in text for line in (3, 5)), text


def test_chain_of_calls():
    text = str(error_of(bad_kernels.error_in_helper))
    call = bad_kernels.error_in_helper._first_line + 2
    assert f"bad_kernels.py:{call}:" in text, text


def test_the_traceback_ends_at_the_launch():
    try:
        bad_kernels.undefined_name[(1,)](np.zeros(1, np.float32), np.zeros(1, np.int32), 7)
    except triton.CompilationError as error:
        frames = traceback.extract_tb(error.__traceback__)
        assert frames[0].filename == __file__
        assert all("triton/compiler" in frame.filename or "triton/runtime" in frame.filename for frame in frames[1:])


def test_a_failed_kernel_can_be_tried_again():
    for _ in range(3):
        error_of(bad_kernels.undefined_name)


def test_several_syntax_errors_at_once(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("import triton, triton.language as tl\n@triton.jit\ndef kernel(x):\n    tl.store(x, 1)\n")
    namespace = {"__name__": "kernel"}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    kernel = namespace["kernel"]
    kernel._unsafe_update_src("def kernel(x):\n    a = (1 +\n    tl.store(x, )\n    b = = 3\n")
    with pytest.raises(triton.TritonError) as caught:
        kernel[(1,)](np.zeros(1, np.float32))
    assert "error" in str(caught.value)


STRANGE = {
    "nul": b"\0",
    "not utf-8": b"\xff\xfe",
    "control": b"\x01\x02",
    "only indentation": b"    \n\t\n",
    "unclosed": b"def kernel(x):\n    y = (((((\n",
    "string": b"def kernel(x):\n    y = '''\n",
    "no function": b"x = 1\n",
    "empty": b"",
    "brackets": b"def kernel(x):\n    y = " + b"(" * 100000 + b"\n",
    "deep": b"def kernel(x):\n    y = " + b"(" * 3000 + b"1" + b")" * 3000 + b"\n",
    "minus": b"def kernel(x):\n    y = " + b"-" * 50000 + b"1\n",
    "nested ifs": b"def kernel(x):\n"
    + b"".join(b" " * (i + 1) + b"if x:\n" for i in range(500))
    + b" " * 501
    + b"pass\n",
    "digits": b"def kernel(x):\n    y = " + b"9" * 100000 + b"\n",
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_sources(name):
    kernel = triton.jit(bad_kernels.undefined_name.fn)
    kernel._unsafe_update_src(STRANGE[name].decode("latin-1"))
    with pytest.raises((triton.TritonError, UnicodeError)):
        kernel[(1,)](np.zeros(1, np.float32), np.zeros(1, np.int32), 7)


def test_large_source(tmp_path):
    """A file of ten megabytes, with a kernel of many lines at its end."""
    lines = ["import numpy as np, triton, triton.language as tl"]
    lines += [f"# {'x' * 98}"] * 100_000
    lines += ["@triton.jit", "def kernel(x):", "    a = tl.load(x)"]
    lines += ["    a = a + 1"] * 500
    lines += ["    tl.store(x, a)", "x = np.zeros(1, np.int32)", "kernel[(1,)](x)", "print(x[0])"]
    output, _ = run(tmp_path, "\n".join(lines) + "\n")
    assert int(output) == 500


@triton.jit
def sum_of_constants(x, A: tl.constexpr, B: tl.constexpr):
    tl.store(x, A + B)


@pytest.mark.parametrize("a,b", [("text", 1), (None, 1), ((1, 2), 3), (tl.float32, 1)])
def test_wrong_constants(a, b):
    with pytest.raises(triton.CompilationError) as caught:
        sum_of_constants[(1,)](np.zeros(1, np.int32), a, b)
    assert "A + B" in str(caught.value)


def test_uncaught_error_of_a_program(tmp_path):
    process = start(
        tmp_path,
        "import numpy as np, triton, triton.language as tl\n@triton.jit\ndef kernel(x):\n"
        "    tl.store(x, wrong)\nkernel[(1,)](np.zeros(1, np.float32))\n",
    )
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and "program.py:4:17: error: " in errors and "^" in errors
