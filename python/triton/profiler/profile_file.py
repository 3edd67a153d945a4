"""Reads the files that sessions write."""

import json
import struct


class DamagedProfile(ValueError):
    """A file that is not a profile, or only the beginning of one."""


class _MessagePack:
    """Reads the kinds of values of which profiles consist."""

    _NUMBERS = "fdBHIQbhiq"  # for the tags from 0xCA on
    _SIZES = {0xD9: "B", 0xDA: "H", 0xDB: "I", 0xDC: "H", 0xDD: "I", 0xDE: "H", 0xDF: "I"}

    def __init__(self, data):
        self.data, self.position = data, 0

    def _take(self, form):
        (value,) = struct.unpack_from(">" + form, self.data, self.position)
        self.position += struct.calcsize(form)
        return value

    def _text(self, length):
        end = self.position + length
        if end > len(self.data):
            raise struct.error("a text goes on after the end")
        text = self.data[self.position : end].decode()
        self.position = end
        return text

    def _map(self, length):
        return {self.value(): self.value() for _ in range(length)}

    def _list(self, length):
        return [self.value() for _ in range(length)]

    def value(self):
        tag = self._take("B")
        if tag <= 0x7F or tag >= 0xE0:
            return tag if tag <= 0x7F else tag - 256
        for first, read in ((0xA0, self._text), (0x90, self._list), (0x80, self._map)):
            if first <= tag < first + (32 if first == 0xA0 else 16):
                return read(tag - first)
        if 0xCA <= tag <= 0xD3:
            return self._take(self._NUMBERS[tag - 0xCA])
        if tag in self._SIZES:
            length = self._take(self._SIZES[tag])
            return (self._text if tag <= 0xDB else self._list if tag <= 0xDD else self._map)(length)
        if tag == 0xC0:
            return None
        raise struct.error(f"there is no value that begins with byte {tag:#x}")


def _parse(path, data):
    first = data.lstrip()[:1]
    try:
        if first in (b"[", b"{"):
            return json.loads(data)
        reader = _MessagePack(data)
        value = reader.value()
        if reader.position != len(data):
            raise struct.error(f"there are more bytes after its end at byte {reader.position}")
        return value
    except json.JSONDecodeError as error:
        is_cut = error.msg.startswith("Unterminated") or error.pos >= len(error.doc.rstrip()) - 1
        where = "it is cut off" if is_cut else f"byte {error.pos} is wrong"
        raise DamagedProfile(f"`{path}` is not a whole profile: {where} ({error.msg})") from None
    except (struct.error, UnicodeDecodeError, TypeError, RecursionError) as error:
        raise DamagedProfile(
            f"`{path}` is not a whole profile: it is cut off, or not a file of the profiler ({error})"
        ) from None


def _check_node(path, node):
    """Whether everything is where a reader looks for it. Without recursion: trees may be deep."""
    open_nodes = [node]
    while open_nodes:
        node = open_nodes.pop()
        try:
            name, metrics, children = node["frame"]["name"], node["metrics"], node["children"]
            if not isinstance(name, str) or not isinstance(metrics, dict) or not isinstance(children, list):
                raise TypeError
        except (TypeError, KeyError):
            raise DamagedProfile(
                f"`{path}` is not a tree of a profile: a node has no `frame`, `metrics` and `children`"
            ) from None
        open_nodes.extend(children)


def read(path):
    """(root, devices) of a tree in JSON or MessagePack. Raises DamagedProfile, or OSError."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.strip():
        raise DamagedProfile(f"`{path}` is empty: it is not a profile")
    value = _parse(path, data)
    if isinstance(value, dict) and "traceEvents" in value:
        raise DamagedProfile(f"`{path}` is a trace: open it in https://ui.perfetto.dev; the viewer shows trees")
    if not isinstance(value, list) or not value:
        raise DamagedProfile(f"`{path}` is not a tree of a profile: it is not a list of a root and the devices")
    _check_node(path, value[0])
    devices = value[1] if len(value) > 1 and isinstance(value[1], dict) else {}
    return value[0], devices
