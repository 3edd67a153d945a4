"""Launching: how arguments are taken, what selects a variant, and what a wrong launch says."""

import array
import gc
import inspect
import pickle
import sys
import types
import weakref

import numpy as np
import pytest
import triton
import triton.language as tl

pytestmark = pytest.mark.usefixtures("host_device")


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@pytest.fixture
def arrays(rng):
    return rng.random(100, dtype=np.float32), rng.random(100, dtype=np.float32), np.full(100, np.nan, np.float32)


def check(arrays):
    x, y, out = arrays
    np.testing.assert_array_equal(out, x + y)
    out.fill(np.nan)


def test_forms_of_a_launch(arrays):
    x, y, out = arrays
    add_kernel[(2,)](x, y, out, 100)
    check(arrays)
    add_kernel[2](x, y, out, 100)
    check(arrays)
    add_kernel[[2]](x, y, out, 100, BLOCK=64)
    check(arrays)
    add_kernel[(np.int64(1),)](x, y, out, 100, 128)
    check(arrays)
    add_kernel[(2, 1, 1)](n=100, out=out, y=y, x=x)
    check(arrays)
    add_kernel[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, y, out, 100, BLOCK=32)
    check(arrays)
    add_kernel.run(x, y, out, 100, grid=(2,), warmup=False)
    check(arrays)
    add_kernel[(2,)](*[x, y], **{"out": out, "n": 100})
    check(arrays)
    add_kernel[(2,)](x, y, out, tl.constexpr(100))
    check(arrays)


def test_options_are_accepted_and_change_nothing(arrays, host_device):
    x, y, out = arrays
    for options in (
        {"num_warps": 8, "num_stages": 4},
        {"num_ctas": 1},
        {"num_cpu_threads": 1},
        {"enable_fp_fusion": False},
        {"debug": True},
        {"maxnreg": None},
        {"maxnreg": 64},
    ):
        if "maxnreg" in options and "hip" in host_device.name:
            with pytest.raises(KeyError):
                add_kernel[(2,)](x, y, out, 100, **options)
        else:
            add_kernel[(2,)](x, y, out, 100, **options)
            check(arrays)


def test_empty_grid_runs_nothing(arrays):
    x, y, out = arrays
    for grid in ((0,), (2, 0), (0, 5, 5)):
        add_kernel[grid](x, y, out, 100)
    assert np.isnan(out).all()


def test_launch_returns_the_compiled_kernel(arrays):
    x, y, out = arrays
    kernel = add_kernel[(2,)](x, y, out, 100)
    assert kernel is add_kernel[(2,)](x, y, out, 100)
    assert kernel.name == "add_kernel"
    assert isinstance(kernel, triton.compiler.CompiledKernel)


class WithInterface:
    def __init__(self, data):
        self.data = data
        self.__array_interface__ = data.__array_interface__


class WithDLPack:
    def __init__(self, data):
        self.data = data

    def __dlpack__(self, **keywords):
        return self.data.__dlpack__()

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()


class WithPointer:
    def __init__(self, data):
        self.data, self.dtype, self.shape = data, data.dtype, data.shape

    def data_ptr(self):
        return self.data.ctypes.data


class Subclass(np.ndarray):
    pass


@pytest.mark.parametrize(
    "wrap",
    [
        WithInterface,
        WithDLPack,
        WithPointer,
        lambda data: data.view(Subclass),
        memoryview,
        lambda data: triton.reinterpret(data.view(np.int32), tl.float32),
    ],
    ids=["interface", "dlpack", "data_ptr", "subclass", "buffer", "reinterpret"],
)
def test_kinds_of_arrays(arrays, wrap):
    x, y, out = arrays
    add_kernel[(2,)](wrap(x), wrap(y), wrap(out), 100)
    check(arrays)


class OnGpu:
    __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 3}


def test_memory_of_another_device_is_refused(arrays):
    with pytest.raises(ValueError, match="`x`.*cannot be accessed from Triton"):
        add_kernel[(2,)](OnGpu(), arrays[1], arrays[2], 100)


def test_arrays_of_the_standard_library():
    x, y, out = (array.array("d", [i * factor for i in range(100)]) for factor in (1, 2, 0))
    add_kernel[(2,)](x, y, out, 100)
    assert list(out) == [3.0 * i for i in range(100)]


def test_views_and_read_only_arrays(rng):
    data = rng.random((10, 20), dtype=np.float32)
    out = np.full(20, np.nan, np.float32)
    fixed = data[3]
    fixed.flags.writeable = False
    add_kernel[(1,)](fixed, data[5], out, 20)
    np.testing.assert_array_equal(out, data[3] + data[5])


def variants(kernel):
    return len(kernel.device_caches[0][0])


def test_what_selects_a_variant(arrays):
    @triton.jit
    def kernel(x, n, C: tl.constexpr):
        tl.store(x, n + C)

    x = np.zeros(64, np.float32)
    base = kernel[(1,)](x[4 * 0 :], 32, C=2)
    assert kernel[(1,)](x, 48, C=2) is base  # also divisible by 16
    different = [
        kernel[(1,)](x, 33, C=2),
        kernel[(1,)](x, 1, C=2),
        kernel[(1,)](x, 2**40, C=2),
        kernel[(1,)](x[1:], 32, C=2),
        kernel[(1,)](x, 32, C=3),
        kernel[(1,)](x, 32.0, C=2),
        kernel[(1,)](x.astype(np.float64), 32, C=2),
        kernel[(1,)](x, True, C=2),
        kernel[(1,)](x, 32, C=2.0),
        kernel[(1,)](x, 32, C=True),
        kernel[(1,)](x, 32, C=2, num_warps=8),
    ]
    assert len({id(variant) for variant in [base, *different]}) == len(different) + 1
    assert kernel[(1,)](x, 32, C=2, num_warps=8) is different[-1]
    assert variants(kernel) == len(different) + 1


def test_arguments_that_are_not_specialized():
    @triton.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=["x"])
    def kernel(x, n):
        tl.store(x, n)

    x = np.zeros(64, np.float32)
    first = kernel[(1,)](x, 16)
    assert kernel[(1,)](x, 1) is first and kernel[(1,)](x, 17) is first and kernel[(1,)](x[1:], 3) is first
    assert kernel[(1,)](x, 2**40) is not first


def test_divisibility_reaches_the_ir(arrays):
    kernel = add_kernel.warmup(*arrays, 64, grid=(1,))
    x, y, out = arrays
    other = add_kernel.warmup(x[1:], y[1:], out[1:], 63, grid=(1,))
    assert kernel.asm["ttir"].count("tt.divisibility = 16") == 4
    assert "tt.divisibility" not in other.asm["ttir"]


@triton.jit
def mixed_kernel(x, x_stride, ORDER: tl.constexpr, out, out_stride, BLOCK: tl.constexpr, n, FACTOR: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i * out_stride, tl.load(x + i * x_stride, mask=i < n) * FACTOR, mask=i < n)


@pytest.mark.parametrize("strides", [(1, 1), (1, 2), (2, 2)])
def test_compiled_kernels_take_launches_without_constants_between_others(rng, strides):
    """As Triton took them until 3.2: without what a `tl.constexpr` declares, and with a 1 that the kernel knows."""
    x, out = rng.random(100, dtype=np.float32), np.zeros(100, np.float32)
    kernel = mixed_kernel.warmup(x, strides[0], 0, out, strides[1], 64, 50, 2, grid=(1,))
    for made in (kernel, pickle.loads(pickle.dumps(kernel))):
        out[:] = 0
        made[(1, 1, 1)](x, strides[0], out, strides[1], 50)
        np.testing.assert_array_equal(out[: 50 * strides[1] : strides[1]], x[: 50 * strides[0] : strides[0]] * 2)
    if strides[0] == 1:
        with pytest.raises(TypeError, match="argument `x_stride` is 3, but the kernel was compiled for 1"):
            kernel[(1, 1, 1)](x, 3, out, strides[1], 50)


@triton.jit
def biased_kernel(x, BLOCK: tl.constexpr, bias=None):
    tl.store(x, BLOCK)


@triton.jit
def block_first_kernel(BLOCK: tl.constexpr, x, n):
    tl.store(x, BLOCK + n)


@triton.jit
def count_last_kernel(x, BLOCK: tl.constexpr, n):
    tl.store(x, BLOCK + n)


@triton.jit
def pair_kernel(x, pair, n, BLOCK: tl.constexpr):
    tl.store(x, pair[0] * pair[1] + n + BLOCK)


def test_compiled_kernels_tell_forms_of_a_launch_apart_by_their_values():
    """Where the first arguments are as many as those that no `tl.constexpr` declares."""
    x = np.zeros(1, np.int32)
    biased = biased_kernel.warmup(x, 64, None, grid=(1,))
    with pytest.raises(TypeError, match="argument `BLOCK` is 128, but the kernel was compiled for 64"):
        biased[(1, 1, 1)](x, 128)
    block_first = block_first_kernel.warmup(64, x, 1, grid=(1,))
    count_last = count_last_kernel.warmup(x, 64, 1, grid=(1,))
    pair = pair_kernel.warmup(x, (3, 4), 1, 8, grid=(1,))
    for kernel, arguments, expected in (
        (biased, (x, 64), 64),
        (biased, (x, None), 64),
        (block_first, (64, x), 65),
        (block_first, (x, 1), 65),
        (count_last, (x, 64), 65),
        (count_last, (x, 1), 65),
        (pair, (x, (3, 4), 1), 21),
        (pair, (x, (3, 4)), 21),
        (pair, (x, 3, 4), 21),
    ):
        x[:] = 0
        kernel[(1, 1, 1)](*arguments)
        assert x[0] == expected, arguments
    with pytest.raises(TypeError, match="these 2 arguments may be the first of the 3 of `block_first_kernel`"):
        block_first[(1, 1, 1)](64, 1)
    with pytest.raises(
        TypeError, match="takes 3 arguments, or the 1 that are not compile-time constants, or the 2 that"
    ):
        block_first[(1, 1, 1)]()


def test_warmup_compiles_without_running(arrays):
    x, y, out = arrays
    kernel = add_kernel.warmup(x, y, out, 100, grid=(2,))
    assert np.isnan(out).all() and kernel.name == "add_kernel"
    mocks = [triton.MockTensor(tl.float32)] * 3
    assert add_kernel.warmup(*mocks, 100, grid=(2,)).name == "add_kernel"
    kernel[(2, 1, 1)](x, y, out, 100)
    check(arrays)
    kernel[(2, 1, 1)](x, y, out, 100, 64)
    check(arrays)


@pytest.mark.parametrize(
    "value",
    [[1, 2], "text", {"a": 1}, np.complex64(3), np.timedelta64(3), object(), b"bytes", 1j, {1}, range(3)],
    ids=lambda value: type(value).__name__,
)
def test_unsupported_argument_names_the_argument(arrays, value):
    x, y, out = arrays
    with pytest.raises(TypeError, match=r"`n`.*" + type(value).__name__):
        add_kernel[(2,)](x, y, out, value)


@pytest.mark.parametrize("dtype", [np.complex64, "M8[s]", "U4", "O", ">f4", np.longdouble])
def test_unsupported_element_type_names_the_argument(arrays, dtype):
    x, y, out = arrays
    with pytest.raises(TypeError, match="`y`"):
        add_kernel[(2,)](x, np.zeros(4, dtype), out, 100)


def test_an_unknown_keyword_names_what_is_like_it(arrays):
    x, y, out = arrays

    def message(**keywords):
        with pytest.raises(KeyError) as caught:
            add_kernel[(2,)](x, y, out, 100, **keywords)
        return caught.value.args[0]

    assert "`BLOK` is neither a parameter of the kernel nor an option; did you mean `BLOCK`?" in message(BLOK=64)
    text = message(nun_warps=8)
    assert "did you mean `num_warps`?" in text and "the options are num_warps, " in text
    assert "the parameters are " in text and "num_stages" in text
    # Options that only exist for programs that were written for others are not advertised.
    assert "instrumentation_mode" not in text and "supported_fp8_dtypes" not in text and "backend_name" not in text
    assert "did you mean" not in message(zzzz=1)


def test_wrong_arguments(arrays):
    x, y, out = arrays
    with pytest.raises(TypeError, match="`n`"):
        add_kernel[(2,)](x, y, out)
    with pytest.raises(TypeError, match="two values.*`x`"):
        add_kernel[(2,)](x, y, out, 100, x=x)
    with pytest.raises(TypeError, match="takes 5 arguments, but 6"):
        add_kernel[(2,)](x, y, out, 100, 64, 7)
    with pytest.raises(KeyError, match="unknown_option"):
        add_kernel[(2,)](x, y, out, 100, unknown_option=3)
    with pytest.raises(AssertionError, match="device"):
        add_kernel[(2,)](x, y, out, 100, device=0)
    with pytest.raises(OverflowError, match="`n`"):
        add_kernel[(2,)](x, y, out, 2**64)
    with pytest.raises(RuntimeError, match="launch it as"):
        add_kernel(x, y, out, 100)
    with pytest.raises((TypeError, ValueError, AssertionError), match="num_warps"):
        add_kernel[(2,)](x, y, out, 100, num_warps=3)


@pytest.mark.parametrize(
    "grid,error",
    [
        ((1.5,), TypeError),
        (("2",), TypeError),
        ((1, 1, 1, 1), ValueError),
        ((), ValueError),
        ((-1,), ValueError),
        ((2**31,), ValueError),
        (None, AssertionError),
        ("2", TypeError),
        ({1: 2}, TypeError),
        (1.0, TypeError),
        (lambda meta: None, AssertionError),
        (lambda meta: (2.0,), TypeError),
    ],
    ids=lambda value: type(value).__name__ if callable(value) else str(value),
)
def test_wrong_grid(arrays, grid, error):
    with pytest.raises(error, match="grid"):
        add_kernel[grid](*arrays, 100)
    assert np.isnan(arrays[2]).all()


@pytest.mark.parametrize(
    "name,value,expected",
    [
        ("debug", "yes", "it must be True or False"),
        ("sanitize_overflow", 2, "it must be True or False"),
        ("enable_fp_fusion", [], "it must be True or False"),
        ("arch", 90, "it must be the name of an architecture, a text"),
        ("num_warps", 2**40, "it must be a non-negative integer below 2**31"),
        ("num_stages", 2**31, "it must be a non-negative integer below 2**31"),
        ("ir_override", 3, "it must be the path of a file of IR"),
    ],
)
def test_wrong_value_of_an_option(arrays, name, value, expected):
    with pytest.raises(ValueError) as error:
        add_kernel.warmup(*arrays, 100, grid=(1,), **{name: value})
    assert str(error.value) == f"the option `{name}` is {value!r}; {expected}"


def test_flags_may_be_numbers(arrays):
    add_kernel[(2,)](*arrays, 100, debug=1, sanitize_overflow=np.int32(0), enable_fp_fusion=0)
    check(arrays)


def test_error_of_the_grid_function_passes_through(arrays):
    with pytest.raises(ZeroDivisionError):
        add_kernel[lambda meta: (1 // 0,)](*arrays, 100)
    add_kernel[(2,)](*arrays, 100)
    check(arrays)


class RefusesToBeAnIndex:
    def __index__(self):
        raise LookupError("no index today")


def test_error_of_an_extent_passes_through(arrays):
    with pytest.raises(LookupError, match="no index today"):
        add_kernel[(RefusesToBeAnIndex(),)](*arrays, 100)


def test_launch_inside_a_grid_function(arrays):
    x, y, out = arrays
    inner = np.full(100, np.nan, np.float32)

    def grid(meta):
        add_kernel[(2,)](y, y, inner, 100)
        return (2,)

    add_kernel[grid](x, y, out, 100)
    check(arrays)
    np.testing.assert_array_equal(inner, y + y)


def test_members_of_the_function():
    assert isinstance(add_kernel, triton.JITFunction)
    assert add_kernel.__name__ == "add_kernel" and add_kernel.__module__ == __name__
    assert add_kernel.arg_names == ["x", "y", "out", "n", "BLOCK"]
    assert add_kernel.constexprs == [4]
    assert add_kernel.params[4].is_constexpr and add_kernel.params[4].default == 64
    assert isinstance(add_kernel.signature, inspect.Signature)
    assert isinstance(add_kernel.fn, types.FunctionType)
    assert add_kernel.src.startswith("def add_kernel")
    assert len(add_kernel.cache_key) == 64 and add_kernel.cache_key == add_kernel.cache_key


def test_pre_run_hook(arrays):
    calls = []

    @triton.jit
    def kernel(x):
        tl.store(x, 1.0)

    kernel.add_pre_run_hook(lambda *args, **keywords: calls.append((len(args), keywords)))
    kernel[(1,)](arrays[2], num_warps=2)
    assert calls == [(1, {"num_warps": 2})]


@pytest.mark.parametrize("value", [WithPointer, 5, None, len])
def test_only_functions_become_kernels(value):
    with pytest.raises(TypeError, match="functions"):
        triton.jit()(value)


def test_source_that_cannot_be_read():
    with pytest.raises(ValueError, match="source"):
        exec("import triton\n@triton.jit\ndef kernel(x):\n    pass\n", {"__name__": "nowhere"})


GLOBAL = tl.constexpr(5)


@triton.jit
def global_kernel(out):
    tl.store(out, GLOBAL)


def test_changed_global_is_refused():
    global GLOBAL
    out = np.zeros(1, np.int32)
    global_kernel[(1,)](out)
    assert out[0] == 5
    GLOBAL = tl.constexpr(5)
    global_kernel[(1,)](out)  # an equal value is no change
    GLOBAL = tl.constexpr(6)
    try:
        with pytest.raises(RuntimeError, match="`GLOBAL`.*changed"):
            global_kernel[(1,)](out)
    finally:
        GLOBAL = tl.constexpr(5)
    global_kernel[(1,)](out)


x = "a global with the name of a parameter"


def test_global_with_the_name_of_a_parameter(arrays):
    global x
    add_kernel[(2,)](*arrays, 100)
    x = "another value"
    add_kernel[(2,)](*arrays, 100)
    check(arrays)


def test_references_are_released(arrays):
    x, y, out = arrays
    add_kernel[(2,)](x, y, out, 100)
    gc.collect()  # What earlier tests left behind would otherwise be collected between the two counts.
    before = [sys.getrefcount(each) for each in (x, add_kernel)]
    for _ in range(100):
        add_kernel[(2,)](x, y, out, 100)
        with pytest.raises(TypeError):
            add_kernel[(2,)](x, y, out)
        with pytest.raises(TypeError):
            add_kernel[(2,)](x, y, "text", 100)
    assert [sys.getrefcount(each) for each in (x, add_kernel)] == before


def make_calling_kernel():
    @triton.jit
    def inner(x):
        tl.store(x, 1.0)

    @triton.jit
    def outer(x):
        inner(x)

    return outer


def test_kernels_are_collected(arrays):
    outer = make_calling_kernel()
    outer[(1,)](arrays[2])
    reference = weakref.ref(outer)
    del outer
    gc.collect()
    assert reference() is None


def test_many_parameters():
    names = [f"a{i}" for i in range(40)]

    @triton.jit
    def kernel(
        out,
        a0,
        a1,
        a2,
        a3,
        a4,
        a5,
        a6,
        a7,
        a8,
        a9,
        a10,
        a11,
        a12,
        a13,
        a14,
        a15,
        a16,
        a17,
        a18,
        a19,
        a20,
        a21,
        a22,
        a23,
        a24,
        a25,
        a26,
        a27,
        a28,
        a29,
        a30,
        a31,
        a32,
        a33,
        a34,
        a35,
        a36,
        a37,
        a38,
        a39,
    ):
        tl.store(out, a0 + a39 * 2 + a20 * 3)

    out = np.zeros(1, np.float32)
    kernel[(1,)](out, **{name: float(i) for i, name in enumerate(names)})
    assert out[0] == 0 + 78 + 60
