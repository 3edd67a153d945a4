"""The disk cache as Python sees it, and caches behind it. See `triton._cache`."""

from .. import knobs  # noqa: F401  PyTorch asks this module for it
from .._cache import (
    CacheManager,
    FileCacheManager,
    RedisRemoteCacheBackend,
    RemoteCacheBackend,
    RemoteCacheManager,
    _base32,
    get_cache_manager,
    get_dump_manager,
    get_override_manager,
    make_so_cache_key,
    triton_key,
)
from ..compiler.compiler import get_cache_key

__all__ = [
    "CacheManager",
    "FileCacheManager",
    "RedisRemoteCacheBackend",
    "RemoteCacheBackend",
    "RemoteCacheManager",
    "_base32",
    "get_cache_key",
    "get_cache_manager",
    "get_dump_manager",
    "get_override_manager",
    "make_so_cache_key",
    "triton_key",
]
