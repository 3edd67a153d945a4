"""What every kind of kernel has: a launch by ``kernel[grid](...)``, and parameters."""

import copyreg
import functools
import sys

from .. import _C
from ._arguments import MockTensor


class FunctionLike:
    """Is copied and pickled as Python's functions are: a copy is the function itself, and another process finds it by
    its name. One that does not have such a name is sent with what it needs."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return self.__qualname__ if self._is_importable() else self._reduce_with_contents()

    def _is_importable(self):
        """Whether another process finds this function by its name."""
        module = sys.modules.get(self.__module__)
        if getattr(module, "__spec__", None) is None:  # such as a program's own file
            return False
        try:
            return functools.reduce(getattr, self.__qualname__.split("."), module) is self
        except AttributeError:
            return False

    def _reduce_with_contents(self):
        import pickle

        from ._transport import dump

        return pickle.loads, (dump(self),)


class KernelInterface(FunctionLike):
    """Something that is launched as ``kernel[grid](...)``. Classes define `run`."""

    def _reduce_with_contents(self):
        return copyreg.__newobj__, (type(self),), getattr(self, "__getstate__", self.__dict__.copy)()

    def __class_getitem__(cls, signature):
        """Programs write `KernelInterface[T]` for type checkers."""
        return cls

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError("a class of kernels defines `run`")

    def warmup(self, *args, grid, **kwargs):
        """Compiles for these arguments without launching. A dtype of PyTorch may be given in place of a tensor."""
        kwargs = {name: MockTensor.wrap_dtype(value) for name, value in kwargs.items()}
        return self.run(*map(MockTensor.wrap_dtype, args), **{**kwargs, "grid": grid, "warmup": True})

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


#: Classes of Python's numbers as signatures spell them. That of an integer's value decides its width.
_NUMBERS = {int: "i32", float: "fp32", bool: "u1"}


class KernelParam:
    """One parameter of a kernel, as its definition declares it."""

    num: int
    name: str
    is_constexpr: bool
    is_const: bool
    annotation_type: str

    is_invariant = False  # The elements of tuples are not specialized, either.

    def __init__(self, num, param, do_not_specialize, do_not_specialize_on_alignment, is_invariant=False):
        self.num = num
        self._parameter = param
        self.name = param.name
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment
        self.is_invariant = is_invariant
        annotation = "" if param.annotation is param.empty else param.annotation
        self.is_constexpr, self.is_const, self.annotation_type = _read_annotation(annotation)

    @property
    def annotation(self):
        """The text of it: a type as signatures spell it, the name of another class."""
        annotation = self._parameter.annotation
        if self.is_constexpr:
            return "constexpr"
        if self.annotation_type or annotation is self._parameter.empty:
            return self.annotation_type
        if isinstance(annotation, type):
            return _NUMBERS.get(annotation, annotation.__name__)
        return str(annotation)

    @property
    def default(self):
        return self._parameter.default

    @property
    def has_default(self):
        return self._parameter.default is not self._parameter.empty

    def facts(self):
        """The tuple that describes this parameter to the extension module; see `_configure`."""
        return (
            self.name,
            (self.default,) if self.has_default else (),
            self.is_constexpr,
            self.is_const,
            self.do_not_specialize,
            self.do_not_specialize_on_alignment,
            self.is_invariant,
            self.annotation_type or None,
        )


def _read_annotation(annotation):
    """(is constexpr, is const, the signature's spelling of a type or "")."""
    if not isinstance(annotation, str):
        name = getattr(annotation, "__name__", None) if isinstance(annotation, type) else None
        if name in ("constexpr", "const"):
            return name == "constexpr", name == "const", ""
        text = "fp32" if annotation is float else _type_text(annotation)
    else:
        text = annotation.strip("'\" ")
    if "constexpr" in text:
        return True, False, ""
    is_const = text.startswith(("const ", "*k")) or text.split(".")[-1] == "const"
    text = text.removeprefix("const ").strip()
    pointers = text.count("*")
    text = text.replace("*", "").strip().rsplit(".", 1)[-1].removesuffix("_t")
    if pointers and text.startswith("k"):
        text = text[1:]
    return False, is_const, _C.canonical_type(text, pointers, is_const)


def _type_text(annotation):
    """The spelling of a dtype object, "" for anything else."""
    if type(annotation).__module__.startswith("triton.language"):
        return (
            getattr(annotation, "name", "")
            if not hasattr(annotation, "element_ty")
            else ("*" + _type_text(annotation.element_ty))
        )
    return ""


def parameter_names(selection, parameters):
    """The names among ``selection``, which holds names and indices."""
    names = [parameter.name for parameter in parameters]
    return {names[item] if isinstance(item, int) else item for item in selection or ()}
