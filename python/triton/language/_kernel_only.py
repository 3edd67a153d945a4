"""The functions of the language outside of kernels: they raise an error that says where to call them. While a kernel is
interpreted, calls on its thread go to the interpreter."""

import functools
import threading

_thread = threading.local()


def interpreter():
    """What runs the functions of the language on this thread, or None outside of interpreted kernels."""
    return getattr(_thread, "interpreter", None)


def set_interpreter(interpreter):
    _thread.interpreter = interpreter


#: The attribute of the functions of the language.
TRITON_BUILTIN = "__triton_builtin__"


def kernel_only(name):
    """The error for a call of ``name`` from plain Python."""
    return ValueError(f"`{name}` can only be called inside a @triton.jit kernel")


def builtin(fn):
    """Marks a function of the language. Kernels find it by its module and name."""

    @functools.wraps(fn)
    def call(*args, **kwargs):
        running = interpreter()
        return fn(*args, **kwargs) if running is None else running.call(call, args, kwargs)

    setattr(call, TRITON_BUILTIN, f"{fn.__module__}.{fn.__name__}")
    return call


def is_builtin(fn):
    """Whether it is a function of the language."""
    return hasattr(fn, TRITON_BUILTIN)
