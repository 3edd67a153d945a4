"""Kernels of the backends of other packages: their stages, their files in the cache, and launches through their
drivers."""

import json
from collections import namedtuple

from .. import knobs
from .._cache import get_cache_manager
from .._utils import cached_property, read_json
from .._version import __version__
from ..backends.active import driver
from ..backends.compiler import GPUTarget, Language, describe_unknown
from ..backends.stages import source_text
from ..compiler.compiler import CompiledKernel, get_cache_invalidating_env_vars, get_cache_key
from .errors import OutOfResources


class PluginKernel(CompiledKernel):
    """A kernel whose machine code, launcher and device belong to another package."""

    def __init__(self, src, backend, metadata, artifacts, group):
        self.src, self._handle, self._target = src, None, backend.target
        self._binary_ext = backend.binary_ext
        self.asm, self.metadata_group = artifacts, group
        self.metadata = namedtuple("KernelMetadata", sorted(metadata))(**metadata)
        self._packed_metadata = backend.pack_metadata(self.metadata)
        self.name, self.hash = self.metadata.name, self.metadata.hash

    @property
    def packed_metadata(self):
        return self._packed_metadata

    @cached_property
    def _launcher(self):
        """What `launcher_cls` of the driver makes of the kernel."""
        active = self._active()
        if not hasattr(active, "launcher_cls"):
            raise RuntimeError(f"`{self.name}` cannot run: the driver `{type(active).__name__}` has no `launcher_cls`")
        return active.launcher_cls(self.src, self.metadata)

    @cached_property
    def _loaded(self):
        """(module, function, registers, spilled bytes, most threads) on the current device."""
        utils, device = self._active().utils, self._active().get_current_device()
        shared = getattr(self.metadata, "shared", 0)
        available = utils.get_device_properties(device)["max_shared_mem"]
        if shared > available:
            raise OutOfResources(shared, available, "shared memory")
        loaded = utils.load_binary(self.name, self.kernel, shared, device)
        threads = getattr(self.metadata, "num_warps", 1) * self._target.warp_size
        if threads > loaded[4]:
            raise OutOfResources(threads, loaded[4], "threads")
        return loaded

    def _active(self):
        """The driver that launches go to; an error if kernels of this target cannot run on it."""
        target = driver.active.get_current_target()
        if target.backend != self._target.backend:
            raise RuntimeError(
                f"`{self.name}` was compiled for `{self._target.backend}` and cannot run on the active device, "
                f"which is `{target.backend}`"
            )
        return driver.active

    def _init_handles(self):
        self._launcher, self._loaded  # noqa: B018  made once

    @property
    def module(self):
        return self._loaded[0]

    @property
    def function(self):
        return self._loaded[1]

    @property
    def n_regs(self):
        return self._loaded[2]

    @property
    def n_spills(self):
        return self._loaded[3]

    @property
    def n_max_threads(self):
        return self._loaded[4]

    @property
    def run(self):
        return self._launcher

    def _launch(self, grid, bound, stream=None):
        """Runs the kernel on the values of all parameters by name, in their order."""
        active = self._active()
        if stream is None:
            stream = active.get_current_stream(active.get_current_device())
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        arguments = tuple(bound.values())
        told = self.launch_metadata(grid, stream, *arguments) if enter or leave else None
        self._launcher(*grid, stream, self.function, self.packed_metadata, told, enter, leave, *arguments)

    def __getitem__(self, grid):
        extents = (*((grid,) if isinstance(grid, int) else grid), 1, 1)[:3]

        def launch(*args, stream=None):
            self._launch(extents, dict(enumerate(args)), stream)

        return launch

    def __getstate__(self):
        here = ("_launcher", "_loaded")
        state = {name: value for name, value in self.__dict__.items() if name not in here}
        return {**state, "metadata": self.metadata._asdict()}

    def __setstate__(self, state):
        metadata = state.pop("metadata")
        self.__dict__.update(state)
        self.metadata = namedtuple("KernelMetadata", sorted(metadata))(**metadata)


def _parse_options(backend, given, parameters):
    options = backend.parse_options(dict(given))
    for name in given:
        if not hasattr(options, name) and name != "debug":
            raise KeyError(describe_unknown(str(name), list(parameters), sorted(vars(options))))
    return options


def _run_stages(src, backend, options, metadata):
    """{stage: artifact} of what the backend's stages make of the source, first of which is the source's own text."""
    stages = {}
    backend.add_stages(stages, options, Language.TRITON)
    binary = backend.binary_ext
    if binary not in stages:
        raise ValueError(
            f"the stages of the backend `{type(backend).__name__}` are {', '.join(stages) or 'none'}; its `binary_ext` "
            f"`{binary}` is none of them"
        )
    names = list(stages)
    first, text = ("source", source_text(src, options)) if not hasattr(src, "path") else (src.ext, src.src)
    if first not in (*names, "source", "ttir"):
        raise ValueError(f"`{first}` is not a stage of the backend `{type(backend).__name__}`: {', '.join(names)}")
    artifacts = {first: text}
    # TTIR may come from anywhere, so it goes through the first stage again.
    for name in names[names.index(first) + (first != "ttir") if first in names else 0 :]:
        text = stages[name](text, metadata)
        if not isinstance(text, (str, bytes)):
            raise TypeError(
                f"the function of stage `{name}` returned a `{type(text).__name__}`; it must return a text or bytes"
            )
        artifacts[name] = text.encode() if name == binary and isinstance(text, str) else text
    return artifacts


def _as_json(value):
    return vars(value) if hasattr(value, "__dict__") else str(value)


def _read_group(group, name, binary):
    """(metadata, artifacts) of a kernel's files; None of a group that is incomplete or damaged."""
    if not group or f"{name}.json" not in group:
        return None
    artifacts = {}
    for file, path in group.items():
        stage = file.removeprefix(f"{name}.")
        with open(path, "rb") as opened:
            data = opened.read()
        artifacts[stage] = data if stage == binary else data.decode(errors="replace")
    try:
        metadata = read_json(artifacts.pop("json"))
        return {**metadata, "target": GPUTarget(**metadata["target"])}, artifacts
    except (ValueError, KeyError, TypeError):
        return None


def compile_for_plugin(src, backend, given, parameters):
    """The PluginKernel of a source, from the cache if its stages have run before."""
    options = _parse_options(backend, given, parameters)
    key = get_cache_key(src, backend, options, get_cache_invalidating_env_vars())
    cache, file = get_cache_manager(key), f"{src.name}.json"
    group = None if knobs.compilation.always_compile else cache.get_group(file)
    known = _read_group(group, src.name, backend.binary_ext)
    if known is None:
        target = backend.target
        metadata = {**vars(options), "hash": key, "name": src.name, "target": target, "triton_version": __version__}
        artifacts = _run_stages(src, backend, options, metadata)
        artifacts["json"] = json.dumps(metadata, default=_as_json)
        group = {f"{src.name}.{stage}": cache.put(data, f"{src.name}.{stage}") for stage, data in artifacts.items()}
        cache.put_group(file, group)
        known = _read_group(group, src.name, backend.binary_ext)
    return PluginKernel(src, backend, *known, group)
