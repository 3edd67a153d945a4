"""The list of files of a folder that `triton.tools.build` has written: signed, and with the build and the targets."""

import filecmp
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import triton
from triton import knobs
from triton.runtime import _manifest
from triton.tools.build import build, main

KERNEL = """import triton
import triton.language as tl


@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)
"""
KEY = b"a key of this test"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """(file of classes, a signed folder) of one kernel."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "kernel_of_manifest.py").write_text(KERNEL)
    records = folder / "classes.jsonl"
    program = "import numpy as np, kernel_of_manifest as k; k.fill[(1,)](np.zeros(64, np.int32), 7, BLOCK=64)"
    environment = {**os.environ, "TRITON_CPU_BACKEND": "1", "TRITON_RECORD_CLASSES": str(records)}
    environment["TRITON_CACHE_DIR"] = str(folder / "cache")
    subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, check=True)
    _, problems = build(records, ["cpu", "sim:cuda:90"], folder / "folder_of_classes", key=KEY)
    assert not problems
    return records, folder / "folder_of_classes"


@pytest.fixture
def copy(built, tmp_path):
    return shutil.copytree(built[1], tmp_path / "folder_of_classes")


def _move_behind_link(path):
    path.symlink_to(path.rename(path.parents[2] / path.name))


def load(folder, key=KEY):
    with knobs.cache.scope():
        knobs.cache.dir = str(folder)
        return triton.load_classes(folder, key=key)


def test_two_builds_are_the_same(built, tmp_path):
    records, first = built
    second = tmp_path / "again"
    build(records, ["sim:cuda:90", "cpu"], second, jobs=2, key=KEY)
    names = sorted(str(path.relative_to(first)) for path in first.rglob("*") if path.is_file())
    assert names == sorted(str(path.relative_to(second)) for path in second.rglob("*") if path.is_file())
    _, different, unreadable = filecmp.cmpfiles(first, second, names, shallow=False)
    assert len(names) > 10 and not different and not unreadable


def test_what_is_signed_is_loaded(copy):
    loaded = load(copy)
    assert (loaded.compiled, loaded.cached, loaded.problems) == (0, 1, ())
    facts = json.loads((copy / "manifest.json").read_text())
    assert facts["targets"] == ["cpu", "sim:cuda:90"] and facts["triton"] == triton.__version__
    assert load(copy, key=None).compiled == 0, "a key is no must"


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda folder: os.truncate(next(folder.rglob("*.o")), 100), r"`.*\.o` has changed"),
        (lambda folder: next(folder.rglob("*.ttir")).unlink(), r"`.*\.ttir` is missing"),
        (lambda folder: (folder / "foreign").write_text("x"), "`foreign` is not in the list"),
        (lambda folder: (folder / "manifest.hmac").write_text("0\n"), "is not the signature of the list by this key"),
        (lambda folder: (folder / "manifest.hmac").unlink(), "is not signed; build it with `--key`"),
        (
            lambda folder: (folder / "manifest.json").write_text("[]"),
            "is not a list that `triton.tools.build` has written",
        ),
        (
            lambda folder: os.truncate(folder / "manifest.json", 40),
            "is not a list that `triton.tools.build` has written",
        ),
        (lambda folder: (folder / "manifest.json").write_text('{"format": 2}'), "reads the format 1"),
        (lambda folder: (folder / "linked").symlink_to(folder.parent), "`linked` is a symbolic link"),
        (lambda folder: _move_behind_link(next(folder.rglob("*.o"))), r"`.*\.o` is a symbolic link"),
    ],
)
def test_what_is_not_as_it_was_signed(copy, change, message):
    change(copy)
    with pytest.raises(ValueError, match=message):
        load(copy)


def test_another_key(copy):
    with pytest.raises(ValueError, match="is not the signature of the list by this key"):
        load(copy, key=b"another")


def test_an_empty_key(built, copy, tmp_path):
    """Signs nothing, also where somebody has signed by it."""
    with pytest.raises(ValueError, match="the key is empty"):
        build(built[0], ["cpu"], tmp_path / "out", key=b"")
    data = (copy / "manifest.json").read_bytes()
    (copy / "manifest.hmac").write_bytes(_manifest._sign(data, b""))
    with pytest.raises(ValueError, match="the key is empty"):
        load(copy, key=b"")


def test_another_build_and_another_target(copy):
    """Are said, and launches compile."""
    path = copy / "manifest.json"
    facts = json.loads(path.read_text())
    path.write_text(json.dumps({**facts, "build": "another", "triton": "9.9.9", "targets": ["cuda:90"]}))
    with pytest.warns(RuntimeWarning) as warned:
        loaded = load(copy, key=None)
    assert "were compiled by another build, 9.9.9; this one" in loaded.problems[0]
    assert "are for cuda:90, and kernels run on cpu here" in loaded.problems[1] and len(warned) == 2


def test_the_command(built, tmp_path, monkeypatch, capsys):
    (tmp_path / "key").write_bytes(KEY)
    words = ["build", str(built[0]), "--target", "cpu", "--output", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", [*words, "--key", str(tmp_path / "key")])
    assert main() == 0
    _manifest.verify(tmp_path / "out", KEY)
    monkeypatch.setattr(sys, "argv", [*words, "--key", str(tmp_path / "absent")])
    with pytest.raises(SystemExit):
        main()
    assert "absent" in capsys.readouterr().err


def test_a_kernel_of_a_signed_folder_runs(copy):
    load(copy)
    import importlib

    kernel = importlib.import_module("kernel_of_manifest").fill
    x = np.zeros(64, np.int32)
    with triton.freeze():
        kernel[(1,)](x, 7, BLOCK=64)
    assert x[6] == 7
