"""Bundles: what `tritonc bundle` writes, and its reader in C."""

import ctypes
import os
import pathlib
import re
import resource
import struct
import subprocess
import sys

import numpy as np
import pytest
from aot_programs import DIALECTS, FOLDER, KERNELS, WARNINGS, c_compiler

TRITONC = pathlib.Path(sys.executable).with_name("tritonc")
INCLUDE = FOLDER.parents[2] / "include"
TARGETS = "cpu:x86-64,cpu:x86-64-v3,cuda:80,cuda:90,hip:gfx942"
SCALE = ["*fp32:16, *fp32:16, i32:16, fp32, 64", "*fp32, *fp32, i32:1, fp32, 64", "*fp32, *fp32, i32, fp32, 64"]
OK, CANNOT_READ, NOT_A_BUNDLE, OTHER_VERSION, TRUNCATED, DAMAGED, NO_KERNEL, NO_DEVICE = range(8)
NO_MAP = 10
CPU, CUDA, HIP = 1, 2, 3
HEADER_BYTES, CHECKSUM_AT, SUMMED_FROM, COUNTS_AT, WORD_COUNT_AT, SIGNATURE_BYTES = 96, 48, 56, 64, 88, 104
#: Of entries, parameters, signatures, arguments, conditions, texts, words and items, as the header counts them.
RECORD_BYTES = 48, 8, SIGNATURE_BYTES, 4, 8, 1, 8, 64


class Failure(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int), ("text", ctypes.c_char * 480))


class Device(ctypes.Structure):
    _fields_ = (("backend", ctypes.c_int), ("capability", ctypes.c_int), ("architecture", ctypes.c_char_p))


class Parameter(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("type", ctypes.c_char_p))


class Condition(ctypes.Structure):
    _fields_ = (("parameter", ctypes.c_uint32), ("kind", ctypes.c_uint32))


class Code(ctypes.Structure):
    _fields_ = (
        ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t), ("symbol", ctypes.c_char_p),
        ("warps", ctypes.c_uint32), ("threads", ctypes.c_uint32), ("shared_bytes", ctypes.c_uint32),
        ("scratch_bytes", ctypes.c_uint64), ("argument_count", ctypes.c_size_t),
        ("arguments", ctypes.POINTER(ctypes.c_uint32)), ("condition_count", ctypes.c_size_t),
        ("conditions", ctypes.POINTER(Condition)), ("function", ctypes.c_void_p),
        ("map_count", ctypes.c_size_t), ("maps", ctypes.POINTER(ctypes.c_int64)),
    )  # fmt: skip


class Map(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("type", "rank", "swizzle", "fill")), ("address", ctypes.c_uint64),
        ("sizes", ctypes.c_uint64 * 5), ("strides", ctypes.c_uint64 * 5), ("box", ctypes.c_uint32 * 5),
        ("steps", ctypes.c_uint32 * 5),
    )  # fmt: skip


class Kernel(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p), ("variant", ctypes.c_char_p), ("constants", ctypes.c_char_p),
        ("target", ctypes.c_char_p), ("parameter_count", ctypes.c_size_t), ("parameters", ctypes.POINTER(Parameter)),
        ("code_count", ctypes.c_size_t), ("codes", ctypes.POINTER(Code)),
    )  # fmt: skip


def bundle(folder, *arguments, **options):
    return subprocess.run([TRITONC, "bundle", *arguments], cwd=folder, capture_output=True, text=True, **options)


def signatures(*texts):
    return [f"--signature={text}" for text in texts]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The path of a bundle with two kernels for all targets."""
    folder = tmp_path_factory.mktemp("bundle")
    rows = ["*fp32, *fp32, i32, i32, 8", "*fp32, *fp32, i32, i32, 4, 32"]
    arguments = [f"{KERNELS}:scale", *signatures(*SCALE), f"sums={KERNELS}:row_sums", *signatures(*rows)]
    done = bundle(folder, *arguments, "--target", TARGETS, "-o", "all.ttb")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all.ttb\n"
    again = bundle(
        folder, *arguments, "--target", TARGETS, "-o", "again.ttb", env={**os.environ, "TMPDIR": str(folder)}
    )
    assert again.returncode == 0, again.stderr
    assert (folder / "all.ttb").read_bytes() == (folder / "again.ttb").read_bytes()
    return folder / "all.ttb"


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """The reader as a library, built as C11 and C++17 by each compiler that is here."""
    folder = tmp_path_factory.mktemp("reader")
    source = folder / "reader.c"
    source.write_text("#include <stdlib.h>\n#define TRITON_BUNDLE_IMPLEMENTATION\n#include <triton/bundle.h>\n")
    for dialect in DIALECTS:
        command = [*dialect, *WARNINGS, "-O2", f"-I{INCLUDE}", "-c", source, "-o", folder / "object.o"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
    library = folder / "libreader.so"
    command = [c_compiler(), "-std=c11", "-shared", "-fPIC", f"-I{INCLUDE}", source, "-o", library, "-ldl"]
    subprocess.run(command, check=True)
    reader = ctypes.CDLL(str(library))
    reader.triton_bundle_choose.restype = ctypes.POINTER(Code)
    reader.triton_bundle_pack.restype = ctypes.c_size_t
    reader.triton_bundle_load.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, Device, ctypes.c_void_p, ctypes.c_void_p,
    ]  # fmt: skip
    return reader


class Opened:
    """A bundle that is open."""

    def __init__(self, reader, path=None, data=None):
        self.reader, self.data = reader, data
        self.handle, self.failure = ctypes.c_void_p(), Failure()
        to = [ctypes.byref(self.handle), ctypes.byref(self.failure)]
        if data is None:
            self.code = reader.triton_bundle_open_file(os.fsencode(path), *to)
        else:
            self.code = reader.triton_bundle_open_memory(data, ctypes.c_size_t(len(data)), *to)
        self.text = self.failure.text.decode()
        assert (self.code == OK) == bool(self.handle)

    def __enter__(self):
        assert self.code == OK, self.text
        return self

    def __exit__(self, *_):
        self.reader.triton_bundle_close(self.handle)

    def kernels(self):
        found, kernel = [], Kernel()
        while self.reader.triton_bundle_list(self.handle, ctypes.c_size_t(len(found)), ctypes.byref(kernel)):
            found.append((kernel.name.decode(), kernel.variant.decode(), kernel.target.decode()))
        return found

    def load(self, name, backend, capability=0, architecture=None, variant=None):
        """The kernel, or the code and text of the error."""
        kernel, failure = Kernel(), Failure()
        device = Device(backend, capability, architecture)
        code = self.reader.triton_bundle_load(
            self.handle, name.encode(), variant, device, ctypes.byref(kernel), ctypes.byref(failure)
        )
        return kernel if code == OK else (code, failure.text.decode())

    def choose(self, kernel, *arguments):
        chosen = self.reader.triton_bundle_choose(ctypes.byref(kernel), (ctypes.c_uint64 * len(arguments))(*arguments))
        return chosen.contents if chosen else None

    def run(self, kernel, x, *arguments):
        chosen = self.reader.triton_bundle_choose(ctypes.byref(kernel), (ctypes.c_uint64 * len(arguments))(*arguments))
        values = (ctypes.c_uint64 * len(arguments))(*arguments)
        return self.reader.triton_bundle_run(ctypes.byref(kernel), chosen, values, x, 1, 1)


def bits(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def test_what_is_in_it(reader, written):
    with Opened(reader, written) as opened:
        kernels = opened.kernels()
        assert [target for _, _, target in kernels[:5]] == TARGETS.split(",")
        assert list(dict.fromkeys((name, variant) for name, variant, _ in kernels)) == [
            ("scale", "BLOCK64_warps4_stages3"),
            ("sums", "ROWS8_warps4_stages3"),
            ("sums", "ROWS4_BLOCK32_warps4_stages3"),
        ]
        kernel = opened.load("scale", CPU)
        assert kernel.constants == b"BLOCK=64, num_warps=4, num_stages=3"
        names = [(kernel.parameters[i].name, kernel.parameters[i].type) for i in range(kernel.parameter_count)]
        assert names == [(b"x", b"*fp32"), (b"out", b"*fp32"), (b"n", b"i32"), (b"factor", b"fp32")]


@pytest.mark.parametrize("from_memory", [False, True])
def test_runs_on_this_processor(reader, written, from_memory):
    # One byte before its beginning, so that no table lies where a compiler would put it.
    data = (b"x" + written.read_bytes())[1:] if from_memory else None
    with Opened(reader, written, data) as opened:
        scale, sums = opened.load("scale", CPU), opened.load("sums", CPU, variant=b"ROWS4_BLOCK32_warps4_stages3")
        x, out = np.arange(200, dtype=np.float32), np.zeros(200, np.float32)
        for n in (192, 100, 1):
            out[:] = 0
            assert opened.run(scale, 4, x.ctypes.data, out.ctypes.data, n, bits(2.5)) == OK
            np.testing.assert_array_equal(out, np.where(np.arange(200) < n, x * np.float32(2.5), 0))
        table, totals = np.random.default_rng(0).random((4, 50), np.float32), np.zeros(4, np.float32)
        assert opened.run(sums, 1, table.ctypes.data, totals.ctypes.data, 50, 50) == OK
        np.testing.assert_allclose(totals, np.exp(table).sum(1), rtol=1e-5)


def test_conditions_choose_the_code(reader, written):
    with Opened(reader, written) as opened:
        kernel = opened.load("scale", CUDA, 90)
        counts = {
            arguments: opened.choose(kernel, *arguments, 0).condition_count
            for arguments in ((256, 512, 32), (256, 512, 33), (256, 512, 1), (260, 512, 32))
        }
        assert list(counts.values()) == [3, 0, 1, 0]
        one = opened.choose(kernel, 256, 512, 1, 7)
        assert [one.arguments[i] for i in range(one.argument_count)] == [0, 1, 3]
        slots = (ctypes.c_uint64 * 8)(*[99] * 8)
        values = (ctypes.c_uint64 * 4)(256, 512, 1, 7)
        assert reader.triton_bundle_pack(ctypes.byref(kernel), ctypes.byref(one), values, slots) == 5
        assert list(slots[:6]) == [256, 512, 7, 0, 0, 99]


def test_devices(reader, written):
    with Opened(reader, written) as opened:
        for capability, target in ((80, b"cuda:80"), (86, b"cuda:80"), (90, b"cuda:90")):
            kernel = opened.load("scale", CUDA, capability)
            assert kernel.target == target
            code = kernel.codes[0]
            assert ctypes.string_at(code.bytes, 4) == b"\x7fELF" and code.threads == 32 * code.warps
            assert code.symbol == b"scale" and not code.function
        code = opened.load("scale", HIP, architecture=b"gfx942:sramecc+:xnack-").codes[0]
        assert code.threads == 64 * code.warps
        for arguments, device in (
            ((CUDA, 75), "compute capability 7.5"),
            ((CUDA, 100), "compute capability 10.0"),
            ((HIP, 0, b"gfx94"), "`gfx94`"),
            ((HIP, 0, None), "``"),
        ):
            code, text = opened.load("scale", *arguments)
            assert code == NO_DEVICE
            assert (
                text == f"the bundle has no code of `scale` for {device}; it has code for {TARGETS.replace(',', ', ')}"
            )


def test_tiles_of_amx(tmp_path, reader):
    """Code with tiles is taken where the processor has them and the system permits them, and other code elsewhere."""
    signature = signatures("*bf16:16, *bf16:16, *fp32:16, i32, i32, i32, 64, 64, 64")
    for name, targets in (("both", "cpu:x86-64-v2,cpu:sapphirerapids"), ("tiles", "cpu:sapphirerapids")):
        done = bundle(tmp_path, f"{KERNELS}:matmul", *signature, "--target", targets, "-o", f"{name}.ttb")
        assert done.returncode == 0, done.stderr
        assert b",amx-bf16,amx-int8,amx-tile\0" in (tmp_path / f"{name}.ttb").read_bytes()
    flags = set(re.search(r"^flags\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    has_tiles = flags >= {"amx_tile", "amx_bf16", "avx512_fp16"}
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-4, 5, (64, 64)).astype(np.float32) for _ in range(2))
    halves = [np.ascontiguousarray(side.view(np.uint16)[:, 1::2]) for side in (a, b)]
    out = np.zeros((64, 64), np.float32)
    with Opened(reader, tmp_path / "both.ttb") as opened:
        kernel = opened.load("matmul", CPU)
        assert kernel.target == (b"cpu:sapphirerapids" if has_tiles else b"cpu:x86-64-v2")
        assert opened.run(kernel, 1, *(array.ctypes.data for array in (*halves, out)), 64, 64, 64) == OK
        np.testing.assert_array_equal(out, a @ b)
    with Opened(reader, tmp_path / "tiles.ttb") as opened:
        loaded = opened.load("matmul", CPU)
        assert has_tiles or (loaded[0] == NO_DEVICE and "for this processor, which lacks " in loaded[1]), loaded
    done = bundle(
        tmp_path, f"{KERNELS}:scale", *signatures(SCALE[2]), "--target", "cpu:sapphirerapids", "-o", "none.ttb"
    )
    assert done.returncode == 0 and b"amx" not in (tmp_path / "none.ttb").read_bytes()


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    """The path of a bundle with a kernel for Hopper whose launch describes an array."""
    folder = tmp_path_factory.mktemp("mapped")
    signature = "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32, i64:16, 128, 128, 64"
    done = bundle(folder, f"{KERNELS}:mapped", *signatures(signature), "--target=cuda:80,cuda:90", "-o", "x.ttb")
    assert done.returncode == 0, done.stderr
    return folder / "x.ttb"


def test_tensor_maps(reader, mapped):
    """The numbers are those that the launch of the same kernel in C gives the driver (test_aot_gpu.py)."""
    with Opened(reader, mapped) as opened:
        assert opened.load("mapped", CUDA, 80).codes[0].map_count == 0
        kernel = opened.load("mapped", CUDA, 90)
        code = kernel.codes[0]
        assert code.map_count == 1

        def describe(k, stride):
            map, values = Map(), (ctypes.c_uint64 * 7)(256, 512, 768, 100, 256, k, stride % 2**64)
            padding = ctypes.c_uint64(4096)
            return map, reader.triton_bundle_describe_map(
                ctypes.byref(code), ctypes.c_size_t(0), values, padding, ctypes.byref(map)
            )

        map, result = describe(300, 2**33)
        assert (result, map.type, map.rank, map.address, map.swizzle, map.fill) == (OK, 6, 2, 256, 3, 1)
        assert (list(map.sizes[:2]), map.strides[0], list(map.box[:2])) == ([150, 100], 2**34, [64, 128])
        assert list(map.steps[:2]) == [1, 1]
        map, result = describe(1, -16)
        assert (result, map.address, list(map.sizes[:2]), map.strides[0]) == (OK, 4096 + 16, [1, 1], 16)
        reader.triton_bundle_padding.restype = ctypes.POINTER(ctypes.c_uint16)
        assert list(reader.triton_bundle_padding()[:16]) == [0] * 8 + [0x7FF7] * 8
        for stride in (-16, 2**40):
            assert describe(300, stride)[1] == NO_MAP

        slots, maps = (ctypes.c_uint64 * 9)(*range(9)), ctypes.create_string_buffer(128)
        parameters = (ctypes.c_void_p * 10)()
        reader.triton_bundle_parameters.restype = ctypes.c_size_t
        count = reader.triton_bundle_parameters(
            ctypes.byref(kernel), ctypes.byref(code), slots, maps, ctypes.c_size_t(128), parameters
        )
        places = [ctypes.addressof(slots) + 8 * i for i in range(9)]
        assert (count, list(parameters)) == (10, [*places[:7], ctypes.addressof(maps), *places[7:]])


def test_damaged_maps(reader, mapped):
    """Every word of a map that the reader follows is checked when the bundle is opened."""
    data, outcomes = mapped.read_bytes(), set()
    (count,) = struct.unpack_from("<I", data, WORD_COUNT_AT)
    assert count > 10
    values = (ctypes.c_uint64 * 7)(256, 512, 768, 100, 256, 300, 0)
    begin = HEADER_BYTES + 2 * SIGNATURE_BYTES
    for place in range(begin, begin + 8 * count, 8):
        for value in (-1, 2**62, 7, 0):
            wrong = bytearray(data)
            wrong[place : place + 8] = struct.pack("<q", value)
            opened = Opened(reader, data=summed(bytes(wrong)))
            outcomes.add(opened.code)
            if opened.code == OK:
                with opened:
                    code = opened.load("mapped", CUDA, 90).codes[0]
                    reader.triton_bundle_describe_map(
                        ctypes.byref(code), ctypes.c_size_t(0), values, ctypes.c_uint64(0), ctypes.byref(Map())
                    )
    assert outcomes == {OK, DAMAGED}


def test_maps_that_no_driver_encodes(reader, mapped):
    """Only CUDA's does."""
    data = mapped.read_bytes()
    counts = struct.unpack_from("<8I", data, COUNTS_AT)
    begin = HEADER_BYTES + counts[2] * SIGNATURE_BYTES + counts[6] * 8 + counts[7] * 64
    outcomes = {}
    for place in range(begin, begin + counts[0] * RECORD_BYTES[0], RECORD_BYTES[0]):
        backend, capability = struct.unpack_from("<II", data, place + 16)
        assert backend == CUDA
        wrong = bytearray(data)
        struct.pack_into("<I", wrong, place + 16, HIP)
        outcomes[capability] = Opened(reader, data=summed(bytes(wrong))).code
    assert outcomes == {80: OK, 90: DAMAGED}


def test_names_that_are_not_there(reader, written):
    with Opened(reader, written) as opened:
        assert opened.load("add", CPU) == (NO_KERNEL, "the bundle has no kernel `add`; it has scale, sums")
        code, text = opened.load("sums", CPU, variant=b"ROWS1")
        assert code == NO_KERNEL
        assert text.endswith("has no variant `ROWS1`; it has ROWS8_warps4_stages3, ROWS4_BLOCK32_warps4_stages3")


def summed(data):
    """The bundle with a checksum of its tables that is right."""
    counts = struct.unpack_from("<8I", data, COUNTS_AT)
    end = min(HEADER_BYTES + sum(map(int.__mul__, counts, RECORD_BYTES)), len(data))
    words = data[SUMMED_FROM:end] + bytes(-(end - SUMMED_FROM) % 8)
    value = 0xCBF29CE484222325 ^ (end - SUMMED_FROM)
    for (word,) in struct.iter_unpack("<Q", words):
        value = (value ^ word) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
        value ^= value >> 32
    return data[:CHECKSUM_AT] + struct.pack("<Q", value) + data[SUMMED_FROM:]


def test_damage_is_found_when_it_is_opened(reader, written, tmp_path):
    data = written.read_bytes()
    assert summed(data) == data
    for size in (0, 7, 8, HEADER_BYTES - 1, HEADER_BYTES, len(data) // 2, len(data) - 1):
        opened = Opened(reader, data=data[:size])
        assert opened.code == (NOT_A_BUNDLE if size < 8 else TRUNCATED), size
    assert Opened(reader, data=data + b"x").code == TRUNCATED
    for place in (CHECKSUM_AT, HEADER_BYTES, HEADER_BYTES + 500):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert Opened(reader, data=changed).code == DAMAGED, place
    newer = Opened(reader, data=summed(data[:8] + struct.pack("<I", 4) + data[12:]))
    assert newer.code == OTHER_VERSION
    assert newer.text == "the bundle has version 4 of the format; this program reads version 3: build it again"
    (tmp_path / "text").write_text("no bundle at all, but long enough to be one\n" * 10)
    assert Opened(reader, tmp_path / "text").code == NOT_A_BUNDLE
    assert Opened(reader, tmp_path / "absent").code == CANNOT_READ
    assert Opened(reader, tmp_path).code == CANNOT_READ  # a folder


def test_damaged_code_is_found_when_it_is_loaded(reader, written):
    data = bytearray(written.read_bytes())
    with Opened(reader, data=bytes(data)) as opened:
        code = opened.load("scale", CUDA, 90).codes[0]
        place = data.index(ctypes.string_at(code.bytes, code.size))
    data[place + 100] ^= 1
    with Opened(reader, data=bytes(data)) as opened:
        code, text = opened.load("scale", CUDA, 90)
        assert code == DAMAGED and text == "the bundle is damaged: the code of `scale` has another checksum"
        assert opened.load("sums", CUDA, 90).target == b"cuda:90", "the rest of it is as it was"


def test_an_open_bundle_may_be_replaced(reader, written, tmp_path):
    """By another file under its name: what is open stays."""
    path, other = tmp_path / "open.ttb", tmp_path / "other"
    path.write_bytes(written.read_bytes())
    other.write_text("another file")
    with Opened(reader, path) as opened:
        other.replace(path)
        assert opened.load("sums", CUDA, 90).target == b"cuda:90"
        assert Opened(reader, path).code == NOT_A_BUNDLE


def test_tables_that_contradict_each_other(reader, written):
    data = written.read_bytes()
    outcomes = set()
    generator = np.random.default_rng(0)
    for place in generator.integers(HEADER_BYTES, HEADER_BYTES + 1500, 60):
        wrong = bytearray(data)
        wrong[place : place + 4] = struct.pack("<I", 0xFFFFFFF0)
        outcomes.add(Opened(reader, data=summed(bytes(wrong))).code)
    assert DAMAGED in outcomes and outcomes <= {OK, DAMAGED}


#: name → (arguments, exit code, part of the message)
MISTAKES = {
    "nothing": ([], 2, "name the kernels of the bundle"),
    "no signature": (["k.py:scale", "--target=cpu", "-o", "x"], 2, "`k.py:scale` has no --signature after it"),
    "signature first": ([*signatures(SCALE[2]), "k.py:scale", "--target=cpu"], 2, "comes before all kernels"),
    "no target": (["k.py:scale", *signatures(SCALE[2]), "-o", "x"], 2, "name the targets"),
    "no output": (["k.py:scale", *signatures(SCALE[2]), "--target=cpu"], 2, "name the file to write"),
    "IR": (["k.ttir", *signatures("i32"), "--target=cpu", "-o", "x"], 2, "needs a kernel's text"),
    "absent file": (["a.py:k", *signatures("i32"), "--target=cpu", "-o", "x"], 2, "a.py`"),
    "unknown kernel": (["k.py:scal", *signatures("i32"), "--target=cpu", "-o", "x"], 2, "`scal`"),
    "unknown target": (["k.py:scale", *signatures(SCALE[2]), "--target=cpu,metal", "-o", "x"], 2, "no backend `metal`"),
    "simulated": (["k.py:scale", *signatures(SCALE[2]), "--target=sim:cuda:90", "-o", "x"], 2, "a simulated GPU"),
    "target twice": (
        ["k.py:scale", *signatures(SCALE[2]), "--target=cuda:90,cuda:90:32", "-o", "x"],
        2,
        "target `cuda:90:32` is given twice",
    ),
    "one name twice": (
        ["k.py:scale", *signatures(SCALE[2]), "k.py:scale", *signatures(SCALE[0]), "--target=cpu", "-o", "x"],
        2,
        "two kernels have the name `scale`; give one another name, as in scale2=k.py",
    ),
    "overlapping conditions": (
        ["k.py:scale", *signatures(SCALE[2], "*fp32, *fp32, i32, fp32, BLOCK=64"), "--target=cpu", "-o", "x"],
        2,
        "have the same constants and hints, so that one would never run: BLOCK=64",
    ),
    "two types": (
        ["k.py:scale", *signatures(SCALE[2], "*fp16, *fp32, i32, fp32, 64"), "--target=cpu", "-o", "x"],
        2,
        "error: k.py:8: argument `x`: one signature has the type `*fp32` for it and another the type `*fp16`",
    ),
    "prints": (["k.py:says", *signatures("*fp32"), "--target=cpu", "-o", "x"], 1, "it prints"),
    "prints on AMD": (["k.py:says", *signatures("*fp32"), "--target=hip:gfx942", "-o", "x"], 1, "it prints or asserts"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(tmp_path, mistake):
    arguments, code, message = MISTAKES[mistake]
    (tmp_path / "k.py").write_text(
        KERNELS.read_text() + '\n\n@triton.jit\ndef says(x):\n    tl.device_print("x", tl.load(x))\n'
    )
    done = bundle(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["k.py"]


def test_places_where_nothing_can_be_written(tmp_path):
    arguments = [f"{KERNELS}:scale", *signatures(SCALE[2]), "--target=cpu:x86-64"]
    (tmp_path / "file").write_text("as before")
    for output in (tmp_path / "file" / "x.ttb", tmp_path, "/proc/x.ttb"):
        done = bundle(tmp_path, *arguments, "-o", output)
        assert done.returncode == 2 and not done.stdout, done.stderr
        assert "cannot make" in done.stderr or "cannot write" in done.stderr

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    (tmp_path / "old.ttb").write_text("as before")
    done = bundle(tmp_path, *arguments, "-o", "old.ttb", preexec_fn=limit)
    assert done.returncode in (1, 2) and "too large" in done.stderr, done.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(
        ("file", "old.ttb"), "as before"
    )


def test_an_assertion_ends_the_program(tmp_path, reader):
    (tmp_path / "k.py").write_text(
        "import triton, triton.language as tl\n@triton.jit\ndef k(x):\n    tl.device_assert(tl.load(x) > 0, 'no')\n"
    )
    env = {**os.environ, "TRITON_DEBUG": "1"}
    done = bundle(tmp_path, "k.py:k", *signatures("*i32"), "--target=cpu:x86-64", "-o", "k.ttb", env=env)
    assert done.returncode == 0, done.stderr
    program = tmp_path / "main.c"
    program.write_text(
        "#define TRITON_BUNDLE_IMPLEMENTATION\n#include <triton/bundle.h>\n"
        "int main(int count, char **words) {\n"
        "  triton_bundle *bundle; triton_bundle_kernel k; int32_t x = count - 2; uint64_t argument = (uintptr_t)&x;\n"
        "  if (triton_bundle_open_file(words[1], &bundle, NULL) != 0) return 2;\n"
        '  if (triton_bundle_load(bundle, "k", NULL, triton_bundle_cpu_device(), &k, NULL) != 0) return 3;\n'
        "  return triton_bundle_run(&k, triton_bundle_choose(&k, &argument), &argument, 1, 1, 1);\n}\n"
    )
    subprocess.run([c_compiler(), *WARNINGS, f"-I{INCLUDE}", program, "-o", tmp_path / "main", "-ldl"], check=True)
    assert subprocess.run([tmp_path / "main", tmp_path / "k.ttb", "more"]).returncode == 0
    failed = subprocess.run([tmp_path / "main", tmp_path / "k.ttb"], capture_output=True, text=True)
    assert failed.returncode < 0
    assert "device assertion failed: no\n  at k.py:4" in failed.stderr.replace(f"{tmp_path}/", ""), failed.stderr
    assert "in program (0, 0, 0)" in failed.stderr
