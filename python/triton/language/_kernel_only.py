"""The functions of the language outside of kernels: they raise an error that says where to call them."""


def kernel_only(name):
    """The error for a call of ``name`` from plain Python."""
    return ValueError(f"`{name}` can only be called inside a @triton.jit kernel")


def builtin(function):
    """Marks a function of the language. Kernels find it by its module and name."""
    function.__triton_builtin__ = f"{function.__module__}.{function.__name__}"
    return function
