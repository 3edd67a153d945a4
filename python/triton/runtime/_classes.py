"""`kernel.classes`: which variants the launches of a kernel can need, when their arguments lie in declared ranges."""

import copy
import itertools
import math
import re
from collections.abc import Sequence

from .. import _C
from .._utils import cached_property
from ..backends.active import driver
from ..backends.compiler import describe_unknown
from ..backends.registry import backends
from ..compiler.compiler import ASTSource, compile_for, make_backend
from . import _fallback
from ._arguments import MockArray, MockTensor
from ._inspection import target_named
from ._specialization import specialize, specialize_parameter

_MOST_CLASSES = 10_000
_MOST_CONSTANTS = 4096  # of one range

_USUAL = 1024  # Integers that stand for others are about as large, if they may be.

_RANGE = re.compile(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*(?::\s*(\d+)\s*)?")
_POINTER = re.compile(r"\s*(\*+k?\w+)\s*(:\s*16\s*)?")

#: Values on the two sides of these are passed with different types, or differ in sign. The ends belong to no type.
_BORDERS = (-(1 << 63), -(1 << 31), 0, 1 << 31, 1 << 63, 1 << 64)


class KernelClass:
    """One class of launches: those that one variant of the kernel serves.

    ``args`` and ``kwargs`` are arguments of the class, the first by position in the order of the parameters, so that
    ``kernel.warmup(*c.args, grid=(1,), **c.kwargs)`` compiles it. ``facts`` maps parameters to what the variant knows
    of them.
    """

    def __init__(self, kernel, arguments, options, target):
        self.kernel, self.target = kernel, target
        self.args, self.kwargs = arguments, options

    @cached_property
    def _source(self):
        return self._source_for(self.target)

    def _source_for(self, target, unspecialized=None):
        """``unspecialized`` is the name of a parameter that counts as named in `do_not_specialize`."""
        backend = make_backend(target)
        pairs = [
            _specialize(_loosened(parameter) if parameter.name == unspecialized else parameter, backend, value)
            for parameter, value in zip(self.kernel.params, self.args, strict=True)
        ]
        bound = dict(zip(self.kernel.arg_names, self.args, strict=True))
        _, signature, constants, attributes = self.kernel._pack_args(backend, {}, bound, pairs, self.kwargs)
        return ASTSource._for_launches(self.kernel, signature, constants, attributes)

    @property
    def facts(self):
        from ._variants import facts_of

        return facts_of(self._source, self.kwargs)

    def compile(self, target=None):
        """The CompiledKernel, which is also put into the disk cache. ``target`` is a text such as ``"cuda:90"``; by
        default that of the list. What is compiled for the device of launches is in memory from then on. Raises what a
        launch raises where the kernel cannot be compiled."""
        target = self.target if target is None else target_named(target)
        if target == driver.active.launch_target():
            return self.kernel.warmup(*self.args, grid=(1,), **self.kwargs)
        src = self._source_for(target)
        if _fallback.is_on():
            _fallback.prepare(self.kernel, src, self.kwargs, target, is_warmup=True)
        return compile_for(target, src, dict(self.kwargs))

    def __repr__(self):
        facts = ", ".join(f"{name}: {fact}" for name, fact in self.facts.items())
        return f"{self.kernel.__name__}({facts})"


def _loosened(parameter):
    loosened = copy.copy(parameter)
    loosened.do_not_specialize = True
    return loosened


class KernelClasses(Sequence):
    """The classes of a kernel for declared ranges. ``factors`` maps the parameters and options that have more than one
    kind of value to the number of these, whose product is the number of classes. ``unspecialized`` maps the parameters
    for which ``do_not_specialize`` would leave fewer to the number that it would leave. Its text is a table."""

    def __init__(self, kernel, classes, factors, unspecialized):
        self.kernel, self.factors, self.unspecialized = kernel, factors, unspecialized
        self._classes = classes
        self._costs = None

    def __len__(self):
        return len(self._classes)

    def __getitem__(self, index):
        return self._classes[index]

    def compile(self, target=None):
        """Compiles all of them; the list of CompiledKernels."""
        return [each.compile(target) for each in self]

    def costs(self, *args, grid=None, **kwargs):
        """What `do_not_specialize` would cost in speed: {parameter of ``unspecialized``: {what its classes know of it:
        the time without that, as a multiple of the time with it}}. The table has them from then on.

        For a GPU's target, which need not be here, the times are the clocks of one program on the simulator, by its
        simple machine: for integers near 1024, in the surroundings where it costs the most. With ``grid`` and the
        arguments of a launch, they are those of this launch on the current device. Results stay in its arrays."""
        from ._class_costs import costs_of, costs_of_launch

        if grid is None:
            if args or kwargs:
                raise ValueError(
                    f"`costs` of `{self.kernel.__name__}` got arguments of a launch and no `grid`; give the grid, and "
                    "the launch is measured, or nothing, and the simulator counts clocks"
                )
            self._costs = costs_of(self)
        else:
            given = _bind(self.kernel, args, kwargs)
            arguments = [given.pop(name) for name in self.kernel.arg_names]
            launched = KernelClass(self.kernel, arguments, given, self[0].target)
            self._costs = costs_of_launch(launched, self.unspecialized, grid)
        return self._costs

    def __str__(self):
        target = self[0].target
        arch = f":{target.arch}" if target.warp_size else ""
        number = len(self)
        lines = [f"{self.kernel.__name__}: {number} class{'es' * (number != 1)} for {target.backend}{arch}"]
        for name, factor in self.factors.items():
            left = self.unspecialized.get(name)
            hint = f'; do_not_specialize=["{name}"] leaves {number // factor * left} classes' if left else ""
            lines.append(f"  `{name}` multiplies them by {factor}{hint}{self._cost_text(name)}")
        return "\n".join([*lines, *(f"  {each}" for each in self)])

    __repr__ = __str__

    def _cost_text(self, name):
        ratios = (self._costs or {}).get(name)
        if not ratios:
            return ""
        facts, worst = max(ratios.items(), key=lambda item: item[1])
        return f" and takes {worst:.2f} times as long, at most, where it is {facts}"


def classes_of(kernel, args, declared, target):
    """What `JITFunction.classes` returns."""
    target = target_named(target)
    backend = make_backend(target)
    given = _bind(kernel, args, declared)
    kinds, left = {}, {}
    for parameter in kernel.params:
        name = parameter.name
        values = _values_of(kernel, parameter, given.pop(name))
        kinds[name] = list(_by_facts(parameter, backend, values).values())
        has_tuples = any(isinstance(value, tuple) for value in kinds[name])  # do_not_specialize leaves their elements
        if not parameter.is_constexpr and not has_tuples and len(kinds[name]) > 1:
            types = {str(specialize(backend, value, parameter.is_const, False, False)[0]) for value in kinds[name]}
            if len(types) < len(kinds[name]) and not parameter.annotation_type:
                left[name] = len(types)
            elif parameter.annotation_type:
                left[name] = 1
    options = {name: list(value) if isinstance(value, _SEVERAL) else [value] for name, value in given.items()}
    factors = {name: len(values) for name, values in {**kinds, **options}.items() if len(values) != 1}
    _check_number(kernel, factors)
    classes = [
        KernelClass(kernel, chosen[: len(kinds)], dict(zip(options, chosen[len(kinds) :], strict=True)), target)
        for chosen in itertools.product(*kinds.values(), *options.values())
    ]
    return KernelClasses(kernel, classes, factors, left)


def join(lists, name):
    """The classes of several lists for one kernel, which differ in what ``name`` says."""
    if len(lists) == 1:
        return lists[0]
    first = lists[0]
    return KernelClasses(
        first.kernel,
        sum((each._classes for each in lists), []),
        {name: len(lists), **first.factors},
        first.unspecialized,
    )


_SEVERAL = (list, set, frozenset)


def _bind(kernel, args, declared):
    """{parameter or option: what was declared}."""
    names = kernel.arg_names
    if len(args) > len(names):
        raise ValueError(f"`{kernel.__name__}` takes {len(names)} arguments, but {len(args)} were given by position")
    given = dict(zip(names, args, strict=False))
    for name, value in declared.items():
        if name in given:
            raise ValueError(f"`{kernel.__name__}` got two declarations of `{name}`, one by position and one by name")
        given[name] = value
    options = dict.fromkeys(name for each in backends.known() for name in each.compiler.options_class.documented)
    for name in given:
        if name not in names and name not in options:
            raise ValueError(f"`{kernel.__name__}`: {describe_unknown(name, names, list(options))}")
    for parameter in kernel.params:
        if parameter.name not in given:
            if not parameter.has_default:
                raise ValueError(
                    f"`{kernel.__name__}` has the parameter `{parameter.name}`, of which nothing was declared; give a "
                    f'value, or a range such as {parameter.name}="1..65536"'
                )
            given[parameter.name] = parameter.default
    return given


def _check_number(kernel, factors):
    number = math.prod(factors.values())
    if number == 0:
        raise ValueError(
            f"`{next(name for name, factor in factors.items() if not factor)}` of `{kernel.__name__}` has "
            "no alternatives: the list is empty"
        )
    if number > _MOST_CLASSES:
        product = " x ".join(f"{factor} (`{name}`)" for name, factor in factors.items())
        raise ValueError(
            f"`{kernel.__name__}` has {number} classes, {product}, and no more than {_MOST_CLASSES} are listed; name "
            "parameters in `do_not_specialize`, or declare fewer alternatives"
        )


# ---- The values that stand for a declaration ----


def _values_of(kernel, parameter, declared):
    """Values of each kind that the declaration has; several may be of one kind."""
    if isinstance(declared, _SEVERAL):
        return [value for each in declared for value in _values_of(kernel, parameter, each)]
    if isinstance(declared, tuple) and not parameter.is_constexpr:
        make = type(declared) if hasattr(declared, "_fields") else lambda *items: items
        return [
            make(*items) for items in itertools.product(*(_values_of(kernel, parameter, each) for each in declared))
        ]
    place = f"`{parameter.name}` of `{kernel.__name__}`"
    if declared is any:
        return _any(parameter, place)
    if isinstance(declared, str):
        if match := _RANGE.fullmatch(declared):
            declared = _read_range(declared, match, place)
        elif parameter.is_constexpr:
            return [declared]
        else:
            return _pointers(declared, place)
    if isinstance(declared, range):
        return _constants(declared, place) if parameter.is_constexpr else _integers(declared, place)
    dtype = MockTensor.wrap_dtype(declared)
    return [MockArray(dtype.dtype, True) if dtype is not declared else declared]


def _read_range(text, match, place):
    first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
    if step == 0:
        raise ValueError(f"the range `{text}` for {place} is of multiples of 0")
    first = -(-first // step) * step  # multiples of the step, as in a signature
    if first > last:
        raise ValueError(f"the range `{text}` for {place} holds no number; it reads `first..last`, with both ends")
    return range(first, last + 1, step)


def _any(parameter, place):
    if parameter.is_constexpr:
        raise ValueError(
            f"{place} is a constant, and each value is a class of its own: list the values, as in "
            f"{parameter.name}=[64, 128]"
        )
    if parameter.annotation_type.startswith("*"):
        return _pointers(parameter.annotation_type, place)
    if parameter.annotation_type.startswith(("fp", "bf")):
        return [0.5]
    if parameter.annotation_type in ("u1", "i1"):
        return [True]
    bits = int(parameter.annotation_type[1:] or 32)
    is_unsigned = parameter.annotation_type.startswith("u")
    return _integers(range(0, 1 << bits) if is_unsigned else range(-(1 << bits - 1), 1 << bits - 1), place)


def _pointers(text, place):
    match = _POINTER.fullmatch(text)
    if not match:
        raise ValueError(
            f"the text `{text}` for {place} is neither a range, as in `1..65536`, nor a type of pointers, as in "
            "`*fp32:16`"
        )
    name = match[1].removeprefix("*").removeprefix("k")
    if not _C.canonical_type(name, 1, False):
        raise ValueError(f"the text `{text}` for {place} names the type `{name}`, which there is not")
    return [MockArray(name, True)] + [MockArray(name, False)] * (match[2] is None)


def _constants(numbers, place):
    if len(numbers) > _MOST_CONSTANTS:
        raise ValueError(
            f"{place} is a constant, and the range has {len(numbers)} numbers, each of which is a class of its own; "
            f"at most {_MOST_CONSTANTS} are listed"
        )
    return list(numbers)


def _integers(numbers, place):
    """Of each kind of integer in the range one, the positive ones first."""
    if not numbers:
        raise ValueError(f"the range {numbers} for {place} holds no number")
    if numbers.step < 0:
        numbers = numbers[::-1]
    if numbers[0] < _BORDERS[0] or numbers[-1] >= _BORDERS[-1]:
        raise ValueError(f"the range for {place} has numbers that 64 bits do not hold")
    values = [1] * (1 in numbers)
    for low, high in sorted(itertools.pairwise(_BORDERS), key=lambda ends: (ends[0] < 0, abs(ends[0]))):
        # Which numbers are multiples of 16 repeats after 16 of them.
        part = _part(numbers, low, high)
        usual = _part(numbers, max(low, 0), min(high, _USUAL + 1))[-17:][::-1]  # sizes for which programs do some work
        part = [*usual, *part[:17]]
        values += [next((value for value in part if value % 16 == 0), None)]
        values += [next((value for value in part if value % 16 and value != 1), None)]
    return [value for value in values if value is not None]


def _part(numbers, low, high):
    """The numbers of the range from ``low`` to below ``high``."""
    first = max(numbers.start, low)
    first += (numbers.start - first) % numbers.step
    return range(first, min(numbers.stop, high), numbers.step)


def _specialize(parameter, backend, value):
    """(type, key) of an argument. The key of a tensor descriptor is a tuple of those of its parts, as launches pass
    them: base, extents, and all strides but the last."""
    type_, key = specialize_parameter(parameter, backend, value)
    if type(value).__name__ != "TensorDescriptor" or parameter.do_not_specialize:
        return type_, key
    is_aligned = not parameter.do_not_specialize_on_alignment
    numbers = [_C.plain_number(number) for number in (*value.shape, *value.strides[:-1])]
    # Of an integer with a type of its own that is 1 launches note nothing.
    keys = ["" if number == 1 else backend.get_int_specialization(number, align=True) for number in numbers]
    return type_, (backend.get_tensor_specialization(value.base, align=is_aligned), *keys)


def _by_facts(parameter, backend, values):
    """{facts that select the variant: the first value that has them}."""
    kinds = {}
    for value in values:
        type_, key = _specialize(parameter, backend, value)
        # The value 1 of an integer with an annotated type is not a fact of the variant.
        is_fact = type_ == "constexpr" or isinstance(key, (str, tuple))
        kinds.setdefault((str(type_), repr(key) if is_fact else repr("")), value)
    return kinds
