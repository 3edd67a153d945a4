"""Values of settings and what listeners get, as `triton.knobs` offers them."""

import functools
import os
from dataclasses import dataclass

__all__ = ["CompileTimes", "NvidiaTool"]


@functools.lru_cache
def _tool_version(path, modified):
    """What follows `release` in the output of `--version`, or None."""
    import re
    import subprocess

    try:
        text = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    found = re.search(r"release (\d+\.\d+)", text)
    return found and found.group(1)


@dataclass
class NvidiaTool:
    """One of NVIDIA's programs."""

    path: str
    version: str

    @staticmethod
    def from_path(path):
        """The tool, or None for a path where there is no such program."""
        if not os.access(path, os.X_OK):
            return None
        version = _tool_version(path, os.stat(path).st_mtime_ns)
        return version and NvidiaTool(path, version)


@dataclass(frozen=True)
class CompileTimes:
    """How long a compilation took, in microseconds; ``lowering_stages`` are pairs of a name and a time."""

    ir_initialization: int
    lowering_stages: list
    store_results: int

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results
