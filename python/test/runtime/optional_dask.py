"""Kernels that a Dask cluster compiles: `triton.AsyncCompileMode` takes its executor, and so does the build of a
bundle."""

import importlib
import os
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
import triton
import triton.language as tl
from dask.distributed import Client, LocalCluster
from triton.tools.build import build

pytestmark = pytest.mark.usefixtures("host_device")


@triton.jit
def scale(x, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * FACTOR, mask=i < n)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two workers, processes of their own, with caches of their own."""
    folder = tmp_path_factory.mktemp("workers")
    # Dask sets OMP_NUM_THREADS and others for its workers in this process, and leaves them.
    with (
        mock.patch.dict(os.environ),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(_use_cache, str(folder))
        yield client


def _use_cache(folder):
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, str(os.getpid()))


def _cached_kernels():
    folder = os.environ["TRITON_CACHE_DIR"]
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sum(not name.startswith(".") for name in names)


def test_variants_are_compiled_by_the_workers(client, fresh_cache):
    x = np.ones(100, np.float32)
    before = sum(client.run(_cached_kernels).values())
    scale.device_caches.clear()
    with client.get_executor() as executor, triton.AsyncCompileMode(executor):
        kernels = [scale.warmup(x, 100, FACTOR=factor, BLOCK=64, grid=(2,)) for factor in range(2, 6)]
    assert all(kernel.result()._handle.is_from_cache for kernel in kernels)
    assert sum(client.run(_cached_kernels).values()) == before + 4
    for factor in range(2, 6):
        scale[(2,)](x, 100, FACTOR=factor, BLOCK=64)
    np.testing.assert_array_equal(x, 120)


def test_tuning_on_the_cluster(client, fresh_cache):
    configs = [triton.Config({"BLOCK": block}) for block in (16, 32, 128)]
    tuned = triton.autotune(configs, key=["n"], restore_value=["x"])(triton.jit(scale.fn))
    x = np.ones(100, np.float32)
    before = sum(client.run(_cached_kernels).values())
    with client.get_executor() as executor, triton.AsyncCompileMode(executor):
        tuned[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, 100, FACTOR=3)
    np.testing.assert_array_equal(x, 3)
    assert sum(client.run(_cached_kernels).values()) == before + 3


def test_a_mistake_in_the_kernel_comes_back(client):
    @triton.jit
    def wrong(x):
        tl.store(x, undefined_name)  # noqa: F821

    with client.get_executor() as executor:
        with pytest.raises(triton.CompilationError, match="undefined_name"):
            with triton.AsyncCompileMode(executor):
                wrong.warmup(np.ones(1, np.float32), grid=(1,))


#: A worker has them only by the name of this file.
KERNELS = """
import triton
import triton.language as tl


@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)


@triton.jit
def check(x, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 64)
"""


def test_a_bundle_has_the_bytes_of_a_local_build(client, tmp_path, monkeypatch):
    """Also that which the command builds again, by workers that have compiled its classes before."""
    (tmp_path / "kernels_of_cluster.py").write_text(KERNELS)
    record = tmp_path / "classes.jsonl"
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(triton.knobs.runtime, "record_classes", str(record))
    kernels = importlib.import_module("kernels_of_cluster")

    for block in (16, 64, 128):
        kernels.fill.warmup(np.zeros(64, np.int32), 48, BLOCK=block, grid=(4,))
    kernels.check.warmup(np.zeros(64, np.int32), BLOCK=64, grid=(1,))
    wrong = record.read_text().splitlines()[-1].replace("64", "32")
    record.write_text(record.read_text() + wrong + "\n")
    targets = ["cpu", "cuda:90", "hip:gfx942"]
    outputs = [tmp_path / name for name in ("here.bundle", "cluster.bundle", "again.bundle")]
    found = [build(record, targets, outputs[0])]
    command = [sys.executable, "-m", "triton.tools.build", str(record), "-t", ",".join(targets), "-o", str(outputs[2])]
    command += ["--cluster", client.scheduler.address]
    with client.get_executor() as executor:
        found.append(build(record, targets, outputs[1], executor=executor))
        with pytest.raises(ValueError, match="is .*/folder, a folder; its name must end with .bundle or .ttb"):
            build(record, targets, tmp_path / "folder", executor=executor)
    assert found[0] == found[1] and len(found[0][1]) == 1
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "cuda:90: 4 classes compiled, 0 were there" in done.stdout, done.stderr
    assert done.stderr == f"error: {found[0][1][0]}\n"
    assert outputs[0].read_bytes() == outputs[1].read_bytes() == outputs[2].read_bytes()
