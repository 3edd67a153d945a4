"""The disk cache: its layout, and whatever may happen to it."""

import json
import os
import pathlib
import shutil
import stat
import tempfile

import numpy as np
import pytest
import triton
import triton.language as tl
from programs import ADD, PATIENCE, run, start
from triton.tools.kernel_names import module_of_file


@triton.jit
def scale_kernel(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) * 3)


def compile_kernel():
    """A new function each time, so that only the disk remembers."""
    return triton.jit(scale_kernel.fn).warmup(np.zeros(64, np.float32), N=64, grid=(1,))


def run_kernel():
    x = np.arange(64, dtype=np.float32)
    triton.jit(scale_kernel.fn)[(1,)](x, N=64)
    np.testing.assert_array_equal(x, np.arange(64) * 3)


def folder_of(cache):
    folders = [entry for entry in cache.iterdir() if entry.is_dir()]
    assert len(folders) == 1
    return folders[0]


@pytest.fixture
def compilations():
    """Whether each compilation came from the disk."""
    hits = []
    with triton.knobs.compilation.scope():
        triton.knobs.compilation.listener = lambda *, cache_hit, **facts: hits.append(cache_hit)
        yield hits


def test_layout(fresh_cache, compilations):
    kernel = compile_kernel()
    folder = folder_of(fresh_cache)
    names = {entry.name for entry in folder.iterdir()}
    assert {"scale_kernel.ttir", "scale_kernel.json", "scale_kernel.o", "__grp__scale_kernel.json"} <= names
    assert not [name for name in names if name.startswith("tmp.")]
    assert set(kernel.metadata_group) == names - {"__grp__scale_kernel.json"}
    assert all(os.path.samefile(path, folder / name) for name, path in kernel.metadata_group.items())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder.name == folder.name.upper() and len(folder.name) == 52 and "=" not in folder.name
    metadata = json.loads((folder / "scale_kernel.json").read_text())
    assert metadata["name"] == "scale_kernel" and metadata["hash"] == kernel.hash
    group = json.loads((folder / "__grp__scale_kernel.json").read_text())["child_paths"]
    assert all(os.path.exists(path) for path in group.values())
    again = compile_kernel()
    assert compilations == [False, True]
    assert again.hash == kernel.hash and again.asm["ttir"] == kernel.asm["ttir"]


def test_what_changes_the_key(fresh_cache, monkeypatch):
    x = np.zeros(64, np.float32)
    kernel = triton.jit(scale_kernel.fn)
    hashes = [
        kernel.warmup(x, N=64, grid=(1,)).hash,
        kernel.warmup(x, N=32, grid=(1,)).hash,
        kernel.warmup(x.astype(np.float64), N=64, grid=(1,)).hash,
        kernel.warmup(x, N=64, num_warps=8, grid=(1,)).hash,
        kernel.warmup(x[1:], N=64, grid=(1,)).hash,
    ]
    assert len(set(hashes)) == len(hashes)
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    assert triton.jit(scale_kernel.fn).warmup(x, N=64, grid=(1,)).hash not in hashes


GENERATED = """
import triton, triton.language as tl

@triton.jit
def generated(x):
    tl.store(x, 1)
"""


def key_at(path):
    path.parent.mkdir(parents=True)
    path.write_text(GENERATED)
    return module_of_file(str(path)).generated.cache_key


def test_generated_files_of_pytorch_may_move(tmp_path):
    """Their names are digests of their texts, so that a cache which was brought to another folder is used. Other files
    are known by their paths."""
    digest = "cr4" + "a" * 49
    generated = [key_at(tmp_path / folder / f"r4/{digest}.py") for folder in ("here", "there")]
    others = [key_at(tmp_path / folder / f"r5/{digest}.py") for folder in ("here", "there")]
    others += [key_at(tmp_path / folder / f"r4/{digest[1:]}.py") for folder in ("one", "two")]
    assert generated[0] == generated[1] and len({*generated, *others}) == 5


PROGRAM = """
import numpy as np, triton, triton.language as tl
VALUE = tl.constexpr({value})
@triton.constexpr_function
def host():
    return {host}
@triton.jit
def inner(x):
    return x + VALUE + {inner}
@triton.jit
def outer(x):
    tl.store(x, inner(tl.load(x)) + host())
x = np.zeros(1, np.int32)
outer[(1,)](x)
print(x[0])
"""


def test_changes_in_what_a_kernel_reaches(tmp_path, fresh_cache):
    for value, inner, host in ((1, 10, 100), (2, 10, 100), (2, 20, 100), (2, 20, 200), (1, 10, 100)):
        output, _ = run(tmp_path, PROGRAM.format(value=value, inner=inner, host=host))
        assert int(output) == value + inner + host


HELPERS = """
import triton, triton.language as tl
@triton.jit
def function(x):
    return x + {function}
@triton.jit
def other(x):
    return x + {other}
class Box:
    SIZE = tl.constexpr({attribute})
    @staticmethod
    @triton.jit
    def make(x):
        return x + {method}
    class Inner:
        @staticmethod
        @triton.jit
        def make(x):
            return x + {inner}
"""
READER = """
import numpy as np, triton, triton.language as tl
import helpers as h
BOX = tl.constexpr(h.Box)
NAME = tl.constexpr("other")
TABLE = [{table}]
def plain():
    return {plain}
def closing(value):
    @triton.constexpr_function
    def closed():
        return value
    return closed
closed = closing({closure})
@triton.constexpr_function
def host(extra={default}):
    return plain() + TABLE[0] + extra
@triton.jit
def passed(module, x):
    return module.Box.Inner.make(x)
@triton.jit
def kernel(out):
    tl.store(out, h.function(1))
    tl.store(out + 1, h.Box.make(1))
    tl.store(out + 2, BOX.SIZE)
    tl.store(out + 3, getattr(h, NAME)(1))
    tl.store(out + 4, passed(h, 1))
    tl.store(out + 5, host())
    tl.store(out + 6, closed())
x = np.zeros(7, np.int32)
kernel[(1,)](x)
print(*x)
"""


def test_changes_behind_attributes_and_names(tmp_path, fresh_cache):
    """All that a compilation reads is in its key: also attributes of classes, what `getattr` finds, what a module that
    is passed on has, and what functions of the host read."""
    names = ("function", "method", "attribute", "other", "inner", "table", "plain", "default", "closure")
    values = dict.fromkeys(names, 0)
    for number, name in enumerate((None, *names)):
        if name:
            values[name] = 10 * number
        (tmp_path / "helpers.py").write_text(HELPERS.format(**values))
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        output, _ = run(tmp_path, READER.format(**values))
        own = [values[key] for key in ("function", "method", "attribute", "other", "inner", "closure")]
        constants = [1, 1, 0, 1, 1]
        expected = [value + constant for value, constant in zip(own, constants, strict=False)]
        expected += [values["table"] + values["plain"] + values["default"], values["closure"]]
        assert [int(value) for value in output.split()] == expected, name


@pytest.mark.parametrize("text", [b'{"a":' * 100_000, b"[" * 100_000, b"{" + b'"a":[' * 50_000])
@pytest.mark.parametrize("suffix", [".json", "__grp__"])
def test_nested_json_is_a_miss(tmp_path, fresh_cache, suffix, text):
    run_kernel()
    for path in folder_of(fresh_cache).iterdir():
        if suffix in path.name and ("__grp__" in path.name) == (suffix == "__grp__"):
            path.write_bytes(text)
    run_kernel()


@pytest.mark.parametrize("damage", ["truncate", "empty", "garbage", "remove", "directory"])
def test_damaged_files_are_a_miss(fresh_cache, compilations, damage):
    run_kernel()
    names = sorted(entry.name for entry in folder_of(fresh_cache).iterdir())
    needed = [name for name in names if name.endswith((".o", ".json"))]
    for name in needed:
        path = folder_of(fresh_cache) / name
        data = path.read_bytes()
        path.unlink()
        if damage == "truncate":
            path.write_bytes(data[: len(data) // 2])
        elif damage == "empty":
            path.write_bytes(b"")
        elif damage == "garbage":
            path.write_bytes(bytes(b ^ 0x5A for b in data))
        elif damage == "directory":
            path.mkdir()
        run_kernel()
        if damage == "directory":
            path.rmdir() if path.is_dir() else None
        run_kernel()
    compilations.clear()
    run_kernel()
    assert compilations == [True] or damage == "directory"


def test_unwritable_cache(tmp_path, monkeypatch):
    """Not by permissions, which the superuser does not feel: a file stands where the folder should be."""
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "file"))
    run_kernel()
    monkeypatch.setenv("TRITON_CACHE_DIR", "/proc/nowhere/cache")
    run_kernel()


def test_full_file_system(tmp_path):
    """A limit on the size of files stands for a full disk: writing fails in the middle."""
    program = (
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        + ADD
        + "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\ncheck()\ncheck(32)\nprint('done')\n"
    )
    cache = tmp_path / "cache"
    output, _ = run(tmp_path, program, TRITON_CACHE_DIR=str(cache))
    assert output == "done\n"
    output, _ = run(tmp_path, ADD + "check()\nprint('done')\n", TRITON_CACHE_DIR=str(cache))
    assert output == "done\n"


def test_processes_at_once(tmp_path, fresh_cache):
    programs = [
        start(tmp_path, ADD + f"for block in (16, 32, 64, 128): check(block)\nprint({number})\n", f"program{number}.py")
        for number in range(4)
    ]
    # the same text in the same place, so that they share entries
    shared = [start(tmp_path, ADD + "for block in (16, 32, 64, 128): check(block)\n") for _ in range(4)]
    for program in programs + shared:
        output, errors = program.communicate(timeout=PATIENCE)
        assert program.returncode == 0, errors
    assert not [path for path in fresh_cache.rglob("tmp.*")]


def test_always_compile(fresh_cache, compilations, monkeypatch):
    compile_kernel()
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    compile_kernel()
    assert compilations == [False, False]


def test_dump_and_override(tmp_path, fresh_cache, monkeypatch):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dump"))
    run_kernel()
    folder = folder_of(tmp_path / "dump")
    assert {"scale_kernel.ttir", "scale_kernel.llir"} <= {entry.name for entry in folder.iterdir()}
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    override = tmp_path / "override" / folder.name
    override.mkdir(parents=True)
    text = (folder / "scale_kernel.ttir").read_text()
    assert "3.0" in text
    (override / "scale_kernel.ttir").write_text(text.replace("3.0", "5.0"))
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "override"))
    x = np.arange(64, dtype=np.float32)
    triton.jit(scale_kernel.fn)[(1,)](x, N=64)
    np.testing.assert_array_equal(x, np.arange(64) * 5)


HOMELESS = """
check()  # Imports all that the new user may not read.
import os
os.setgroups([]); os.setgid(54321); os.setuid(54321)
for name in ("HOME", "TRITON_CACHE_DIR"):
    os.environ.pop(name, None)
check(32)
print(triton.knobs.cache.dir)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can become a user without a home directory")
def test_without_a_home_directory(tmp_path, fresh_cache):
    """The cache is then below the place of temporary files, where each user has a folder that is made for them."""
    with tempfile.TemporaryDirectory() as shared:
        os.chmod(shared, 0o1777)
        own = pathlib.Path(shared, "triton-54321")
        output, errors = run(tmp_path, ADD + HOMELESS, TMPDIR=shared)
        assert output == f"{own}/.triton/cache\n" and not errors
        assert stat.S_IMODE(own.stat().st_mode) == 0o700 and own.stat().st_uid == 54321
        kept = [entry for entry in (own / ".triton/cache").iterdir() if entry.name != ".pruned"]
        assert len(kept) == 1
        # Another user was faster: their folder is left alone.
        own.rename(own.with_name("other"))
        own.mkdir()
        os.chown(own, 12345, 12345)
        _, errors = run(tmp_path, ADD + HOMELESS, TMPDIR=shared)
        assert "warning" in errors and f"`{own}` belongs to another user" in errors and "TRITON_CACHE_DIR" in errors
        assert not list(own.iterdir())


@pytest.mark.parametrize("kind", ["pipe", "device", "link"])
def test_only_regular_files_are_read(fresh_cache, compilations, kind):
    run_kernel()
    for name in sorted(entry.name for entry in folder_of(fresh_cache).iterdir()):
        path = folder_of(fresh_cache) / name
        if not name.endswith((".o", ".json")):
            continue
        path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero" if kind == "device" else "/etc/passwd")
        run_kernel()
    assert True not in compilations
    run_kernel()
    assert compilations[-1] is True


def test_cache_of_others(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    for _ in range(2):
        output, errors = run(tmp_path, ADD + "check()\ncheck(32)\nprint('done')\n", TRITON_CACHE_DIR=str(shared))
        assert output == "done\n" and not list(shared.iterdir())
        assert errors.count("warning") == 1 and f"chmod go-w {shared}" in errors, errors
    with pytest.raises(PermissionError, match="shared"), triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(shared)
        triton.runtime.cache.get_cache_manager("ab" * 32).put("text", "a.txt")


def test_cache_manager(fresh_cache):
    manager = triton.runtime.cache.get_cache_manager("ab" * 32)
    assert manager.get_file("a.txt") is None
    path = manager.put("text", "a.txt", binary=False)
    assert manager.get_file("a.txt") == path and open(path).read() == "text"
    assert manager.get_group("g.json") is None
    manager.put_group("g.json", {"a.txt": path})
    assert manager.get_group("g.json") == {"a.txt": path}
    os.unlink(path)
    assert manager.get_group("g.json") is None


def test_output_of_dumps(tmp_path, fresh_cache):
    _, errors = run(tmp_path, ADD + "check()\n", MLIR_ENABLE_DUMP="1")
    assert "IR Dump" in errors and "tt.func public @add" in errors
    _, errors = run(tmp_path, ADD + "check(32)\n", MLIR_ENABLE_DUMP="other_kernel")
    assert "IR Dump" not in errors
    _, errors = run(tmp_path, ADD + "check(16)\n", LLVM_IR_ENABLE_DUMP="1")
    assert "define" in errors
    _, errors = run(tmp_path, ADD + "check(128)\n", MLIR_ENABLE_TIMING="1")
    assert "canonicalize" in errors.lower()
