"""A freeze gives the launcher what was loaded ahead of launches, so that none asks Python for it: each class is asked
for with arguments like those that its launches have."""

import contextlib

from .. import knobs
from ..compiler.compiler import ASTSource, CompiledKernel
from ..errors import TritonError
from . import _misses
from ._arguments import MockTensor

_DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "i1": "bool"}
_DTYPES |= {
    f"{letter}{bits}": f"{name}{bits}" for letter, name in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)
}
_NUMBERS = {"i32": 1 << 10, "i64": 1 << 40, "u64": 1 << 63}  # multiples of 16 that have no smaller type


def rehearse(kernel, bundled):
    """Whatever class the arguments have in the end, the launcher gets the variant of that class or none. ``bundled``
    are those of bundles that were read ahead: (source, options)."""
    if kernel.pre_run_hooks or knobs.runtime.record_classes:  # They shall see the launches themselves.
        return
    made = [compiled for group in kernel._generic.values() for _, compiled in group.variants.values()]
    known = [*kernel._preloaded.values(), *made]
    loaded = [(compiled.src, compiled._given or {}) for compiled in known if isinstance(compiled, CompiledKernel)]
    for src, given in [*loaded, *bundled]:
        options = {name: value for name, value in given.items() if name != "debug" or value}
        arguments = _arguments_of(src)
        if arguments is not None:
            token = _misses.is_rehearsal.set(True)
            try:
                with contextlib.suppress(TritonError, TypeError, ValueError, RuntimeError):  # Its launches say it.
                    kernel.warmup(*arguments, grid=(1,), **options)
            finally:
                _misses.is_rehearsal.reset(token)


def _arguments_of(src):
    """None where there are some of other kinds."""
    if not isinstance(src, ASTSource):
        return None
    arguments = []
    for number, type_ in enumerate(src.signature.values()):
        path, is_divisible = (number,), ["tt.divisibility", 16] in src.attrs.get((number,), ())
        if type_ == "constexpr" and path in src.constants:
            arguments.append(src.constants[path])
        elif type_ in _NUMBERS:
            arguments.append(_NUMBERS[type_] + (not is_divisible))
        elif type_ == "fp32":
            arguments.append(0.5)
        elif is_divisible and type_[:1] == "*" and type_[1:] in _DTYPES:
            arguments.append(MockTensor(_DTYPES[type_[1:]]))
        else:
            return None
    return arguments
