"""The parts of PyTorch that choose code by the kind of device: operators of libraries, mixed precision, the compiler.
Tensors are the processor's for them, so that what is given for `cuda` is taken for the processor."""

import contextlib
import functools
import warnings

import numpy
import torch

_KEYS = {"CUDA": "CPU", "AutogradCUDA": "AutogradCPU", "AutocastCUDA": "AutocastCPU"}
#: Products whose results have a type of their own, which PyTorch has for GPUs alone.
_TYPED_PRODUCTS = ("mm", "bmm", "addmm", "baddbmm")
_kept = []  # what would end with its object
_given_for = {}  # (namespace, operator, key) → the key that it was given for


def _begins_with_a_tensor(library, name):
    """Whether an operator's first parameter is a tensor."""
    try:
        schema = torch._C._get_schema(*(f"{library.ns}::{name.rpartition('::')[2]}.".split(".")[:2]))
    except RuntimeError:  # it is not defined yet
        return False
    return bool(schema.arguments) and str(schema.arguments[0].type) == "Tensor"


def _taking_numbers(function):
    """A kernel for the GPU that may get a number in place of its first tensor. PyTorch passes tensors that it makes of
    numbers so, and keeps them on the processor, where such a kernel is not called if they are alone."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if args and isinstance(args[0], (bool, int, float, complex)):
            if not any(isinstance(value, torch.Tensor) for value in (*args, *kwargs.values())):
                args = torch.from_numpy(numpy.asarray(args[0])), *args[1:]
        return function(*args, **kwargs)

    return call


def _replace_library():
    implement = torch.library.Library.impl

    @functools.wraps(implement)
    def impl(library, op_name, fn, dispatch_key="", **kwargs):
        key = dispatch_key or library.dispatch_key
        name = op_name if isinstance(op_name, str) else op_name._schema.name
        identity = library.ns, name, _KEYS.get(key, key)
        before = _given_for.get(identity)
        if before in _KEYS and key not in _KEYS:  # what runs on the GPU is to be seen
            return None
        if key in _KEYS and before is not None:
            kwargs["allow_override"] = True
        if key in _KEYS and callable(fn) and not kwargs.get("with_keyset") and _begins_with_a_tensor(library, name):
            fn = _taking_numbers(fn)
        _given_for[identity] = key
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="(?s).*only once for all operators")  # that this one replaces one
            return implement(library, op_name, fn, _KEYS.get(key, key), **kwargs)

    torch.library.Library.impl = impl


def _product_of_type(product):
    """A product that computes in the type of its result, as GPUs add up."""

    def compute(*args, out=None, **factors):
        *operands, dtype = args
        result = product(*(operand.to(dtype) for operand in operands), **factors)
        return result if out is None else out.copy_(result)

    return compute


def _add_typed_products():
    library = torch.library.Library("aten", "IMPL")
    for name in _TYPED_PRODUCTS:
        for overload in ("dtype", "dtype_out"):
            with contextlib.suppress(
                RuntimeError
            ):  # older versions of PyTorch have none, later ones may have their own
                library.impl(f"{name}.{overload}", _product_of_type(getattr(torch, name)), "CPU")
    return library


def _kinds(device_types):
    """The kinds of devices that a custom operator is given for."""
    if device_types is None:
        return None
    kinds = [device_types] if isinstance(device_types, str) else list(device_types)
    return sorted({"cpu" if kind == "cuda" else kind for kind in kinds})


def _replace_custom_operators():
    make, register = torch.library.custom_op, torch.library.register_kernel

    @functools.wraps(make)
    def custom_op(*args, device_types=None, **kwargs):
        return make(*args, device_types=_kinds(device_types), **kwargs)

    @functools.wraps(register)
    def register_kernel(op, device_types, *args, **kwargs):
        return register(op, _kinds(device_types), *args, **kwargs)

    torch.library.custom_op, torch.library.register_kernel = custom_op, register_kernel


def _of_kind(function, default):
    """A function of the kind of device, which comes first, or is `default`."""

    @functools.wraps(function)
    def ask(device_type=default, *args):
        return function("cpu" if device_type == "cuda" else device_type, *args)

    return ask


def _replace_autocast():
    autocast = torch.amp.autocast_mode.autocast
    init = autocast.__init__

    @functools.wraps(init)
    def __init__(self, device_type, dtype=None, *args, **kwargs):
        if device_type == "cuda":
            device_type, dtype = "cpu", torch.float16 if dtype is None else dtype
        init(self, device_type, dtype, *args, **kwargs)

    autocast.__init__ = __init__
    for name in ("is_autocast_enabled", "get_autocast_dtype", "set_autocast_enabled", "set_autocast_dtype"):
        setattr(torch, name, _of_kind(getattr(torch, name), "cuda"))


def _counting_integers(histogram):
    """A histogram that also takes integers, which PyTorch has for GPUs alone: it counts their values as floats."""

    @functools.wraps(histogram)
    def histc(input, *args, out=None, **kwargs):
        if input.is_floating_point():
            return histogram(input, *args, **kwargs, **({} if out is None else {"out": out}))
        result = histogram(input.double(), *args, **kwargs).to(input.dtype)
        return result if out is None else out.copy_(result)

    return histc


def _run_eagerly(model=None, **options):
    """`torch.compile`: what it would make of PyTorch's operations is not what is audited."""
    return _run_eagerly if model is None else model


def install():
    """Replaces the functions, for this process."""
    _kept.append(_add_typed_products())
    _replace_library()
    _replace_custom_operators()
    _replace_autocast()
    torch.histc, torch.Tensor.histc = map(_counting_integers, (torch.histc, torch.Tensor.histc))
    torch.compile = _run_eagerly
