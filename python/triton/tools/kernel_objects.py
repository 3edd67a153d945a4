"""Values for kernels that tritonc loads from files: layouts, types, classes and functions that only Python has, by
number. tools/tritonc/PythonObjects.cpp asks, in messages of kernel_names.py:

| question | answer |
| --- | --- |
| `module`, `attribute` | what the module of Gluon shows under this name |
| `of`, `attribute` | the attribute of a value |
| `equal`, `other` | whether two values are equal |
| `instance`, `other` | whether a value is one of the class |
| `call`, `arguments`, `keywords` | the result, or `error` |

`absent` answers for what does not exist. Nothing but this package is imported.
"""

import importlib
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from .. import _C, _function_classes
from ..language import _runtime_values
from ..language.constants import as_constant, constexpr
from ..language.dtypes import dtype, pointer_type

_FUNCTIONS = (MethodType, FunctionType, BuiltinFunctionType)


def describe_plain(value):
    """The description of a number, a text, None or a type; None for anything else."""
    value = _C.plain_number(value)
    if value is None:
        return {"none": True}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": str(int(value))}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, str):
        return {"str": str(value)}
    if isinstance(value, pointer_type):
        element = describe_plain(value.element_ty)
        return element and {"dtype": "*" + element["dtype"]}
    if isinstance(value, dtype):
        return {"dtype": value.name}
    return None


def _with_article(noun):
    return f"{'an' if noun[0] in 'aeiouAEIO' else 'a'} {noun}"


def _named(value):
    return {"named": [getattr(value, "__module__", None) or "", getattr(value, "__name__", None) or ""]}


def is_constant(value):
    """Whether it is a constant of the language that Python defines, such as a layout of Gluon, or a class of such."""
    return hasattr(value if isinstance(value, type) else type(value), "__triton_constant__")


def _dtype_named(name):
    from .. import language

    element = name.lstrip("*")
    found = getattr(language, element, None) or dtype(element)
    for _ in range(len(name) - len(element)):
        found = pointer_type(found)
    return found


def _itself(function):
    return function


class Objects:
    """The values that were given numbers."""

    def __init__(self):
        self._values, self._numbers = [], {}

    def _number(self, value):
        # Equal layouts are one value, so that an editor's many questions do not fill the memory.
        key = (type(value), repr(value)) if is_constant(value) and not isinstance(value, type) else id(value)
        if key not in self._numbers:
            self._numbers[key] = len(self._values)
            self._values.append(value)
        return self._numbers[key]

    def _describe_function(self, make, function, key=None, sees_holders=False):
        """``make`` gives what calls the function, which has one number however often it is asked for."""
        key = (make, id(function) if key is None else key)
        if key not in self._numbers:
            self._numbers[key] = len(self._values)
            self._values.append(make(function))
        function = self._values[self._numbers[key]]
        return {
            "call": self._numbers[key],
            "name": getattr(function, "__name__", ""),
            "fingerprint": function.fingerprint,
            "sees_holders": sees_holders,
        }

    def _describe_value(self, value):
        is_class = isinstance(value, type)
        name = value.__name__ if is_class else type(value).__name__
        description = f"the class `{name}`" if is_class else _with_article(name)
        mark = None if not is_class and callable(value) else _function_classes.fingerprint(value)
        if mark is None:
            return {"unsupported": description}
        number = self._number(value)
        described = {"handle": number, "description": description, "text": repr(value), "fingerprint": mark}
        if is_class:
            described |= {**self._describe_function(_function_classes.ConstantCall, value), "fingerprint": mark}
        return described | {"truth": bool(value)}

    def _describe_definition(self, value):
        if missing := getattr(value, "__triton_missing__", None):
            return {"missing": list(missing)}
        if isinstance(value, type):
            return _named(value) | self._describe_value(value)
        if hasattr(value, "__triton_builtin__"):
            return _named(value) | self._describe_function(_function_classes.MarkedFunction, value, sees_holders=True)
        return _named(value) | {"unsupported": f"the Python function `{value.__name__}`"}

    def describe(self, value):
        value = value.value if isinstance(value, constexpr) else value
        if plain := describe_plain(value):
            return plain
        if isinstance(value, (tuple, list)):
            named = {"type": type(value).__name__, "fields": list(value._fields)} if hasattr(value, "_fields") else {}
            return {"tuple": [self.describe(item) for item in value], **named}
        if isinstance(value, _function_classes.JITFunction):
            return {"file": value.def_file_name, "library_function": value.__name__}
        if isinstance(value, _function_classes.ConstexprFunction):
            return _named(value) | self._describe_function(_itself, value)
        if isinstance(value, ModuleType):
            return {"module": value.__name__}
        if isinstance(value, (type, *_FUNCTIONS)):
            return self._describe_definition(value)
        if isinstance(value, _runtime_values.RuntimeValue):
            return {"value": value.number}
        if isinstance(value, Enum):
            return _named(type(value)) | {"unsupported": f"a member of `{type(value).__name__}`"}
        return self._describe_value(value)

    def _read_value(self, item):
        """A value that exists at run time, of which its type is known, or a dtype in a `tl.constexpr`."""
        if "dtype" not in item:
            return _runtime_values.RuntimeValue(item["value"])
        element = _dtype_named(item["dtype"])
        if "shape" not in item:
            return as_constant(element)
        kind = _runtime_values.RuntimeDescriptor if item["is_descriptor"] else _runtime_values.RuntimeTensor
        return kind(item["value"], element, item["shape"])

    def _read(self, item):
        if "handle" in item:
            return self._values[item["handle"]]
        if "value" in item:
            return self._read_value(item)
        if "tuple" in item:
            elements = [self._read(element) for element in item["tuple"]]
            if "fields" not in item:
                return tuple(elements)
            from collections import namedtuple

            return namedtuple(item["type"] or "tuple", item["fields"])(*elements)
        if "dtype" in item:
            return _dtype_named(item["dtype"])
        if "int" in item:
            return int(item["int"])
        if "float" in item:
            return float.fromhex(item["float"])
        return item.get("str", item.get("bool"))

    def _attribute(self, owner, name):
        try:
            found = getattr(owner, name)
        except AttributeError:
            return {"absent": True}
        if isinstance(found, _FUNCTIONS) and not isinstance(owner, ModuleType):
            # A method is another object each time.
            return self._describe_function(_function_classes.ConstantCall, found, (id(owner), name))
        return self.describe(found)

    def _call(self, question):
        function = self._values[question["call"]].fn
        arguments = [self._read(item) for item in question["arguments"]]
        keywords = {name: self._read(item) for name, item in question["keywords"].items()}
        try:
            return self.describe(function(*arguments, **keywords))
        except Exception as error:  # of the user's arguments
            return {"error": f"{type(error).__name__}: {error}"}

    def answer(self, question):
        if "call" in question:
            return self._call(question)
        if "equal" in question:
            return {"bool": bool(self._values[question["equal"]] == self._values[question["other"]])}
        if "instance" in question:
            return {"bool": isinstance(self._values[question["instance"]], self._values[question["other"]])}
        if "of" in question:
            return self._attribute(self._values[question["of"]], question["attribute"])
        try:
            module = importlib.import_module(question["module"])
        except ModuleNotFoundError:
            return {"absent": True}
        return self._attribute(module, question["attribute"])
