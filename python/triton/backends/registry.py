"""The table of backends, which the package fills: what chooses among them needs no backend's code."""

from collections import namedtuple

#: ``simulator`` is the class of drivers that simulate the backend's devices, or None.
Backend = namedtuple("Backend", ["name", "compiler", "driver", "simulator"])

backends = {}
