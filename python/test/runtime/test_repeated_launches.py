"""Launches that repeat one another take a short way. They must select the variants, and pass the arguments, that those
of a function do that has not been launched before."""

import itertools
import random

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def negate(x):
    return -x


@triton.jit
def keep(x):
    return x


def kernel_function(
    a, b, n, m, flag, scale, none, out, N: tl.constexpr, KIND: tl.constexpr, TYPE: tl.constexpr, F: tl.constexpr
):
    i = tl.arange(0, N)
    value = tl.load(a + i).to(tl.float32) + 2 * tl.load(b + i).to(tl.float32) + 3 * n + 5 * m.to(tl.float32)
    if flag:
        value += 7
    if none is not None:
        value += tl.load(none)
    if KIND == "double":
        value *= 2
    tl.store(out + i, F((value * scale).to(TYPE).to(tl.float32)))


def array(dtype, aligned=True):
    memory = np.zeros(320, np.uint8)
    begin = -memory.ctypes.data % 64 + (0 if aligned else np.dtype(dtype).itemsize)
    view = memory[begin : begin + 16 * np.dtype(dtype).itemsize].view(dtype)
    view[:] = np.arange(16) % 5
    return view


def large(value):
    """An equal integer that is another object."""
    return int(str(value))


CHOICES = {
    "a": [
        lambda: array(np.float32),
        lambda: array(np.float32, False),
        lambda: array(np.int16),
        lambda: array(np.float64),
    ],
    "b": [lambda: array(np.float32), lambda: array(np.float32, False)],
    "n": [lambda: 3, lambda: 16, lambda: 1, lambda: 0, lambda: large(1024), lambda: large(1023), lambda: -16],
    "m": [lambda: 2, lambda: large(2**33), lambda: True, lambda: False, lambda: 1.5, lambda: np.int32(48)],
    "flag": [lambda: True, lambda: False, lambda: 1, lambda: 2],
    "scale": [lambda: 0.5, lambda: 1.0, lambda: 1, lambda: float("2.25"), lambda: np.float32(3)],
    "none": [lambda: None, lambda: np.full(1, 11, np.float32)],
    "N": [lambda: 16, lambda: 8],
    "KIND": [lambda: "double", lambda: "once", lambda: "".join(["dou", "ble"])],
    "TYPE": [lambda: tl.float32, lambda: tl.float16, lambda: tl.dtype("fp32")],
    "F": [lambda: negate, lambda: keep],
}


def launched(kernel, arguments):
    out = np.full(16, np.nan, np.float32)
    compiled = kernel[(1,)](**arguments, out=out)
    return compiled.hash, out


def test_sequences_of_calls(host_device):
    draw = random.Random(0)
    kernel = triton.jit(kernel_function)
    arguments = {name: choices[0]() for name, choices in CHOICES.items()}
    seen = set()
    for _ in range(400):
        # Most calls differ from the one before in few arguments or in none.
        for name in draw.sample(list(CHOICES), draw.choice([0, 0, 1, 1, 2])):
            arguments[name] = draw.choice(CHOICES[name])()
        found, values = launched(kernel, arguments)
        expected, expected_values = launched(triton.jit(kernel_function), arguments)
        assert found == expected, arguments
        np.testing.assert_array_equal(values, expected_values, err_msg=str(arguments))
        seen.add(found)
    assert len(seen) > 50


@triton.jit
def copy(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=-1.0), mask=i < N)


def test_arrays_are_read_at_each_launch(host_device):
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    for count in (16, 16, 5, 5, 16):
        other = x * count
        copy[(1,)](other, out, count, 16)
        np.testing.assert_array_equal(out, np.where(np.arange(16) < count, other, -1))


def test_errors_stay_what_they_are(host_device):
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    for _ in range(3):
        copy[(1,)](x, out, 16, 16)
        with pytest.raises(TypeError, match="argument `x`"):
            copy[(1,)](object(), out, 16, 16)
        frozen = out.copy()
        frozen.flags.writeable = False
        with pytest.raises(ValueError, match="`out`: the array is read-only"):
            copy[(1,)](x, frozen, 16, 16)
        with pytest.raises(TypeError, match="lacks an argument for parameter `N`"):
            copy[(1,)](x, out, 16)
        with pytest.raises(OverflowError, match="64 bits"):
            copy[(1,)](x, out, 1 << 70, 16)


class OwnHash(str):
    """A name that is equal to another but has another hash."""

    def __hash__(self):
        return 1


@pytest.mark.parametrize("made", [str, lambda name: (name + " ").strip(), OwnHash])
def test_names_come_in_any_order(host_device, made):
    """Interned or not: a launch expects them in the order of the parameters and must not depend on it."""
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    for names in itertools.permutations(["x", "out", "n", "N"]):
        values = {"x": x, "out": out, "n": len(names), "N": 16}
        for positional in range(3):
            out[:] = 0
            copy[(1,)](
                *[x, out][:positional],
                **{made(name): values[name] for name in names if name not in ["x", "out"][:positional]},
            )
            np.testing.assert_array_equal(out, np.where(np.arange(16) < 4, x, -1))
    with pytest.raises(TypeError, match="two values for parameter `out`"):
        copy[(1,)](x, out, 4, 16, **{made("out"): out})


def test_options_and_settings_select_variants(host_device):
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    hashes = [copy[(1,)](x, out, 16, 16, num_warps=warps).hash for warps in (4, 4, 2, 2, 4, 2)]
    assert hashes[0] == hashes[1] == hashes[4] != hashes[2] == hashes[3] == hashes[5]
    plain = copy[(1,)](x, out, 16, 16).hash
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.debug = True
        assert copy[(1,)](x, out, 16, 16).hash != plain
    assert copy[(1,)](x, out, 16, 16).hash == plain


def test_tuples_and_mutable_constants(host_device):
    @triton.jit
    def first(values, out, SHAPE: tl.constexpr):
        tl.store(out, values[0] + SHAPE[0])

    out = np.zeros(1, np.float32)
    shape = [1, 2]
    for number in (3, 3, 4, 16):
        for extent in (1, 1, 5):
            shape[0] = extent
            first[(1,)]((number, 2), out, shape)
            assert out[0] == number + extent
