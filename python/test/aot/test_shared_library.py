"""Kernels for the processor as shared libraries: what AOTInductor packs."""

import ctypes

import numpy as np
import pytest
import triton
import triton.language as tl
from aot_kernels import row_sums
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

CPU = GPUTarget("cpu", "x86_64", 0)


def compiled(kernel, signature, **constants):
    signature = signature | dict.fromkeys(constants, "constexpr")
    signature = {name: signature[name] for name in kernel.arg_names}
    indices = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    return triton.compile(ASTSource(kernel, signature, indices), target=CPU)


def load(folder, kernel):
    libraries = []
    for stage in ("so", "launcher.so"):
        path = folder / stage
        path.write_bytes(kernel.asm[stage])
        libraries.append(ctypes.CDLL(str(path)))
    return libraries[1].run_from_nativert, ctypes.cast(getattr(libraries[0], kernel.name), ctypes.c_void_p)


def launch(loaded, grid, *arguments):
    """As PyTorch's program does it: an entry for each parameter, None for constants."""
    launcher, function = loaded
    addresses = [
        None if value is None else value.ctypes.data if isinstance(value, np.ndarray) else ctypes.addressof(value)
        for value in arguments
    ]
    array = (ctypes.c_void_p * len(addresses))(*addresses)
    launcher(*map(ctypes.c_uint32, grid), 1, array, function)


def test_loops_with_scratch_memory(tmp_path, rng):
    kernel = compiled(row_sums, {"x": "*fp32", "out": "*fp32", "columns": "i32", "stride": "i32"}, ROWS=4, BLOCK=64)
    assert "so" not in kernel.asm, "they are made when they are asked for"
    x = rng.standard_normal((1000, 77)).astype(np.float32)
    out = np.zeros(1000, np.float32)
    # The wrapper has each integer in 64 bits.
    columns = ctypes.c_int64(77)
    launch(load(tmp_path, kernel), (250, 1, 1), x, out, columns, columns, None, None)
    np.testing.assert_allclose(out, np.exp(x.astype(np.float64)).sum(1), rtol=1e-5)


@triton.jit
def every_program(out, ONE, factor, offset, wide, flag):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    place = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    tl.store(out + place, place * factor + offset + wide + flag.to(tl.int32) + ONE)


def test_every_program_and_type(tmp_path):
    types = {"out": "*fp64", "factor": "fp32", "offset": "i32", "wide": "i64", "flag": "i1"}
    kernel = load(tmp_path, compiled(every_program, types, ONE=1))
    out = np.zeros((5, 3, 7))
    numbers = ctypes.c_float(0.5), ctypes.c_int32(-3), ctypes.c_int64(1 << 40), ctypes.c_bool(True)
    launch(kernel, (7, 3, 5), out, None, *numbers)
    expected = np.float32(np.arange(105) * 0.5 - 3) + np.float32(1 << 40) + 2
    np.testing.assert_allclose(out.reshape(-1), expected, rtol=1e-6)
    launch(kernel, (0, 1, 1), None, None, *numbers)


@triton.jit
def printing(out):
    tl.device_print("value", tl.load(out))


@triton.jit
def with_half(out, number):
    tl.store(out, number.to(tl.float32))


@pytest.mark.parametrize(
    "kernel, signature, message",
    [
        (printing, {"out": "*fp32"}, "kernel `printing` cannot be written as C for the CPU: it prints"),
        (with_half, {"out": "*fp32", "number": "fp16"}, "takes no argument `number` of type `fp16`"),
    ],
)
def test_kernels_that_need_more(kernel, signature, message):
    asm = compiled(kernel, signature).asm
    with pytest.raises((ValueError, RuntimeError), match=message):
        assert asm["so"] and asm["launcher.so"]


def test_machines_without_a_compiler(monkeypatch):
    monkeypatch.setenv("CC", "/nowhere/cc")
    with pytest.raises((RuntimeError, OSError), match="/nowhere/cc"):
        compiled(with_half, {"out": "*fp32", "number": "fp32"}).asm["so"]


def test_other_backends():
    source = ASTSource(with_half, {"out": "*fp32", "number": "fp32"})
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm.get("so") is None
