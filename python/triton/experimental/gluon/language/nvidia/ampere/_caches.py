"""What NVIDIA's GPUs have of hints for caches."""

from dataclasses import dataclass

from ..._caches import _EVICTIONS, _MODIFIERS, _check, _Constant, _without_dot

_FIRST_LEVEL = (*_EVICTIONS, "evict_unchanged", "no_allocate")


@dataclass(frozen=True)
class FractionalEvictionPolicy(_Constant):
    """The policy `primary` of the second cache for a fraction of the accesses, and `secondary` for the others."""

    primary: str
    fraction: float
    secondary: str = "evict_unchanged"

    def __post_init__(self):
        _check("primary", self.primary, (*_EVICTIONS, "evict_unchanged"))
        _check("secondary", self.secondary, ("evict_unchanged", "evict_first"))
        if not 0 < self.fraction <= 1:
            raise ValueError(f"fraction must be above 0 and at most 1, not {self.fraction!r}")


@dataclass(frozen=True)
class CachePolicy(_Constant):
    """A modifier, or a policy of the first cache; a policy of the second one, and how many bytes it loads ahead. What
    is for the second cache has no effect yet."""

    cache_modifier: str = None
    l1: str = None
    l2: FractionalEvictionPolicy = None
    l2_prefetch_size: int = None

    def __post_init__(self):
        if self.cache_modifier is not None:
            object.__setattr__(self, "cache_modifier", _without_dot(self.cache_modifier))
            _check("cache_modifier", self.cache_modifier, _MODIFIERS)
        if self.l1 is not None:
            _check("l1", self.l1, _FIRST_LEVEL)
        if self.l2 is not None and not isinstance(self.l2, FractionalEvictionPolicy):
            raise TypeError(f"l2 must be a FractionalEvictionPolicy, not {self.l2!r}")
        if self.l2_prefetch_size is not None:
            _check("l2_prefetch_size", self.l2_prefetch_size, (64, 128, 256))
        if not any((self.cache_modifier, self.l1, self.l2, self.l2_prefetch_size)):
            raise ValueError("CachePolicy needs at least one of cache_modifier, l1, l2 and l2_prefetch_size")
        if self.cache_modifier is not None and self.l1 is not None:
            raise ValueError("CachePolicy takes a cache_modifier or a policy l1 of the first cache, not both")

    @property
    def _modifier(self):
        """What the compiler reads."""
        return self.cache_modifier or ""

    @property
    def _eviction(self):
        """What the compiler reads. It has no word for the others, which are hints."""
        return self.l1 if self.l1 in _EVICTIONS else ""
