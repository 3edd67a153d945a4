"""Assembly of the target for all registers of a thread at once."""

from .... import language as tl
from ....language.types import constexpr
from ....runtime.jit import constexpr_function
from .._jit import jit
from ._core import _assembly, full, to_linear_layout
from ._layouts import DistributedLinearLayout
from ._types import distributed_type


@constexpr_function
def _is_tuple(value):
    return isinstance(value, (tuple, list, tl.tuple))


@constexpr_function
def _parts(types):
    """[(dtype, shape, layout)] of the types of results: dtypes are those of scalars."""
    if not isinstance(types, (tuple, list, tl.tuple)):
        types = [types]
    kinds = [
        (each.element_ty, each.shape, each.layout) if isinstance(each, distributed_type) else (each, (), None)
        for each in types
    ]
    for dtype, _, _ in kinds:
        if not isinstance(dtype, tl.dtype):
            raise TypeError(f"`result_types` must be dtypes or `distributed_type`s, not {dtype!r}")
    return kinds


def _registers(layout):
    """How many registers a thread has for a block, or for a value without a layout."""
    return 1 << len(layout.reg_bases) if layout else 1


@constexpr_function
def _checked(layout):
    """The layout by its bases, which must be known: the registers of a thread are operands."""
    if not isinstance(layout, DistributedLinearLayout):
        raise ValueError(
            f"{layout} does not say which registers a thread has; name another layout, as with `ttgl.set_auto_layout`"
        )
    return layout


@jit
def _layout(value):
    """That of a block by its bases; None for scalars and buffers."""
    if isinstance(value, tl.tensor) and len(value.shape) > 0:
        return _checked(to_linear_layout(value.type.layout, value.shape))
    else:
        return None


@constexpr_function
def _operands(before, layouts):
    """The names of operands in the text, after those of the layouts `before`."""
    first = sum(map(_registers, before))
    return tuple(f"${number}" for number in range(first, first + sum(map(_registers, layouts))))


@constexpr_function
def _constraints(given, layouts):
    """In LLVM's spelling: what is given for a value is repeated for each of its registers."""
    if isinstance(given, str):
        return given
    counts = list(map(_registers, layouts))
    if len(given) != len(counts):
        needed = f"one for each of the {len(counts)} results and arguments"
        raise ValueError(f"`constraints` has {len(given)} parts; it must have {needed}")
    return ",".join(one for one, count in zip(given, counts, strict=True) for _ in range(count))


@jit
def inline_asm(
    asm: constexpr,
    constraints: constexpr = "",
    args=(),
    result_types: constexpr = (),
    is_pure: constexpr = False,
):
    """Assembly with all registers of the arguments and the results of a thread as its operands, results first."""
    tl.static_assert(not isinstance(args, tl.tensor), "`args` must be a tuple of values, such as `(x,)`")
    parts: constexpr = _parts(result_types)
    results, outputs, inputs = (), (), ()
    for place in tl.static_range(len(parts)):
        results = results + (full(parts[place][1], 0, parts[place][0], parts[place][2]),)
        outputs = outputs + (_layout(results[place]),)
    for place in tl.static_range(len(args)):
        inputs = inputs + (_layout(args[place]),)
    all_constraints: constexpr = _constraints(constraints, outputs + inputs)
    if isinstance(asm, str):
        values = _assembly(asm, all_constraints, args, results, is_pure)
    else:
        text: constexpr = asm(_operands((), outputs), _operands(outputs, inputs))
        values = _assembly(text, all_constraints, args, results, is_pure)
    if _is_tuple(result_types):
        return values
    else:
        return values[0]
