"""The columns of the viewer: what is computed of the metrics in a file."""

import math
import re

from . import specs

_SECONDS = {"s": 1e-9, "ms": 1e-6, "us": 1e-3, "ns": 1.0}
_SCALES = {"": 1.0, "g": 1e-9, "t": 1e-12}
_TIME = re.compile(r"(avg_)?(\w*time)/(s|ms|us|ns)")
_RATE = re.compile(r"([gt]?)(flop(?:8|16|32|64)?|byte)/s")


class UnknownMetric(ValueError):
    """A column that cannot be computed of a file."""


class Node:
    """A frame with its own metrics and, as ``total``, those of everything below it, too."""

    def __init__(self, name, metrics, children):
        self.name, self.metrics, self.children = name, metrics, children
        self.total = {}


def build(data):
    """Nodes of what a file has. Only numbers can be summed."""
    order = [data]
    for node in order:
        order.extend(node["children"])
    made = {}
    for node in reversed(order):
        metrics = {key: value for key, value in node["metrics"].items() if _is_number(value)}
        metrics["device"] = (node["metrics"].get("device_type"), node["metrics"].get("device_id"))
        made[id(node)] = Node(node["frame"]["name"], metrics, [made[id(child)] for child in node["children"]])
    return made[id(data)]


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def walk(root):
    """All nodes, each before those below it."""
    order = [root]
    for node in order:
        order.extend(node.children)
    return order


def add_up(root):
    """Fills in ``total``. A metric `name (inc)` includes what is below already."""
    for node in reversed(walk(root)):
        total = {key: value for key, value in node.metrics.items() if key != "device"}
        for child in node.children:
            for key, value in child.total.items():
                if not key.endswith("(inc)"):
                    total[key] = total.get(key, 0) + value
        node.total = total


def names(root):
    """The metrics of a tree."""
    return sorted({key for node in walk(root) for key in node.metrics if key != "device"})


def available(root):
    """What a column can be, for `--list`."""
    found = names(root)
    columns = []
    for key in found:
        if key.endswith(" (ns)"):
            key = key.removesuffix(" (ns)")
            columns += [f"{prefix}{key}/{unit}" for prefix in ("", "avg_") for unit in _SECONDS] + [f"{key}/%"]
            continue
        elif key.startswith("flops"):
            columns += [f"{scale}flop{key.removeprefix('flops')}/s" for scale in _SCALES]
        elif key == "bytes":
            columns += [f"{scale}byte/s" for scale in _SCALES]
        columns.append(key)
    if "time (ns)" in found and any(key.startswith("flops") or key == "bytes" for key in found):
        columns.append("util")
    return columns


def _least_time(metrics, devices):
    """The nanoseconds that a device needs at least for the operations and bytes of a kernel, or 0."""
    device_type, device_id = metrics["device"]
    facts = devices.get(device_type, {}).get(str(device_id))
    if not facts:
        return 0
    times = [0]
    try:
        for width in (8, 16, 32, 64):
            count = metrics.get(f"flops{width}")
            if count:
                speed = specs.max_flops(device_type, facts["arch"], width, facts["num_sms"], facts["clock_rate"])
                times.append(count / speed)
        if metrics.get("bytes"):
            speed = specs.max_bps(device_type, facts["arch"], facts["bus_width"], facts["memory_clock_rate"])
            times.append(metrics["bytes"] / speed)
    except (ValueError, KeyError, ZeroDivisionError):
        return 0
    return max(times) * 1e9


def _quotient(numerator, denominator):
    if numerator is None or not denominator:
        return math.nan
    return numerator / denominator


def column(name, root, devices):
    """A function of a node for the column ``name``. Raises UnknownMetric."""
    found = names(root)

    def require(*keys):
        if not all(key in found for key in keys):
            missing = " and ".join(f"`{key}`" for key in keys if key not in found)
            raise UnknownMetric(f"`{name}` cannot be computed: the profile has no metric {missing}")

    if match := _TIME.fullmatch(name):
        average, key, unit = match.groups()
        key = f"{key} (ns)"
        scale = _SECONDS[unit]
        if average:
            require(key, "count")
            return lambda node: _quotient(node.total.get(key), node.total.get("count")) * scale
        require(key)
        return lambda node: node.total.get(key, math.nan) * scale
    if match := _RATE.fullmatch(name):
        scale, key = match.groups()
        key = key.replace("flop", "flops").replace("byte", "bytes")
        require(key, "time (ns)")
        return lambda node: _quotient(node.total.get(key), node.total.get("time (ns)")) * 1e9 * _SCALES[scale]
    if name == "util":
        require("time (ns)")
        for node in walk(root):
            node.metrics["least time"] = _least_time(node.metrics, devices)
        add_up(root)
        return lambda node: _quotient(node.total.get("least time"), node.total.get("time (ns)"))
    if name.endswith("/%"):
        key = _find(name.removesuffix("/%"), found, name, root)
        return lambda node: 100 * _quotient(node.total.get(key), root.total.get(key))
    key = _find(name, found, name, root)
    return lambda node: node.total.get(key, math.nan)


def _find(key, found, name, root):
    for candidate in (key, f"{key} (inc)", f"{key} (ns)"):
        if candidate in found:
            return candidate
    raise UnknownMetric(f"the profile has no metric `{name}`; there are: {', '.join(available(root)) or 'none'}")
