"""How a backend records, as objects. `str` of one is the text that `start` takes as well."""

from dataclasses import dataclass, field, fields

metric_types = ("cycle",)
sampling_strategies = ("none", "selective")
granularities = (
    "cta",
    "warp",
    "warp_2",
    "warp_4",
    "warp_8",
    "warp_group",
    "warp_group_2",
    "warp_group_4",
    "warp_group_8",
)
buffer_strategies = ("circular", "flush")
buffer_types = ("shared", "global")
optimizations = ("time_shift", "sched_stores", "sched_barriers", "clock32")

_CHOICES = {
    "metric_type": metric_types,
    "sampling_strategy": sampling_strategies,
    "granularity": granularities,
    "buffer_strategy": buffer_strategies,
    "buffer_type": buffer_types,
}


@dataclass(frozen=True)
class BaseMode:
    @property
    def name(self):
        return type(self).__name__.lower()

    def __str__(self):
        parts = [self.name]
        for each in fields(self):
            value = getattr(self, each.name)
            if value != each.default and value not in ("", [], ()):
                parts.append(f"{each.name}={','.join(value) if isinstance(value, (list, tuple)) else value}")
        return ":".join(parts)


@dataclass(frozen=True)
class PCSampling(BaseMode):
    """Where the program counters of a GPU's warps are, asked every ``interval`` cycles."""

    interval: int = 1000


@dataclass(frozen=True)
class Counters(BaseMode):
    """The cycles, instructions and cache misses of threads that run programs on this processor."""


@dataclass(frozen=True)
class InstrumentationMode(BaseMode):
    """What kernels record of themselves (see `triton.profiler.language`)."""

    metric_type: str = "cycle"
    sampling_strategy: str = "none"
    sampling_options: str = ""
    granularity: str = "warp"
    buffer_strategy: str = "circular"
    buffer_type: str = "shared"
    buffer_size: int = 0
    optimizations: list = field(default_factory=list)  # or a text with commas

    def __post_init__(self):
        if isinstance(self.optimizations, str):
            object.__setattr__(self, "optimizations", [name for name in self.optimizations.split(",") if name])
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"`{value}` is no {name} of a mode; it is one of {', '.join(choices)}")
        for value in self.optimizations:
            if value not in optimizations:
                raise ValueError(f"`{value}` is none of the optimizations {', '.join(optimizations)}")
        if self.buffer_size < 0:
            raise ValueError(f"a buffer has no size of {self.buffer_size} bytes")


@dataclass(frozen=True)
class Default(InstrumentationMode):
    """Scopes of the kernel's own."""


@dataclass(frozen=True)
class MMA(InstrumentationMode):
    """Matrix products, besides scopes of the kernel's own."""
