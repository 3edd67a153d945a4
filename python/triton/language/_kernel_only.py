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


def kernel_only(name):
    """The error for a call of ``name`` from plain Python."""
    return ValueError(f"`{name}` can only be called inside a @triton.jit kernel")


def builtin(function):
    """Marks a function of the language. Kernels find it by its module and name."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        running = interpreter()
        return function(*args, **kwargs) if running is None else running.call(call, args, kwargs)

    call.__triton_builtin__ = f"{function.__module__}.{function.__name__}"
    return call
