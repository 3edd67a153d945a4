"""The backends of this installation, by name."""

from collections import namedtuple

from .cpu.compiler import CPUBackend
from .cpu.driver import CPUDriver

Backend = namedtuple("Backend", ["name", "compiler", "driver"])

backends = {"cpu": Backend("cpu", CPUBackend, CPUDriver)}
