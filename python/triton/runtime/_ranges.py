"""Facts about arguments by which launches on some targets choose a variant and on others do not: that an array lies in
memory of less than 2 GiB, and that an integer is not negative. Recorded classes have them for all targets."""

from .._memory import device_memory_of, memory_of
from ..compiler.compiler import make_backend
from ._arguments import MockArray

_POINTER, _INTEGER = "tt.pointer_range", "tt.nonnegative"
_BITS_OF_SMALL_ARRAYS = 32


def arguments_in_range(kernel, src, values):
    """The paths of the arguments of a class of which these facts hold."""
    found = []
    for index, parameter in enumerate(kernel.params):
        type_ = src.signature[parameter.name]
        if not parameter.do_not_specialize and type_ != "constexpr":
            _visit((index,), type_, values.get(parameter.name), bool(parameter.annotation_type), found)
    return found


def _visit(path, type_, value, has_own_type, found):
    if isinstance(type_, tuple):
        for index, (item_type, item) in enumerate(zip(type_, value, strict=True)):
            _visit((*path, index), item_type, item, False, found)
    elif str(type_).startswith("tensordesc"):
        _visit((*path, 0), "*", value.base, False, found)
        for index, number in enumerate([*value.shape, *value.strides[:-1]], start=1):
            _visit((*path, index), "i64", number, True, found)
    elif str(type_).startswith("*"):
        found += [path] * _is_small(value)
    elif str(type_)[:1] in "iu" and str(type_)[1:] != "1" and type_ != "constexpr":
        # Of an integer with a type of its own that is 1 launches note nothing more.
        found += [path] * (value >= 0 and not (has_own_type and value == 1))


def _is_small(array):
    begin, size = device_memory_of(array) if hasattr(array, "data_ptr") else memory_of(array)
    return begin == 0 or size < 1 << (_BITS_OF_SMALL_ARRAYS - 1)


def _used_ranges(target):
    """The facts that launches on the target look at."""
    backend = make_backend(target)
    used = {_INTEGER} if "N" in backend.get_int_specialization(2) else set()
    return used | ({_POINTER} if "S" in backend.get_tensor_specialization(MockArray("fp32")) else set())


def attributes_for(signature, attrs, in_range, recorded, target):
    """The attributes of a class for a target, as the class that was recorded for another one has them: ``attrs``, with
    the paths of `arguments_in_range`."""
    used = _used_ranges(target)
    if used == _used_ranges(recorded):
        return attrs
    result = {path: [fact for fact in facts if fact[0] not in (_POINTER, _INTEGER)] for path, facts in attrs.items()}
    types = list(signature.values())
    for path in in_range:
        fact = [_POINTER, _BITS_OF_SMALL_ARRAYS] if _is_pointer(types, path) else [_INTEGER, 1]
        if fact[0] in used:
            result.setdefault(path, []).append(fact)
    return dict(sorted((path, facts) for path, facts in result.items() if facts))


def _is_pointer(types, path):
    item = types
    for index in path:
        if str(item).startswith("tensordesc"):
            return index == 0
        item = item[index]
    return str(item).startswith("*")
