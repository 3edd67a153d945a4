"""What a compiled kernel consists of: the artifacts of its stages, and its files in the disk cache."""

import os
from collections import UserDict
from collections.abc import Mapping

from .. import _C, knobs
from .._utils import cached_property


class Artifacts(Mapping):
    """Stage → artifact: bytes for machine code, text for others. What is not kept is made when it is first read.

    What other tools make of the binary is not listed among the stages: ``sass``, the text of a cubin, by the tools of
    CUDA; ``so`` and ``launcher.so`` of a kernel for the processor, by a C compiler.
    """

    def __init__(self, kernel, known):
        self._kernel, self._handle, self._binary_ext = kernel, kernel._handle, kernel._binary_ext
        self._stages = [*known, *(stage for stage in self._handle.stages if stage not in known)]
        self._known = dict(known)

    def __getitem__(self, stage):
        if stage not in self._known:
            self._known[stage] = self._make(stage)
        return self._known[stage]

    def _make(self, stage):
        if stage == "sass" and self._binary_ext == "cubin":
            from ..tools.disasm import get_sass

            return get_sass(self["cubin"])
        if self._binary_ext == "o":
            from ..backends.cpu import shared_library

            if stage in shared_library.STAGES:
                return shared_library.build(self._kernel, stage)
        if stage not in self:
            raise KeyError(stage)
        from ..backends.stages import BINARY  # few programs need it

        data = self._handle.artifact(stage)
        return data if stage in BINARY else data.decode(errors="replace")

    def __contains__(self, stage):
        return stage in self._stages

    def __iter__(self):
        return iter(self._stages)

    def __len__(self):
        return len(self._stages)


class FilesInCache(UserDict):
    """{file name: path} of a kernel's files in the disk cache, which is read when they are asked for."""

    def __init__(self, hash):
        self._hash = hash

    @cached_property
    def data(self):
        directory = os.path.join(knobs.cache.dir, _C.cache_folder_name(self._hash))
        names = sorted(os.listdir(directory)) if os.path.isdir(directory) else ()
        return {name: os.path.join(directory, name) for name in names if not name.startswith("__grp__")}

    def __getstate__(self):
        return {"_hash": self._hash}  # another process may have its cache elsewhere
