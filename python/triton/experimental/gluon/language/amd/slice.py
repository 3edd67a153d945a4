"""Parts of blocks that need no exchange."""

from ..... import language as tl
from .....language.types import constexpr
from .....runtime.jit import constexpr_function
from ..._jit import jit
from ..._names import complete as _complete
from .._core import convert_layout


@constexpr_function
def _wrong_part(source, shape, offsets):
    """What keeps a block from having this part; "" if it has it."""
    if not len(source) == len(shape) == len(offsets):
        return f"`shape` and `offsets` must have {len(source)} numbers, as the block has dimensions"
    for dim, (whole, part, offset) in enumerate(zip(source, shape, offsets, strict=True)):
        if part < 1 or whole % part or offset % part or not 0 <= offset < whole:
            return f"along dimension {dim}, a part must be one of equal parts of {whole}, not {part} from {offset} on"
    return ""


@constexpr_function
def _halved_shape(shape, dim):
    return [*shape[:dim], 2, shape[dim] // 2, *shape[dim + 1 :]]


@constexpr_function
def _order_of_halves(rank, dim):
    return [*range(dim), *range(dim + 1, rank + 1), dim]


@constexpr_function
def _halvings(whole, part):
    return (whole // part).bit_length() - 1


@jit
def slice(source, shape: constexpr, offsets: constexpr):
    """The part of a block that begins at `offsets`, in the layout of the block, if no elements move
    between threads."""
    wrong: constexpr = _wrong_part(source.shape, shape, offsets)
    tl.static_assert(wrong == "", wrong)
    result = source
    for dim in tl.static_range(len(shape)):
        for _ in tl.static_range(_halvings(source.shape[dim], shape[dim])):
            halves = tl.reshape(result, _halved_shape(result.shape, dim))
            first, second = tl.split(tl.permute(halves, _order_of_halves(len(shape), dim)))
            half: constexpr = result.shape[dim] // 2
            result = second if offsets[dim] % result.shape[dim] >= half else first
    return convert_layout(result, source.type.layout, assert_trivial=True)


__getattr__, __dir__ = _complete(__name__)
