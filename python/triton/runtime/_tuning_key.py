"""The key under which a tuned kernel keeps its choice."""

from ..tools.tensor_descriptor import TensorDescriptor

#: Most arguments are of these types, which have no type of elements.
_NO_ARRAYS = frozenset((bool, float, int, str, type(None)))

_texts = {}  # of types of elements: making one takes as long as the rest of the key


def array_of(argument):
    """The array of a tensor descriptor; any other argument unchanged."""
    return argument.base if isinstance(argument, TensorDescriptor) else argument


def _text_of(dtype):
    text = str(dtype)
    try:
        _texts[dtype] = text
    except TypeError:  # it has no hash
        pass
    return text


def tuning_key(names, parameters, arguments):
    """The arguments that ``names`` selects, and the text of the element type of each array that is an argument for one
    of the ``parameters``, a set. ``arguments`` holds all of a launch by name. Each launch of a tuned kernel asks."""
    key = [arguments[name] for name in names if name in arguments]
    for name, value in arguments.items():
        if type(value) in _NO_ARRAYS or name not in parameters:
            continue
        try:
            dtype = array_of(value).dtype
        except AttributeError:
            continue
        try:
            key.append(_texts[dtype])
        except (KeyError, TypeError):
            key.append(_text_of(dtype))
    return tuple(key)
