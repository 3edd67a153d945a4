"""Element types, pointers and blocks as Python objects."""

from enum import Enum

from .._utils import TRITON_MAX_TENSOR_NUMEL, validate_block_shape
from ._bases import base_type

__all__ = [
    "TRITON_MAX_TENSOR_NUMEL",
    "bfloat16",
    "block_type",
    "dtype",
    "float16",
    "float32",
    "float64",
    "float8e4b15",
    "float8e4b8",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "get_int_dtype",
    "int1",
    "int16",
    "int32",
    "int64",
    "int8",
    "pi32_t",
    "pointer_type",
    "tuple_type",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "validate_block_shape",
    "void",
]

# long name: (short name, bits, mantissa bits, exponent bias); the last two only for floats.
_INTEGERS = {
    "int1": 1,
    "int8": 8,
    "int16": 16,
    "int32": 32,
    "int64": 64,
    "uint8": 8,
    "uint16": 16,
    "uint32": 32,
    "uint64": 64,
}
_FLOATS = {
    "fp8e4b15": (8, 3, 15),
    "fp8e4nv": (8, 3, 7),
    "fp8e4b8": (8, 3, 8),
    "fp8e5": (8, 2, 15),
    "fp8e5b16": (8, 2, 16),
    "fp16": (16, 10, 15),
    "bf16": (16, 7, 127),
    "fp32": (32, 23, 127),
    "fp64": (64, 52, 1023),
}
_LONG_NAMES = {
    "fp8e4b15": "float8e4b15",
    "fp8e4nv": "float8e4nv",
    "fp8e4b8": "float8e4b8",
    "fp8e5": "float8e5",
    "fp8e5b16": "float8e5b16",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}


class dtype(base_type):
    """The type of a tensor's elements."""

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = list(_FLOATS)
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = getattr(name, "value", name)
        self.name = name
        if name in _INTEGERS:
            self.primitive_bitwidth = self.int_bitwidth = _INTEGERS[name]
            is_signed = name in self.SINT_TYPES
            self.int_signedness = dtype.SIGNEDNESS.SIGNED if is_signed else dtype.SIGNEDNESS.UNSIGNED
        elif name in _FLOATS:
            self.primitive_bitwidth, self.fp_mantissa_width, self.exponent_bias = _FLOATS[name]
        elif name == "void":
            self.primitive_bitwidth = 0
        elif type(self) is dtype:
            raise ValueError(f"there is no dtype named `{name}`")
        self.itemsize = getattr(self, "primitive_bitwidth", 0) // 8

    def __getattr__(self, name):
        # Functions that run at compile time read the `value` of what the kernel calls a constant.
        if name == "value":
            return self
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @staticmethod
    def is_dtype(type_str):
        return type_str in _INTEGERS or type_str in _FLOATS or type_str == "void"

    @property
    def scalar(self):
        return self

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_floating(self):
        return self.name in _FLOATS

    def is_standard_floating(self):
        return self.name in self.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in self.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in self.UINT_TYPES

    def is_int(self):
        return self.name in _INTEGERS

    def is_bool(self):
        return self.name == "int1"

    def is_void(self):
        return self.name == "void"

    @staticmethod
    def is_block():
        return False

    @staticmethod
    def is_ptr():
        return False

    @staticmethod
    def is_const():
        return False

    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        return dtype.KIND.INTEGRAL if self.is_int() else dtype.KIND.FLOATING

    def get_int_max_value(self):
        return 2 ** (self.int_bitwidth - self.is_int_signed()) - 1

    def get_int_min_value(self):
        return -(2 ** (self.int_bitwidth - 1)) if self.is_int_signed() else 0

    def with_element_ty(self, element_ty):
        return element_ty

    def mangle(self):
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth)
        return "V" if self.is_void() else self.name

    def codegen_name(self):
        if self.name.startswith("fp"):
            return "float" + self.name[2:]
        return "bfloat16" if self.name == "bf16" else self.name

    @property
    def cache_key_part(self):
        return self.name

    def __eq__(self, other):
        other = getattr(other, "value", other)
        return type(other) is dtype and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return "triton.language." + _LONG_NAMES.get(self.name, self.name)


def _predicate(type_name):
    return lambda self: self.name == type_name


for _name in [*_INTEGERS, *_FLOATS]:
    setattr(dtype, "is_" + _name, _predicate(_name))


class pointer_type(dtype):
    """The type of pointers to ``element_ty``."""

    def __init__(self, element_ty, address_space="global", const=False):
        element_ty = getattr(element_ty, "value", element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"a pointer needs a dtype to point to, not {type(element_ty).__name__}")
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.name = f"{'const_' if const else ''}pointer<{element_ty}>"
        self.primitive_bitwidth = 64
        self.itemsize = 8

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def mangle(self):
        return "P" + self.element_ty.mangle()

    def __eq__(self, other):
        other = getattr(other, "value", other)
        return (
            isinstance(other, pointer_type)
            and self.element_ty == other.element_ty
            and self.address_space == other.address_space
            and self.const == other.const
        )

    def __hash__(self):
        return hash((self.name, self.address_space))

    def __repr__(self):
        return self.name


class block_type(dtype):
    """The type of tensors of rank 1 or more."""

    def __init__(self, element_ty, shape):
        if not isinstance(shape, (list, tuple)) or not shape:
            raise TypeError("a block needs a shape of at least one dimension")
        self.element_ty = element_ty
        self.shape = tuple(getattr(size, "value", size) for size in shape)
        self.numel = validate_block_shape(self.shape)
        self.name = f"<{list(self.shape)}, {element_ty}>"
        self.primitive_bitwidth = element_ty.primitive_bitwidth
        self.itemsize = element_ty.itemsize

    @property
    def scalar(self):
        return self.element_ty

    @property
    def nbytes(self):
        return self.numel * self.element_ty.primitive_bitwidth // 8

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, scalar_ty):
        return block_type(scalar_ty, self.shape)

    def mangle(self):
        return f"{self.element_ty.mangle()}S{'_'.join(map(str, self.shape))}S"

    def __eq__(self, other):
        return isinstance(other, block_type) and self.element_ty == other.element_ty and self.shape == other.shape

    def __hash__(self):
        return hash((self.element_ty, self.shape))

    def __str__(self):
        return self.name

    __repr__ = __str__


class tuple_type(dtype):
    """The type of tuples."""

    def __init__(self, types, fields=None):
        self.types = list(types)
        self.fields = fields

    @property
    def name(self):
        if self.fields is None:
            return f"[{','.join(map(str, self.types))}]"
        return f"[{','.join(f'{field}:{type}' for field, type in zip(self.fields, self.types, strict=True))}]"

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __eq__(self, other):
        return type(self) is type(other) and self.types == other.types and self.fields == other.fields

    def __hash__(self):
        return hash((tuple(self.types), tuple(self.fields or ())))

    def mangle(self):
        return "T" + "_".join(type.mangle() for type in self.types) + "T"


void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e4b15 = dtype("fp8e4b15")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
pi32_t = pointer_type(int32)

SIGNATURE_TYPES = {
    "i1": int1,
    "u1": int1,
    "B": int1,
    "i8": int8,
    "i16": int16,
    "i32": int32,
    "i64": int64,
    "u8": uint8,
    "u16": uint16,
    "u32": uint32,
    "u64": uint64,
    "fp8e5": float8e5,
    "fp8e5b16": float8e5b16,
    "fp8e4nv": float8e4nv,
    "fp8e4b8": float8e4b8,
    "fp8e4b15": float8e4b15,
    "fp16": float16,
    "bf16": bfloat16,
    "fp32": float32,
    "fp64": float64,
}


def get_int_dtype(bitwidth, signed):
    """The integer dtype of this width and signedness."""
    name = "int1" if bitwidth == 1 else ("" if signed else "u") + f"int{bitwidth}"
    if name not in _INTEGERS:
        raise ValueError(f"there is no integer dtype of {bitwidth} bits")
    return dtype(name)


# Kernels find it in the module in which users look for it.
get_int_dtype.__module__ = "triton.language.core"
