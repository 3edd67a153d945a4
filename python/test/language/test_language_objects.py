"""The objects of triton.language as plain Python sees them: dtypes, constexpr, stubs."""

import inspect
import subprocess
import sys

import pytest
import triton.language as tl


def test_dtype_names_and_predicates():
    assert repr(tl.float32) == "triton.language.float32" and str(tl.float32) == "fp32"
    assert repr(tl.int1) == "triton.language.int1"
    assert tl.bfloat16.primitive_bitwidth == 16 and tl.bfloat16.itemsize == 2 and tl.int1.itemsize == 0
    assert tl.float16.is_fp16() and not tl.float16.is_fp32() and tl.float16.is_floating() and not tl.float16.is_int()
    assert tl.int1.is_bool() and tl.int1.is_int_unsigned() and tl.int8.is_int_signed() and tl.uint64.is_uint64()
    assert tl.float8e5.is_fp8() and not tl.float8e5.is_standard_floating()
    assert (tl.float16.fp_mantissa_width, tl.float16.exponent_bias) == (10, 15)
    assert (tl.int8.get_int_min_value(), tl.int8.get_int_max_value()) == (-128, 127)
    assert (tl.uint16.get_int_min_value(), tl.uint16.get_int_max_value()) == (0, 65535)
    assert tl.int1.kind().value < tl.int32.kind().value < tl.float16.kind().value
    assert tl.dtype("fp32") == tl.float32 and hash(tl.dtype("fp32")) == hash(tl.float32) and tl.int32 != tl.uint32
    assert tl.float32.scalar is tl.float32 and not tl.float32.is_ptr() and not tl.float32.is_block()
    with pytest.raises(ValueError):
        tl.dtype("float32")


def test_pointer_and_block_types():
    pointer = tl.pointer_type(tl.float16)
    assert str(pointer) == "pointer<fp16>" and pointer.element_ty == tl.float16 and pointer.is_ptr()
    assert str(tl.pointer_type(tl.int8, const=True)) == "const_pointer<int8>"
    assert pointer == tl.pointer_type(tl.float16) and pointer != tl.pointer_type(tl.float16, const=True)
    assert tl.pi32_t == tl.pointer_type(tl.int32)
    with pytest.raises(TypeError):
        tl.pointer_type("fp32")
    block = tl.block_type(tl.int16, [4, 8])
    assert (block.numel, block.nbytes, block.shape, block.scalar) == (32, 64, (4, 8), tl.int16)
    with pytest.raises(TypeError):
        tl.block_type(tl.int16, [])
    with pytest.raises(TypeError):
        tl.block_type(tl.int16, [4.0])
    with pytest.raises(ValueError):
        tl.block_type(tl.int16, [3])
    with pytest.raises(ValueError):
        tl.block_type(tl.int16, [2**20, 2])


@pytest.mark.parametrize(
    "text,expected",
    [
        ("i1", tl.int1),
        ("u8", tl.uint8),
        ("fp64", tl.float64),
        ("bf16", tl.bfloat16),
        ("*fp32", tl.pointer_type(tl.float32)),
        ("*ki8", tl.pointer_type(tl.int8, const=True)),
        ("**i32", tl.pointer_type(tl.pointer_type(tl.int32))),
    ],
)
def test_signature_spellings(text, expected):
    assert tl.str_to_ty(text, None) == expected


def test_unknown_signature_spelling():
    with pytest.raises(KeyError):
        tl.str_to_ty("float", None)


def test_constexpr_folds_operators():
    three = tl.constexpr(3)
    results = {
        "+": three + 4,
        "-": 10 - three,
        "*": three * three,
        "/": three / 2,
        "//": 7 // three,
        "%": three % 2,
        "**": 2**three,
        "<<": three << 1,
        ">>": three >> 1,
        "&": three & 1,
        "|": three | 4,
        "^": three ^ 1,
        "neg": -three,
        "inv": ~three,
    }
    expected = {
        "+": 7,
        "-": 7,
        "*": 9,
        "/": 1.5,
        "//": 2,
        "%": 1,
        "**": 8,
        "<<": 6,
        ">>": 1,
        "&": 1,
        "|": 7,
        "^": 2,
        "neg": -3,
        "inv": -4,
    }
    assert all(isinstance(result, tl.constexpr) for result in results.values())
    assert {name: result.value for name, result in results.items()} == expected
    assert (three < 4).value and not (three == 4).value and (3 == three).value and (three != 4).value
    assert bool(three) and [10, 20, 30, 40][three] == 40 and hash(three) == hash(3)
    assert tl.constexpr(three).value == 3
    assert three.logical_and(0).value == 0 and three.logical_or(0).value == 3 and three.not_().value is False
    assert [element.value for element in tl.constexpr((1, 2))] == [1, 2] and tl.constexpr((1, 2))[1] == 2


STUBS = [
    function
    for module in (tl.core, tl.standard, tl.random, tl.extra.libdevice)
    for function in vars(module).values()
    if getattr(function, "__triton_builtin__", None)
]


def test_there_are_stubs():
    assert {"load", "store", "sum", "philox", "tanh"} <= {stub.__name__ for stub in STUBS}


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.__triton_builtin__)
def test_stub_tells_where_it_belongs(stub):
    assert stub.__doc__
    required = [
        parameter
        for parameter in inspect.signature(stub).parameters.values()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
    ]
    with pytest.raises(ValueError, match="can only be called inside a @triton.jit kernel"):
        stub(*[1] * len(required))


def test_modules_share_functions():
    assert tl.math.exp is tl.exp is tl.core.exp and tl.standard.sum is tl.sum and tl.random.rand is tl.rand


def test_import_needs_neither_numpy_nor_torch():
    code = "import sys, triton.language; sys.exit('numpy' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_modules_of_vendors_are_there_from_the_start():
    program = (
        "import triton.language as tl; from triton.language.extra import *; "
        "print(tl.extra.cuda.smid, tl.extra.cuda.globaltimer, cuda.num_threads, hip, libdevice.exp)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
