"""Whatever the input, the parser ends soon, with an answer: a tree or diagnostics, never a crash."""

import random
import resource

import pytest

EXAMPLE = '''
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr = 16, *rest, key=None, **more):
    """Text with 'quotes' and \\N{BULLET}."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    if not (0 <= n < 2 ** 31) and x is not None:
        a, (b, *c) = [y for y in (1, 0x2F, 3.5e-7, 4j) if y], f"{n!r:>{BLOCK}} {{}} {x=}"
    elif n:
        while True: n += 1; break
    else:
        return lambda q, /, *, w=1: {q: w, **more}
    for j in tl.range(0, n, num_stages=3):
        tl.store(x + i, tl.load(x + i, mask=i < n) if n else -x, mask=i < n)  # comment
'''


def check(output):
    assert "LLVM ERROR" not in output and "Assertion" not in output
    return output


def processor_seconds():
    """What programs that have ended took, beside whatever else the machine did."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("seed", range(6))
def test_random_bytes(frontend_dump, seed):
    rng = random.Random(seed)
    check(frontend_dump.run_text(rng.randbytes(4000)))
    printable = bytes(rng.choice(b"abc019 \t\n\r\f()[]{}:;,.'\"\\#fbr=+-*/<>!@%^&|~_\x00\xc3\xa9") for _ in range(4000))
    check(frontend_dump.run_text(printable))


def test_truncations(frontend_dump, tmp_path):
    data = EXAMPLE.encode()
    files = []
    for length in range(0, len(data)):
        path = tmp_path / f"{length}.py"
        path.write_bytes(data[:length])
        files.append(path)
    for output in frontend_dump.run(files, "diagnostics"):
        check(output)
    assert frontend_dump.run_text(data) == ""


def test_random_tokens(frontend_dump, tmp_path):
    rng = random.Random(7)
    words = EXAMPLE.replace("(", " ( ").replace(")", " ) ").split(" ")
    files = []
    for index in range(300):
        path = tmp_path / f"{index}.py"
        path.write_text(" ".join(rng.choice(words) for _ in range(60)))
        files.append(path)
    for output in frontend_dump.run(files, "diagnostics"):
        check(output)


DEEP = {
    "parentheses": "x = " + "(" * 100000 + "1" + ")" * 100000,
    "open brackets": "[" * 1000000,
    "mixed brackets": "x = " + "[({" * 60000,
    "unary": "x = " + "-" * 200000 + "1",
    "not": "x = " + "not " * 200000 + "1",
    "sum": "x = " + "a + " * 200000 + "a",
    "power": "x = " + "a ** " * 100000 + "a",
    "attributes": "x = a" + ".b" * 200000,
    "calls": "x = a" + "()" * 200000,
    "subscripts": "x = a" + "[0]" * 200000,
    "conditionals": "x = " + "a if b else " * 100000 + "c",
    "lambdas": "x = " + "lambda: " * 100000 + "1",
    "elif": "if a: pass\n" + "elif a: pass\n" * 100000,
    "indentation": "".join(" " * level + "if a:\n" for level in range(2000)),
    "f-strings": 'x = f"' + "{f'" * 100000,
    "format specifications": 'x = f"' + "{a:" * 100000,
    "patterns": "match x:\n case " + "[" * 150 + "]" * 150 + ": pass\n",
    "decorators": "@a\n" * 100000 + "def f(): pass\n",
    "targets": "a, " * 100000 + "= b",
    "chained assignment": "a = " * 100000 + "b",
    "await": "x = " + "await " * 100000 + "b",
    "star": "x = " + "*" * 100001 + "b",
    "walrus": "x = " + "(a := " * 100000,
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting(frontend_dump, name):
    start = processor_seconds()
    check(frontend_dump.run_text(DEEP[name].encode(), "ast"))
    assert processor_seconds() - start < 30


def test_nesting_that_fits(frontend_dump):
    """What lies within the limits parses."""
    for text in [
        "x = " + "(" * 199 + "1" + ")" * 199,
        "x = " + "a + " * 900 + "a",
        "if a: pass\n" + "elif a: pass\n" * 400,
        "".join(" " * level + "if a:\n" for level in range(99)) + " " * 99 + "pass\n",
    ]:
        assert frontend_dump.run_text(text.encode()) == ""


def test_large_file(frontend_dump):
    """10 MB take half a second: more with sanitizers, but hours in quadratic time."""
    body = EXAMPLE.split("@triton.jit")[1]
    data = ("@triton.jit" + body).encode()
    data = data * (10 * 1024 * 1024 // len(data))
    start = processor_seconds()
    assert frontend_dump.run_text(data) == ""
    assert processor_seconds() - start < 30


def test_large_line(frontend_dump):
    text = "x = [" + "1, " * 1000000
    assert frontend_dump.run_text(f"{text}]".encode()) == ""
    output = frontend_dump.run_text(text.encode())
    assert len(output) < 1000


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_line_ends(frontend_dump, ending):
    text = b'def f(a):\n    """x\n    y"""\n    return a \\\n        + 1\n\n\nf(\n  1)\n'
    want = frontend_dump.run_text(text, "ast")
    assert frontend_dump.run_text(text.replace(b"\n", ending), "ast") == want
    assert frontend_dump.run_text(text.rstrip(b"\n").replace(b"\n", ending), "ast") == want
    assert frontend_dump.run_text(b"\xef\xbb\xbf" + text.replace(b"\n", ending), "ast") == want


def test_error_count_is_limited(frontend_dump):
    output = frontend_dump.run_text(b"x = = 1\n" * 5000)
    assert output.count(": error: ") == 20
