"""What tests of kernels ask about the machine, under the names that Triton's own tests use."""

import contextlib
import os

from . import knobs
from .backends.active import driver


def is_interpreter():
    return os.environ.get("TRITON_INTERPRET") == "1"


def get_current_target():
    """The target of the active driver; None where kernels are interpreted."""
    return None if is_interpreter() else driver.active.get_current_target()


def _is(backend):
    target = get_current_target()
    return target is not None and target.backend.removeprefix("sim:") == backend


def is_cuda():
    return _is("cuda")


def is_hip():
    return _is("hip")


def is_xpu():
    return _is("xpu")


def _capability():
    """Ten times the major number of the compute capability and the minor one; 0 on other machines."""
    return int(get_current_target().arch) if is_cuda() else 0


def is_ampere_or_newer():
    return _capability() >= 80


def is_hopper():
    return 90 <= _capability() < 100


def is_hopper_or_newer():
    return _capability() >= 90


def is_blackwell():
    return 100 <= _capability() < 110


def is_blackwell_ultra():
    return _capability() == 103


def is_sm12x():
    return 120 <= _capability() < 130


def _architecture():
    return str(get_current_target().arch).partition(":")[0] if is_hip() else ""


def is_hip_cdna2():
    return _architecture() == "gfx90a"


def is_hip_cdna3():
    return _architecture() == "gfx942"


def is_hip_cdna4():
    return _architecture() == "gfx950"


def is_hip_cdna():
    return is_hip_cdna2() or is_hip_cdna3() or is_hip_cdna4()


def is_hip_rdna3():
    return _architecture().startswith("gfx11")


def is_hip_rdna4():
    return _architecture() in ("gfx1200", "gfx1201")


def is_hip_rdna():
    return is_hip_rdna3() or is_hip_rdna4()


def is_hip_gfx1250():
    return _architecture() == "gfx1250"


def supports_tma(byval_only=False):
    return is_hopper_or_newer()


def supports_ws():
    return is_hopper_or_newer()


def tma_skip_msg(byval_only=False):
    return "needs a GPU of NVIDIA with compute capability 9.0 or newer, which copies tensors by itself"


def default_alloc_fn(size, align, _):
    """An allocator of scratch memory, for ``triton.set_allocator``."""
    import torch

    return torch.empty(size, dtype=torch.int8, device="cuda")


def _fresh_knobs_impl(skipped_attr=None):
    """``(begin, end)``: the first gives `triton.knobs` with every group but the skipped ones as if no variable were
    set, the second brings back what was there."""
    groups = {
        name: group
        for name, group in vars(knobs).items()
        if isinstance(group, knobs.base_knobs) and name not in (skipped_attr or ())
    }
    scopes = contextlib.ExitStack()

    def begin():
        for group in groups.values():
            scopes.enter_context(group.scope())
            group.reset()
            for setting in group.knob_descriptors.values():
                knobs.setenv(setting.key, None)
        return knobs

    return begin, scopes.close
