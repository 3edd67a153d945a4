"""Every test gets a cache directory of its worker's own; tests of the language take the device as a parameter."""

import os
import tempfile

import numpy as np
import pytest

_cache = tempfile.TemporaryDirectory(prefix="triton-test-cache-")
os.environ["TRITON_CACHE_DIR"] = _cache.name


class CpuDevice:
    """The processor: kernels work on NumPy arrays in place."""

    name = "cpu"

    def put(self, array):
        return array

    def get(self, array):
        return array


@pytest.fixture(params=["cpu"])
def device(request):
    return {"cpu": CpuDevice}[request.param]()


@pytest.fixture
def rng(request):
    """Random numbers that differ between tests but not between runs."""
    return np.random.default_rng(list(request.node.nodeid.encode()))


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """A cache directory that only this test uses."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"
