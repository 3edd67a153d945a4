"""Compiles kernels for processors of AArch64 and runs them in qemu, for tests. The compiler of C, the linker and the C
library for these processors are those of scripts/run_optional_tests.sh."""

import functools
import pathlib
import struct
import subprocess

import numpy as np
import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

FOLDER = pathlib.Path(__file__).parent
CLANG = ["clang-22", "--target=aarch64-linux-gnu", "-fuse-ld=lld-22", "-static"]

#: By what is compiled for: the processor that qemu is. The last property is the bytes of SVE's registers, or of those
#: of the streaming mode of SME.
PROCESSORS = {
    "aarch64": "cortex-a57",  # neither SVE nor dot products
    "armv8.6-a": "max,sve=off",
    "armv9-a": "max,sve-default-vector-length=16",
    "neoverse-v2": "max,sve-default-vector-length=16",
    "neoverse-v1": "max,sve-default-vector-length=32",
    "a64fx": "a64fx",
    "apple-m4": "max,sme-default-vector-length=64",
}
TYPES = {
    np.dtype(name): short
    for name, short in {
        "bool": "i1", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
        "int64": "i64", "uint64": "u64", "float16": "fp16", "float32": "fp32", "float64": "fp64",
    }.items()
}  # fmt: skip


def qemu(arch, machine=None):
    """The command that runs programs on `machine`, by default the one that `arch` has above."""
    return ["qemu-aarch64", "-cpu", machine or PROCESSORS[arch]]


def type_of(argument):
    if isinstance(argument, tuple):  # an array's bits, and the type of its elements
        return f"*{argument[1]}"
    if isinstance(argument, np.ndarray):
        return f"*{TYPES[argument.dtype]}"
    return "fp32" if isinstance(argument, float) else "i32"


def compile_for(arch, kernel, arguments, constants, **options):
    names = kernel.arg_names
    signature = dict(zip(names, map(type_of, arguments), strict=False)) | dict.fromkeys(constants, "constexpr")
    source = ASTSource(kernel, signature=signature, constexprs=constants)
    return triton.compile(source, target=GPUTarget("cpu", "", 0), options={"arch": arch, **options})


def as_array(argument):
    return argument[0] if isinstance(argument, tuple) else argument


# Ones times ones, in streaming mode: the first elements of the first two rows of a tile.
BYTE_PRODUCTS = r"""
#include <stdio.h>
int main(void) {
  int rows[2][64] = {{0}};
  __asm__ volatile(".arch armv8.6-a+sme\n\tsmstart\n\tzero {za}\n\tptrue p0.b\n\tmov z0.b, #1\n\tmov w12, #0\n\t"
                   "smopa za0.s, p0/m, p0/m, z0.b, z0.b\n\tst1w {za0h.s[w12, 0]}, p0, [%0]\n\t"
                   "st1w {za0h.s[w12, 1]}, p0, [%1]\n\tsmstop"
                   : : "r"(rows[0]), "r"(rows[1]) : "x12", "p0", "memory", "z0");
  printf("%d %d %d %d\n", rows[0][0], rows[0][1], rows[1][0], rows[1][1]);
  return 0;
}
"""


@functools.cache
def multiplies_bytes(folder):
    """Whether qemu's outer products of int8 are right, which those of 7.2 are not."""
    (folder / "bytes.c").write_text(BYTE_PRODUCTS)
    subprocess.run([*CLANG, folder / "bytes.c", "-o", folder / "bytes"], check=True)
    return subprocess.run(["qemu-aarch64", folder / "bytes"], capture_output=True, text=True).stdout == "4 4 4 4\n"


def launch(folder, arch, kernel, grid, arguments, constants, *, status=0, machine=None, **options):
    """Runs the kernel, which changes the arrays among its arguments; returns what it printed."""
    compiled = compile_for(arch, kernel, arguments, constants, **options)
    if "sme.smopa" in compiled.asm["llir"] and not multiplies_bytes(folder.parent):
        pytest.skip("this qemu computes outer products of int8 wrongly")
    (folder / "kernel.o").write_bytes(compiled.asm["o"])
    program, file = folder / "program", folder / "launch"
    command = [*CLANG, f"-Wl,--defsym=kernel={kernel.__name__}", FOLDER / "aarch64" / "driver.c", folder / "kernel.o"]
    done = subprocess.run([*command, "-lm", "-o", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    grid = (*grid, 1, 1)[:3]
    places = []
    data = bytearray(struct.pack("<5q", *grid, compiled.metadata.scratch_bytes, len(arguments)))
    for argument in map(as_array, arguments):
        if isinstance(argument, np.ndarray):
            data += struct.pack("<q", argument.nbytes)
            places.append((argument, len(data)))
            data += argument.tobytes()
        else:
            data += struct.pack("<q", -1)
            data += struct.pack("<f4x" if isinstance(argument, float) else "<q", argument)
    file.write_bytes(data)
    done = subprocess.run([*qemu(arch, machine), program, file], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    written = file.read_bytes()
    for array, place in places:
        array[...] = np.frombuffer(written, array.dtype, array.size, place).reshape(array.shape)
    return done.stdout
