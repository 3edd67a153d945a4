"""What `triton.compile` compiles: a kernel and the types of its arguments, or a file of IR."""

import os
from collections import namedtuple

from .. import _C
from .._utils import cached_property, digest
from .errors import CompilationError


class ASTSource:
    """A kernel and the types and constants to compile it for.

    ``signature`` maps parameter names to types (``"*fp32"``, ``"i32"``, ``"constexpr"``, tuples of these); indices and
    one comma-separated string are accepted too. ``constexprs`` maps names, indices or index paths to values;
    ``attrs`` maps index paths to facts such as ``[["tt.divisibility", 16]]``.
    """

    _is_launched = False  # Whether this package launches the kernel.

    def __init__(self, fn, signature, constexprs=None, attrs=None, *, constants=None):
        self.fn = fn
        self.language = "triton"
        self.ext = "ttir"
        self.name = fn.__name__
        constants = constexprs if constexprs is not None else constants or {}
        self.constants = {_index_path(fn, key): value for key, value in constants.items()}
        self.signature = _named_signature(fn, signature, self.constants)
        self.attrs = _read_attributes(attrs)
        self._arguments  # noqa: B018  a wrong type is an error here

    @cached_property
    def _arguments(self):
        names = list(self.signature)
        types = [self.signature[name] for name in names]
        storages = _storages(self.attrs)
        arguments = _C.Arguments.build(
            names, types, self.constants, _divisibility(self.attrs), _in_range(self.attrs), storages
        )
        # Launches by this package compare the arrays' storages.
        return _in_storages_of_launch(self.fn, arguments) if self._is_launched and not storages else arguments

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_arguments", "_known_facts")}

    @classmethod
    def _for_launches(cls, fn, signature, constexprs=None, attrs=None):
        """The source of a variant that this package launches, which a program or another process described."""
        self = cls(fn, signature, constexprs, attrs)
        self._is_launched = True
        del self._arguments  # They are made again, for launches.
        return self

    @classmethod
    def _of_arguments(cls, fn, arguments):
        """The source for arguments that the launcher has classified."""
        self = cls.__new__(cls)
        self._is_launched = True
        self.fn, self.language, self.ext, self.name = fn, "triton", "ttir", fn.__name__
        self._arguments = _in_storages_of_launch(fn, arguments) if getattr(fn, "invariant", False) else arguments
        self.signature, self.constants, self.attrs = arguments.signature, arguments.constants, arguments.attributes
        return self

    @property
    def constexprs(self):
        return self.constants

    @property
    def _fields_of_tuples(self):
        """The names of the fields of each named tuple, by its path."""
        return self._arguments.fields

    @property
    def _signature_with_fields(self):
        """With named tuples where the arguments have names of fields; the signature of a launch has plain tuples."""
        return self._signature_with(self._fields_of_tuples)

    def _signature_with(self, fields):
        return {
            name: _with_fields(type_, (number,), fields) for number, (name, type_) in enumerate(self.signature.items())
        }

    def _text(self):
        """What distinguishes variants of the kernel."""
        fields = self._fields_of_tuples
        signature = self._signature_with({}) if fields else self.signature
        return f"{signature}{self.constants}{self.attrs}{fields or ''}"

    def hash(self):
        fields = self._fields_of_tuples
        signature = self._signature_with({}) if fields else self.signature
        return digest(f"{self.fn.cache_key}-{signature}-{self.constants}-{self.attrs}{fields or ''}")

    def parse_options(self):
        return {}

    def _kernel_name(self):
        if self.fn._repr is None:
            return ""
        # Parts of tuples have no names.
        constants = {self.fn.arg_names[path[0]]: value for path, value in self.constants.items() if len(path) == 1}
        name = self.fn.repr(namedtuple("Specialization", ["constants", "signature"])(constants, self.signature))
        name = name.rsplit(".", 1)[-1]
        if not (name.isidentifier() and name.isascii()):
            raise CompilationError(
                f"the `repr` of `{self.name}` gave the kernel name `{name}`, which is not an identifier"
            )
        return name

    def make_ir(self, target, options, codegen_fns=None, module_map=None, context=None):
        """The kernel's operations as its source says them, before any pass. See docs/pytorch.md."""
        target = (target.backend, target.arch, target.warp_size)
        return _C.list_operations(self.fn, self._arguments, self._kernel_name(), target, options.for_compiler())

    def _access_bytes(self, target, options):
        return _C.access_bytes(self.fn, self._arguments, self._kernel_name(), target, options)

    def _find_bundled(self, target, options, max_threads):
        return _C.find_bundled(self.fn, self._arguments, self._kernel_name(), target, options, max_threads)

    def _compile(self, target, options, max_threads, last_stage=""):
        return _C.compile(self.fn, self._arguments, self._kernel_name(), target, options, max_threads, last_stage)


_UNKNOWN_STORAGE = -1


def _in_storages_of_launch(fn, arguments):
    """Each array in memory of its own, which launches check; for a kernel that is `invariant`, nothing is known."""
    return arguments.in_storages([_UNKNOWN_STORAGE] if getattr(fn, "invariant", False) else [])


def _with_fields(type_, path, fields):
    if not isinstance(type_, tuple):
        return type_
    items = [_with_fields(item, (*path, index), fields) for index, item in enumerate(type_)]
    return namedtuple("Fields", fields[path], rename=True)(*items) if path in fields else tuple(items)


class IRSource:
    """A file of IR; its suffix names the stage that it comes from."""

    _is_launched = False

    def __init__(self, path, context=None, backend=None):
        self.path = os.fspath(path)
        self.ext = os.path.splitext(self.path)[1][1:]
        self.language = "triton"
        with open(self.path, encoding="utf-8", errors="surrogateescape") as file:
            self.src = file.read()
        import re

        match = re.search(r"tt\.func\s+(?:public\s+)?@\"?([\w.$]+)", self.src)
        self.name = match.group(1) if match else os.path.basename(self.path)
        self.signature, self.constants, self.attrs = {}, {}, {}

    def hash(self):
        return digest(self.src)

    def parse_options(self):
        return {}

    def make_ir(self, target, options, codegen_fns=None, module_map=None, context=None):
        """The operations of the file, before any pass."""
        target = (target.backend, target.arch, target.warp_size)
        return _C.list_operations_of_text(self.src, self.ext, self.path, target, options.for_compiler())

    def _compile(self, target, options, max_threads):
        return _C.compile_text(self.src, self.ext, self.path, target, options, max_threads)


def _index_path(fn, key):
    """The index path (0,), (1, 0) of a constant's key: a name, an index, or such a path already."""
    if isinstance(key, tuple):
        return tuple(fn.arg_names.index(item) if isinstance(item, str) else item for item in key)
    if isinstance(key, str):
        if key not in fn.arg_names:
            raise ValueError(f"`{fn.__name__}` has no parameter `{key}`")
        return (fn.arg_names.index(key),)
    return (key,)


def _named_signature(fn, signature, constants):
    """{name: type} for every parameter in order."""
    if isinstance(signature, str):
        signature = dict(enumerate(part.strip() for part in _split_types(signature)))
    given = {}
    for key, value in signature.items():
        if not isinstance(key, (str, int)):
            raise TypeError(f"the signature's key {key!r} must be the name of a parameter")
        name = fn.arg_names[key] if isinstance(key, int) else key
        if name not in fn.arg_names:
            raise ValueError(f"the signature names `{name}`, which is not a parameter of `{fn.__name__}`")
        given[name] = value
    result = {}
    for index, name in enumerate(fn.arg_names):
        if (index,) in constants:
            result[name] = "constexpr"
        elif name in given and given[name] != "constexpr":
            result[name] = given[name]
        elif fn.params[index].has_default:
            constants[(index,)] = fn.params[index].default
            result[name] = "constexpr"
        elif name in given:
            raise ValueError(f"parameter `{name}` is `constexpr` in the signature, but `constexprs` gives no value")
        else:
            raise ValueError(f"the signature does not have the parameter `{name}` of `{fn.__name__}`")
    return result


def _split_types(signature):
    """The parts between the commas that are outside of angle brackets."""
    import re

    return re.split(r",(?![^<]*>)", signature)


def _read_attributes(attrs):
    """Index path → facts. The older form is an object whose `divisible_by_16` lists indices of parameters."""
    if attrs is None:
        return {}
    if not isinstance(attrs, dict):
        attrs = {(index,): [["tt.divisibility", 16]] for index in getattr(attrs, "divisible_by_16", ())}
    return {key if isinstance(key, tuple) else (key,): value for key, value in attrs.items()}


def _divisibility(attrs):
    return {path: value for path, facts in attrs.items() for name, value in facts if name == "tt.divisibility"}


def _in_range(attrs):
    """The paths of arrays in memory of less than 2 GiB and of integers that are not negative."""
    ranges = {"tt.pointer_range": lambda bits: bits <= 32, "tt.nonnegative": bool}
    return {path for path, facts in attrs.items() for name, value in facts if ranges.get(name, lambda _: False)(value)}


def _storages(attrs):
    """Path of an array → the number of the memory that it lies in; what has another number does not overlap with it."""
    return {path: value for path, facts in attrs.items() for name, value in facts if name == "tt.storage"}
