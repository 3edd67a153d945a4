"""What each value of a kernel would be without rounding: its shadow.

A launch also runs in the interpreter, where each function of the language and each operator on floats runs again in
float64, for several shadows (``_shadow_memory.SHADOWS``). Integers, masks and the way through the kernel are those of
the values themselves, so that a shadow never takes another way.
"""

import copy
import sys

import numpy as np

from ..language import dtypes as types
from ..runtime.interpreter import formats
from ..runtime.interpreter.accesses import BlockPointer, InterpretedDescriptor
from ..runtime.interpreter.places import is_kernel, place_of
from ..runtime.interpreter.registry import IMPLEMENTATIONS
from ..runtime.interpreter.values import InterpretedTensor, make
from ._beside import BesideBuilder, Executor, run_beside
from ._shadow_checks import Checker, compare, is_float, largest
from ._shadow_memory import SHADOWS, ShadowMemory, as_float64, disturbed, half_unit

#: Their results jump where a value changes a little: the shadow is the value itself again.
_JUMPS = {"floor", "ceil", "%", "//", "trunc", "rint", "nearbyint", "round", "fmod", "remainder", "logb", "nextafter"}
_JUMPS |= {"map_elementwise", "dot_scaled", "atomic_cas", "atomic_xchg", "histogram"}
#: They move values and compute none.
_MOVES = {"[]", "T", "broadcast", "broadcast_to", "reshape", "view", "ravel", "trans", "permute", "expand_dims", "join"}
_MOVES |= {"split", "cat", "interleave", "item", "where", "gather", "flip", "load", "load_tensor_descriptor"}
_WRITERS = {"store", "store_tensor_descriptor", "scatter", "atomic_store"}
#: float32 functions that have another name for float64.
_IN_FLOAT64 = {"sqrt_rn": "sqrt", "div_rn": "fdiv"}


def _each_tensor(value):
    if isinstance(value, InterpretedTensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _each_tensor(item)


def _floats(values):
    return [x for x in _each_tensor(values) if not isinstance(x, BlockPointer) and is_float(x.dtype)]


def _element(values):
    """The type of the floats that a function accesses in memory, or None."""
    for value in values:
        is_pointer = isinstance(value, InterpretedTensor) and value.dtype.is_ptr()
        if is_pointer or isinstance(value, InterpretedDescriptor):
            element = value.dtype.element_ty if is_pointer else value.dtype
            return element if is_float(element) else None
    return None


class _Shadow:
    """What a tensor has beside its values: their shadows, where they first went wrong, and half a unit in the last
    place of 1 in the narrowest type that they were computed in."""

    def __init__(self, values, origins, unit):
        self.values, self.origins, self.unit = values, origins, unit


def _shadows_of(tensor):
    shadow = getattr(tensor, "shadow", None)
    return [as_float64(tensor.data)] * SHADOWS if shadow is None else shadow.values


def _origins_of(tensor):
    shadow = getattr(tensor, "shadow", None)
    return {} if shadow is None else shadow.origins


def _unit_of(tensors):
    return max((tensor.shadow.unit for tensor in tensors if hasattr(tensor, "shadow")), default=0.0)


def _narrows(tensors, dtype):
    return any(tensor.dtype.fp_mantissa_width > dtype.fp_mantissa_width for tensor in tensors)


def _in_float64(value, number):
    """An argument for the shadow of that number."""
    if isinstance(value, types.dtype) and is_float(value):
        return types.float64
    if isinstance(value, (BlockPointer, InterpretedDescriptor)):
        value = copy.copy(value)
        if isinstance(value, BlockPointer):
            value.element = types.float64 if is_float(value.element) else value.element
        else:
            value.dtype = types.float64 if is_float(value.dtype) else value.dtype
        return value
    if isinstance(value, InterpretedTensor):
        if value.dtype.is_ptr() and is_float(value.dtype.element_ty):
            return make(value.data, types.pointer_type(types.float64, const=value.dtype.is_const()))
        return make(_shadows_of(value)[number], types.float64) if is_float(value.dtype) else value
    if type(value) in (tuple, list):
        return type(value)(_in_float64(item, number) for item in value)
    return value


class _Builder(BesideBuilder):
    """Runs the functions of the language, and those on floats once more for each shadow."""

    def __init__(self, options, checker):
        super().__init__(options)
        self.memory, self.checker = ShadowMemory(), checker
        self.is_inside = self.is_shadow = False
        self.casts = 0

    def operate(self, name, function, args, kwargs):
        if self.is_inside:
            if self.is_shadow:  # a function of the kernel that a reduction calls names its own types
                args = [types.float64 if isinstance(x, types.dtype) and is_float(x) else x for x in args]
            return function(*args, **kwargs)
        self.is_inside = True
        try:
            return self._operate(name, function, args, kwargs)
        finally:
            self.is_inside = self.is_shadow = False
            self.memory.shadow = self.memory.element = None

    def _operate(self, name, function, args, kwargs):
        given = [*args, *kwargs.values()]
        element = _element(given)
        place = place_of(sys._getframe(2), is_kernel)
        if any(isinstance(value, InterpretedTensor) and value.dtype.is_ptr() for value in given[:1]):
            self.count_read(name, place)
        floats = _floats(given)
        keeps_bits = name in ("to", "cast") and (kwargs.get("bitcast") or len(args) > 3 and args[3])
        if name in _JUMPS or keeps_bits:
            return function(*args, **kwargs)
        writes = element is not None and (name in _WRITERS or name.startswith("atomic_") and name != "atomic_load")
        self.memory.element = element
        self.memory.clear()
        if name == "dot":  # how many bits of float32 a matrix unit takes is the user's choice
            out_dtype = {"out_dtype": args[6]} if len(args) > 6 else {}
            kwargs = {**kwargs, **out_dtype, "input_precision": "ieee", "allow_tf32": None}
            args = args[:3]
        if not writes:
            result = function(*args, **kwargs)
            if _floats([result]) and not any(result is value for value in given):
                self._follow(name, place, result, self._shadows(name, function, args, kwargs), floats)
            return result
        self.memory.unit = _unit_of(floats)
        self.memory.rounds = name in _WRITERS and _narrows(floats, element)
        shadows = self._shadows(name, function, args, kwargs)
        self.memory.element = element if shadows else None
        result = function(*args, **kwargs)
        self._follow(name, None, result, shadows, [])
        if shadows:
            self._check_stored(name, place, element, floats, _unit_of(floats))
        return result

    def _shadows(self, name, function, args, kwargs):
        """The results in float64; None of a function that does not take float64."""
        function = IMPLEMENTATIONS[_IN_FLOAT64[name]] if name in _IN_FLOAT64 else function
        if name in ("to", "cast"):  # a float that gets no narrower is not rounded
            args, kwargs = args[:2], {key: value for key, value in kwargs.items() if key != "fp_downcast_rounding"}
        self.is_shadow, results = True, []
        try:
            for number in range(SHADOWS):
                self.memory.shadow = number
                wide = [_in_float64(value, number) for value in args]
                results.append(function(*wide, **{key: _in_float64(value, number) for key, value in kwargs.items()}))
        except (ValueError, TypeError, AssertionError, KeyError):
            return None
        finally:
            self.is_shadow, self.memory.shadow = False, None
        return results

    def _follow(self, name, place, result, shadows, floats):
        """Gives a result its shadows and its origins of errors."""
        if shadows is None:
            self.checker.without_shadow.add(name)
            return
        operands = [(tensor.data, _origins_of(tensor)) for tensor in floats]
        unit = max(_unit_of(floats), self.memory.unit)
        alike = zip(_each_tensor(result), *map(_each_tensor, shadows), strict=False)
        for tensor, *others in alike:
            if not is_float(tensor.dtype) or any(not is_float(o.dtype) or o.shape != tensor.shape for o in others):
                continue
            values = [as_float64(other.data) for other in others]
            is_cast = name in ("to", "cast")
            is_new = not floats and self.memory.element is None  # a constant, or converted from integers
            if is_new:
                values = self._rounded_shadows(values, tensor.dtype, as_float64(tensor.data) != values[0])
            elif is_cast and _narrows(floats, tensor.dtype):
                values = self._rounded_shadows(values, tensor.dtype)
            if name in _MOVES:
                origins = {}
                for _, inherited in operands:
                    origins.update(inherited)
            else:
                compared = compare(tensor.data, tensor.dtype, values, unit)
                origins = self.checker.origins(name, place, self.grid_idx, tensor.dtype, compared, operands)
                if is_new:  # a NaN is one that the kernel asks for
                    origins.pop("nan", None)
                unit = unit if is_cast or is_new else max(unit, half_unit(tensor.dtype))
            tensor.shadow = _Shadow(values, origins, unit)

    def _rounded_shadows(self, values, dtype, is_rounded=True):
        """Shadows of what the kernel rounds to a narrower type: that is its choice, and so is what follows from it."""
        first, self.casts = self.casts, self.casts + values[0].size
        keys = (1 << 38) + first + np.arange(values[0].size).reshape(values[0].shape)
        inside = is_rounded & (abs(values[0]) <= largest(dtype))
        return [np.where(inside, disturbed(each, dtype, i, keys), each) for i, each in enumerate(values)]

    def _check_stored(self, name, place, element, floats, unit):
        origins = {}
        for tensor in floats:
            origins.update(_origins_of(tensor))
        memory = self.memory
        for number, (addresses, bits) in enumerate(memory.stored):
            shadows = [memory.shadows_stored[shadow][number] for shadow in range(SHADOWS)]
            compared = compare(formats.decode(bits, element), element, shadows, unit)
            if name.startswith("atomic_"):
                found = self.checker.origins(name, place, self.grid_idx, element, compared, [(bits, origins)])
                origins = {**found, **origins}
            name_of = lambda index, at=addresses, size=bits.dtype.itemsize: memory.name_of(int(at[index]), size)
            if self.checker.check_stored(compared, origins, place, self.grid_idx, element, name_of):
                memory.forget(addresses)


def shadow(session, kernel, args, grid, kwargs):
    """Compares the values of a launch with their shadows."""
    if kernel.is_gluon():  # What runs again for a shadow would arrive at barriers again.
        session.note_incomplete(f"`{kernel.__name__}` has no shadow: it is written in Gluon")
        return
    checker = Checker(kernel.__name__, session.test, session.config)
    make = lambda interpreted: Executor(interpreted, grid, lambda options: _Builder(options, checker))
    reason = run_beside(kernel, make, args, kwargs)
    if reason is not None:
        session.note_incomplete(f"`{kernel.__name__}` has no shadow to its end: {reason}")
    for name in sorted(checker.without_shadow):
        session.note_incomplete(f"`{name}` in `{kernel.__name__}` has no shadow: its results count as exact")
    session.current.findings += checker.findings.values()
    session.current.errors.update(checker.errors)
