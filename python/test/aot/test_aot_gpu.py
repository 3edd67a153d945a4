"""Kernels for GPUs compiled ahead of time into C, which calls a library in the driver's place."""

import ctypes
import pathlib
import struct
import subprocess
import sys
import threading

import pytest
from aot_programs import C_TYPES, KERNELS, STAND_INS, build, compile_aot, compile_everywhere

TARGETS = ["cuda:90:32", "cuda:80", "hip:gfx942:64", "hip:gfx1100:32"]


class Program:
    """A variant, linked with the library in the driver's place."""

    def __init__(self, folder, name, signature, grid, target, sizes, **options):
        self.backend = target.split(":")[0]
        self.name, self.source = compile_aot(folder, name, signature, grid, target, **options)
        compile_everywhere(folder, self.source)
        self.library = build(folder, [self.source, STAND_INS / f"{self.backend}.c"])
        self.sizes = [*sizes, 8, 8]
        self.integers("fake_sizes", 32)[: len(self.sizes)] = self.sizes
        self.set("fake_count", len(self.sizes))

    def integers(self, name, count=1):
        return (ctypes.c_int * count).in_dll(self.library, name)

    def get(self, name):
        return self.integers(name)[0]

    def set(self, name, value):
        self.integers(name)[0] = value

    def call(self, *arguments):
        return getattr(self.library, self.name)(*arguments)

    def parameters(self):
        """The bytes of each parameter of the last launch."""
        slots = ((ctypes.c_ubyte * 128) * 32).in_dll(self.library, "fake_parameters")
        return [bytes(slot[:size]) for slot, size in zip(slots, self.sizes, strict=False)]

    def image(self):
        """The start of what was given to the driver."""
        return ctypes.string_at(ctypes.c_void_p.in_dll(self.library, "fake_image").value, 4)


@pytest.mark.parametrize("target", TARGETS)
def test_launch(tmp_path, target):
    program = Program(
        tmp_path,
        "scale",
        "*fp32:16, *fp32, i32, fp32, 64",
        "(n + 63) / 64, n - 100, 2",
        target,
        [8, 8, 4, 4],
        num_warps=2,
    )
    pointer = C_TYPES["CUdeviceptr"]
    x, out, stream = 0x123456780, 0xFFFF000011112222, 0x77
    call = [ctypes.c_void_p(stream), pointer(x), pointer(out), 103, ctypes.c_double(1.1)]
    assert program.get("fake_loads") == 0
    assert program.call(*call) == 0
    assert (program.get("fake_loads"), program.get("fake_launches")) == (1, 1)
    assert program.image() == b"\x7fELF"
    assert ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(program.library, "fake_name"))) == b"scale"
    assert list(program.integers("fake_grid", 3)) == [2, 3, 2]
    threads = program.integers("fake_block", 3)
    assert list(threads) == [2 * int({"hip:gfx942:64": 64}.get(target, 32)), 1, 1]
    assert ctypes.c_void_p.in_dll(program.library, "fake_stream").value == stream
    expected = [struct.pack("<Q", x), struct.pack("<Q", out), struct.pack("<i", 103), struct.pack("<f", 1.1)]
    assert program.parameters() == [*expected, bytes(8), bytes(8)]
    assert program.call(*call) == 0
    assert (program.get("fake_loads"), program.get("fake_launches")) == (1, 2)


@pytest.mark.parametrize("target", TARGETS[1:3])
def test_load_and_unload(tmp_path, target):
    program = Program(tmp_path, "scale", "*fp32, *fp32, i32:1, fp32, 64", "1, 1, 1", target, [8, 8, 4])
    load, unload = (getattr(program.library, f"{action}_{program.name}") for action in ("load", "unload"))
    unload()  # of what was never loaded
    assert program.get("fake_unloads") == 0
    load()
    load()
    assert program.get("fake_loads") == 1
    pointer = C_TYPES["CUdeviceptr"]
    assert program.call(None, pointer(16), pointer(32), ctypes.c_double(2)) == 0
    assert program.get("fake_loads") == 1
    unload()
    unload()
    assert program.get("fake_unloads") == 1
    assert program.call(None, pointer(16), pointer(32), ctypes.c_double(2)) == 0
    assert (program.get("fake_loads"), program.get("fake_launches")) == (2, 2)


@pytest.mark.parametrize("target", TARGETS[1:3])
def test_nothing_to_launch(tmp_path, target):
    grid = "n, n - 1, n * 0 + 1"
    program = Program(tmp_path, "scale", "*fp32, *fp32, i32, fp32, 64", grid, target, [8, 8, 4, 4])
    pointer = C_TYPES["CUdeviceptr"]
    for n in (0, 1, -7):
        assert program.call(None, pointer(0), pointer(0), n, ctypes.c_double(1)) == 0
    assert (program.get("fake_loads"), program.get("fake_launches")) == (0, 0)


@pytest.mark.parametrize("target", TARGETS[1:3])
def test_too_much_to_launch(tmp_path, target):
    """Extents are computed in 64 bits where the parameters have as many."""
    program = Program(tmp_path, "scale", "*fp32, *fp32, i64, fp32, 64", "n, 1, 1", target, [8, 8, 8, 4])
    pointer = C_TYPES["CUdeviceptr"]
    assert program.call(None, pointer(0), pointer(0), ctypes.c_int64(2**32 + 1), ctypes.c_double(1)) == 1
    assert program.get("fake_launches") == 0


@pytest.mark.parametrize("target", TARGETS[1:3])
def test_numbers_of_every_type(tmp_path, target):
    signature = "*fp64, fp16, bf16, fp32, fp64, i1, i8, i64, u16"
    program = Program(tmp_path, "add_scalars", signature, "1, 1, 1", target, [8, 2, 2, 4, 8, 1, 1, 8, 2])
    pointer, double = C_TYPES["CUdeviceptr"], ctypes.c_double
    arguments = [pointer(64), double(1.5), double(-2.5), double(0.1), double(0.1)]
    arguments += [ctypes.c_int8(4), ctypes.c_int8(-7), ctypes.c_int64(-(2**40)), ctypes.c_uint16(65535)]
    assert program.call(None, *arguments) == 0
    assert program.parameters()[1:3] == [bytes.fromhex("003e"), bytes.fromhex("20c0")]
    assert program.parameters()[3:5] == [struct.pack("<f", 0.1), struct.pack("<d", 0.1)]
    assert program.parameters()[5:] == [b"\x01", b"\xf9", struct.pack("<q", -(2**40)), b"\xff\xff", bytes(8), bytes(8)]


def test_blocks_of_a_program(tmp_path):
    """A launch has two blocks for each program."""
    tritonc = pathlib.Path(sys.executable).with_name("tritonc")
    if not tritonc.exists():
        pytest.skip("tritonc is not beside Python")
    command = [tritonc, "compile", f"{KERNELS}:scale", "--signature", "*fp32, *fp32, i32, fp32, 64", "--num-ctas=2"]
    command += ["--emit=c", "--grid", "(n + 63) / 64, 2, 1", "--target", "cuda:90", "-o", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    (source,) = tmp_path.glob("*.c")
    library = build(tmp_path, [source, STAND_INS / "cuda.c"])
    sizes = (ctypes.c_int * 32).in_dll(library, "fake_sizes")
    sizes[:6] = [8, 8, 4, 4, 8, 8]
    ctypes.c_int.in_dll(library, "fake_count").value = 6
    pointer = C_TYPES["CUdeviceptr"]
    launch = getattr(library, source.stem.replace(".", "_"))
    assert launch(None, pointer(0), pointer(0), 130, ctypes.c_double(1)) == 0
    assert list((ctypes.c_int * 3).in_dll(library, "fake_grid")) == [6, 2, 1]


def test_much_shared_memory(tmp_path):
    """More than 48 KiB has to be asked for, and the current device is asked whether it has as much."""
    signature = "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32:16, 128, 128, 64"
    sizes = [8, 8, 8, 4, 4, 4]
    program = Program(tmp_path, "matmul", signature, "M, N, 1", "cuda:80:32", sizes, num_warps=4, num_stages=4)
    pointers = [C_TYPES["CUdeviceptr"](256 * i) for i in range(1, 4)]
    program.set("fake_most_shared", 48 << 10)
    assert program.call(None, *pointers, 1, 1, 64) == 1
    assert (program.get("fake_launches"), program.get("fake_unloads")) == (0, 1)
    program.set("fake_most_shared", 163 << 10)
    assert program.call(None, *pointers, 1, 1, 64) == 0
    shared = ctypes.c_uint.in_dll(program.library, "fake_shared").value
    assert shared > 48 << 10 and program.get("fake_opted_in") == shared and program.get("fake_prefers_shared") == 1


def test_little_shared_memory(tmp_path):
    program = Program(tmp_path, "row_sums", "*fp32, *fp32, i32, i32, 4", "1, 1, 1", "cuda:80:32", [8, 8, 4, 4])
    pointer = C_TYPES["CUdeviceptr"]
    assert program.call(None, pointer(0), pointer(0), 1, 1) == 0
    assert program.get("fake_opted_in") == 0


@pytest.mark.parametrize(
    ("target", "code", "text"),
    [("cuda:80", 201, "invalid device context"), ("hip:gfx942", 200, "device kernel image is invalid")],
)
def test_a_kernel_that_cannot_be_loaded(tmp_path, target, code, text):
    """A launch returns the driver's code; `load_` prints it and ends the program with it."""
    program = Program(tmp_path, "scale", "*fp32, *fp32, i32, fp32, 64", "n, 1, 1", target, [8, 8, 4, 4])
    program.set("fake_load_failure", code)
    pointer = C_TYPES["CUdeviceptr"]
    assert program.call(None, pointer(0), pointer(0), 1, ctypes.c_double(1)) == code
    assert program.get("fake_launches") == 0
    script = (
        "import ctypes, sys; library = ctypes.CDLL(sys.argv[1])\n"
        f"ctypes.c_int.in_dll(library, 'fake_load_failure').value = {code}\n"
        f"library.load_{program.name}()\n"
    )
    done = subprocess.run([sys.executable, "-c", script, program.library._name], capture_output=True, text=True)
    assert done.returncode == code
    assert text in done.stderr and program.name in done.stderr


def test_first_launches_at_the_same_time(tmp_path):
    """One of the loaded modules stays, the others are unloaded."""
    program = Program(tmp_path, "scale", "*fp32, *fp32, i32, fp32, 64", "n, 1, 1", "cuda:80", [8, 8, 4, 4])
    pointer = C_TYPES["CUdeviceptr"]
    barrier = threading.Barrier(8)
    codes = []

    def launch():
        barrier.wait()
        codes.append(program.call(None, pointer(0), pointer(0), 1, ctypes.c_double(1)))

    threads = [threading.Thread(target=launch) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 8
    assert program.get("fake_loads") - program.get("fake_unloads") == 1


class FakeMap(ctypes.Structure):
    """As record.h has it."""

    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("type", "rank", "address")),
        *((name, ctypes.c_uint64 * 5) for name in ("sizes", "strides", "box")),
        *((name, ctypes.c_uint64) for name in ("swizzle", "fill")),
    ]


def test_tensor_maps(tmp_path):
    """A launch describes arrays to the bulk copies of Hopper from its arguments."""
    signature = "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32, i64:16, 128, 128, 64"
    sizes = [8, 8, 8, 4, 4, 4, 8, 128]
    program = Program(tmp_path, "mapped", signature, "M, 1, 1", "cuda:90:32", sizes, num_warps=4)
    pointers = [C_TYPES["CUdeviceptr"](256 * i) for i in range(1, 4)]
    wide = ctypes.c_int64

    def last():
        return (FakeMap * 8).in_dll(program.library, "fake_maps")[program.get("fake_map_count") - 1]

    assert program.call(None, *pointers, 100, 256, 300, wide(2**33)) == 0
    assert (last().type, last().rank, last().address, last().swizzle, last().fill) == (6, 2, 256, 3, 1)
    assert list(last().sizes[:2]) == [150, 100] and last().strides[0] == 2**34 and list(last().box[:2]) == [64, 128]
    # The map stands behind the arguments, before the two null pointers.
    assert program.parameters()[-3][:8] == struct.pack("<Q", 1000) and program.parameters()[-2:] == [bytes(8)] * 2
    # An array without elements: one element of padding, in the second half of which are NaNs.
    assert program.call(None, *pointers, 100, 256, 1, wide(-16)) == 0
    assert list(last().sizes[:2]) == [1, 1] and last().strides[0] == 16
    padding = (ctypes.c_uint16 * 32).in_dll(program.library, "fake_memory")
    assert last().address == ctypes.addressof(padding) + 16
    assert list(padding[:8]) == [0] * 8 and list(padding[8:16]) == [0x7FF7] * 8
    launches = program.get("fake_launches")
    for stride in (-16, 2**40):
        assert program.call(None, *pointers, 100, 256, 300, wide(stride)) == 1
    assert program.call(None, C_TYPES["CUdeviceptr"](8), *pointers[1:], 100, 256, 300, wide(16)) == 1
    assert program.get("fake_launches") == launches
    assert program.get("fake_allocated") == 1
    getattr(program.library, f"unload_{program.name}")()
    assert program.get("fake_allocated") == 0


@pytest.mark.parametrize(
    ("name", "signature", "target", "message"),
    [
        ("printing", "*i32", "hip:gfx942:64", "it prints or asserts"),
        ("printing", "*i32", "cpu", "it prints, which only the runtime can do"),
        ("special", "*fp32, *fp32", "cpu", "it calls `__nv_cyl_bessel_i0f`"),
    ],
)
def test_kernels_that_need_more_than_arguments(tmp_path, name, signature, target, message):
    with pytest.raises(ValueError, match=message):
        compile_aot(tmp_path, name, signature, "1, 1, 1", target)
    assert not list(tmp_path.iterdir())
