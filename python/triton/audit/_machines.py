"""The GPUs that an audit can stand for, as programs ask about them: what torch.cuda and drivers say of a device."""

from dataclasses import dataclass

from ..backends.registry import backends

_KIB, _GIB = 1 << 10, 1 << 30


@dataclass(frozen=True)
class Machine:
    """A GPU of an architecture. ``shared`` is what one program may have, in bytes."""

    name: str
    arch: object  # 90, "gfx942"
    capability: tuple
    processors: int
    shared: int
    memory: int
    lanes: int = 32

    @property
    def is_amd(self):
        return not isinstance(self.arch, int)

    @property
    def backend(self):
        return "hip" if self.is_amd else "cuda"


MACHINES = {
    "sm_80": Machine("NVIDIA A100-SXM4-80GB", 80, (8, 0), 108, 163 * _KIB, 80 * _GIB),
    "sm_86": Machine("NVIDIA A10", 86, (8, 6), 72, 99 * _KIB, 24 * _GIB),
    "sm_89": Machine("NVIDIA L4", 89, (8, 9), 58, 99 * _KIB, 24 * _GIB),
    "sm_90": Machine("NVIDIA H100 80GB HBM3", 90, (9, 0), 132, 227 * _KIB, 80 * _GIB),
    "gfx90a": Machine("AMD Instinct MI250X", "gfx90a", (9, 0), 110, 64 * _KIB, 64 * _GIB, 64),
    "gfx942": Machine("AMD Instinct MI300X", "gfx942", (9, 4), 304, 64 * _KIB, 192 * _GIB, 64),
    "gfx950": Machine("AMD Instinct MI355X", "gfx950", (9, 5), 256, 160 * _KIB, 288 * _GIB, 64),
    "gfx1100": Machine("AMD Radeon RX 7900 XTX", "gfx1100", (11, 0), 96, 64 * _KIB, 24 * _GIB),
    "gfx1201": Machine("AMD Radeon RX 9070 XT", "gfx1201", (12, 0), 64, 64 * _KIB, 16 * _GIB),
}
DEFAULT = "sm_90"


def machine_of(text):
    """The machine that a command names: sm_90, 90, cuda:90, gfx942, hip:gfx942."""
    name = text.removeprefix("sim:").rpartition(":")[2]
    name = f"sm_{name}" if name.isdigit() else name
    if name not in MACHINES:
        raise ValueError(f"the target is `{text}`; write one of {', '.join(MACHINES)}")
    return MACHINES[name]


class _Utils:
    """The properties of the device, as `triton.runtime.driver.active.utils` gives them."""

    def __init__(self, machine):
        self.machine = machine

    def get_device_properties(self, device=0):
        return {
            "max_shared_mem": self.machine.shared,
            "max_num_regs": 65536,
            "multiprocessor_count": self.machine.processors,
            "warpSize": self.machine.lanes,
            "sm_clock_rate": 1_700_000,
            "mem_clock_rate": 2_600_000,
            "mem_bus_width": 5120,
        }

    def load_binary(self, name, data, shared, device):
        raise RuntimeError("the simulator loads no machine code; launch the kernel itself")


def driver_of(machine):
    """A driver that says to programs that it is the GPU, and launches in its simulator."""
    from ..backends.compiler import GPUTarget

    class AuditDriver(backends["amd" if machine.is_amd else "nvidia"].simulator):
        def __init__(self):
            super().__init__(machine.arch)
            self.utils = _Utils(machine)

        def launch_target(self):
            return super().get_current_target()

        def get_current_target(self):
            return GPUTarget(machine.backend, machine.arch, machine.lanes)

        def get_device_capability(self, device=0):
            return machine.capability

        def get_active_torch_device(self):
            import torch

            return torch.device("cuda", 0)

        def get_device_interface(self):
            import torch

            return torch.cuda

    return AuditDriver()
