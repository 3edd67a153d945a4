"""Read-only arrays: refused where the kernel stores through them, taken where it only reads."""

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def copy_kernel(source, target, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(target + i, tl.load(source + i))


def fixed(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def mapped(array, path):
    path.write_bytes(array.tobytes())
    return np.memmap(path, dtype=array.dtype, mode="r")


class WithInterface:
    """Shows only its interface."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


class WithDLPack:
    """Shows only its DLPack capsule."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


KINDS = {
    "flag": lambda array, path: fixed(array),
    "view": lambda array, path: fixed(array)[:],
    "map": mapped,
    "interface": lambda array, path: WithInterface(fixed(array)),
    "dlpack": lambda array, path: WithDLPack(fixed(array)),
    "memoryview": lambda array, path: memoryview(array.tobytes()).cast("f"),
    "mmap": lambda array, path: mapped(array, path)._mmap and memoryview(mapped(array, path)),
    "reinterpret": lambda array, path: triton.reinterpret(fixed(array.view(np.int32)), tl.float32),
    "broadcast": lambda array, path: np.broadcast_to(array[0], 16),
}


@pytest.fixture(params=KINDS)
def read_only(request, tmp_path):
    if request.param == "dlpack" and int(np.__version__.split(".")[0]) < 2:
        pytest.skip("NumPy 1 does not export read-only arrays")
    return KINDS[request.param](np.arange(16, dtype=np.float32), tmp_path / "array")


def test_reading(read_only, host_device):
    out = np.zeros(16, np.float32)
    with triton.testing.accessible_memory(read_only):
        copy_kernel[(1,)](read_only, out, N=1)
    assert out[0] == 0


def test_storing(read_only, host_device):
    with pytest.raises(ValueError, match="argument `target`: the array is read-only"):
        copy_kernel[(1,)](np.zeros(16, np.float32), read_only, N=16)
    kernel = copy_kernel.warmup(np.zeros(16, np.float32), read_only, N=16, grid=(1,))
    with pytest.raises(ValueError, match="argument `target`: the array is read-only"):
        kernel[(1,)](np.zeros(16, np.float32), read_only)


def test_interface_on_a_device():
    class OnGpu:
        __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, True), "version": 3}

    with pytest.raises(ValueError, match="cannot be accessed"):  # it is looked at before the flag
        copy_kernel[(1,)](OnGpu(), OnGpu(), N=4)


@triton.jit
def add_one(x):
    tl.store(x, tl.load(x) + 1)


@triton.jit(noinline=True)
def add_one_apart(x):
    tl.store(x, tl.load(x) + 1)


@triton.jit(noinline=True)
def read_apart(x):
    return tl.load(x)


@triton.jit
def atomic_kernel(a, b):
    tl.atomic_add(b, tl.load(a))


@triton.jit
def compare_kernel(a, b):
    tl.atomic_cas(b, 0.0, tl.load(a).to(tl.float32))


@triton.jit
def block_pointer_kernel(a, b):
    source = tl.make_block_ptr(a, (16,), (1,), (0,), (16,), (0,))
    target = tl.make_block_ptr(b, (16,), (1,), (0,), (16,), (0,))
    tl.store(target, tl.load(source))


@triton.jit
def descriptor_kernel(a, b):
    source = tl.make_tensor_descriptor(a, [4, 4], [4, 1], [4, 4])
    target = tl.make_tensor_descriptor(b, [4, 4], [4, 1], [4, 4])
    target.store([0, 0], source.load([0, 0]))


@triton.jit
def loop_kernel(a, b):
    for i in range(2):
        tl.store(b, tl.load(a) + i)
        a, b = a + 1, b + 1


@triton.jit
def while_kernel(a, b):
    i = tl.load(a).to(tl.int32)
    while i < 4:
        tl.store(b, tl.load(a))
        a, b, i = a + 1, b + 1, i + 1


@triton.jit
def branch_kernel(a, b):
    if tl.load(a) < 1:
        target = b
    else:
        target = b + 1
    tl.store(target, tl.load(a))


@triton.jit
def return_kernel(a, b):
    if tl.load(a) > 100:
        return
    tl.store(b, tl.load(a))


@triton.jit
def call_kernel(a, b):
    tl.load(a)
    add_one(b)


@triton.jit
def apart_kernel(a, b):
    add_one_apart(b + read_apart(a).to(tl.int32))


@triton.jit
def integer_kernel(a, b):
    tl.store((b.to(tl.int64) + 4).to(tl.pointer_type(tl.float32)), tl.load(a))


KERNELS = [
    atomic_kernel,
    compare_kernel,
    block_pointer_kernel,
    descriptor_kernel,
    loop_kernel,
    while_kernel,
    branch_kernel,
    return_kernel,
    call_kernel,
    apart_kernel,
    integer_kernel,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_every_way_to_store(kernel):
    source = fixed(np.zeros(16, np.float32))
    kernel[(1,)](source, np.zeros(16, np.float32))
    with pytest.raises(ValueError, match="argument `b`"):
        kernel[(1,)](source, source)


def test_either_of_two_arrays():
    @triton.jit
    def kernel(a, b, first):
        tl.store(tl.where(first != 0, a, b), 1.0)

    writable, source = np.zeros(4, np.float32), fixed(np.zeros(4, np.float32))
    kernel[(1,)](writable, writable, 2)
    for arrays, name in (((source, writable), "a"), ((writable, source), "b")):
        with pytest.raises(ValueError, match=f"argument `{name}`"):
            kernel[(1,)](*arrays, 2)


def test_tables_of_pointers_may_be_read_only():
    @triton.jit
    def kernel(table):
        tl.store(tl.load(table).to(tl.pointer_type(tl.float32)), 2.0)

    out = np.zeros(1, np.float32)
    kernel[(1,)](fixed(np.array([out.ctypes.data], np.int64)))
    assert out[0] == 2.0


def test_tuples_name_their_element():
    @triton.jit
    def kernel(pair):
        tl.store(pair[1], tl.load(pair[0]))

    source = fixed(np.zeros(4, np.float32))
    kernel[(1,)]((source, np.zeros(4, np.float32)))
    with pytest.raises(ValueError, match=r"argument `pair\.1`"):
        kernel[(1,)]((source, source))


def test_what_is_known_is_kept_in_the_cache(fresh_cache):
    source, out = fixed(np.zeros(16, np.float32)), np.zeros(16, np.float32)
    copy_kernel.device_caches.clear()
    for expected in (False, True):
        kernel = copy_kernel[(1,)](source, out, N=16)
        assert kernel._handle.is_from_cache == expected
        with pytest.raises(ValueError, match="argument `target`"):
            copy_kernel[(1,)](source, source, N=16)
        copy_kernel.device_caches.clear()
