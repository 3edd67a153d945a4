"""Launches that TRITON_RECORD writes, and `python -m triton.audit replay`, which repeats them."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.audit._replay import reduce_grid
from triton.experimental.gluon.language import NVMMASharedLayout
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor as GluonDescriptor
from triton.runtime import _launch_files
from triton.runtime._launch_files import LaunchFileError, Replay, describe_launch, read_file, write_file
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

PROGRAM = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def scale(x, out, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * factor, mask=i < n)  # BUG: a load without a mask


if __name__ == "__main__":
    x = np.arange(1000, dtype=np.float32)
    for count in (900, 1000):
        out = np.zeros(1024, np.float32)[24:]
        scale[lambda meta: (triton.cdiv(count, meta["BLOCK"]),)](x, out, 0.1, count, BLOCK=128)
"""


def run(*arguments, cwd, **variables):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True)


def test_a_launch_is_recorded_and_repeated_under_audit(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    recorded = run("program.py", cwd=tmp_path, TRITON_RECORD="launches")
    assert recorded.returncode == 0, recorded.stderr
    (path,) = (tmp_path / "launches").iterdir()  # the second launch is of the same variant
    tensors, launch = read_file(path)
    assert launch["grid"] == [8, 1, 1] and launch["kernel"] == "scale" and launch["source"] == PROGRAM
    assert np.array_equal(np.frombuffer(tensors["memory0"], np.float32), np.arange(1000))
    assert launch["arguments"][1]["offset"] == 24 and launch["arguments"][1]["shape"] == [1000]
    (tmp_path / "program.py").unlink()  # the file of the launch has the source
    repeated = run("-m", "triton.audit", "replay", "--reduce", path, cwd=tmp_path)
    assert repeated.returncode == 1, repeated.stderr
    assert "access out of bounds" in repeated.stdout and "program.py:10:23" in repeated.stdout
    assert "the first finding needs the grid (8, 1, 1); the launch has (8, 1, 1)" in repeated.stdout


@triton.jit
def mixed_kernel(pair, x, n, scale, KIND: tl.constexpr, NOTHING: tl.constexpr):
    tl.store(pair[0], tl.load(pair[1]) + n)
    tl.store(x, scale.to(KIND))


def test_arguments_survive_a_file(tmp_path):
    one, two, whole = np.zeros(1, np.int32), np.full(1, 5, np.int32), np.zeros((4, 6), np.float32)
    args = ((one, two), whole[1:3, 2:], 7, 0.1, tl.float32, None)
    path = tmp_path / "launch"
    write_file(path, *describe_launch(mixed_kernel, args, {"num_warps": 2}, (1, 1, 1)))
    replay = Replay(path, tmp_path)
    (pair, x, n, scale, kind, nothing), keywords = replay.arguments()
    assert pair[1][0] == 5 and (n, scale, nothing, keywords) == (7, 0.1, None, {"num_warps": 2})
    assert kind == tl.float32 and x.shape == (2, 4) and x.strides == whole[1:3, 2:].strides
    (pair, x, *_), _ = replay.run()
    assert pair[0][0] == 12 and x[0, 0] == np.float32(0.1)
    assert replay.arguments()[0][0][0][0] == 0  # each run begins with the recorded contents


@triton.jit
def many_kernel(a, b, c, d, e, f):
    pass


def test_arrays_of_any_strides_numbers_and_descriptors_survive_a_file(tmp_path):
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    matrix = np.arange(32, dtype=np.float32).reshape(4, 8)
    args = (
        np.asfortranarray(whole)[1:],
        np.asfortranarray(whole)[::-1, ::2],
        np.int32(-5),
        np.float64(0.1),
        np.float16(0.5),
        TensorDescriptor(matrix, [4, 8], [8, 1], [2, 4], "nan", True),
    )
    path = tmp_path / "launch"
    write_file(path, *describe_launch(many_kernel, args, {}, (1, 1, 1)))
    (*read, descriptor), _ = Replay(path, tmp_path).arguments()
    for before, after in zip(args, read, strict=False):
        assert type(before) is type(after) and before.dtype == after.dtype and before.strides == after.strides
        np.testing.assert_array_equal(before, after)
    assert type(descriptor) is TensorDescriptor and descriptor.padding == "nan" and descriptor.round_f32_to_tf32
    np.testing.assert_array_equal(descriptor.base, matrix)
    rows = np.ones((16, 32), np.float16)
    gluon = GluonDescriptor(rows, [16, 32], [32, 1], [8, 32], NVMMASharedLayout(64, 16))
    with pytest.raises(LaunchFileError, match="`f` is a descriptor with a layout"):
        describe_launch(many_kernel, (*args[:-1], gluon), {}, (1, 1, 1))


def test_contents_do_not_distinguish_variants(tmp_path, monkeypatch):
    monkeypatch.setattr(JITFunction, "run", lambda *args, **kwargs: None)
    _launch_files.install(tmp_path)
    launch = lambda *args: mixed_kernel.run(*args, grid=(1,))
    for number in range(3):
        array = np.full((4, 4), number, np.float32)
        launch((array, (array, number)), TensorDescriptor(array, [4, 4], [4, 1], [2, 4]))
    assert len(list(tmp_path.iterdir())) == 1
    launch((array, (array, 0.5)), TensorDescriptor(array, [4, 4], [4, 1], [2, 4]))
    launch((array, (array, 3)), TensorDescriptor(array, [4, 4], [4, 1], [4, 4]))
    assert len(list(tmp_path.iterdir())) == 3


def test_wrong_files_are_refused(tmp_path):
    path = tmp_path / "file"
    for content in (b"", b"\x08\0\0\0\0\0\0\0{}", b"\xff" * 16):
        path.write_bytes(content)
        with pytest.raises(LaunchFileError, match="is not a file of a launch"):
            read_file(path)
    write_file(path, {}, {"format": 99})
    with pytest.raises(LaunchFileError, match="has the format 99"):
        read_file(path)
    with pytest.raises(LaunchFileError, match="argument `x` is of the type `object`"):
        describe_launch(mixed_kernel, ((), object()), {}, (1, 1, 1))


def test_the_smallest_grid():
    assert reduce_grid((100, 7, 1), lambda grid: grid[0] >= 13 and grid[1] >= 2) == (13, 2, 1)
    assert json.loads(json.dumps(reduce_grid((1, 1, 1), lambda grid: True))) == [1, 1, 1]
