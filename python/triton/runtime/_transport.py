"""Kernels as bytes. A kernel is sent as its text, its code and the values that it refers to, so that another process
can compile it that does not have its file."""

import importlib
import io
import marshal
import pickle
import re
import sys
import types

from .. import _C, knobs
from ._code_names import names_of_code


def _is_of_language(value):
    return value is None or isinstance(value, types.ModuleType) or type(value).__module__.startswith("triton.")


def describe_function(fn, names, text=""):
    """What `rebuild_function` makes ``fn`` from. ``names`` are the global names that its code reads. Its ``text`` also
    names what annotations and decorators use, which the cache key depends on."""
    named = set(re.findall(r"[A-Za-z_]\w*", text))
    scope = fn.__globals__
    names = names & scope.keys() | {name for name in named & scope.keys() if _is_of_language(scope[name])}
    cells = {}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            pass
    return {
        "python": sys.version_info[:2],
        "code": marshal.dumps(fn.__code__),
        "name": fn.__name__,
        "qualname": fn.__qualname__,
        "module": fn.__module__,
        "doc": fn.__doc__,
        "defaults": fn.__defaults__,
        "keyword_defaults": fn.__kwdefaults__,
        "annotations": dict(fn.__annotations__),
        "globals": {name: scope[name] for name in sorted(names)},
        "cells": cells,
    }


def rebuild_function(facts):
    if facts["python"] != sys.version_info[:2]:
        sent, here = (".".join(map(str, version)) for version in (facts["python"], sys.version_info[:2]))
        raise RuntimeError(
            f"`{facts['name']}` was sent by Python {sent}, and this is Python {here}; those that compile for another "
            "process need its version"
        )
    code = marshal.loads(facts["code"])
    cells = [types.CellType(*((facts["cells"][name],) if name in facts["cells"] else ())) for name in code.co_freevars]
    scope = {"__builtins__": __builtins__, "__name__": facts["module"], **facts["globals"]}
    fn = types.FunctionType(code, scope, facts["name"], facts["defaults"], tuple(cells))
    fn.__kwdefaults__, fn.__annotations__, fn.__doc__ = facts["keyword_defaults"], facts["annotations"], facts["doc"]
    fn.__qualname__, fn.__module__ = facts["qualname"], facts["module"]
    return fn


def _reduce_kernel(kernel):
    state = {
        "fn": describe_function(kernel.fn, kernel._outside_names(), kernel._source_text),
        "options": {
            "version": kernel.version,
            "do_not_specialize": kernel.do_not_specialize,
            "do_not_specialize_on_alignment": kernel.do_not_specialize_on_alignment,
            "debug": kernel.debug,
            "noinline": kernel.noinline,
            "repr": kernel._repr,
            "launch_metadata": kernel.launch_metadata,
            "invariant": kernel.invariant,
        },
        "source": {name: getattr(kernel, name) for name in kernel._SOURCE},
    }
    # What the kernel refers to follows in the state, since kernels may call themselves and each other.
    return type(kernel).__new__, (type(kernel),), state, None, None, _restore_kernel


def _restore_kernel(kernel, state):
    for name, value in state["source"].items():
        setattr(kernel, name, value)
    kernel._set_up(rebuild_function(state["fn"]), **state["options"])


def _reduce_constexpr_function(function):
    state = {"fn": describe_function(function.fn, function._outside_names()), "fingerprint": function.fingerprint}
    return type(function).__new__, (type(function),), state, None, None, _restore_constexpr_function


def _restore_constexpr_function(function, state):
    function.__init__(rebuild_function(state["fn"]))
    function.fingerprint = state["fingerprint"]


def _reduce_interpreted_kernel(kernel):
    state = {"fn": describe_function(kernel.fn, names_of_code(kernel.fn)), "options": kernel.options}
    return type(kernel).__new__, (type(kernel),), state, None, None, _restore_interpreted_kernel


def _restore_interpreted_kernel(kernel, state):
    kernel.__init__(rebuild_function(state["fn"]), **state["options"])


#: By what the classes say that their objects are sent as.
_REDUCERS = {
    "kernel": _reduce_kernel,
    "constexpr function": _reduce_constexpr_function,
    "interpreted kernel": _reduce_interpreted_kernel,
}


class _KernelPickler(pickle.Pickler):
    def reducer_override(self, value):
        reduce = _REDUCERS.get(getattr(type(value), "_sent_as", None))
        if reduce is not None and value.fn is not None:
            return reduce(value)
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        return NotImplemented


def dump(value):
    """The bytes of anything that holds kernels; ``pickle.loads`` reads them."""
    buffer = io.BytesIO()
    _KernelPickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


class CompileTask:
    """Compiles one variant where it is called. In the process that made it the result is the CompiledKernel; in
    another one it is a `KernelFiles`, but for the kernels of other packages' backends."""

    def __init__(self, src, target, options):
        self.src, self.target, self.options = src, target, options
        self.was_sent = False

    def __reduce__(self):
        return CompileTask._arrive, (dump((self.src, self.target, self.options)),)

    @staticmethod
    def _arrive(data):
        task = CompileTask(*pickle.loads(data))
        task.was_sent = True
        return task

    def __call__(self):
        from ..compiler.compiler import compile

        kernel = compile(self.src, target=self.target, options=self.options)
        return KernelFiles(kernel) if self.was_sent and kernel._handle is not None else kernel

    def finish(self, result):
        """The CompiledKernel, of what a call returned somewhere."""
        if not isinstance(result, KernelFiles):
            return result
        from ..compiler.compiler import compile

        result.store()
        # Found among the stored files. If this process would compile for something else, such as another processor, the
        # keys differ and it compiles itself.
        return compile(self.src, target=self.target, options=self.options)


class KernelFiles:
    """A compiled kernel as the disk cache keeps it."""

    def __init__(self, kernel):
        self.hash, self.name = kernel.hash, kernel.name
        handle = kernel._handle
        self.files = {stage: handle.artifact(stage) for stage in handle.stages}
        self.files["json"] = handle.metadata.encode()

    def store(self):
        _C.write_cache_entry(knobs.cache.dir, self.hash, self.name, self.files)
