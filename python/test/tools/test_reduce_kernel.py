"""scripts/reduce_kernel.py on planted failures."""

import pathlib
import subprocess
import sys

import triton
from programs import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(triton.__file__).parents[2]

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def helper(x):
    return x + 1


@triton.jit
def kernel(x, y, n):
    i = tl.arange(0, 16)
    total = tl.zeros((16,), tl.float32)
    for step in range(n):
        value = tl.load(x + i + step * 16)
        total += helper(value)
        if n > 3:
            wrong = tl.arange(0, 17)
            total = total * 2
    tl.store(y + i, total)


kernel.warmup(triton.MockTensor(tl.float32), triton.MockTensor(tl.float32), 5, grid=(1,))
"""

IR = """
tt.func public @kernel(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %limit = tt.splat %n : i32 -> tensor<16xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<16xi32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = tt.load %xp, %mask : tensor<16x!tt.ptr<i32>>
    %b = arith.addi %a, %i : tensor<16xi32>
    %bad = tt.extern_elementwise %b {libname = "", libpath = "", symbol = "frobnicate", pure = true} :
        (tensor<16xi32>) -> tensor<16xi32>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
    %yp = tt.addptr %ys, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
    tt.store %yp, %bad, %mask : tensor<16x!tt.ptr<i32>>
  }
  tt.return
}
"""


def reduce(path, expected, command):
    script = ROOT / "scripts/reduce_kernel.py"
    subprocess.run(
        [sys.executable, script, path, "--expect", expected, "--", *command, "{}"], check=True, timeout=PATIENCE
    )
    return path.with_suffix(f".reduced{path.suffix}").read_text()


def test_ir(tmp_path):
    path = tmp_path / "planted.mlir"
    path.write_text(IR)
    optimizer = BUILD / "tools/triton-opt/triton-opt"
    left = reduce(path, "not supported on cpu yet: the function `frobnicate`", [optimizer, "--triton-cpu-lower-tiles"])
    assert "tt.extern_elementwise" in left and "scf.for" not in left and "tt.load" not in left
    assert len(left.splitlines()) <= 6, left


def test_kernel(tmp_path):
    path = tmp_path / "planted.py"
    path.write_text(KERNEL)
    left = reduce(path, r"wrong = tl.arange\(0, 17\)", [sys.executable])
    assert "wrong = tl.arange(0, 17)" in left and "helper" not in left and "for step" not in left
    assert len(left.splitlines()) <= 8, left
