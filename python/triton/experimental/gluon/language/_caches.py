"""How accesses of global memory go through caches: values that kernels give as `cache_policy`."""

from dataclasses import dataclass

_MODIFIERS = ("ca", "cg", "wb", "cs", "wt", "cv")
_EVICTIONS = ("evict_normal", "evict_first", "evict_last")


class _Constant:
    #: Kernels may use such values, and their classes, as globals.
    __triton_constant__ = True

    @property
    def type(self):
        from ....language import constexpr

        return constexpr(self).type

    def mangle(self):
        """A text for the names of functions that are made for the value."""
        return "".join(letter if letter.isalnum() else "_" for letter in repr(self))


def _without_dot(modifier):
    return modifier.removeprefix(".") if hasattr(modifier, "removeprefix") else modifier


def _check(name, value, choices):
    if value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {listed}, not {value!r}")


@dataclass(frozen=True)
class CachePolicy(_Constant):
    """What all GPUs have: the modifier and the eviction policy of loads and stores."""

    cache_modifier: str = "none"
    eviction_policy: str = "evict_normal"

    def __post_init__(self):
        object.__setattr__(self, "cache_modifier", _without_dot(self.cache_modifier))
        _check("cache_modifier", self.cache_modifier, ("none", *_MODIFIERS))
        _check("eviction_policy", self.eviction_policy, _EVICTIONS)

    @property
    def _modifier(self):
        """What the compiler reads."""
        return self.cache_modifier

    @property
    def _eviction(self):
        """What the compiler reads."""
        return self.eviction_policy
