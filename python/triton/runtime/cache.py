"""The disk cache as Python sees it: one folder for each key, below `knobs.cache.dir`. The compiler itself stores
kernels, in the same layout."""

import hashlib
import json
import os
import tempfile
from abc import ABC, abstractmethod

from .. import _C, knobs
from ..compiler.compiler import get_cache_key  # noqa: F401


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
            children = json.loads(data)["child_paths"]
        except (ValueError, KeyError, TypeError):
            return None
        return children if all(os.path.exists(child) for child in children.values()) else None

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


def _base32(key):
    """The name of a hexadecimal key's folder."""
    return _C.cache_folder_name(key)


def get_cache_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_C.cache_folder_name(key))


def get_override_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_C.cache_folder_name(key), override=True)


def get_dump_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_C.cache_folder_name(key), dump=True)


def triton_key():
    """A text that changes with the installed package."""
    return hashlib.sha256(_C.build_identity().encode()).hexdigest()


def make_so_cache_key(version_hash, signature, constants, ids, **kwargs):
    """The hexadecimal key of a native module."""
    described = {name: "ptr" if str(type).startswith("*") else str(type) for name, type in signature.items()}
    text = f"{version_hash}-{''.join(described.values())}-{constants}-{ids}"
    text += "".join(f"-{value}" for value in kwargs.values())
    return hashlib.sha256(text.encode()).hexdigest()
