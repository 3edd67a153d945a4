"""Caches behind the one on disk: backends of users."""

import os
import pathlib

import numpy as np
import programs
import pytest
import triton
import triton.language as tl
from triton import _cache as cache
from triton import knobs


class FolderBackend(cache.RemoteCacheBackend):
    """Files in a folder; `calls` notes what was asked for."""

    folder = None
    calls = []

    def get(self, filenames):
        self.calls.append(("get", self.key, tuple(filenames)))
        paths = {name: self.folder / f"{self.key}-{name}" for name in filenames}
        return {name: path.read_bytes() for name, path in paths.items() if path.exists()}

    def put(self, filename, data):
        self.calls.append(("put", self.key, filename))
        (self.folder / f"{self.key}-{filename}").write_bytes(data)


class FailingBackend(cache.RemoteCacheBackend):
    def get(self, filenames):
        raise OSError("the network is down")

    def put(self, filename, data):
        raise OSError("the network is down")


@pytest.fixture
def remote(tmp_path, monkeypatch):
    """A folder that stands for another machine."""
    monkeypatch.setattr(FolderBackend, "folder", tmp_path / "remote")
    monkeypatch.setattr(FolderBackend, "calls", [])
    FolderBackend.folder.mkdir()
    with knobs.cache.scope():
        knobs.cache.remote_manager_class = FolderBackend
        knobs.cache.dir = str(tmp_path / "disk")
        yield tmp_path / "remote"
    cache.connect_compiler()


def launch():
    """Compiles a kernel anew and says whether it came from a cache."""
    hits = []

    @triton.jit
    def double(x):
        tl.store(x, tl.load(x) * 2)

    with knobs.compilation.scope():
        knobs.compilation.listener = lambda *, cache_hit, **facts: hits.append(cache_hit)
        x = np.array([21], np.int32)
        double[(1,)](x)
    assert x[0] == 42
    return hits[0]


def test_a_kernel_comes_from_the_backend(remote, tmp_path):
    assert not launch()
    stored = sorted(path.name for path in remote.iterdir())
    assert any(name.endswith("-__grp__double.json") for name in stored) and any(name.endswith(".o") for name in stored)
    knobs.cache.dir = str(tmp_path / "another disk")
    FolderBackend.calls.clear()
    assert launch()
    assert not [call for call in FolderBackend.calls if call[0] == "put"]
    FolderBackend.calls.clear()
    assert launch() and not FolderBackend.calls, "the disk answers first"


def test_the_environment_names_the_backend(remote, tmp_path, monkeypatch):
    knobs.cache.remote_manager_class = knobs.env
    monkeypatch.setenv("TRITON_REMOTE_CACHE_BACKEND", f"{__name__}:FolderBackend")
    assert not launch() and FolderBackend.calls
    monkeypatch.setenv("TRITON_REMOTE_CACHE_BACKEND", "nowhere:Backend")
    knobs.cache.dir = str(tmp_path / "empty")
    with pytest.raises(RuntimeError, match="nowhere"):
        launch()


def test_damage_is_a_miss(remote, tmp_path):
    launch()
    (binary,) = remote.glob("*.o")
    binary.write_bytes(b"damaged")
    knobs.cache.dir = str(tmp_path / "another disk")
    assert not launch()
    knobs.cache.dir = str(tmp_path / "third disk")
    assert launch()


def test_a_failing_backend_warns_once(remote, tmp_path):
    knobs.cache.remote_manager_class = FailingBackend
    cache._warned.clear()
    with pytest.warns(RuntimeWarning, match="the network is down") as warned:
        assert not launch()
        knobs.cache.dir = str(tmp_path / "another disk")
        assert not launch()
    assert len([entry for entry in warned if "network" in str(entry.message)]) == 1


PROGRAM = """
import numpy as np, pathlib, triton, triton.language as tl
from triton.runtime.cache import RemoteCacheBackend
class Nothing(RemoteCacheBackend):
    def get(self, filenames):
        return {}
    def put(self, filename, data):
        pass
triton.knobs.cache.remote_manager_class = Nothing
@triton.jit
def kernel(x):
    tl.store(x, 1)
kernel[(1,)](np.zeros(1, np.int32))
print("done")
"""


def test_a_process_ends_with_a_backend(tmp_path, fresh_cache):
    process = programs.start(tmp_path, PROGRAM)
    output, errors = process.communicate(timeout=programs.PATIENCE)
    assert process.returncode == 0 and "done" in output, errors


def test_the_manager_itself(remote):
    manager = cache.get_cache_manager("ab" * 32)
    assert isinstance(manager, cache.RemoteCacheManager)
    assert manager.get_file("a.txt") is None and manager.get_group("a.json") is None
    path = manager.put("text", "a.txt", binary=False)
    manager.put_group("a.json", {"a.txt": path})
    os.unlink(path)
    assert pathlib.Path(manager.get_file("a.txt")).read_text() == "text"
    os.unlink(path)
    assert manager.get_group("a.json") == {"a.txt": path} and pathlib.Path(path).read_text() == "text"
    dump = cache.get_dump_manager("cd" * 32)
    before = len(FolderBackend.calls)
    dump.put("text", "b.txt")
    assert dump.get_file("b.txt") and len(FolderBackend.calls) == before, "dumps stay on this machine"
