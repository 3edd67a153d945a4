"""The backends of this installation, by name."""

from collections import namedtuple

from .cpu.compiler import CPUBackend
from .cpu.driver import CPUDriver
from .nvidia.compiler import CUDABackend
from .nvidia.driver import CudaDriver

Backend = namedtuple("Backend", ["name", "compiler", "driver"])

backends = {"cpu": Backend("cpu", CPUBackend, CPUDriver), "nvidia": Backend("nvidia", CUDABackend, CudaDriver)}
