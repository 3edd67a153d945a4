"""What a launch makes of one argument, for programs that prepare compilations themselves, such as PyTorch's compiler.
Launches have the same rules in the extension module."""

from .. import _C


def _integer_type(value):
    if -(1 << 31) <= value < 1 << 31:
        return "i32"
    if value >= 1 << 63:
        return "u64"
    return "i64"


def specialize(backend, arg, is_const, specialize_value, align, specialize_elements=True):
    """(type in a signature, key): the key is a backend's text for what the kernel may assume, a value, or None. What is
    not assumed of a tuple's parameter may be assumed of its elements, unless ``specialize_elements`` is false."""
    arg = _C.plain_number(arg)
    if type(arg) is bool:
        return "u1", None
    if type(arg) is int:
        if specialize_value and arg == 1:
            return "constexpr", 1
        key = backend.get_int_specialization(arg, align=align) if specialize_value else None
        return _integer_type(arg), key
    if type(arg) is float:
        return "fp32", None
    if type(arg).__name__ == "TensorDescriptor":
        return _C.descriptor_type(arg), None
    if isinstance(arg, tuple):
        pairs = [specialize(backend, item, is_const, specialize_elements, True, specialize_elements) for item in arg]
        make = type(arg) if hasattr(arg, "_fields") else lambda *items: tuple(items)
        return make(*(pair[0] for pair in pairs)), make(*(pair[1] for pair in pairs))
    if hasattr(arg, "data_ptr") or hasattr(arg, "__array_interface__"):
        element = _C.canonical_type(str(arg.dtype).rsplit(".", 1)[-1], 1, is_const)
        key = backend.get_tensor_specialization(arg, align=align) if specialize_value else None
        return element, key
    return "constexpr", getattr(arg, "value", arg)


def specialize_parameter(parameter, backend, arg):
    """(type, key) of an argument for a parameter, whose annotation may give the type."""
    if parameter.is_constexpr:
        return "constexpr", getattr(arg, "value", arg)
    given = parameter.annotation_type
    # Floats and booleans have no facts that code could depend on.
    is_open = not parameter.do_not_specialize and not (given == "u1" or given.startswith(("fp", "bf")))
    align = not parameter.do_not_specialize_on_alignment
    found, key = specialize(backend, arg, parameter.is_const, is_open, align, not parameter.is_invariant)
    return (given, key if is_open else None) if given else (found, key)


def create_function_from_signature(sig, kparams, backend):
    """A function that binds the arguments of a call to the parameters of a kernel:
    ``bind(*args, **kwargs)`` → (arguments by name, (type, key) of each parameter, what is left: options)."""

    def bind(*args, **kwargs):
        names = sig.parameters
        bound = sig.bind(*args, **{name: value for name, value in kwargs.items() if name in names})
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        specialization = [specialize_parameter(parameter, backend, arguments[parameter.name]) for parameter in kparams]
        return arguments, specialization, {name: value for name, value in kwargs.items() if name not in names}

    return bind
