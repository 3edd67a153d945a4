"""The disk cache as Python sees it: one folder for each key, below `knobs.cache.dir`. The compiler itself stores
kernels, in the same layout."""

import functools
import hashlib
import json
import os
import tempfile
import warnings
from abc import ABC, abstractmethod

from . import _C, _counts, knobs
from ._utils import digest, read_json


class CacheManager(ABC):
    """Files of one key."""

    def __init__(self, key, override=False, dump=False):
        self.key = key

    @abstractmethod
    def get_file(self, filename):
        """The path of a stored file, or None."""

    @abstractmethod
    def put(self, data, filename, binary=True):
        """Stores a file; returns its path."""

    @abstractmethod
    def get_group(self, filename):
        """{name: path} of a stored group, or None if any of its files is missing."""

    @abstractmethod
    def put_group(self, filename, group):
        """Stores which files belong together."""


class FileCacheManager(CacheManager):
    """Files in a folder that no other user can change. A file is written under another name and then renamed, so that
    no reader sees a part of it."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key, override, dump)
        root = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        self.cache_dir = os.path.join(root, key)

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def _read(self, filename):
        """The bytes of a regular file of this user's; None for anything else."""
        return _C.read_private_file(self.cache_dir, filename)

    def has_file(self, filename):
        return self._read(filename) is not None

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        if isinstance(data, str):
            data = data.encode()
        _C.make_private_folder(self.cache_dir)
        handle, temporary = tempfile.mkstemp(dir=self.cache_dir, prefix=f"tmp.pid_{os.getpid()}_")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, self._make_path(filename))
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise
        return self._make_path(filename)

    def get_group(self, filename):
        data = self._read(f"__grp__{filename}")
        if data is None:
            return None
        try:
            children = read_json(data)["child_paths"]
        except (ValueError, KeyError, TypeError):
            return None
        return children if all(os.path.exists(child) for child in children.values()) else None

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


def _base32(key):
    """The name of a hexadecimal key's folder."""
    return _C.cache_folder_name(key)


class RemoteCacheBackend(ABC):
    """The files of one key in a store that machines share. ``TRITON_REMOTE_CACHE_BACKEND=module:Class`` chooses one."""

    def __init__(self, key):
        self.key = key

    @abstractmethod
    def get(self, filenames):
        """{name: bytes} of those files that are there."""

    @abstractmethod
    def put(self, filename, data):
        """Stores the bytes of a file."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """Files in a Redis server; `knobs.redis` says where. Needs the package `redis`."""

    def __init__(self, key):
        super().__init__(key)
        self._format = knobs.redis.key_format
        self._redis = _redis_client(knobs.redis.host, knobs.redis.port, os.getpid())

    def _name(self, filename):
        return self._format.format(key=self.key, filename=filename)

    def get(self, filenames):
        filenames = list(filenames)
        values = self._redis.mget([self._name(name) for name in filenames]) if filenames else ()
        return {name: value for name, value in zip(filenames, values, strict=True) if value is not None}

    def put(self, filename, data):
        self._redis.set(self._name(filename), data)


@functools.lru_cache(maxsize=8)
def _redis_client(host, port, process):
    """One client for each process: connections do not survive a fork."""
    import redis

    return redis.Redis(host=host, port=port)


class RemoteCacheManager(CacheManager):
    """Files in a remote cache, with copies in the disk cache. Dumps and overrides stay on this machine.

    The file of a group, ``__grp__<name>``, lists the names of its files and the SHA-256 of each.
    """

    def __init__(self, key, override=False, dump=False):
        super().__init__(key, override, dump)
        self._local = FileCacheManager(key, override, dump)
        backend = knobs.cache.remote_manager_class or RedisRemoteCacheBackend
        self._backend = None if override or dump else backend(key)

    def get_file(self, filename):
        if self._backend is None:
            return self._local.get_file(filename)
        data = self._backend.get([filename]).get(filename)
        return None if data is None else self._local.put(data, filename)

    def put(self, data, filename, binary=True):
        data = data.encode() if isinstance(data, str) else data
        if self._backend is not None:
            self._backend.put(filename, data)
        return self._local.put(data, filename)

    def get_group(self, filename):
        if self._backend is None:
            return self._local.get_group(filename)
        description = self._backend.get([f"__grp__{filename}"]).get(f"__grp__{filename}")
        if description is None:
            return None
        try:
            checksums = read_json(description)["checksums"]
            names = list(checksums)
        except (ValueError, KeyError, TypeError):
            return None
        files = self._backend.get(names)
        if any(hashlib.sha256(files.get(name, b"")).hexdigest() != checksums[name] for name in names):
            return None
        return {name: self._local.put(data, name) for name, data in files.items()}

    def put_group(self, filename, group):
        if self._backend is None:
            return self._local.put_group(filename, group)
        checksums = {}
        for name, path in group.items():
            with open(path, "rb") as file:
                checksums[name] = hashlib.sha256(file.read()).hexdigest()
        self._backend.put(
            f"__grp__{filename}", json.dumps({"child_paths": list(group), "checksums": checksums}).encode()
        )
        return self._local._make_path(f"__grp__{filename}")


def _manager_class():
    """The class of managers that the settings name."""
    if knobs.cache.manager_class is not None:
        return knobs.cache.manager_class
    return FileCacheManager if knobs.cache.remote_manager_class is None else RemoteCacheManager


def get_cache_manager(key):
    return _manager_class()(_C.cache_folder_name(key))


def get_override_manager(key):
    return _manager_class()(_C.cache_folder_name(key), override=True)


def get_dump_manager(key):
    return _manager_class()(_C.cache_folder_name(key), dump=True)


# ---- What the compiler asks when its own disk cache lacks a kernel ----


def _once(function):
    """Whatever goes wrong costs a compilation, and one warning for each text."""

    @functools.wraps(function)
    def guarded(*args):
        try:
            return function(*args)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            if text not in _warned:
                _warned.add(text)
                warnings.warn(f"the remote cache of kernels fails: {text}", RuntimeWarning, stacklevel=2)
            return None

    return guarded


_warned = set()
_connected = False


@_once
def _read_kernel(key, stem):
    group = get_cache_manager(key).get_group(f"{stem}.json")
    _counts.asked_remote(key, group is not None)
    if group is None:
        return None
    files = {}
    for name, path in group.items():
        with open(path, "rb") as file:
            files[name.removeprefix(f"{stem}.")] = file.read()
    return files


@_once
def _write_kernel(key, stem, files):
    manager = get_cache_manager(key)
    paths = {f"{stem}.{extension}": manager.put(data, f"{stem}.{extension}") for extension, data in files.items()}
    manager.put_group(f"{stem}.json", paths)


def connect_compiler():
    """Lets the compiler ask the cache that the settings name, unless that is the disk cache, which it has itself."""
    global _connected
    wanted = not issubclass(_manager_class(), FileCacheManager)
    if wanted != _connected:
        _C.set_shared_cache(*((_read_kernel, _write_kernel) if wanted else (None, None)))
        _connected = wanted


def triton_key():
    """A text that changes with the installed package."""
    return digest(_C.build_identity())


def make_so_cache_key(version_hash, signature, constants, ids, **kwargs):
    """The hexadecimal key of a native module."""
    described = {name: "ptr" if str(type).startswith("*") else str(type) for name, type in signature.items()}
    text = f"{version_hash}-{''.join(described.values())}-{constants}-{ids}"
    text += "".join(f"-{value}" for value in kwargs.values())
    return digest(text)
