"""The interpreter of kernels: what it has beyond the language, which `--device interpret` tests."""

import inspect
import pdb
import re
import threading

import numpy as np
import programs
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.runtime.interpreter import GridExecutor, InterpretedFunction, InterpreterOptions
from triton.runtime.interpreter.device_library import library_function
from triton.runtime.interpreter.execution import implementation_of

# Assembly and functions of libraries that NumPy does not have.
WITHOUT = {"inline_asm_elementwise", "extern_elementwise", "dispatch"}


def interpreted(function):
    return InterpretedFunction(function)


@interpreted
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


def test_launch_without_the_environment():
    x, y, out = np.arange(100.0), np.ones(100), np.zeros(100)
    assert add_kernel[(4,)](x, y, out, 100, BLOCK=32, num_warps=8) is None
    np.testing.assert_array_equal(out, x + 1)
    blocks = lambda meta: (meta["n"] // meta["BLOCK"],)
    GridExecutor(add_kernel.rewritten, add_kernel.arg_names, blocks)(x, x, out, 96, 32)
    np.testing.assert_array_equal(out[:96], 2 * x[:96])
    assert out[96] == 97
    with pytest.raises(RuntimeError, match="launch it as"):
        add_kernel(x, y, out, 100, 32)
    with pytest.raises(ValueError, match="only be called inside"):
        tl.program_id(0)


def test_every_function_of_the_language_is_there():
    functions = {name: getattr(tl, name) for name in dir(tl) if hasattr(getattr(tl, name), "__triton_builtin__")}
    missing = {name for name, function in functions.items() if implementation_of(function.__triton_builtin__) is None}
    assert missing == WITHOUT & functions.keys()
    for name in dir(tl.tensor):
        if hasattr(method := getattr(tl.tensor, name), "__triton_builtin__"):
            assert implementation_of(method.__triton_builtin__) is not None, name


def test_helpers_of_the_functions_in_the_language_are_there():
    """Also those of branches that interpreted kernels seldom take."""
    from triton.runtime.interpreter import prelude

    names = {name for file in prelude._FOLDER.glob("*.py") for name in re.findall(r"tl\.core\.(\w+)", file.read_text())}
    assert names and {name for name in names if not hasattr(prelude._Language().core, name)} == set()


def test_warnings_of_functions_in_the_language():
    @interpreted
    def kernel(x):
        i = tl.arange(0, 4)
        tl.store(x + i, tl.softmax(tl.load(x + i), keep_dims=True))

    x = np.zeros(4, np.float32)
    with pytest.warns(UserWarning, match="`keep_dims` of `tl.softmax` has no effect") as caught:
        kernel[(1,)](x)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(x, 0.25)


@pytest.mark.parametrize(
    "name", [name for name in dir(tl.core) if hasattr(getattr(tl.core, name), "__triton_builtin__")]
)
def test_parameters_are_those_of_the_language(name):
    function = getattr(tl.core, name)
    implementation = implementation_of(function.__triton_builtin__)
    if implementation is None:
        assert name in WITHOUT
        return
    facts = lambda fn: [(p.name, p.kind) for p in inspect.signature(fn).parameters.values()]
    assert facts(implementation) == facts(function)


def test_part_of_the_device_library():
    names = [name for name in dir(libdevice) if hasattr(getattr(libdevice, name), "__triton_builtin__")]
    assert len([name for name in names if library_function(name)]) > 80


def test_printing_and_python_inside(capsys):
    seen = []

    @interpreted
    def kernel(x):
        i = tl.arange(0, 4)
        values = tl.load(x + i)
        seen.append({"block": values.data.copy()})  # what the compiler refuses
        try:
            raise KeyError("caught")
        except KeyError:
            print(values)
        tl.store(x + i, values * 2)

    x = np.arange(4, dtype=np.float32)
    kernel[(1,)](x)
    assert "fp32[4]([0., 1., 2., 3.])" in capsys.readouterr().out
    np.testing.assert_array_equal(seen[0]["block"], [0, 1, 2, 3])
    np.testing.assert_array_equal(x, [0, 2, 4, 6])


def test_breakpoints(monkeypatch, capsys):
    @interpreted
    def kernel(x):
        value = tl.load(x)
        breakpoint()
        tl.store(x, value + 1)

    commands = iter(["where", "p value", "p value.shape", "next", "continue"])
    debugger = pdb.Pdb(nosigint=True)
    debugger.use_rawinput = True
    monkeypatch.setattr("builtins.input", lambda prompt="": next(commands))
    monkeypatch.setattr("sys.breakpointhook", lambda: debugger.set_trace(inspect.currentframe().f_back))
    x = np.array([41], np.int32)
    kernel[(1,)](x)
    output = capsys.readouterr().out
    assert x[0] == 42
    assert "int32(41)" in output and "-> tl.store(x, value + 1)" in output and "test_interpreter.py" in output


def test_accesses_outside_of_arrays():
    @interpreted
    def kernel(x, out):
        i = tl.arange(0, 8)
        tl.store(out + i, tl.load(x + i))

    x, out = np.arange(5, dtype=np.int32), np.zeros(8, np.int32)
    with pytest.raises(triton.InterpreterError) as failure:
        kernel[(1,)](x, out)
    text = str(failure.value)
    first, line, marks, program = text.splitlines()
    assert first.startswith(__file__) and "reads 4 bytes at byte 20 of `x`, which has 20 bytes" in first
    assert line.strip() == "tl.store(out + i, tl.load(x + i))" and program.startswith("in program (0, 0, 0)")
    if "^" in marks:
        assert line[marks.index("^") :].startswith("tl.load(x + i)")
    constant = np.zeros(8, np.int32)
    constant.flags.writeable = False
    with pytest.raises(triton.InterpreterError, match="`out`, which is read-only"):
        kernel[(1,)](out, constant)


def test_errors_say_where():
    @interpreted
    def kernel(x):
        i = tl.arange(0, 8)
        tl.store(x + i, i[:, None] + tl.arange(0, 16))

    with pytest.raises(triton.InterpreterError, match=r"cannot be|larger than|do not agree") as failure:
        kernel[(1, 1)](np.zeros(8, np.int32))
    assert "tl.store(x + i" in str(failure.value) and failure.value.__cause__ is not None

    @interpreted
    def wrong_types(x):
        tl.store(x, tl.load(x) // 2)

    with pytest.raises(triton.InterpreterError, match="`//` needs integers, not fp32"):
        wrong_types[(1,)](np.zeros(1, np.float32))


@triton.jit
def compiled_square(x):
    return x * x


def test_compiled_kernels_are_called():
    @interpreted
    def kernel(x):
        tl.store(x, compiled_square(tl.load(x)))

    x = np.array([7], np.int32)
    kernel[(1,)](x)
    assert x[0] == 49
    with pytest.raises(RuntimeError, match="launch it as"):
        compiled_square(3)


def test_launches_on_threads_and_inside_of_launches():
    """Each thread interprets its own launch, and a launch inside of another one leaves that as it was."""
    inner = np.zeros(1, np.int32)
    wait = threading.Barrier(2)

    @interpreted
    def store_id(out, value):
        tl.store(out + tl.program_id(0), value)

    @interpreted
    def kernel(out, count):
        wait.wait(timeout=programs.PATIENCE)
        store_id[(1,)](inner, 5)
        wait.wait(timeout=programs.PATIENCE)
        tl.store(out + tl.program_id(0), count * 10 + tl.num_programs(0))

    results = [np.zeros(3, np.int32), np.zeros(3, np.int32)]
    launch = lambda number: kernel[(3,)](results[number], number + 2)
    threads = [threading.Thread(target=launch, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(results[0], [23] * 3)
    np.testing.assert_array_equal(results[1], [33] * 3)
    with pytest.raises(ValueError, match="only be called inside"):
        tl.num_programs(0)


def test_numbers_take_the_types_that_compiled_kernels_give_them():
    @interpreted
    def kernel(out, one, x: tl.constexpr):
        half = tl.full((4,), 0.5, tl.float16)
        tl.static_assert((half * 2.0).dtype == tl.float16)
        two = 2.0
        tl.static_assert((half * two).dtype == tl.float32)
        constant: tl.constexpr = 2.0
        tl.static_assert((half * constant).dtype == tl.float16)
        count = 0
        for i in range(x):
            tl.static_assert(i.dtype == tl.int32)
            count += i
        tl.static_assert(one == 1 and not x < 2 and 1 < x < 5)
        tl.store(out, count)

    out = np.zeros(1, np.int64)
    kernel[(1,)](out, 1, 4)
    assert out[0] == 6


def test_scalars_stay_scalars_in_conversions():
    @interpreted
    def kernel(x, out):
        value = tl.load(x)
        for dtype in (tl.bfloat16, tl.float16, tl.float8e5, tl.float64, tl.int8, tl.int1):
            assert value.to(dtype).shape == (), dtype
            assert value.to(dtype).to(tl.float32).shape == (), dtype
        assert value.to(tl.int32, bitcast=True).shape == ()
        assert value.to(tl.bfloat16).to(tl.int16, bitcast=True).shape == ()
        tl.store(out, value.to(tl.bfloat16))

    x, out = np.array([1.00390625], np.float32), np.zeros(1, np.float32)
    kernel[(1,)](x, out)
    assert out[0] == 1


def test_branches_in_functions_of_scalars():
    @interpreted
    def larger(a, b):
        if a > b:
            return a
        return b

    @interpreted
    def kernel(x, out):
        i = tl.arange(0, 8)
        values = tl.load(x + i)
        tl.store(out, tl.reduce(values, 0, larger))
        tl.store(out + 8 + i, tl.associative_scan(values, 0, larger))
        tl.store(out + 16 + i, tl.map_elementwise(larger, values, 3))

    x, out = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32), np.zeros(24, np.int32)
    kernel[(1,)](x, out)
    assert out[0] == 9
    np.testing.assert_array_equal(out[8:16], np.maximum.accumulate(x))
    np.testing.assert_array_equal(out[16:], np.maximum(x, 3))


def test_options():
    assert "fp8e4b15" in InterpreterOptions().supported_fp8_dtypes
    with pytest.raises(KeyError, match="nun_warps"):
        add_kernel[(1,)](*[np.zeros(1)] * 3, 1, 1, nun_warps=3)


def test_the_environment_variable(tmp_path):
    text = """
        import numpy as np, triton, triton.language as tl
        @triton.jit
        def double(x, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
        tuned = triton.autotune([triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["n"],
                                restore_value=["x"], do_bench=lambda call, quantiles: [call() or 1.0] * 3)(double)
        x = np.ones(100, np.float32)
        tuned[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, 100)
        print(type(double).__name__, x.sum(), double.warmup(x, 100, BLOCK=32, grid=(1,)))
    """
    process = programs.start(tmp_path, inspect.cleandoc(text), TRITON_INTERPRET="1")
    output, errors = process.communicate(timeout=programs.PATIENCE)
    assert "InterpretedFunction 200.0 None" in output, errors


@triton.jit
def compiled_function_kernel(x, y, z, out, NAME: tl.constexpr, COUNT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    function: tl.constexpr = getattr(libdevice, NAME)
    if COUNT == 1:
        result = function(tl.load(x + i))
    elif COUNT == 2:
        result = function(tl.load(x + i), tl.load(y + i))
    else:
        result = function(tl.load(x + i), tl.load(y + i), tl.load(z + i))
    tl.store(out + i, result)


function_kernel = interpreted(compiled_function_kernel.fn)


def assert_same_bits(left, right):
    same = (left == right) & (np.signbit(left) == np.signbit(right)) | (left != left) & (right != right)
    assert same.all(), (left[~same], right[~same])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("direction", ["rn", "rz", "rd", "ru"])
def test_arithmetic_that_rounds_in_a_direction(rng, dtype, direction):
    """As compiled kernels do it, for special values, sums that cancel, and results of every magnitude."""
    information = np.finfo(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, information.max, -information.max,
                        information.tiny, information.smallest_subnormal], dtype)  # fmt: skip
    limit = 30 if dtype == "float32" else 250
    x, y, z = ((rng.standard_normal(256) * 10.0 ** rng.integers(-limit, limit, 256)).astype(dtype) for _ in range(3))
    x[:121], y[:121], z[:121] = np.repeat(special, 11), np.tile(special, 11), rng.choice(special, 121)
    y[150:200] = x[150:200] * rng.choice([-1, -1.5, 0.99999], 50)
    for name, count in {"add": 2, "sub": 2, "mul": 2, "div": 2, "fma": 3, "rcp": 1, "sqrt": 1}.items():
        found, expected = np.full(256, 7, dtype), np.full(256, 7, dtype)
        options = {"NAME": f"{name}_{direction}", "COUNT": count, "N": 256}
        function_kernel[(1,)](x, y, z, found, **options)
        compiled_function_kernel[(1,)](x, y, z, expected, **options)
        assert_same_bits(found, expected)


@pytest.mark.parametrize("direction", ["rn", "rz", "rd", "ru"])
def test_conversions_that_round_in_a_direction(rng, direction):
    floats = {
        kind: (rng.standard_normal(128) * 10.0 ** rng.integers(-3, 25, 128)).astype(kind)
        for kind in ("float32", "float64")
    }
    for x in floats.values():
        x[:8] = [0.5, -0.5, 1.5, 2.5, np.nan, np.inf, -np.inf, -0.0]
    integers = {"int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}
    cases = [("double2float", floats["float64"], "float32")]
    for letters, kind in integers.items():
        limits = np.iinfo(kind)
        x = rng.integers(limits.min, limits.max, 128, kind, endpoint=True)
        cases += [(f"{letters}2float", x, "float32")]
        cases += [(f"{letters}2double", x, "float64")] * (limits.bits == 64)
        cases += [(f"float2{letters}", floats["float32"], kind), (f"double2{letters}", floats["float64"], kind)]
    for name, x, result in cases:
        found, expected = np.full(128, 7, result), np.full(128, 7, result)
        options = {"NAME": f"{name}_{direction}", "COUNT": 1, "N": 128}
        function_kernel[(1,)](x, x, x, found, **options)
        compiled_function_kernel[(1,)](x, x, x, expected, **options)
        assert_same_bits(found, expected)


@interpreted
def product_kernel(x, y, out, PRECISION: tl.constexpr, ALLOW: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + i, tl.dot(tl.load(x + i), tl.load(y + i), input_precision=PRECISION, allow_tf32=ALLOW))


def product(x, y, precision=None, allow=None):
    out = np.full(x.shape, np.nan, np.float32)
    product_kernel[(1,)](x, y, out, PRECISION=precision, ALLOW=allow, N=x.shape[0])
    return out


def test_precision_of_products(rng, monkeypatch):
    x, y = (rng.uniform(0.5, 2, (32, 32)).astype(np.float32) for _ in range(2))
    exact = x.astype(np.float64) @ y.astype(np.float64)
    error = lambda out: np.abs(out / exact - 1).max()
    assert error(product(x, y)) < 1e-7 and error(product(x, y, "ieee")) < 1e-7
    assert 1e-5 < error(product(x, y, "tf32")) < 2e-3
    assert 1e-7 < error(product(x, y, "bf16x3")) < 2e-4
    for precision, bound in (("tf32x3", 2e-6), ("bf16x6", 1e-6)):
        assert error(product(x, y, precision)) < bound
    np.testing.assert_array_equal(product(x, y, allow=True), product(x, y, "tf32"))
    np.testing.assert_array_equal(product(x, y, allow=False), product(x, y))
    monkeypatch.setenv("TRITON_F32_DEFAULT", "tf32")
    np.testing.assert_array_equal(product(x, y), product(x, y, "tf32"))


def test_products_of_infinities(rng):
    x, y = np.ones((16, 16), np.float32), np.ones((16, 16), np.float32)
    x[0, 0] = np.inf
    for precision in ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"):
        np.testing.assert_array_equal(product(x, y, precision), x @ y)


def test_hooks_of_launches(monkeypatch):
    calls = []
    own = lambda grid, metadata, args: {"flops": args["n"], "grid": grid, "warps": metadata.num_warps}
    kernel = InterpretedFunction(add_kernel.fn, launch_metadata=own)
    enter, leave = (lambda data: calls.append(("enter", data.get()))), (lambda data: calls.append(("exit", data.get())))
    hooks = triton.knobs.runtime
    hooks.launch_enter_hook.add(enter)
    hooks.launch_exit_hook.add(leave)
    try:
        kernel[(2,)](np.ones(8), np.ones(8), np.ones(8), 8, BLOCK=4, num_warps=2)
    finally:
        hooks.launch_enter_hook.remove(enter)
        hooks.launch_exit_hook.remove(leave)
    assert [name for name, _ in calls] == ["enter", "exit"] and calls[0][1] == calls[1][1]
    data = calls[0][1]
    assert data["name"] == "add_kernel" and data["warps"] == 2 and data["grid"] == (2, 1, 1)
    assert int(data["flops"]) == 8
