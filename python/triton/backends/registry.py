"""The table of backends, which the package fills. Code that chooses among backends does not import them."""

from collections import namedtuple

#: ``simulator`` is the class of drivers that simulate the backend's devices, or None.
Backend = namedtuple("Backend", ["compiler", "driver", "name", "simulator"], defaults=["", None])

backends = {}

#: The names, in targets, of the backends whose kernels run on a GPU of this machine.
GPU_BACKENDS = ("cuda", "hip")
