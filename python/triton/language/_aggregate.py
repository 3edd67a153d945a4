"""`triton.aggregate`: classes of immutable values with named fields, for kernels and for their constants."""

from types import FunctionType

from .. import _function_classes
from .constants import constexpr
from .dtypes import dtype
from .types import tuple as language_tuple

_MISSING = object()


def _is_aggregate_class(cls):
    return isinstance(cls, type) and "__triton_aggregate__" in vars(cls)


def _is_function(value):
    return isinstance(value, (_function_classes.JITFunction, _function_classes.ConstexprFunction, FunctionType))


def _to_field(value):
    """A value as a field holds it: numbers and strings are compile-time constants."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return constexpr(value)
    if isinstance(value, tuple):
        items = [_to_field(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else language_tuple(items)
    return value


def _check(cls, name, annotation, value):
    if isinstance(annotation, type) and not isinstance(value, annotation):
        raise TypeError(
            f"the field `{name}` of `{cls.__name__}` must be a `{annotation.__name__}`, not a `{type(value).__name__}`"
        )
    return value


def _store(self, name, value):
    fields = type(self).__aggregate_fields__
    if name not in fields:
        raise AttributeError(f"`{type(self).__name__}` has no field `{name}`")
    object.__setattr__(self, name, _check(type(self), name, fields[name], _to_field(value)))


def _bind(cls, args, kwargs):
    """{field: value} of a call of the class, as for a dataclass."""
    names = list(cls.__aggregate_fields__)
    if len(args) > len(names):
        raise TypeError(f"`{cls.__name__}` takes {len(names)} arguments, but {len(args)} were given")
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"`{cls.__name__}` got an unexpected keyword argument `{name}`")
        if name in values:
            raise TypeError(f"`{cls.__name__}` got two values for `{name}`")
        values[name] = value
    values = {**cls.__aggregate_defaults__, **values}
    missing = [name for name in names if name not in values]
    if missing:
        raise TypeError(f"`{cls.__name__}` lacks a value for `{missing[0]}`")
    return values


def _generated_init(self, *args, **kwargs):
    for name, value in _bind(type(self), args, kwargs).items():
        _store(self, name, value)


def _calling(initializer):
    """An `__init__` that runs the user's."""
    from inspect import signature

    function = getattr(initializer, "fn", initializer)
    asked = {"_semantic", "_generator"} & set(signature(function).parameters)

    def __init__(self, *args, **kwargs):
        object.__setattr__(self, "_is_open", True)
        try:
            function(self, *args, **kwargs, **dict.fromkeys(asked))
        finally:
            object.__delattr__(self, "_is_open")
        for name in type(self).__aggregate_fields__:
            if name not in vars(self):
                default = type(self).__aggregate_defaults__.get(name, _MISSING)
                if default is _MISSING:
                    raise AttributeError(f"`__init__` of `{type(self).__name__}` gives the field `{name}` no value")
                _store(self, name, default)

    return __init__


def _set_attribute(self, name, value):
    if not vars(self).get("_is_open"):
        raise AttributeError(
            f"`{type(self).__name__}` is immutable; make a changed copy with `tl.aggregate_replace(..., {name}=...)`"
        )
    _store(self, name, value)


def _delete_attribute(self, name):
    raise AttributeError(f"`{type(self).__name__}` is immutable")


def _field_values(self):
    return tuple(getattr(self, name) for name in type(self).__aggregate_fields__)


def _text(self):
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__aggregate_fields__)
    return f"{type(self).__name__}({fields})"


def aggregate(cls):
    """Turns a class into one of immutable values with named fields, which kernels construct, pass on and change by
    `tl.aggregate_replace`.

    Fields are the annotated names, those of base classes first; values in the class are their defaults. Methods are
    `@triton.jit` or `@triton.constexpr_function`.
    """
    if not isinstance(cls, type):
        raise TypeError(f"@triton.aggregate decorates classes, not a `{type(cls).__name__}`")
    from inspect import get_annotations

    fields, defaults = {}, {}
    for base in reversed(cls.__mro__[1:-1]):
        if not _is_aggregate_class(base):
            raise TypeError(f"`{cls.__name__}` derives from `{base.__name__}`, which is not an aggregate")
        fields.update(base.__aggregate_fields__)
        defaults.update(base.__aggregate_defaults__)
    own = get_annotations(cls, eval_str=True)
    fields.update(own)
    for name in own:
        value = vars(cls).get(name, _MISSING)
        if value is not _MISSING and (not callable(value) or isinstance(value, (constexpr, dtype))):
            defaults[name] = value
    initializer = vars(cls).get("__init__")
    inherited = next((base._initializer for base in cls.__mro__[1:-1]), None)
    cls._initializer = initializer or inherited
    cls.__init__ = _calling(cls._initializer) if cls._initializer else _generated_init
    cls.__setattr__, cls.__delattr__ = _set_attribute, _delete_attribute
    cls._field_values = _field_values
    if "__repr__" not in vars(cls):
        cls.__repr__ = _text
    cls.__triton_aggregate__ = True
    cls.__aggregate_fields__, cls.__aggregate_defaults__ = fields, defaults
    return cls


def aggregate_replace(instance, **changes):
    """A copy of ``instance``, an object of an aggregate, with the fields that keywords name replaced."""
    cls = type(instance)
    if not _is_aggregate_class(cls):
        raise TypeError(f"`tl.aggregate_replace` changes an aggregate, not a `{cls.__name__}`")
    unknown = [name for name in changes if name not in cls.__aggregate_fields__]
    if unknown:
        raise TypeError(f"`{cls.__name__}` has no field `{unknown[0]}`")
    return make(cls, [changes.get(name, getattr(instance, name)) for name in cls.__aggregate_fields__])


def make(cls, values):
    """The object of ``cls`` with these values of its fields. Its own `__init__` does not run."""
    instance = cls.__new__(cls)
    for name, value in zip(cls.__aggregate_fields__, values, strict=True):
        _store(instance, name, value)
    return instance


def _kernel_initializer(cls):
    """The `__init__` that the user wrote, as kernels run it; None if there is none."""
    if cls._initializer is None or isinstance(cls._initializer, _function_classes.JITFunction):
        return cls._initializer
    if "_kernel_initializer" not in vars(cls):
        cls._kernel_initializer = _function_classes.JITFunction(getattr(cls._initializer, "fn", cls._initializer))
    return cls._kernel_initializer


def _members(cls):
    """(name, object, is static) of methods and constants, those of base classes included."""
    members = {}
    for base in reversed(cls.__mro__[:-1]):
        for name, value in vars(base).items():
            is_static = isinstance(value, staticmethod)
            function = value.__func__ if is_static else value
            is_method = isinstance(function, (_function_classes.JITFunction, _function_classes.ConstexprFunction))
            is_constant = not name.startswith("_") and name not in cls.__aggregate_fields__
            if name != "__init__" and (is_method or is_constant):
                members[name] = (name, function, is_static)
    return list(members.values())


def describe(cls):
    """What the compiler asks about a class: (bases, fields, members, whether `__init__` is Python's).

    A field is (name, annotation, a tuple that holds the default if there is one), a member (name, object, is static).
    """
    bases = [base for base in cls.__mro__[1:-1] if _is_aggregate_class(base)]
    defaults = cls.__aggregate_defaults__
    fields = [
        (name, annotation, (defaults[name],) if name in defaults else ())
        for name, annotation in cls.__aggregate_fields__.items()
    ]
    members, initializer = _members(cls), _kernel_initializer(cls)
    if initializer is not None:
        members.append(("__init__", initializer, False))
    return bases, fields, members, initializer is not cls._initializer


def methods(cls):
    """The kernel functions among the members."""
    if "_kernel_methods" not in vars(cls):
        kernel_class = _function_classes.JITFunction
        functions = [function for _, function, _ in describe(cls)[2] if isinstance(function, kernel_class)]
        type.__setattr__(cls, "_kernel_methods", functions)
    return cls._kernel_methods


aggregate_replace.__module__ = "triton.language"
