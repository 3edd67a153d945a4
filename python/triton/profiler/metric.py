"""Values of metrics: numbers, lists of numbers, and tensors."""

import numbers

from .. import _C

#: The metrics from which rooflines are computed.
FLOPS = ("flops", "flops8", "flops16", "flops32", "flops64")
BYTES = "bytes"

#: Values that a device computes: pairs of the place where they belong and {name: tensor}.
_pending = []


def _is_on_device(value):
    device = getattr(value, "device", None)
    return device is not None and getattr(device, "type", "cpu") != "cpu" and hasattr(value, "detach")


def _plain(name, value):
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach()
    if not isinstance(value, (numbers.Number, list, tuple)) and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        values = [_number(name, element) for element in value]
        if not values:
            raise ValueError(f"the metric `{name}` has no value: its list is empty")
        if any(isinstance(element, float) for element in values):
            values = [float(element) for element in values]
        return values
    return _number(name, value)


def _number(name, value):
    if isinstance(value, numbers.Integral):
        value = int(value)
        if name.split("(")[0].rstrip() in FLOPS or not -(1 << 63) <= value < 1 << 63:
            return float(value)
        return value
    if isinstance(value, numbers.Real):
        return int(value) if name.split("(")[0].rstrip() == BYTES and float(value).is_integer() else float(value)
    if hasattr(value, "item"):
        return _number(name, value.item())
    raise TypeError(
        f"the metric `{name}` is a `{type(value).__name__}`; it must be a number, a list of numbers or a tensor of them"
    )


def split(metrics):
    """({name: number or list}, {name: tensor whose values a device has}) of what a user gave."""
    if not metrics:
        return {}, {}
    if not isinstance(metrics, dict):
        raise TypeError(f"metrics are a `{type(metrics).__name__}`; they must be a dict of names and values")
    known, later = {}, {}
    for name, value in metrics.items():
        if not isinstance(name, str):
            raise TypeError(f"the name {name!r} of a metric is not a text")
        if _is_on_device(value):
            later[name] = value.detach().clone()  # the program may change the tensor; this does not wait for it
        else:
            known[name] = _plain(name, value)
    return known, later


def remember(later):
    """Notes tensors whose values belong to the present place of the program."""
    if later:
        _pending.append((_C.profiler.MetricTarget.current(), later))


def resolve():
    """Reads the tensors that were noted. Waits for the device."""
    while _pending:
        target, tensors = _pending.pop(0)
        values = {}
        for name, tensor in tensors.items():
            flat = tensor.reshape(-1).cpu()
            values[name] = _plain(name, flat[0] if flat.numel() == 1 else flat)
        target.add(values)
