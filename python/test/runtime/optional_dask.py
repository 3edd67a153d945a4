"""Kernels that a Dask cluster compiles: `triton.AsyncCompileMode` takes its executor."""

import os
from unittest import mock

import numpy as np
import pytest
import triton
import triton.language as tl
from dask.distributed import Client, LocalCluster

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
