"""Kernels that call kernels, tuples, names from outside."""

import collections
import importlib.util
import math
import re

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language import load as renamed_load
from values import poisoned

Point = collections.namedtuple("Point", ["x", "y"])
SCALE = tl.constexpr(3)
TYPES = tl.constexpr((tl.int32, tl.float32))


@triton.jit
def double(x):
    return x * 2


@triton.jit
def with_default(x, factor: tl.constexpr = 5, offset=1):
    return x * factor + offset


@triton.jit
def both(x, y):
    return x + y, x - y


@triton.jit
def early(x):
    if x > 10:
        return x - 10
    return x + 10


@triton.jit
def apply(function: tl.constexpr, x):
    return function(x)


@triton.jit
def variadic(first, *others):
    total = first
    for k in tl.static_range(len(others)):
        total += others[k]
    return total


@triton.jit
def factorial(n: tl.constexpr):
    if n <= 1:
        return 1
    else:
        return n * factorial(n - 1)


@triton.jit
def store_both(out_ptr, value):
    tl.store(out_ptr, value)
    tl.store(out_ptr + 1, value + 1)


@triton.jit(noinline=True)
def not_inlined(a, b):
    return a * b + 1


@triton.jit
def call_kernel(out_ptr, x):
    tl.store(out_ptr + 0, double(x))
    tl.store(out_ptr + 1, double(double(x)) + double(1))
    tl.store(out_ptr + 2, with_default(x))
    tl.store(out_ptr + 3, with_default(x, 2, offset=x))
    total, difference = both(x, 3)
    tl.store(out_ptr + 4, total * difference)
    tl.store(out_ptr + 5, early(x) + early(x * 100))
    tl.store(out_ptr + 6, apply(double, x) + apply(function=early, x=x))
    tl.store(out_ptr + 7, variadic(x, 1, 2, 3) + variadic(x))
    tl.store(out_ptr + 8, factorial(5))
    store_both(out_ptr + 9, x)
    tl.store(out_ptr + 11, x * SCALE)
    tl.store(out_ptr + 12, not_inlined(x, x + 1))


def test_calls(device):
    x = 7
    out = poisoned(13, "int32")
    call_kernel[(1,)](out, x)
    early_ = lambda value: value - 10 if value > 10 else value + 10
    expected = [
        2 * x,
        4 * x + 2,
        5 * x + 1,
        3 * x,
        (x + 3) * (x - 3),
        early_(x) + early_(100 * x),
        2 * x + early_(x),
        x + 6 + x,
        120,
        x,
        x + 1,
        3 * x,
        x * (x + 1) + 1,
    ]
    np.testing.assert_array_equal(out, expected)


@triton.jit
def type_generic(x, y):
    return x + y


@triton.jit
def generic_kernel(f_ptr, i_ptr):
    block = tl.arange(0, 4)
    tl.store(f_ptr + block, type_generic(block.to(tl.float32), 0.5))
    tl.store(i_ptr + block, type_generic(block, block))
    tl.store(i_ptr + 4, type_generic(2, 3))


def test_one_function_with_many_types(device):
    f, i = poisoned(4, "float32"), poisoned(5, "int32")
    generic_kernel[(1,)](f, i)
    np.testing.assert_array_equal(f, np.arange(4) + 0.5)
    np.testing.assert_array_equal(i, [0, 2, 4, 6, 5])


@triton.jit
def tuple_kernel(out_ptr, values, N: tl.constexpr):
    tl.static_assert(len(values) == 3)
    a, (b, c), d = values
    tl.store(out_ptr, a + b * 10 + c * 100 + d)
    pair = (a, b)
    more = pair + (c,)
    tl.store(out_ptr + 1, more[2] + more[-1] + pair[0])
    shapes: tl.constexpr = (N, N * 2)
    tl.store(out_ptr + 2, shapes[1])
    doubled = [element * 2 for element in more]
    tl.store(out_ptr + 3, doubled[0] + doubled[1] + doubled[2])


def test_tuples(device):
    out = poisoned(4, "int32")
    tuple_kernel[(1,)](out, (2, (3, 4), 5), N=8)
    np.testing.assert_array_equal(out, [2 + 30 + 400 + 5, 4 + 4 + 2, 16, 4 + 6 + 8])


@triton.jit
def named_kernel(out_ptr, point, arrays):
    tl.store(out_ptr, point.x + point.y * 10)
    moved = Point(point.y, point.x)
    tl.store(out_ptr + 1, moved.x)
    tl.store(out_ptr + 2, tl.load(arrays[0]) + tl.load(arrays[1] + 1))


def test_named_tuples_and_arrays_in_tuples(device):
    out = poisoned(3, "int32")
    first, second = np.array([5], np.int32), np.array([1, 7], np.int32)
    named_kernel[(1,)](out, Point(2, 3), (first, second))
    np.testing.assert_array_equal(out, [32, 3, 12])


Turned = collections.namedtuple("Turned", ["y", "x"])


@triton.jit
def fields_kernel(out_ptr, point):
    tl.store(out_ptr, point.x + point.y * 10)


def test_named_tuples_with_other_fields(device):
    """Have variants of their own."""
    out = poisoned(1, "int32")
    for point, expected in [(Point(2, 3), 32), (Turned(2, 3), 23), (Point(4, 5), 54)]:
        fields_kernel[(1,)](out, point)
        assert out[0] == expected


@triton.jit
def none_kernel(out_ptr, bias, flag):
    if bias is None:
        tl.store(out_ptr, 1)
    else:
        tl.store(out_ptr, tl.load(bias))
    if flag:
        tl.store(out_ptr + 1, 10)
    else:
        tl.store(out_ptr + 1, 20)


@pytest.mark.parametrize("bias", [None, 7])
@pytest.mark.parametrize("flag", [True, False])
def test_none_and_booleans(device, bias, flag):
    out = poisoned(2, "int32")
    none_kernel[(1,)](out, None if bias is None else np.array([bias], np.int32), flag)
    np.testing.assert_array_equal(out, [1 if bias is None else 7, 10 if flag else 20])


@triton.jit
def dtype_kernel(x_ptr, out_ptr, TYPE: tl.constexpr, plain_type, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(TYPE)
    tl.static_assert(x.dtype == TYPES[0])
    tl.store(out_ptr + i, x.to(plain_type) / 2)


def test_dtypes_as_arguments(device, rng):
    x = rng.uniform(-10, 10, 16).astype(np.float32)
    out = poisoned(16, "float32")
    dtype_kernel[(1,)](x, out, TYPE=tl.int32, plain_type=tl.float32, N=16)
    np.testing.assert_array_equal(out, np.trunc(x) / 2)


@triton.constexpr_function
def block_for(n, limit=64):
    return min(1 << math.ceil(math.log2(n)), limit)


@triton.jit
def host_function_kernel(out_ptr, n: tl.constexpr):
    BLOCK: tl.constexpr = block_for(n)
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i + triton.next_power_of_2(n) + triton.cdiv(n, 4) + int(math.sqrt(16)))


def test_functions_that_run_at_compile_time(device):
    out = poisoned(32, "int32")
    host_function_kernel[(1,)](out, n=20)
    np.testing.assert_array_equal(out, np.arange(32) + 32 + 5 + 4)
    assert block_for(20) == 32 and block_for(1000) == 64


@triton.constexpr_function
def loaded_type(source):
    if isinstance(source, tl.tensor):
        return source.dtype.element_ty
    assert isinstance(source, tl.tensor_descriptor)
    return source.dtype


@triton.constexpr_function
def size_of(value):
    return value.shape[0] if value.shape else 0


@triton.constexpr_function
def block_of(descriptor):
    return descriptor.block_shape[1] + descriptor.block_type.numel


@triton.constexpr_function
def swapped(point):
    return point.y, point.x


@triton.constexpr_function
def address(value):
    return value.handle


@triton.jit
def typed_values_kernel(x_ptr, n, out_ptr):
    described = tl.make_tensor_descriptor(x_ptr, (4, n), (n, 1), (4, 8))
    tl.static_assert(loaded_type(x_ptr) == tl.float32 and loaded_type(described) == tl.float32)
    i = tl.arange(0, 16)
    values = tl.load(x_ptr + i)
    tl.static_assert(size_of(values) == 16 and size_of(n) == 0)
    low, high = swapped(Point(values, y=n))
    tl.store(out_ptr + i, high * low + block_of(described))


def test_functions_that_run_at_compile_time_see_types_of_values(device):
    x, out = np.arange(32, dtype=np.float32), poisoned(16, "float32")
    typed_values_kernel[(1,)](x, 8, out)
    np.testing.assert_array_equal(out, x[:16] * 8 + 8 + 32)


def test_functions_that_run_at_compile_time_see_no_values():
    @triton.jit
    def kernel(out_ptr, n):
        tl.store(out_ptr, address(n))

    with pytest.raises(triton.CompilationError, match="address.*AttributeError: 'RuntimeTensor'.*'handle'"):
        kernel[(1,)](poisoned(1, "int32"), 2)


@triton.jit
def alias_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 8)
    tl.store(out_ptr + i, renamed_load(x_ptr + i) + math.pi)


def test_imported_names_and_module_attributes(device):
    x = np.arange(8, dtype=np.float32)
    out = poisoned(8, "float32")
    alias_kernel[(1,)](x, out)
    np.testing.assert_allclose(out, x + math.pi, rtol=1e-6)


def test_closures(device):
    def make(function, amount):
        amount = tl.constexpr(amount)

        @triton.jit
        def kernel(out_ptr):
            tl.store(out_ptr, function(amount))

        return kernel

    out = poisoned(1, "int32")
    make(double, 21)[(1,)](out)
    assert out[0] == 42
    make(early, 21)[(1,)](out)
    assert out[0] == 11


@triton.jit
def string_kernel(out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    tl.static_assert(f"{NAME}-{N}" == "name-4")
    tl.store(out_ptr, N)


def test_strings(device):
    out = poisoned(1, "int32")
    string_kernel[(1,)](out, NAME="name", N=4)
    assert out[0] == 4


@triton.jit
def builtin_kernel(out_ptr, x):
    tl.store(out_ptr, min(x, 3) + max(x, 30) + max(2, 5))
    for k in range(isinstance(x, tl.tensor)):
        tl.store(out_ptr + 1, k + 7)


def test_python_builtins(device):
    out = poisoned(2, "int32")
    builtin_kernel[(1,)](out, 20)
    np.testing.assert_array_equal(out, [3 + 30 + 5, 7])


TEXT = tl.constexpr("relu_squared")


@triton.jit
def methods_kernel(out, N: tl.constexpr, NAME: tl.constexpr):
    tl.store(out + 0, N.bit_length())
    tl.store(out + 1, triton.next_power_of_2(N).bit_length() - 1)
    tl.store(out + 2, (-N).bit_count() + True.bit_length())
    if NAME.startswith(("gelu", "relu")) and not NAME.endswith("x"):
        tl.store(out + 3, TEXT.find("_") + len(NAME.upper().lower()))
    parts: tl.constexpr = TEXT.value.removeprefix("relu").replace("_", " . ").split()
    tl.static_assert(parts[1] == "squared" and len(parts) == 2 and "12".isdigit() and not "x1".isdigit())
    tl.static_assert(" ab ".strip() == "ab" and "..ab".lstrip(".") + "ab".removesuffix("b") == "aba")
    if N / 2 == (N // 2) and (N / 2).is_integer():
        tl.store(out + 4, 1)
    for step in tl.static_range((10).bit_length()):
        tl.store(out + 5 + step, step)


def test_methods_of_constants(device):
    out = np.zeros(10, np.int32)
    methods_kernel[(1,)](out, 100, "relu")
    np.testing.assert_array_equal(out, [7, 7, 3 + 1, 4 + 4, 1, 0, 1, 2, 3, 0])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(3).bit_length(1)", "TypeError: `bit_length` takes 0 arguments by position, but 1 were given"),
        ("'a'.startswith()", "TypeError: `startswith` takes 1 arguments by position, but 0 were given"),
        ("'a'.find(1)", "TypeError: the argument of a string's method must be a string"),
        ("'a'.title()", "the string 'a' has no attribute `title`"),
    ],
)
def test_methods_of_constants_that_are_called_wrongly(tmp_path, expression, message):
    path = tmp_path / "wrong.py"
    kernel = f"@triton.jit\ndef kernel(out):\n    tl.store(out, {expression})\n"
    path.write_text(f"import triton\nimport triton.language as tl\n\n{kernel}")
    spec = importlib.util.spec_from_file_location("wrong", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(triton.CompilationError, match=re.escape(message)):
        module.kernel[(1,)](np.zeros(1, np.int32))


@triton.jit
def wrong_second_statement(x_ptr):
    x = tl.load(x_ptr)
    tl.store(x_ptr, x.nothing)


def test_attributes_of_a_kernel_without_options():
    """As Triton has them, for programs that look at each kernel."""

    class Holder:
        @triton.jit
        def indented(x_ptr):
            tl.store(x_ptr, 0.0)

    kernel = Holder.indented
    assert kernel.kernel is None and kernel.do_not_specialize == [] == kernel.do_not_specialize_on_alignment
    assert kernel.def_file_col_number == 9 and wrong_second_statement.def_file_col_number == 1
    assert triton.jit(kernel.fn, do_not_specialize=["x_ptr"]).do_not_specialize == ["x_ptr"]


def test_errors_name_the_place_that_a_program_assigns(tmp_path):
    """As programs do that make kernels from the text of others."""
    kernel = triton.JITFunction(wrong_second_statement.fn)
    kernel.file_name = str(tmp_path / "original.py")
    kernel.starting_line_number, kernel.def_file_line_number, kernel.def_file_col_number = 100, 101, 1
    assert (kernel.starting_line_number, kernel.def_file_line_number, kernel.def_file_col_number) == (100, 101, 1)
    with pytest.raises(triton.CompilationError, match="original.py:103:"):
        kernel[(1,)](np.zeros(1, np.int32))
    # Without the decorator and with a line more before the statement, which the place of `def` takes into account.
    kernel._unsafe_update_src(kernel.src.replace(":\n", ":\n    y = 1\n", 1))
    kernel.starting_line_number, kernel.def_file_line_number = 99, 100
    with pytest.raises(triton.CompilationError, match="original.py:103:"):
        kernel[(1,)](np.zeros(1, np.int32))


@triton.jit
def add_number(x_ptr, number):
    tl.store(x_ptr, tl.load(x_ptr) + number)


def test_run_may_be_replaced(monkeypatch):
    """By tools that look at launches: of all kernels, of a class of kernels, of one kernel."""
    seen, x = [], np.zeros(1, np.int32)
    ours = triton.JITFunction.run

    def run(self, *args, **options):
        seen.append((self.__name__, options["grid"], options["warmup"]))
        return ours(self, *args, **options)

    class Watched(triton.JITFunction):
        def run(self, *args, **options):
            seen.append("class")
            return super().run(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(triton.JITFunction, "run", run)
        add_number[(1,)](x, 1)
    add_number[(1,)](x, 1)
    Watched(add_number.fn)[(1,)](x, 1)
    one = triton.JITFunction(add_number.fn)
    one.run = lambda *args, **options: [seen.append("kernel"), ours(one, *args, **options)]
    one[(1,)](x, 1)
    assert seen == [("add_number", (1,), False), "class", "kernel"] and x[0] == 4


def test_run_is_reached_through_the_getitem_of_a_class(monkeypatch):
    """By a class that replaces both. Launches of all kernels then look for `run`."""
    monkeypatch.setattr(triton.JITFunction, "run", triton.JITFunction.run)  # undone as a whole
    seen, x = [], np.zeros(1, np.int32)

    class Watched(triton.JITFunction):
        def run(self, *args, **options):
            seen.append("run")
            return super().run(*args, **options)

        def __getitem__(self, grid):
            seen.append(grid)
            return super().__getitem__(grid)

    try:
        Watched(add_number.fn)[(1,)](x, 1)
        add_number[(1,)](x, 1)
    finally:
        type.__delattr__(triton.JITFunction, "__getitem__")
    assert seen == [(1,), "run"] and x[0] == 2


def test_wrappers_and_the_compiler_may_be_replaced(monkeypatch):
    """By profilers, which look at launches of tuned kernels, and by programs that keep compiled kernels themselves."""
    seen, x = [], np.zeros(1, np.int32)
    ours = triton.runtime.Autotuner.run

    def run(self, *args, **options):
        seen.append(options["grid"])
        return ours(self, *args, **options)

    tuned = triton.autotune([triton.Config({}, num_warps=2)], key=[])(triton.JITFunction(add_number.fn))
    with monkeypatch.context() as patch:
        patch.setattr(triton.runtime.Autotuner, "run", run)
        tuned[(1,)](x, 1)
    kernel = triton.JITFunction(add_number.fn)
    kernels, _, target, _, _ = kernel.device_caches[0]
    compiler = kernel.compile

    def compile(src, target, options):
        seen.append((src.fn, target, options["num_warps"]))
        return compiler(src, target=target, options=options)

    kernel.compile = compile
    compiled = kernel[(1,)](x, 1, num_warps=4)
    assert seen == [(1,), (kernel, target, 4)] and x[0] == 2
    assert list(kernels.values()) == [compiled] and kernel.hash == kernel.cache_key
