"""Bundles of the classes that a program has launched: what `tritonc build` writes and `triton.load_bundle` reads."""

import os
import pathlib
import re
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import triton
from triton.tools.build import _items_of, build

KERNELS = """import numpy as np
import triton
import triton.language as tl


@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)


@triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)


def run():
    x = np.zeros(64, np.int32)
    fill[(1,)](x, 48, BLOCK=64)
    fill[(1,)](x, 33, BLOCK=64)
    tuned[lambda meta: (64 // meta["BLOCK"],)](x, 64)
    return x
"""
KEY = b"a key of this test"
SIGNATURE_AT = 16


def run(folder, program, **environment):
    """What the program prints, beside the kernels."""
    environment = {**os.environ, "TRITON_CPU_BACKEND": "1", **environment}
    environment.pop("TRITON_FALLBACK", None)
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder with kernels and with classes of theirs."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "kernels_of_bundle.py").write_text(KERNELS)
    own = {"TRITON_RECORD_CLASSES": str(folder / "classes.jsonl"), "TRITON_CACHE_DIR": str(folder / "recorded")}
    run(folder, "import kernels_of_bundle as k; k.run()", **own)
    return folder


@pytest.fixture(scope="module")
def bundle(recorded):
    path = recorded / "kernels.bundle"
    _, problems = build(recorded / "classes.jsonl", ["cpu", "cuda:90", "sim:cuda:90"], path, key=KEY)
    assert not problems
    return path


LOAD = """
import pathlib, sys, warnings
import numpy as np, triton
import kernels_of_bundle as k
"""


def test_launches_take_their_variants_after_a_freeze(recorded, bundle, tmp_path):
    """Also tuned ones their choice. Nothing is compiled, nothing is imported, and nothing comes to the cache."""
    printed = run(
        recorded,
        LOAD + f"loaded = triton.load_bundle({str(bundle)!r}, key={KEY!r})\n"
        "triton.freeze()\n"
        "before = set(sys.modules)\n"
        "x = k.run()\n"
        "print(set(sys.modules) - before)\n"
        "now = triton.monitor.snapshot()\n"
        "print(loaded.classes, loaded.problems, now.compilations, now.bundle_hits, now.tuning_runs, now.disk_hits)\n"
        "print({event.origin for event in now.events}, x.tolist() == [64] * 64)\n"
        "try:\n    k.fill[(1,)](np.zeros(64, np.int64), 48, BLOCK=64)\n"
        "except triton.FrozenError as error:\n    print(str(error).split(': ')[1])",
        TRITON_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert printed.splitlines() == [
        "set()",
        "4 () 0 3 0 0",
        "{'bundle'} True",
        "this launch of `fill` needs a variant that is not compiled, after `triton.freeze()`",
    ]
    assert not (tmp_path / "cache").exists()


def test_a_shared_library_of_a_kernel(recorded, bundle):
    """As AOTInductor packs them: it is made of IR, which bundles do not have."""
    printed = run(
        recorded,
        LOAD + f"triton.load_bundle({str(bundle)!r}, key={KEY!r})\n"
        "kernel = k.fill.warmup(np.zeros(64, np.int32), 48, BLOCK=64, grid=(1,))\n"
        "print(triton.monitor.snapshot().bundle_hits, kernel.asm['so'][:4])",
    )
    assert printed == "1 b'\\x7fELF'\n"


TUNE = """
import kernels_of_bundle as k, numpy as np, triton
cases = [{"x": np.zeros(1024, np.int32), "n": n} for n in (64, 1024)]
print(triton.tune(k.tuned, cases, lambda meta: (1024 // meta["BLOCK"],), record=RECORD))
"""


@pytest.mark.parametrize("eager", [False, True])
def test_choices_between_those_of_a_bundle(recorded, tmp_path, eager):
    """A launch of a size that nobody has tuned measures nothing."""
    record, path = str(tmp_path / "tuned.jsonl"), tmp_path / "tuned.bundle"
    assert "2 keys measured" in run(recorded, TUNE.replace("RECORD", repr(record)))
    build(record, ["cpu"], path)
    printed = run(
        recorded,
        LOAD + f"triton.load_bundle({str(path)!r}, eager={eager})\n"
        "x = np.zeros(1024, np.int32)\n"
        "for n in (64, 320, 800):\n    k.tuned[lambda meta: (1024 // meta['BLOCK'],)](x, n)\n"
        "now = triton.monitor.snapshot()\n"
        "print(now.compilations, now.tuning_runs, now.interpolations, set(x[:800].tolist()))",
        TRITON_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert printed == "0 0 2 {800}\n"


def test_all_at_once(recorded, bundle):
    printed = run(
        recorded,
        LOAD + f"triton.load_bundle({str(bundle)!r}, eager=True, progress=lambda done, of: print(done, of))\n"
        "triton.freeze()\nk.run()\nnow = triton.monitor.snapshot()\n"
        "print(now.compilations, now.bundle_hits, {event.origin for event in now.events})",
    )
    assert printed.splitlines() == ["1 4", "2 4", "3 4", "4 4", "0 4 set()"]


def test_two_builds_are_the_same(recorded, bundle, tmp_path):
    """Also when the file of the kernels was written at another time."""
    os.utime(recorded / "kernels_of_bundle.py", (1_000_000_000, 1_000_000_000))
    build(recorded / "classes.jsonl", ["cpu", "cuda:90", "sim:cuda:90"], tmp_path / "again.ttb", jobs=2, key=KEY)
    assert (tmp_path / "again.ttb").read_bytes() == bundle.read_bytes()


def test_a_build_on_an_executor_is_the_same(recorded, tmp_path, monkeypatch):
    """As on processes and on clusters; one of another package is refused."""
    here, there, targets = tmp_path / "here.bundle", tmp_path / "there.bundle", ["sim:cuda:90"]  # nothing for C
    build(recorded / "classes.jsonl", targets, here)
    with ThreadPoolExecutor(2) as executor:
        build(recorded / "classes.jsonl", targets, there, executor=executor)
        assert there.read_bytes() == here.read_bytes()
        with pytest.raises(ValueError, match="is .*/folder, a folder; its name must end with .bundle or .ttb"):
            build(recorded / "classes.jsonl", targets, tmp_path / "folder", executor=executor)
        package = SimpleNamespace(build_identity=map(str, range(99)).__next__)
        monkeypatch.setattr("triton.tools._build_elsewhere._C", package)
        with pytest.raises(ValueError, match="a worker has the build [0-9]+ of this package, and it must have 0, as"):
            build(recorded / "classes.jsonl", targets, there, executor=executor)


def opened(path, key=b""):
    return triton._C.open_bundle(str(path), key)


def changed(bundle, tmp_path, place, data):
    path = tmp_path / "changed.bundle"
    text = bytearray(bundle.read_bytes())
    text[place : place + len(data)] = data
    path.write_bytes(text)
    return path


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda data: data[: len(data) // 2], "the bundle has [0-9]+ bytes in place of [0-9]+"),
        (lambda data: data[:50], "the bundle ends within its header, after 50 bytes"),
        (lambda data: b"foreign" * 100, "this is not a bundle of kernels; `tritonc build` and"),
        (lambda data: b"", "this is not a bundle of kernels"),
        (lambda data: data[:8] + struct.pack("<I", 9) + data[12:], "has version 9 of the format; this program reads"),
        (lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:], "the bundle is damaged: its checksum is wrong"),
    ],
)
def test_what_is_not_a_sound_bundle(bundle, tmp_path, change, message):
    """Is said in a sentence, and launches compile; with a key, it is an error."""
    path = tmp_path / "wrong.bundle"
    path.write_bytes(change(bundle.read_bytes()))
    with pytest.warns(RuntimeWarning, match=message):
        loaded = triton.load_bundle(path)
    assert loaded.classes is None and len(loaded.problems) == 1
    assert loaded.problems[0].endswith("; kernels are compiled instead")
    with pytest.raises(ValueError, match=message):
        triton.load_bundle(path, key=KEY)


def test_what_cannot_be_read(tmp_path):
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(OSError):
            triton.load_bundle(path)


def test_signatures(recorded, bundle, tmp_path):
    with pytest.raises(ValueError, match="is not signed by this key, or has changed since"):
        triton.load_bundle(bundle, key=b"another")
    with pytest.raises(ValueError, match="the key is empty"):
        triton.load_bundle(bundle, key=b"")
    unsigned = changed(bundle, tmp_path, SIGNATURE_AT, bytes(32))
    with pytest.raises(ValueError, match="is not signed; build it with `--key`"):
        triton.load_bundle(unsigned, key=KEY)
    assert opened(bundle, KEY).item("classes.jsonl") == opened(bundle).item("classes.jsonl")


def test_an_item_that_was_changed(bundle, tmp_path):
    """Is found when it is read: the tables, which are signed, have its digest."""
    item = opened(bundle).item("manifest.json")
    place = bundle.read_bytes().index(item)
    path = changed(bundle, tmp_path, place + 3, b"!")
    for key in (b"", KEY):
        with pytest.raises(ValueError, match="damaged: `manifest.json` has another checksum"):
            opened(path, key).item("manifest.json")


def test_all_at_once_of_items_that_are_damaged_or_missing(recorded, bundle, tmp_path):
    """Nothing of a damaged bundle is used; what is missing is empty."""
    place = bundle.read_bytes().index(opened(bundle).item("classes.jsonl"))
    path = changed(bundle, tmp_path, place + 3, b"!")
    with pytest.raises(ValueError, match="damaged: `classes.jsonl` has another checksum"):
        triton.load_bundle(path, key=KEY, eager=True)
    program = (
        LOAD + "from triton.runtime import _bundles\n"
        "warnings.simplefilter('ignore')\n"
        f"loaded = triton.load_bundle({str(path)!r}, eager=True)\n"
        "print(loaded.classes, len(loaded.problems), triton._C.has_bundles())\n"
        "_bundles.FILE_NAME = _bundles.CHOICES_NAME = 'absent'\n"
        f"loaded = triton.load_bundle({str(bundle)!r}, eager=True)\n"
        "print(loaded.classes, len(loaded.problems), triton._C.has_bundles())\n"
    )
    assert run(recorded, program).splitlines() == ["None 1 False", "4 0 True"]


@pytest.mark.parametrize("form", ["o", "image", "launch", "json"])
def test_a_kernel_that_was_changed_is_compiled(recorded, bundle, tmp_path, form):
    book = opened(bundle)
    data = bytearray(bundle.read_bytes())
    for name in book.item_names("kernels/"):
        if name.endswith(f"/fill.{form}"):
            data[data.index(book.item(name)) + 100] ^= 1
    path = tmp_path / "changed.bundle"
    path.write_bytes(data)
    printed = run(
        recorded,
        LOAD + f"triton.load_bundle({str(path)!r})\nprint(k.run().sum(), triton.monitor.snapshot().compilations)",
        TRITON_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert printed.split() == ["4096", "2"]


@pytest.mark.parametrize("kept", [(), ("launch",), ("image",)])
def test_kernels_without_the_forms_that_load_quickly(recorded, tmp_path, monkeypatch, kept):
    """Code that is not of the known kinds is linked, and the metadata is read, at the first launch."""
    forms_of = triton._C.loading_forms

    def some(*given):
        forms = forms_of(*given)
        assert sorted(forms) == ["image", "launch"]
        return {name: data for name, data in forms.items() if name in kept}

    monkeypatch.setattr(triton._C, "loading_forms", some)
    path = tmp_path / "x.bundle"
    build(recorded / "classes.jsonl", ["cpu"], path)
    assert launched_without_compiling(recorded, path) == "4096 3 4 ['asm', 'o']\n"


def launched_without_compiling(recorded, path):
    return run(
        recorded,
        LOAD + f"triton.load_bundle({str(path)!r})\ntriton.freeze()\n"
        "kernel = k.fill[(1,)](np.zeros(64, np.int32), 48, BLOCK=64)\n"
        "print(k.run().sum(), triton.monitor.snapshot().bundle_hits, kernel.metadata.num_warps, list(kernel.asm))",
    )


def test_an_image_that_cannot_be_loaded(recorded, tmp_path, monkeypatch):
    """The object beside it is linked."""
    forms_of = triton._C.loading_forms
    monkeypatch.setattr(triton._C, "loading_forms", lambda *given: {**forms_of(*given), "image": b"no image"})
    path = tmp_path / "x.bundle"
    build(recorded / "classes.jsonl", ["cpu"], path)
    assert launched_without_compiling(recorded, path) == "4096 3 4 ['asm', 'o']\n"


def test_other_files_in_the_folder_of_kernels(tmp_path):
    files = {"a/kernel.json": b"[]", "a/other.json": b"no JSON", "a/notes.txt": b"text", "a/plain": b"name"}
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    items = _items_of(tmp_path, [], [], [])
    assert {name: data for name, data in items.items() if name.startswith("kernels/")} == {
        f"kernels/{name}": data for name, data in files.items()
    }


OTHER_TEXT = """
import importlib, pathlib, warnings
import numpy as np, triton
import kernels_of_bundle as k
triton.load_bundle(BUNDLE)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    k.run()
    k.fill[(1,)](np.zeros(64, np.int64), 48, BLOCK=64)
for each in caught:
    print(each.message)
"""


def test_another_text_of_a_kernel(recorded, bundle, tmp_path):
    """Is said once, and the kernel is compiled; those whose text is the same are taken from the bundle."""
    file = recorded / "kernels_of_bundle.py"
    program = OTHER_TEXT.replace("BUNDLE", repr(str(bundle)))
    count = "now = triton.monitor.snapshot()\nprint(now.compilations, now.bundle_hits)"
    try:
        file.write_text(KERNELS.replace("tl.store(x + i, n, mask=i < n)", "tl.store(x + i, n + 0, mask=i < n)", 1))
        printed = run(recorded, program + count, TRITON_CACHE_DIR=str(tmp_path / "cache"))
    finally:
        file.write_text(KERNELS)
    message, numbers = printed.splitlines()
    assert numbers == "3 1"
    assert message == (
        f"the bundle `{bundle}` has `fill` of {file} with another text than it has now, so that it is not taken from "
        "there; record its classes again and build the bundle anew"
    )


def test_options_and_settings_of_launches(recorded, bundle, tmp_path):
    """What decides a kernel's options is looked at in each launch, although launches share them."""
    printed = run(
        recorded,
        LOAD + f"triton.load_bundle({str(bundle)!r})\nx = np.zeros(64, np.int32)\n"
        "k.fill[(1,)](x, 48, BLOCK=64, num_warps=1)\n"
        "try:\n    k.fill[(1,)](x, 48, BLOCK=64, num_warps=True)\n"
        "except ValueError as error:\n    print(error)\n"
        "k.fill[(1,)](x, 48, BLOCK=64)\n"
        "now = triton.monitor.snapshot()\nprint(now.compilations, now.bundle_hits)\n"
        "triton.knobs.language.default_fp_fusion = False\n"
        "k.fill[(1,)](x, 33, BLOCK=64)\n"
        "now = triton.monitor.snapshot()\nprint(now.compilations, now.bundle_hits)\n",
        TRITON_CACHE_DIR=str(tmp_path / "cache"),
    )
    refused = "the option `num_warps` is True; it must be a non-negative integer below 2**31"
    assert printed.splitlines() == [refused, "1 1", "2 1"]


#: This version's three numbers.
VERSION = tuple(map(int, triton._C.version().partition("+")[0].split(".")))


def version_of(*numbers):
    return ".".join(map(str, numbers))


def another_patch():
    """A patch release of this version, whose number is as long as this one's."""
    major, minor, patch = VERSION
    return version_of(major, minor, patch - patch % 10 + (patch + 7) % 10)


def package_of_version(version, folder):
    """The path of a package like this one that another build has made: its number in the library is another, and its
    version."""
    here = pathlib.Path(triton.__file__).parent
    package = folder / "triton"
    package.mkdir(parents=True)
    for each in here.iterdir():
        if not each.name.startswith("_C."):
            (package / each.name).symlink_to(each)
    library = next(here.glob("_C.*so"))
    data = library.read_bytes()
    build = bytes.fromhex(triton._C.build_identity())
    own = version_of(*VERSION)
    assert data.count(build) == 1 and len(version) == len(own)
    data = data.replace(build, build[::-1]).replace(f"{own}+".encode(), f"{version}+".encode())
    (package / library.name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def of_another_build(recorded):
    path = recorded / "another.bundle"
    package = package_of_version(another_patch(), recorded / "another")
    program = (
        "import triton.tools.build as b\n"
        f"print(b.build({str(recorded / 'classes.jsonl')!r}, ['cpu'], {str(path)!r}, key={KEY!r})[1], b._C.version())"
    )
    assert run(recorded, program, PYTHONPATH=str(package)).startswith(f"[] {another_patch()}+")
    return path


@pytest.mark.parametrize("eager, hits, origins", [(False, 3, {"bundle"}), (True, 4, set())])
def test_a_patch_release_reads_the_bundle_of_another(recorded, of_another_build, tmp_path, eager, hits, origins):
    """Both ways: the bundle of another, here, and that of this one, there. Nothing is compiled."""
    bundle = recorded / "kernels_of_this.bundle"
    build(recorded / "classes.jsonl", ["cpu"], bundle, key=KEY)
    for path, package in ((of_another_build, None), (bundle, recorded / "another")):
        printed = run(
            recorded,
            LOAD + f"loaded = triton.load_bundle({str(path)!r}, key={KEY!r}, eager={eager})\n"
            "triton.freeze()\nx = k.run()\nnow = triton.monitor.snapshot()\n"
            "print(loaded.problems, now.compilations, now.bundle_hits, now.tuning_runs, x.tolist() == [64] * 64)\n"
            "print({event.origin for event in now.events})",
            TRITON_CACHE_DIR=str(tmp_path / "cache"),
            **({"PYTHONPATH": str(package)} if package else {}),
        )
        assert printed.splitlines() == [f"() 0 {hits} 0 True", f"{origins}"]


@pytest.mark.parametrize(
    "change, message",
    [
        (
            {"triton": version_of(VERSION[0], VERSION[1] + 1, 0) + "+nereid"},
            "is of version {triton}, and this is version {own}; build it",
        ),
        ({"triton": version_of(VERSION[0] + 1, 0, 0)}, "is of version {triton}, and"),
        ({"triton": version_of(VERSION[0], VERSION[1] - 1, 9)}, "is of version {triton}, and"),
        ({"launches": 99}, "is version {own}, whose kernels are launched in another way; build it with {series}"),
    ],
)
def test_another_version(bundle, monkeypatch, change, message):
    """Is named, and the bundle is not used."""
    message = re.escape(message.format(own=triton.__version__, series=version_of(*VERSION[:2]), **change))
    read = triton.runtime._manifest.read_facts
    another = {"build": "another", **change}
    monkeypatch.setattr(triton.runtime._manifest, "read_facts", lambda *given: {**read(*given), **another})
    with pytest.warns(RuntimeWarning, match=message):
        loaded = triton.load_bundle(bundle, key=KEY)
    assert loaded.classes == 4 and not triton._C.has_bundles()


def test_another_target(recorded, tmp_path):
    path = tmp_path / "x.bundle"
    build(recorded / "classes.jsonl", ["hip:gfx942"], path)
    printed = run(
        recorded,
        LOAD + f"with warnings.catch_warnings(record=True) as caught:\n    triton.load_bundle({str(path)!r})\n"
        "print(caught[0].message)\nprint(k.run().sum())",
    )
    assert "x.bundle` are for hip:gfx942, and kernels run on cpu here" in printed and "4096" in printed


def test_programs_in_c_read_the_same_file(recorded, bundle):
    names = subprocess.run(
        [sys.executable, "-c", READ_IN_C, str(bundle)], capture_output=True, text=True, cwd=recorded
    ).stdout.split()
    assert names == ["fill", "cpu", "fill", "cuda:90", *["tuned", "cpu", "tuned", "cuda:90"] * 2]


#: By the reader, which the test of aot builds as a library; here by its layout alone.
READ_IN_C = """
import struct, sys
data = open(sys.argv[1], "rb").read()
entries, parameters, signatures, arguments, conditions, texts, words, items = struct.unpack_from("<8I", data, 64)
begin = 96 + 104 * signatures + 8 * words + 64 * items
text = begin + 48 * entries + 8 * parameters + 4 * arguments + 8 * conditions
name = lambda place: data[text + place : data.index(0, text + place)].decode()
for index in range(entries):
    record = struct.unpack_from("<12I", data, begin + 48 * index)
    print(name(record[0]), name(record[3]))
"""


def test_the_command(recorded, bundle, tmp_path):
    tritonc = pathlib.Path(sys.executable).with_name("tritonc")
    (tmp_path / "key").write_bytes(KEY)
    words = [tritonc, "build", recorded / "classes.jsonl", "--target", "cpu,cuda:90,sim:cuda:90", "-o", "x.bundle"]
    environment = {**os.environ, "TRITON_CPU_BACKEND": "1"}
    words += ["--key", "key", "--python", sys.executable]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("cpu: 4 classes compiled, 0 were there\n")
    assert (tmp_path / "x.bundle").read_bytes() == bundle.read_bytes()
    for missing, message in ((2, "name a file of classes"), (5, "name the bundle to write")):
        done = subprocess.run(words[:missing], capture_output=True, text=True)
        assert done.returncode == 2 and message in done.stderr


def test_what_a_program_compiles_and_launches_itself_is_in_the_bundle_as_well(recorded, tmp_path):
    """Without what launches of this package know of arguments. The processor may go without its name, as in PyTorch."""
    compile_one = """
import kernels_of_bundle as k, triton
from triton.backends.compiler import GPUTarget
BEFORE
source = triton.compiler.ASTSource(k.fill, {"x": "*i32", "n": "i32"}, {"BLOCK": 32})
triton.compile(source, target=GPUTarget("cpu", "", 32), options={"num_warps": 2})
print(triton.monitor.snapshot().compilations)
"""
    records, path = tmp_path / "classes.jsonl", tmp_path / "kernels.bundle"
    own = {"TRITON_RECORD_CLASSES": str(records), "TRITON_CACHE_DIR": str(tmp_path / "first")}
    assert run(recorded, compile_one.replace("BEFORE", ""), **own) == "1\n"
    _, problems = build(records, ["cpu"], path)
    assert not problems
    load = f"assert triton.load_bundle({str(path)!r}, eager=True).classes == 1"
    assert run(recorded, compile_one.replace("BEFORE", load), TRITON_CACHE_DIR=str(tmp_path / "second")) == "0\n"


@pytest.mark.parametrize("write", ["bundle", "file"])
def test_what_killed_writers_left_is_removed_by_the_next(tmp_path, write):
    """Not what another machine may still write, nor what is none of these parts."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    path = tmp_path / "kernels.bundle"
    abandoned = tmp_path / f"{path.name}.{ended.pid}.part"
    kept = [f"{path.name}.{os.getppid()}.part", f"other.bundle.{ended.pid}.part", f"{path.name}.x.part", path.name]
    for name in [abandoned.name, *kept]:
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (0, 0))

    def write_it():
        if write == "bundle":
            triton._C.aot_bundle(str(path), [], ["cpu"], {}, b"")
        else:
            triton._C.write_whole_file(str(path), b"whole")

    write_it()
    assert path.read_bytes() != b"half"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(kept)
    abandoned.write_bytes(b"half")  # just now
    write_it()
    assert abandoned.exists()
