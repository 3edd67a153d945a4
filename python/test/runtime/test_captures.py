"""Launches while a graph is captured, with a library in the driver's place that says of every stream what a variable of
the environment says."""

import os
import pathlib
import subprocess
import sys

import pytest
import triton

FAKE_CUDA = pathlib.Path(triton.__file__).parents[2] / "src/backends/nvidia/test/libtritonFakeCuda.so"
PROGRAM = """import os
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


@triton.jit
def store(x, n):
    tl.store(x, n)


class Array:
    dtype = "int32"
    __cuda_array_interface__ = {"shape": (64,), "typestr": "<i4", "data": (4096, False), "version": 3}


def launch(kernel, n):
    try:
        kernel[(1,)](Array(), n)
        print("launched")
    except RuntimeError as error:
        print(type(error).__name__, str(error).partition(os.path.dirname(__file__) + "/")[2] or error)


triton.runtime.driver.active.get_current_target()
triton._C.set_stream_source(lambda device: 7)
store.warmup(Array(), 1, grid=(1,))
os.environ["FAKE_CUDA_CAPTURING"] = "1"
launch(store, 1)
launch(store, 3)
launch(tuned, 3)
os.environ["FAKE_CUDA_CAPTURING"] = "2"
launch(store, 1)
os.environ["FAKE_CUDA_CAPTURING"] = "1"
launch(store, 1)
"""
LOADS = (
    "cannot launch kernel `store`: it is not loaded on the device yet, and its stream captures a graph, which loading "
    "would spoil; launch it once before the capture, or load all kernels with `triton.freeze()`"
)
COMPILES = (
    "program.py:24: this launch of `store` needs a variant that is not compiled, while its stream captures a graph: "
    "the nearest variant has other facts: `n` = 3 is i32"
)
TUNES = (
    "program.py:24: this launch of `tuned` needs a tuning run for the key (3, 'int32'), while its stream captures a "
    "graph"
)


@pytest.mark.skipif(not FAKE_CUDA.exists(), reason="the libraries for tests are not built")
def test_nothing_is_compiled_or_loaded(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "TRITON_LIBCUDA_PATH": str(FAKE_CUDA), "TRITON_DEFAULT_BACKEND": "nvidia"}
    done = subprocess.run([sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if not line.startswith("help: ")]
    assert lines[0] == f"RuntimeError {LOADS}"
    assert lines[1].startswith(f"GraphCaptureError {COMPILES}")
    assert lines[2] == f"GraphCaptureError {TUNES}"
    assert lines[3:] == ["launched", "launched"]
