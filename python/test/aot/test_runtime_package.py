"""The package `nereid_runtime`: kernels of bundles in processes that have neither the compiler nor NumPy."""

import importlib
import pathlib
import runpy
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from aot_programs import DIALECTS, KERNELS, STAND_INS, WARNINGS, build, c_compiler

ROOT = pathlib.Path(__file__).parents[3]
TRITONC = pathlib.Path(sys.executable).with_name("tritonc")
SCALES = ["*fp32:16, *fp32:16, i32:16, fp32, 64", "*fp32:16, *fp32, i32:1, fp32, 64", "*fp32:16, *fp32, i32, fp32, 64"]
MAPPED = "*fp16:16, *fp16:16, *fp32:16, i32, i32:16, i32, i64:16, 128, 128, 64"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A folder with the unpacked wheel, and with a bundle."""
    folder = tmp_path_factory.mktemp("runtime")
    command = [sys.executable, ROOT / "scripts/build_runtime.py", folder, "--compiler", c_compiler()]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("nereid_runtime-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    kernels = [f"{KERNELS}:scale", *(f"--signature={each}" for each in SCALES)]
    kernels += [f"{KERNELS}:mapped", f"--signature={MAPPED}"]
    targets = "--target=cpu:x86-64,cuda:80,cuda:90,hip:gfx942"
    subprocess.run([TRITONC, "bundle", *kernels, targets, "-o", "k.ttb"], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def runtime(package, monkeypatch):
    """The package in this process."""
    monkeypatch.syspath_prepend(str(package))
    return importlib.import_module("nereid_runtime")


BEGIN = """
import ctypes
import sys

import nereid_runtime

bundle = nereid_runtime.open("k.ttb")


class Floats:
    def __init__(self, *values):
        self.memory = (ctypes.c_float * (len(values) + 8))()
        self.place = -(ctypes.addressof(self.memory) // 4) % 4
        self.memory[self.place : self.place + len(values)] = values
        self.count = len(values)

    def data_ptr(self):
        return ctypes.addressof(self.memory) + 4 * self.place

    def list(self):
        return self.memory[self.place : self.place + self.count]
"""


def run(package, program, **environment):
    """What the program prints, in a process that finds nothing but the standard library and the package."""
    command = [sys.executable, "-S", "-E", "-c", f"import sys\nsys.path.insert(0, '.')\n{BEGIN}{program}"]
    environment = {"PATH": "", **{name: str(value) for name, value in environment.items()}}
    done = subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_document_names_the_largest_size():
    largest = runpy.run_path(str(ROOT / "scripts/build_runtime.py"))["LARGEST"]
    assert f"at most {largest // 1000} kB" in (ROOT / "docs/aot.md").read_text()


def test_on_this_processor(package):
    program = """
scale = bundle.load("scale")
x = Floats(*range(100))
for n in (96, 33, 1):
    out = Floats(*[0] * 100)
    scale[(2, 1)](x, out, n, 2.5)
    assert out.list() == [2.5 * i if i < n else 0 for i in range(100)], out.list()
scale[0](None, None, 16, 0.0)
print(scale.name, scale.target, scale.constants, scale.parameters)
print(len(bundle.kernels()), "triton" in sys.modules, "numpy" in sys.modules)
print([line for line in open("/proc/self/maps") if "LLVM" in line or "/_C." in line])
"""
    assert run(package, program).splitlines() == [
        "scale cpu:x86-64 BLOCK=64, num_warps=4, num_stages=3 "
        "[('x', '*fp32'), ('out', '*fp32'), ('n', 'i32'), ('factor', 'fp32')]",
        "8 False False",
        "[]",
    ]


def test_kernels_keep_their_bundle_open(package):
    program = """
scale = bundle.load("scale")
del bundle
out = Floats(0, 0)
scale[1](Floats(3, 4), out, 2, 2)
print(out.list())
"""
    assert run(package, program) == "[6.0, 8.0]\n"


def test_one_thread_at_a_time(package):
    """Opens, loads, unloads and closes; an object may also end while its thread has the lock."""
    program = """
import threading

library, lock = nereid_runtime._library, nereid_runtime._lock


def others_wait():
    got = []

    def attempt():
        got.append(lock.acquire(blocking=False))
        if got[0]:
            lock.release()

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return got == [False]


def watched(name):
    function = getattr(library, name)

    def call(*arguments):
        print(name, others_wait())
        return function(*arguments)

    setattr(library, name, call)


names = "triton_bundle_open_file", "triton_launch_load", "triton_launch_unload", "triton_bundle_close"
unwatched = {name: getattr(library, name) for name in names}
for name in names:
    watched(name)
own = nereid_runtime.open("k.ttb")
first, second = own.load("scale"), own.load("scale")
del first
with lock:
    del second
del own
for name in names:  # for what ends with the program
    setattr(library, name, unwatched[name])
"""
    assert run(package, program).splitlines() == [
        "triton_bundle_open_file True",
        *["triton_launch_load True"] * 2,
        *["triton_launch_unload True"] * 2,
        "triton_bundle_close True",
    ]


DRIVER = """
driver = ctypes.CDLL(LIBRARY)
number = lambda name: ctypes.c_int.in_dll(driver, name)
"""


def driver_of(package, name):
    """The path of a library in the driver's place, and the program's text that opens it."""
    library = build(package, [STAND_INS / name])._name
    return library, DRIVER.replace("LIBRARY", repr(library))


def test_on_nvidia(package):
    """Modules are loaded and launched in the device's context, and what is passed is what the code takes."""
    library, driver = driver_of(package, "cuda_library.c")
    program = """
sizes = (ctypes.c_int * 32).in_dll(driver, "fake_sizes")
sizes[:4] = 8, 8, 4, 4
number("fake_count").value = 4
scale = bundle.load("scale", "cuda:1")
print(scale.target, number("fake_loads").value, number("fake_contexts").value, number("fake_retained").value)
scale[3, 2](4096, 512, 33, 1.5, stream=7)
bytes_of = lambda name, count: list((ctypes.c_ubyte * count).in_dll(driver, name))
passed = (ctypes.c_ubyte * 128 * 32).in_dll(driver, "fake_parameters")
print([int.from_bytes(bytes(passed[i])[: sizes[i]], "little") for i in range(4)])
print(list((ctypes.c_uint * 3).in_dll(driver, "fake_grid")), ctypes.c_void_p.in_dll(driver, "fake_stream").value)
print(number("fake_contexts").value, ctypes.c_char_p.in_dll(driver, "fake_name") and bytes_of("fake_name", 5))
del scale
print(number("fake_unloads").value, number("fake_retained").value)
number("fake_load_failure").value = 201
try:
    bundle.load("scale", "cuda:0")
except nereid_runtime.Error as error:
    print(error.code, error)
print(number("fake_retained").value)
"""
    assert run(package, driver + program, TRITON_LIBCUDA_PATH=library).splitlines() == [
        "cuda:80 3 0 1",
        "[4096, 512, 33, 1069547520]",
        "[3, 2, 1] 7",
        f"0 {list(b'scale')}",
        "3 0",
        "102 kernel `scale`: loading its code: the driver's error 201, invalid device context",
        "0",
    ]


def test_maps_of_arrays(package):
    library, driver = driver_of(package, "cuda_library.c")
    program = """
number("fake_capability").value = 90
mapped = bundle.load("mapped", "cuda:0")
mapped[1](256, 512, 768, 100, 256, 300, 2**33)
print(mapped.target, number("fake_map_count").value, number("fake_allocated").value, number("fake_launches").value)
words = (ctypes.c_uint64 * 5).in_dll(driver, "fake_maps")
print(words[:5])
try:
    mapped[1](256, 512, 768, 100, 256, 300, -16)
except nereid_runtime.Error as error:
    print(error)
del mapped
print(number("fake_allocated").value)
"""
    printed = run(package, driver + program, TRITON_LIBCUDA_PATH=library).splitlines()
    assert printed == [
        "cuda:90 1 1 1",
        "[6, 2, 256, 150, 100]",
        "kernel `mapped`: no tensor map describes an array with these strides",
        "0",
    ]


def test_on_amd(package):
    library, driver = driver_of(package, "hip_library.c")
    program = """
sizes = (ctypes.c_int * 32).in_dll(driver, "fake_sizes")
sizes[:3] = 8, 8, 4
number("fake_count").value = 3
scale = bundle.load("scale", "hip:1")
scale[4](4096, 512, 1, 1.5)
passed = (ctypes.c_ubyte * 128 * 32).in_dll(driver, "fake_parameters")
print(scale.target, [int.from_bytes(bytes(passed[i])[: sizes[i]], "little") for i in range(3)])
print(number("fake_loads").value, number("fake_current").value, list((ctypes.c_uint * 3).in_dll(driver, "fake_grid")))
del scale
print(number("fake_unloads").value)
"""
    assert run(package, driver + program, TRITON_LIBHIP_PATH=library).splitlines() == [
        "hip:gfx942 [4096, 512, 1069547520]",
        "3 0 [4, 1, 1]",
        "3",
    ]


def test_a_driver_that_does_not_start(package):
    library, driver = driver_of(package, "cuda_library.c")
    program = """
number("fake_init_failure").value = 100
try:
    bundle.load("scale", "cuda:0")
except nereid_runtime.Error as error:
    print(error.code, error)
"""
    printed = run(package, driver + program, TRITON_LIBCUDA_PATH=library)
    assert printed == "102 device `cuda:0`: opening it: the driver's error 100, something failed\n"


def test_a_driver_with_a_long_path(package, tmp_path):
    library, _ = driver_of(package, "cuda_library.c")
    folder = tmp_path / ("a" * 200) / ("b" * 200)
    folder.mkdir(parents=True)
    (folder / "libcuda.so.1").symlink_to(library)
    program = 'print(bundle.load("scale", "cuda:0").target)'
    assert run(package, program, TRITON_LIBCUDA_PATH=folder) == "cuda:80\n"
    program = """
try:
    bundle.load("scale", "cuda:0")
except nereid_runtime.Error as error:
    print(error.code, error)
"""
    expected = "100 the path of the driver in TRITON_LIBCUDA_PATH has 5000 bytes; it must have at most 4095\n"
    assert run(package, program, TRITON_LIBCUDA_PATH="/" + "c" * 4999) == expected


MISTAKES = {
    'nereid_runtime.open("absent")': "Error: cannot read `absent`: No such file",
    'nereid_runtime.open("nereid_runtime/__init__.py")': "Error: `nereid_runtime/__init__.py`: this is not a bundle of",
    'nereid_runtime.open(open("bundle", "w").name)': "Error: `bundle`: ",
    'bundle.load("add")': "Error: the bundle has no kernel `add`; it has scale, mapped",
    'bundle.load("scale", "tpu")': "Error: `tpu` is not a device; name `cpu`, or a GPU such as `cuda:0` or `hip:0`",
    'bundle.load("scale", "cuda:x")': "Error: `cuda:x` is not a device",
    'bundle.load("scale", "cuda:0")': "Error: cannot load the CUDA driver: /nowhere: cannot open shared object file",
    'bundle.load("scale", "hip:0")': "Error: the HIP driver is too old: it has no function `hipInit`; update it",
    'bundle.load("scale")[1](1, 2, 3)': "TypeError: kernel `scale` got 3 arguments; it takes x, out, n, factor",
    'bundle.load("scale")[1, 1, 1, 1]': "ValueError: kernel `scale`: the grid is (1, 1, 1, 1); it must have one to",
    'bundle.load("scale")[1, 1 << 32]': "OverflowError: kernel `scale`: the grid is (1, 4294967296); its numbers",
    'bundle.load("scale")[-1]': "OverflowError: kernel `scale`: the grid is -1; its numbers must be from 0 to",
    'bundle.load("scale")[1.5,]': "TypeError: kernel `scale`: the grid is (1.5,); it must have integers",
    'bundle.load("scale")[1]("x", 2, 3, 1)': "TypeError: argument `x` is a `str`; it must be an array, an address or",
    'bundle.load("scale")[1](True, 2, 3, 1)': "TypeError: argument `x` is a `bool`; it must be an array, an address or",
    'bundle.load("scale")[1](16, (1 << 64) + 16, 3, 1)': "OverflowError: argument `out` is 18446744073709551632, which",
    'bundle.load("scale")[1](-16, 16, 3, 1)': "OverflowError: argument `x` is -16, which is not in the range of",
    'bundle.load("scale")[1](16, 16, 1.5, 1)': "TypeError: argument `n` is 1.5; it must be a number of type i32",
    'bundle.load("scale")[1](16, 16, 1 << 31, 1)': "OverflowError: argument `n` is 2147483648, which is not in the",
    'bundle.load("scale")[1](4, 16, 33, 1)': "Error: kernel `scale`: no signature of the bundle takes these arguments",
}


def test_mistakes(package):
    lines = [
        f"try:\n    {text}\nexcept Exception as error:\n    print(type(error).__name__ + ': ' + str(error))"
        for text in MISTAKES
    ]
    environment = {"TRITON_LIBCUDA_PATH": "/nowhere", "TRITON_LIBHIP_PATH": "libm.so.6"}
    printed = run(package, "\n".join(lines), **environment).splitlines()
    for found, expected in zip(printed, MISTAKES.values(), strict=True):
        assert found.startswith(expected), found


def test_numbers_of_numpy_are_addresses(runtime):
    """And arrays are not, even those of one number and no dimensions."""
    array = np.array(7, np.int64)
    assert runtime._word("x", "*i64", np.uint64(0x7F00)) == 0x7F00
    assert runtime._word("x", "*i64", array) == array.ctypes.data
    for value in (np.float32(1), np.bool_(True)):
        with pytest.raises(TypeError, match="it must be an array, an address or None"):
            runtime._word("x", "*i64", value)


@pytest.mark.parametrize(
    "value, bits",
    [
        (1.0, 0x3F80),
        (1.00390625, 0x3F80),
        (1.01171875, 0x3F82),
        (1 + 2**-8 + 2**-30, 0x3F81),
        (-2.5, 0xC020),
        (-0.0, 0x8000),
        (2.0**-133, 0x0001),
        (2.0**-134, 0x0000),
        (-1.5 * 2.0**-133, 0x8002),
        (255.0 * 2**120, 0x7F7F),
        (float("-inf"), 0xFF80),
        (float("nan"), 0x7FC0),
    ],
)
def test_bfloat16(runtime, value, bits):
    assert runtime._word("x", "bf16", value) == bits


@pytest.mark.parametrize(
    "type_, value",
    [
        ("bf16", 255.5 * 2**120),
        ("bf16", 1e308),
        ("fp16", 65520.0),
        ("fp32", -1e39),
        pytest.param("fp64", 10**400, id="integer"),
    ],
)
def test_floats_that_are_too_large(runtime, type_, value):
    with pytest.raises(OverflowError, match=f"argument `x` is -?[0-9.e+]+, which is not in the range of {type_}"):
        runtime._word("x", type_, value)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_header_gives_no_warnings(tmp_path, dialect):
    source = tmp_path / "program.c"
    source.write_text("#define TRITON_BUNDLE_IMPLEMENTATION\n#include <triton/launch.h>\n")
    command = [*dialect, *WARNINGS, "-O2", f"-I{ROOT / 'include'}", "-c", source, "-o", tmp_path / "object.o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
