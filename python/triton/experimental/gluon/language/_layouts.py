"""Layouts: where the elements of blocks and buffers are. They are values, equal when all their fields are, and
constants in kernels."""

import math
import operator
from dataclasses import dataclass, field, fields  # noqa: F401, Triton has these names here
from typing import List  # noqa: F401, UP035

from ....language.constants import _plain
from ....runtime.jit import constexpr_function
from .._names import complete as _complete
from ._bases import _in_elements, _in_parts, _shape_of, bases_per_dim


def _as_tuples(value):
    """The value with tuples for lists, and with Python's integers for those of NumPy."""
    value = _plain(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(_as_tuples, value))
    try:
        return value if isinstance(value, int) else operator.index(value)
    except TypeError:
        return value


def _check_field(layout, name, value):
    """A field is made of constants and layouts: values that exist at run time cannot say where elements are."""
    for part in value if isinstance(value, tuple) else [value]:
        if isinstance(part, tuple):
            _check_field(layout, name, part)
        elif not isinstance(part, (int, str, Layout, type(None))):
            raise TypeError(f"{name} of {type(layout).__name__} must be known at compile time, not {part!r}")


def _text(value):
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + _listed(value.items()) + "}"
    return value.ir_text if isinstance(value, Layout) else str(value)


def _listed(named):
    return ", ".join(f"{name} = {_text(value)}" for name, value in named)


def _read_fields(text, at, end):
    """({name: value}, the place of `end`) of what stands from here on up to that mark."""
    found = {}
    while text[at] != end:
        key = text[at : text.index(" = ", at)].strip(", ")
        found[key], at = _read(text, text.index(" = ", at) + 3)
    return found, at


def _read(text, at):
    """(value, its end) of what stands at this place of a text of IR: a layout, fields, a list, a number or a truth
    value."""
    if text in _PLACEHOLDERS:
        return _PLACEHOLDERS[text](), len(text)
    if text.startswith(("#ttg.", "#ttng."), at):
        name, at, found = text[text.index(".", at) + 1 : text.index("<", at)], text.index("<", at) + 1, {}
        if text[at] == "[":  # [interval:+padding, …] {fields}
            end = text.index("]", at)
            found["paddings"] = tuple(tuple(map(int, pair.split(":+"))) for pair in text[at + 1 : end].split(", "))
            at = end + 2
        for end in "}>" if text[at] == "{" else ">":  # <{fields}, fields>
            listed, at = _read_fields(text, at + (end == "}"), end)
            found |= listed
            at += 1
        return _class_of(name)._from_ir_fields(found), at
    if text[at] == "{":
        found, end = _read_fields(text, at + 1, "}")
        return found, end + 1
    if text[at] == "[":
        values, at = [], at + 1
        while text[at] != "]":
            value, at = _read(text, at + 2 if text[at] == "," else at)
            values.append(value)
        return tuple(values), at + 1
    end = min(found for found in (text.find(mark, at) for mark in ",]}>") if found >= 0)
    word = text[at:end].split(" : ")[0]
    return word == "true" if word in ("true", "false") else int(word), end


def _class_of(mnemonic):
    found = [known for known in _CLASSES if known._mnemonic == mnemonic]
    if not found:
        raise ValueError(f"there is no class for layouts `#ttg.{mnemonic}`")
    return found[0]


class Layout:
    """The base of all layouts. Lists become tuples, so that layouts can be compared and hashed."""

    #: Kernels may use layouts, and their classes, as globals.
    __triton_constant__ = True

    #: The class's name in IR.
    _mnemonic = ""
    #: {name of a field: its name in IR}
    _ir_names = {}

    def __post_init__(self):
        for item in fields(self):
            object.__setattr__(self, item.name, _as_tuples(getattr(self, item.name)))
            _check_field(self, item.name, getattr(self, item.name))
        self._check()

    def _check(self):
        pass

    @property
    def type(self):
        from ....language import constexpr

        return constexpr(self).type

    def _ir_fields(self):
        """(name, value) of what IR lists."""
        listed = [(name, getattr(self, own)) for own, name in self._ir_names.items()]
        return listed + ([("CGALayout", self.cga_layout)] if getattr(self, "cga_layout", ()) else [])

    @property
    def ir_text(self):
        """The layout as an encoding of IR."""
        return f"#ttg.{self._mnemonic}<{{{_listed(self._ir_fields())}}}>"

    @staticmethod
    def from_ir_text(text):
        """The layout of that `ir_text`."""
        return _read(text, 0)[0]

    @classmethod
    def _from_ir_fields(cls, found):
        own = {own: found.get(name, 0) for own, name in cls._ir_names.items()}
        return cls(**own, **({"cga_layout": found["CGALayout"]} if "CGALayout" in found else {}))

    def mangle(self):
        """A text for the names of functions that are made for the layout."""
        return "".join(letter if letter.isalnum() else "_" for letter in self.ir_text)


class DistributedLayout(Layout):
    """Which thread holds which elements of a block, in which registers."""

    @property
    def rank(self):
        """The number of dimensions of the blocks."""
        raise NotImplementedError(f"{type(self).__name__} is for no number of dimensions")


class _Placeholder(DistributedLayout):
    """A layout that the compiler finds."""

    @property
    def ir_text(self):
        return f"#ttg.{self._mnemonic}"

    @property
    def rank(self):
        raise ValueError(f"{type(self).__name__} is for every number of dimensions")


@dataclass(frozen=True)
class AutoLayout(_Placeholder):
    """The layout follows from those of what the block is used with, and of what it is computed from."""

    _mnemonic = "auto"


@dataclass(frozen=True)
class CoalescedLayout(_Placeholder):
    """The layout in which the accesses of global memory that use the block move whole lines."""

    _mnemonic = "coalesced"


_PLACEHOLDERS = {cls().ir_text: cls for cls in (AutoLayout, CoalescedLayout)}


class SharedLayout(Layout):
    """Where the elements of a buffer lie in shared memory."""


def _same_rank(layout, *names):
    ranks = {len(getattr(layout, name)) for name in names}
    if len(ranks) != 1:
        raise ValueError(f"{', '.join(names)} of {type(layout).__name__} must have one number for each dimension")


def _check_blocks(layout, rank):
    if any(len(basis) != rank for basis in layout.cga_layout):
        raise ValueError(f"each basis in cga_layout of {type(layout).__name__} must have {rank} numbers")


@dataclass(frozen=True)
class BlockedLayout(DistributedLayout):
    """A box of elements a thread, a box of threads a warp, a box of warps; `order` lists the dimensions, the fastest
    first."""

    size_per_thread: list
    threads_per_warp: list
    warps_per_cta: list
    order: list
    cga_layout: list = ()

    _mnemonic = "blocked"
    _ir_names = {
        "size_per_thread": "sizePerThread",
        "threads_per_warp": "threadsPerWarp",
        "warps_per_cta": "warpsPerCTA",
        "order": "order",
    }

    def _check(self):
        _same_rank(self, "size_per_thread", "threads_per_warp", "warps_per_cta", "order")
        _check_blocks(self, self.rank)

    @property
    def rank(self):
        return len(self.order)


@dataclass(frozen=True)
class SliceLayout(DistributedLayout):
    """What is left of `parent` without the dimension `dim`."""

    dim: int
    parent: DistributedLayout

    _mnemonic = "slice"
    _ir_names = {"dim": "dim", "parent": "parent"}

    @property
    def rank(self):
        return self.parent.rank - 1

    def _ir_fields(self):
        return [("dim", self.dim), ("parent", self.parent)]

    @property
    def cga_layout(self):
        return tuple(basis[: self.dim] + basis[self.dim + 1 :] for basis in self.parent.cga_layout)


@dataclass(frozen=True)
class DistributedLinearLayout(DistributedLayout):
    """The coordinates of the element that each bit of a register's, lane's, warp's and block's number adds."""

    reg_bases: list
    lane_bases: list
    warp_bases: list
    block_bases: list
    shape: list

    _mnemonic = "linear"
    _ir_names = {
        "reg_bases": "register",
        "lane_bases": "lane",
        "warp_bases": "warp",
        "block_bases": "block",
        "shape": "shape",
    }

    def _check(self):
        for bases in (self.reg_bases, self.lane_bases, self.warp_bases, self.block_bases):
            if any(len(basis) != self.rank for basis in bases):
                raise ValueError(f"each basis of DistributedLinearLayout must have {self.rank} numbers, as its shape")

    @property
    def rank(self):
        return len(self.shape)

    @classmethod
    def _from_ir_fields(cls, found):
        bases = [found[name] for name in ("register", "lane", "warp", "block")]
        spans = [
            max(numbers, default=0) for numbers in zip(*(basis for group in bases for basis in group), strict=True)
        ]
        return cls(*bases, found.get("shape") or tuple(1 << span.bit_length() for span in spans))


@dataclass(frozen=True)
class DotOperandLayout(DistributedLayout):
    """Operand 0 or 1 of a product whose result has the layout `parent`. A thread holds `k_width` neighbours along K."""

    operand_index: int
    parent: DistributedLayout
    k_width: int

    _mnemonic = "dot_op"
    _ir_names = {"operand_index": "opIdx", "parent": "parent", "k_width": "kWidth"}

    @property
    def rank(self):
        return self.parent.rank

    def _ir_fields(self):
        return [(name, getattr(self, own)) for own, name in self._ir_names.items() if own != "k_width" or self.k_width]

    @property
    def cga_layout(self):
        along_k = self.rank - 1 if self.operand_index == 0 else self.rank - 2
        return tuple(basis[:along_k] + (0,) + basis[along_k + 1 :] for basis in self.parent.cga_layout)


@dataclass(frozen=True)
class NVMMADistributedLayout(DistributedLayout):
    """The accumulators of NVIDIA's matrix units: version [2, 0] is mma.sync, [3, 0] is wgmma."""

    version: list
    warps_per_cta: list
    instr_shape: list
    cga_layout: list = ()

    _mnemonic = "nvidia_mma"

    @property
    def rank(self):
        return len(self.warps_per_cta)

    def _ir_fields(self):
        own = [
            ("versionMajor", self.version[0]),
            ("versionMinor", self.version[1]),
            ("warpsPerCTA", self.warps_per_cta),
            ("instrShape", self.instr_shape),
        ]
        return own + super()._ir_fields()

    @classmethod
    def _from_ir_fields(cls, found):
        version = (found["versionMajor"], found["versionMinor"])
        return cls(version, found["warpsPerCTA"], found["instrShape"], found.get("CGALayout", ()))


@dataclass(frozen=True)
class AMDMFMALayout(DistributedLayout):
    """The accumulators of the matrix units of AMD's CDNA: version 3 is gfx942, 4 is gfx950. A warp has `tiles_per_warp`
    neighbouring tiles of the instruction."""

    version: int
    instr_shape: list
    transposed: bool
    warps_per_cta: list
    element_bitwidth: int = None
    tiles_per_warp: list = None
    cga_layout: list = ()

    _mnemonic = "amd_mfma"

    def _check(self):
        object.__setattr__(self, "element_bitwidth", self.element_bitwidth or 32)
        object.__setattr__(self, "tiles_per_warp", self.tiles_per_warp or (1,) * self.rank)
        _same_rank(self, "warps_per_cta", "tiles_per_warp")
        _check_blocks(self, self.rank)

    @property
    def rank(self):
        return len(self.warps_per_cta)

    def _ir_fields(self):
        own = [
            ("version", self.version),
            ("warpsPerCTA", self.warps_per_cta),
            ("instrShape", self.instr_shape),
            ("isTransposed", self.transposed),
        ]
        wide = [("elementBitWidth", self.element_bitwidth)] if self.element_bitwidth != 32 else []
        tiles = [("tilesPerWarp", self.tiles_per_warp)] if math.prod(self.tiles_per_warp) != 1 else []
        return own + wide + tiles + super()._ir_fields()

    @classmethod
    def _from_ir_fields(cls, found):
        given = [found[name] for name in ("version", "instrShape", "isTransposed", "warpsPerCTA")]
        return cls(*given, found.get("elementBitWidth"), found.get("tilesPerWarp"), found.get("CGALayout", ()))


@dataclass(frozen=True)
class AMDWMMALayout(DistributedLayout):
    """The accumulators of the matrix units of AMD's RDNA and gfx1250: version 1 is gfx11, 2 is gfx12, 3 is gfx1250.
    `warp_bases` say which tile of the instruction each bit of a warp's number adds, and `reg_bases` which those of a
    thread's registers add."""

    version: int
    transposed: bool
    warp_bases: list
    reg_bases: list = None
    instr_shape: list = None
    cga_layout: list = ()
    rank: int = None

    _mnemonic = "amd_wmma"

    def _check(self):
        object.__setattr__(self, "reg_bases", self.reg_bases or ())
        object.__setattr__(self, "instr_shape", self.instr_shape or (16, 16, 16))
        object.__setattr__(self, "rank", self.rank or 2)
        if self.version not in (1, 2, 3):
            raise ValueError(f"version of AMDWMMALayout must be 1, 2 or 3, not {self.version}")
        if self.rank not in (2, 3):
            raise ValueError(f"rank of AMDWMMALayout must be 2 or 3, not {self.rank}")
        for name in ("warp_bases", "reg_bases"):
            if any(len(basis) != self.rank for basis in getattr(self, name)):
                raise ValueError(f"each basis in {name} of AMDWMMALayout must have {self.rank} numbers")
        if (self.version == 3) != (self.instr_shape[2] != 16):
            raise ValueError("instr_shape of AMDWMMALayout must end with 16 in versions 1 and 2, and with more in 3")
        _check_blocks(self, self.rank)

    def _ir_fields(self):
        tiles = {"register": self.reg_bases} if self.reg_bases else {}
        own = [
            ("version", min(self.version, 2)),  # gfx1250 has the layouts of gfx12.
            ("isTranspose", self.transposed),
            ("ctaLayout", {**tiles, "warp": self.warp_bases}),
            ("instrShape", self.instr_shape),
        ]
        return own + ([("rank", self.rank)] if self.rank != 2 else []) + super()._ir_fields()

    @classmethod
    def _from_ir_fields(cls, found):
        tiles, shape = found["ctaLayout"], found["instrShape"]
        version = 3 if shape[2] != 16 else found["version"]
        bases = (tiles["warp"], tiles.get("register", ()))
        return cls(version, found["isTranspose"], *bases, shape, found.get("CGALayout", ()), found.get("rank"))


@dataclass(frozen=True)
class SwizzledSharedLayout(SharedLayout):
    """Rows of a buffer, whose vectors of `vec` elements are permuted from row to row."""

    vec: int
    per_phase: int
    max_phase: int
    order: list
    cga_layout: list = ()

    _mnemonic = "swizzled_shared"
    _ir_names = {"vec": "vec", "per_phase": "perPhase", "max_phase": "maxPhase", "order": "order"}

    def _check(self):
        _check_blocks(self, len(self.order))


class MBarrierLayout(SwizzledSharedLayout):
    """The layout of barriers: a name for `SwizzledSharedLayout(1, 1, 1, [0])`, as which such a layout compares."""

    def __new__(cls, cga_layout=None):
        return SwizzledSharedLayout(1, 1, 1, [0], cga_layout or ())

    @staticmethod
    @constexpr_function
    def multicta(num_ctas, two_cta=False):
        """That of a barrier in each block of a cluster, or with `two_cta` of each pair of blocks."""
        bits = (num_ctas // (2 if two_cta else 1)).bit_length() - 1
        return MBarrierLayout([[0]] * two_cta + [[1 << bit] for bit in range(bits)])


@dataclass(frozen=True)
class NVMMASharedLayout(SharedLayout):
    """A buffer as NVIDIA's matrix units and copies of tensors read and write it."""

    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2
    transposed: bool = False
    fp4_padded: bool = False
    cga_layout: list = ()

    _mnemonic = "nvmma_shared"

    def _check(self):
        if self.swizzle_byte_width not in (0, 32, 64, 128):
            raise ValueError("swizzle_byte_width of NVMMASharedLayout must be 0, 32, 64 or 128")
        if self.element_bitwidth not in (8, 16, 32, 64):
            raise ValueError("element_bitwidth of NVMMASharedLayout must be 8, 16, 32 or 64")
        if self.fp4_padded and (self.swizzle_byte_width, self.element_bitwidth) != (128, 8):
            raise ValueError("NVMMASharedLayout with fp4_padded needs swizzle_byte_width 128 and element_bitwidth 8")
        _check_blocks(self, self.rank)

    @constexpr_function
    def get_default_for(block_shape, dtype, transposed=False, fp4_padded=False, cga_layout=None):
        """The layout with the widest pattern that a block of this shape fills."""
        shape, bases = list(block_shape), cga_layout or ()
        for dim in range(len(shape)):
            shape[dim] //= 2 * max([basis[dim] for basis in bases], default=0) or 1
        shape = shape[1:] + shape[:1] if transposed else shape
        row = shape[-1] * dtype.primitive_bitwidth // 8 * (2 if fp4_padded else 1)
        rows = math.prod(shape[:-1])
        fits = [width for width in (128, 64, 32) if row >= width and row % width == 0 and rows >= 8 and len(shape) > 1]
        width = fits[0] if fits else 0
        return NVMMASharedLayout(width, dtype.primitive_bitwidth, len(shape), transposed, fp4_padded, cga_layout or ())

    def _ir_fields(self):
        own = [
            ("swizzlingByteWidth", self.swizzle_byte_width),
            ("transposed", self.transposed),
            ("elementBitWidth", self.element_bitwidth),
        ] + ([("fp4Padded", True)] if self.fp4_padded else [])
        return own + ([("rank", self.rank)] if self.rank != 2 else []) + super()._ir_fields()

    @classmethod
    def _from_ir_fields(cls, found):
        width, bits = found["swizzlingByteWidth"], found["elementBitWidth"]
        flags = found["transposed"], found.get("fp4Padded", False)
        return cls(width, bits, found.get("rank", 2), *flags, cga_layout=found.get("CGALayout", ()))


def _check_bases(layout, rank):
    if not rank or any(len(basis) != rank for basis in layout.offset_bases):
        raise ValueError(f"each basis in offset_bases of {type(layout).__name__} must have a number for each dimension")


@dataclass(frozen=True)
class SharedLinearLayout(SharedLayout):
    """The coordinates of the element that each bit of a place's number adds, from the lowest on."""

    offset_bases: list
    block_bases: list = ()
    alignment: int = 16

    _mnemonic = "shared_linear"

    def _check(self):
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            raise ValueError(f"alignment of SharedLinearLayout must be a power of two, not {self.alignment}")
        _check_bases(self, len(self.offset_bases[0]) if self.offset_bases else 0)

    @property
    def shape(self):
        return _shape_of(self.offset_bases + self.block_bases, len(self.offset_bases[0]))

    @property
    def ir_text(self):
        blocks = f", block = {_text(self.block_bases)}" if self.block_bases else ""
        return f"#ttg.{self._mnemonic}<{{offset = {_text(self.offset_bases)}{blocks}}}, alignment = {self.alignment}>"

    @classmethod
    def _from_ir_fields(cls, found):
        return cls(found["offset"], found.get("block", ()), found.get("alignment", 16))


@dataclass(frozen=True)
class PaddedSharedLayout(SharedLayout):
    """Elements in the order of `offset_bases`, of which each pair (interval, padding) moves those behind each interval
    by as many places more."""

    interval_padding_pairs: list
    offset_bases: list
    cga_layout: list
    shape: list

    _mnemonic = "padded_shared"

    def _check(self):
        numbers = [number for pair in self.interval_padding_pairs for number in pair]
        if not numbers or any(len(pair) != 2 for pair in self.interval_padding_pairs):
            raise ValueError("interval_padding_pairs of PaddedSharedLayout must have pairs of interval and padding")
        if any(number < 1 or number & (number - 1) for number in numbers):
            raise ValueError("the numbers in interval_padding_pairs of PaddedSharedLayout must be powers of two")
        if len(set(numbers[::2])) != len(self.interval_padding_pairs):
            raise ValueError("the intervals in interval_padding_pairs of PaddedSharedLayout must differ")
        _check_bases(self, len(self.shape))
        _check_blocks(self, len(self.shape))

    @staticmethod
    @constexpr_function
    def with_identity_for(interval_padding_pairs, shape, order, cga_layout=[]):  # noqa: B006, the default of Triton
        """For a buffer of this shape whose dimensions, in this order, the fastest first, are rows."""
        parts = [2 * max([basis[dim] for basis in cga_layout], default=0) or 1 for dim in range(len(shape))]
        (part,) = _in_parts([shape], parts)
        bases = [
            [place if other == dim else 0 for other in range(len(part))]
            for dim in order
            for place in (1 << bit for bit in range(part[dim].bit_length() - 1))
        ]
        return PaddedSharedLayout(interval_padding_pairs, bases, cga_layout, shape)

    @property
    def ir_text(self):
        pairs = ", ".join(f"{interval}:+{padding}" for interval, padding in self.interval_padding_pairs)
        part = _shape_of(self.offset_bases, len(self.shape))
        blocks = f", block = {_text(_in_elements(self.cga_layout, part))}" if self.cga_layout else ""
        return f"#ttg.{self._mnemonic}<[{pairs}] {{offset = {_text(self.offset_bases)}{blocks}}}>"

    @classmethod
    def _from_ir_fields(cls, found):
        if "order" in found:
            return cls.with_identity_for(found["paddings"], found["shape"], found["order"])
        bases = found["offset"]
        part, blocks = _shape_of(bases, len(bases[0])), found.get("block", ())
        shape = _shape_of(bases + blocks, len(part))
        return cls(found["paddings"], bases, _in_parts(blocks, part), shape)


def warps_per_cta(layout, shape):
    """How many warps with parts of their own lie along each dimension."""
    if isinstance(layout, SliceLayout | DotOperandLayout):
        return warps_per_cta(layout.parent, shape)
    if isinstance(layout, DistributedLinearLayout | AMDWMMALayout):
        return bases_per_dim(layout.warp_bases, layout.rank)
    return list(layout.warps_per_cta)


_CLASSES = [
    BlockedLayout,
    SliceLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    AMDMFMALayout,
    AMDWMMALayout,
    SwizzledSharedLayout,
    NVMMASharedLayout,
    SharedLinearLayout,
    PaddedSharedLayout,
]

__getattr__, __dir__ = _complete(__name__)
