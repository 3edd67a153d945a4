"""`--shadow`: values of kernels compared with float64."""

import ctypes
import json
import mmap
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import triton
import triton.language as tl
from triton._memory import view_at
from triton.audit import _beside, _shadow
from triton.audit._findings import Collection
from triton.audit._shadow_checks import compare, histogram
from triton.audit._shadow_report import report_lines


@triton.jit
def add_up(x, out, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), TYPE)
    for i in range(0, n, BLOCK):
        total += tl.load(x + i + tl.arange(0, BLOCK))
    tl.store(out, tl.sum(total))


@triton.jit
def add_to_one_place(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + i * 0, tl.load(x + i))


@triton.jit
def multiply(a, b, out, K, TYPE: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    total = tl.zeros((SIZE, SIZE), TYPE)
    for k in range(0, K, SIZE):
        left = tl.load(a + i[:, None] * K + k + i[None, :])
        total = tl.dot(left, tl.load(b + (k + i[:, None]) * SIZE + i[None, :]), total, out_dtype=TYPE)
    tl.store(out + i[:, None] * SIZE + i[None, :], total)


@triton.jit
def multiply_once(a, b, out, K: tl.constexpr, SIZE: tl.constexpr):
    i, k = tl.arange(0, SIZE), tl.arange(0, K)
    left, right = tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * SIZE + i[None, :])
    tl.store(out + i[:, None] * SIZE + i[None, :], tl.dot(left, right, None, None, None, None, tl.float16))


@triton.jit
def normalize(x, out, ONE_PASS: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x + i).to(tl.float32)
    mean = tl.sum(value) / N
    if ONE_PASS:
        variance = tl.sum(value * value) / N - mean * mean
    else:
        variance = tl.sum((value - mean) * (value - mean)) / N
    tl.store(out + i, (value - mean) * tl.rsqrt(variance + 1e-5))


@triton.jit
def softmax(x, out, SAFE: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x + i).to(tl.float32)
    power = tl.exp(value - tl.max(value) if SAFE else value)
    tl.store(out + i, power / tl.sum(power))


@triton.jit
def divide(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(out + i, value / tl.sum(value))


@triton.jit
def quantize(x, out, factor, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, (tl.load(x + i) * factor).to(tl.float8e4nv).to(tl.float32))


@triton.jit
def quantize_with_rounding(x, out, factor, N: tl.constexpr):
    i = tl.arange(0, N)
    scaled = tl.load(x + i) * factor
    tl.store(out + i, scaled.to(tl.float8e4nv, fp_downcast_rounding="rtne").to(tl.float32))
    tl.store(out + N + i, tl.cast(scaled, tl.float8e4nv, "rtne").to(tl.float32))


@triton.jit
def convert(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(out + i, value.to(tl.float16).to(tl.float32))


@triton.jit
def store_converted(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i))
    tl.store(out + i, tl.full((N,), float("nan"), tl.float16))


@triton.jit
def attend(q, k, v, out, n, SIZE: tl.constexpr, DEPTH: tl.constexpr):
    i, d = tl.arange(0, SIZE), tl.arange(0, DEPTH)
    query = tl.load(q + i[:, None] * DEPTH + d[None, :])
    largest = tl.full((SIZE,), float("-inf"), tl.float32)
    total, weights = tl.zeros((SIZE, DEPTH), tl.float32), tl.zeros((SIZE,), tl.float32)
    for start in range(0, n, SIZE):
        place = (start + i)[:, None] * DEPTH + d[None, :]
        score = tl.dot(query, tl.trans(tl.load(k + place)))
        score = tl.where(i[:, None] >= i[None, :] - start, score, float("-inf"))
        now = tl.maximum(largest, tl.max(score, 1))
        part, scale = tl.exp(score - now[:, None]), tl.exp(largest - now)
        weights = weights * scale + tl.sum(part, 1)
        total = tl.dot(part.to(tl.float16), tl.load(v + place), total * scale[:, None])
        largest = now
    tl.store(out + i[:, None] * DEPTH + d[None, :], (total / weights[:, None]).to(tl.float16))


@triton.jit
def through_memory(x, scratch, out, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.load(x + i)
    for _ in range(300):
        total += tl.load(x + i)
    tl.store(scratch + i, total)
    tl.store(out + i, tl.load(scratch + i).to(tl.float32) * 2)


@triton.jit
def add_one(arrays, out, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(arrays[0] + i)
    tl.store(arrays[0] + i, value + 1)
    tl.store(out + i, value)


@triton.jit
def narrow_one(x, out):
    tl.store(out, tl.load(x).to(tl.float16))


def launch(kernel, *args, grid=(1,), **constants):
    """The session after a launch with `--shadow`."""
    session = SimpleNamespace(test="t", config="", current=Collection(), incomplete=[])
    session.note_incomplete = session.incomplete.append
    arrays = [arg[0] if isinstance(arg, tuple) else arg for arg in args]
    arrays = [array for array in arrays if isinstance(array, np.ndarray)]
    before = [array.copy() for array in arrays]
    _shadow.shadow(session, kernel, args, grid, constants)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(before, arrays, strict=True)), "the contents are put back"
    return session


def look(kernel, *args, **constants):
    """What `--shadow` says of a launch: [(kind, text of the line)] and the session's collection."""
    session = launch(kernel, *args, **constants)
    assert not session.incomplete
    lines = open(__file__).read().splitlines()
    return [(each.kind, lines[each.line - 1].strip()) for each in session.current.findings], session.current


def draw(*shape, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def empty(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


TENTHS = np.full(4096, 0.1, np.float16)
NARROW = "accumulator that is too narrow"


def test_narrow_accumulator():
    found, current = look(add_up, TENTHS, empty(1), 4096, TYPE=tl.float16, BLOCK=2)
    assert found == [(NARROW, "total += tl.load(x + i + tl.arange(0, BLOCK))")]
    (finding,) = current.findings
    assert finding.column == 9 and finding.argument == "out" and finding.program == (0, 0, 0)
    first, _, stored = finding.detail.partition("; ")
    assert first.startswith("`+` in fp16 of ") and " gives 82.4375 in place of 81.78" in first
    assert stored == f"element 0 of `out`, stored in line {finding.line + 1}, is 472.25 in place of 409.5"
    assert "float32" in finding.text and "        ^~~~" not in finding.text
    assert Collection.from_dict(json.loads(json.dumps(current.as_dict()))).errors == current.errors
    (loop,) = [line for line in report_lines(current.errors) if f":{finding.line}:9 `+` in fp16: " in line]
    assert "exact: 6, 1/8: 8, " in loop and loop.endswith("256: 924")


def test_other_narrow_accumulators():
    a, b = TENTHS.repeat(16).reshape(16, 4096), TENTHS.repeat(16).reshape(4096, 16)
    found, _ = look(multiply, a, b, empty(16, 16), 4096, TYPE=tl.float16, SIZE=16)
    assert [kind for kind, _ in found] == [NARROW] and "tl.dot" in found[0][1]
    large = np.full((16, 16), 100, np.float16)
    found, current = look(multiply_once, large, large, empty(16, 16), K=16, SIZE=16)
    assert [kind for kind, _ in found] == ["value out of range"] and "`dot` in fp16" in current.findings[0].detail
    found, _ = look(add_to_one_place, TENTHS, empty(1, dtype=np.float16), grid=(64,), BLOCK=16)
    assert [kind for kind, _ in found] == [NARROW] and "atomic_add" in found[0][1]


def test_other_losses():
    off = 1000 + draw(64)
    found, current = look(normalize, off, empty(64), ONE_PASS=True, N=64)
    assert found == [("cancellation", "variance = tl.sum(value * value) / N - mean * mean")]
    assert "`-` in fp32 of 1000" in current.findings[0].detail
    large = np.linspace(0, 300, 64).astype(np.float32)
    (found,), current = look(softmax, large, empty(64), SAFE=False, N=64)
    assert found[0] == "value out of range" and "tl.exp" in found[1] and "gives inf" in current.findings[0].detail
    found, current = look(divide, empty(64), empty(64), N=64)
    assert found == [("NaN of numbers", "tl.store(out + i, value / tl.sum(value))")]
    assert "`/` in fp32 of 0 and 0 gives nan" in current.findings[0].detail
    found, _ = look(quantize, large, empty(64), 2.0, N=64)
    assert found[0][0] == "value out of range" and ".to(tl.float8e4nv)" in found[0][1]
    found, _ = look(quantize_with_rounding, large, empty(128), 2.0, N=64)
    assert [kind for kind, _ in found] == ["value out of range"] * 2
    assert look(add_one, (empty(64),), empty(64), N=64)[0] == []
    found, _ = look(through_memory, TENTHS, empty(64, dtype=np.float16), empty(64), N=64)
    assert [kind for kind, _ in found] == [NARROW]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_kernels_that_lose_no_more_than_they_must(dtype):
    offset = (1000 + draw(4, 128)).astype(dtype)
    same = np.full((4, 128), 5.3, dtype)
    for x in (offset, same, draw(4, 128, dtype=dtype) * 1000):
        assert look(normalize, x, empty(4, 128, dtype=dtype), grid=(4,), ONE_PASS=False, N=128)[0] == []
        assert look(softmax, x, empty(4, 128, dtype=dtype), grid=(4,), SAFE=True, N=128)[0] == []
    assert look(quantize, draw(64, dtype=dtype), empty(64), 100.0, N=64)[0] == []
    a, b = draw(16, 256, dtype=dtype), draw(256, 16, dtype=dtype)
    assert look(multiply, a, b, empty(16, 16), 256, TYPE=tl.float32, SIZE=16)[0] == []
    assert look(add_up, np.full(4096, 0.1, dtype), empty(1), 4096, TYPE=tl.float32, BLOCK=64)[0] == []
    nothing = np.full(64, np.nan, dtype)
    assert look(divide, nothing, empty(64), N=64)[0] == []  # it was read


def test_numbers_that_wrap_around_or_overflow():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert look(narrow_one, draw(1), empty(1, dtype=np.float16))[0] == []
        compared = compare(np.full(1, 1e300), tl.float64, [np.zeros(1)] * 4)
        assert histogram(compared, tl.float64) == {None: 0, 30: 1}


def test_functions_without_a_shadow_are_named(monkeypatch):
    def refuse(value, number):
        raise ValueError("no float64")

    monkeypatch.setattr(_shadow, "_in_float64", refuse)
    session = launch(quantize, draw(64), empty(64), 2.0, N=64)
    assert "`to` in `quantize` has no shadow: its results count as exact" in session.incomplete


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_values_that_a_narrower_type_does_not_have(dtype):
    large, small = np.full(64, 100000, dtype), np.arange(64).astype(dtype)
    found, current = look(convert, large, empty(64), N=64)
    assert found == [("value out of range", "tl.store(out + i, value.to(tl.float16).to(tl.float32))")]
    assert "`to` in fp16" in current.findings[0].detail and "inf in place of 100000" in current.findings[0].detail
    found, current = look(store_converted, large, empty(64, dtype=np.float16), N=64)
    assert found == [("value out of range", "tl.store(out + i, tl.load(x + i))")]
    assert current.findings[0].detail.startswith("fp16 does not have this value; ")
    assert look(convert, small, empty(64), N=64)[0] == []
    assert look(store_converted, small, empty(64, dtype=np.float16), N=64)[0] == []


def test_the_limit_of_reads_is_named(monkeypatch):
    monkeypatch.setattr(_beside, "_MOST_READS", 2)
    (reason,) = launch(add_up, TENTHS, empty(1), 6, TYPE=tl.float32, BLOCK=2).incomplete
    assert reason.startswith("`add_up` has no shadow to its end: ")
    assert "one place read memory more than 2 times, the limit beside a launch" in reason


def test_memory_of_more_bytes_than_a_c_int_counts():
    size = (1 << 32) + 8
    with mmap.mmap(-1, size) as memory:  # of which two pages are touched
        first = ctypes.c_char.from_buffer(memory)
        view = view_at(ctypes.addressof(first), size)
        view[-3:] = b"end"
        assert len(view) == size and bytes(memory[size - 8 :]) == bytes(view[-8:]) == b"\0\0\0\0\0end"
        assert bytes(view_at(ctypes.addressof(first), 0)) == b""
        del view, first


def test_attention():
    q, k, v = draw(3, 64, 32).astype(np.float16)
    found, current = look(attend, 3 * q[:16], k, v, empty(16, 32, dtype=np.float16), 64, SIZE=16, DEPTH=32)
    assert found == []
    assert any("`exp` in fp32" in line for line in report_lines(current.errors))
