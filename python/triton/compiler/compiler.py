"""`triton.compile`: from a kernel and the types of its arguments, or a file of IR, to a compiled kernel."""

import functools
import os
import sys
import time
from collections import namedtuple

from .. import _C, knobs
from .._utils import cached_property, digest
from .._version import __version__
from ..backends import backends
from ..backends.active import driver, running_target
from .sources import ASTSource, IRSource

get_cache_invalidating_env_vars = _C.libtriton.get_cache_invalidating_env_vars


def __getattr__(name):  # Of modules that are imported late.
    if name == "get_cache_manager":
        from .._cache import get_cache_manager

        return get_cache_manager
    if name == "AsmDict":
        from .artifacts import Artifacts

        return Artifacts
    raise AttributeError(f"module `triton.compiler.compiler` has no attribute `{name}`")


#: What kernels of other compilers ask a launch for: memory that the launch provides.
_NO_SCRATCH = {
    f"{kind}_scratch_{fact}": int(fact == "align") for kind in ("global", "profile") for fact in ("size", "align")
}


_BYTES_OF_A_TENSOR_MAP, _BYTES_OF_A_POINTER = 128, 8


def _hidden_bytes(metadata):
    """The bytes that a launch passes beyond the arguments of the source: tensor maps and the buffer of messages.

    Launchers of others know scratch memory alone, and leave kernels that ask for some to `CompiledKernel.run`.
    """
    maps = len(metadata.get("tensor_maps", ()))
    return _BYTES_OF_A_TENSOR_MAP * maps + _BYTES_OF_A_POINTER * bool(metadata.get("messages"))


@functools.cache
def _late_modules():
    """What `import triton` does not load; imported once, because each first launch asks for it."""
    from .. import _counts
    from . import artifacts

    return _counts, artifacts


def prepare_for_launches(target):
    """Makes what a launch asks for whose kernel is in a bundle, and what it imports."""
    from ..language import _runtime_values  # noqa: F401

    _late_modules()
    backend_of_launches(target)


def _backend_class(target):
    """The class of the one backend that compiles for the target; no other is imported."""
    candidates = backends.known() if _C.has_backend(target.backend) else backends.values()
    matching = [backend.compiler for backend in candidates if backend.compiles_for(target)]
    if len(matching) != 1:
        raise RuntimeError(
            f"{len(matching)} backends compile for {target}; the backends here are {', '.join(backends)}"
        )
    return matching[0]


def make_backend(target):
    return _backend_class(target)(target)


_backends_of_launches = {}  # by the target and the backend's class
_last_backend = None, None, None  # (the target, all backends, what `backend_of_launches` returned)


def backend_of_launches(target):
    """What `make_backend` makes; of this package's backends one for all kernels, whose options it reads."""
    global _last_backend
    if not _C.has_backend(target.backend):
        return make_backend(target)
    here, last = (target, [*backends.known()]), _last_backend  # which other threads replace
    if here != last[:2]:
        key = target, _backend_class(target)
        if key not in _backends_of_launches:
            _backends_of_launches[key] = key[1](target)
        _last_backend = last = *here, _backends_of_launches[key]
    return last[2]


def get_cache_key(src, backend, backend_options, env_vars):
    """The hexadecimal key of a compilation, for programs that keep results of their own. The compiler's own key says
    more: see docs/options.md."""
    parts = [_C.build_identity(), src.hash(), backend.hash(), backend_options.hash(), str(sorted(env_vars.items()))]
    return digest("-".join(parts))


def _connect_cache():
    """Lets the compiler ask the cache after that on disk, if the settings name one now or may have done so before."""
    is_named = knobs.cache.manager_class is not None or knobs.cache.remote_manager_class is not None
    if is_named or "triton._cache" in sys.modules:
        from .._cache import connect_compiler

        connect_compiler()


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles an ASTSource, or the IR file of that path, and returns a CompiledKernel. Uses the disk cache. Where
    TRITON_SIMULATE is set, a kernel for the processor is one for the simulated GPU."""
    target = driver.active.launch_target() if target is None else running_target(target)
    compiled = compile_for(target, src, options)
    if knobs.runtime.record_classes and isinstance(src, ASTSource) and not src._is_launched:
        record_source(src, target, options)
    return compiled


def compile_for_plugin(src, backend, given, parameters):
    """The kernel of a backend of another package. The runtime, which has its launches, sets this."""
    raise NotImplementedError


def record_source(src, target, options):
    """Records what a program has compiled for itself. The runtime, which has the files of classes, sets this."""


def compile_for(target, src, options=None):
    """Compiles for this target, whatever launches run on."""
    from .._differences import tell_of_settings
    from ..backends.compiler import GPUTarget

    tell_of_settings("compilation")
    if knobs.compilation.enable_asan:
        raise RuntimeError(
            "`knobs.compilation.enable_asan` (TRITON_ENABLE_ASAN) is set, and this compiler does not have it; the "
            "simulator (TRITON_SIMULATE=1) checks every access of a kernel"
        )
    if not isinstance(target, GPUTarget):
        raise TypeError(f"the target is a `{type(target).__name__}`; it must be a GPUTarget")
    backend = make_backend(target)
    if not isinstance(src, (ASTSource, IRSource)):
        if not isinstance(src, (str, os.PathLike)):
            raise TypeError(f"cannot compile a `{type(src).__name__}`; give an ASTSource or the path of an IR file")
        src = IRSource(src)
    given = _given_options(src, backend, options)
    parameters = getattr(getattr(src, "fn", None), "arg_names", ())
    if not _C.has_backend(target.backend):
        return compile_for_plugin(src, backend, given, parameters)
    parsed = backend.parse_options({**given, **src.parse_options()}, parameters if src._is_launched else None)
    _connect_cache()
    start = time.perf_counter()
    code = IRSource(parsed.ir_override) if parsed.ir_override else src
    deciding = parsed.for_compiler()
    if scopes := _C.profiler.instrumentation():
        deciding["profile_scopes"] = scopes
    if backend.has_own_stages():
        from ..backends.compiler import Language
        from ..backends.stages import compile_by_stages

        handle, artifacts, added = compile_by_stages(code, backend, parsed, Language.TRITON)
    else:
        handle = code._compile((target.backend, target.arch, target.warp_size), deciding, parsed.num_cpu_threads)
        artifacts, added = {}, {}
    kernel = CompiledKernel._of(src, handle, target, parsed, backend.binary_ext, artifacts, added, given)
    kernel._origin = _count(kernel, handle, start)
    if knobs.compilation.listener:
        times = knobs.CompileTimes(0, [("total", int((time.perf_counter() - start) * 1e6))], 0)
        knobs.compilation.listener(
            src=src,
            metadata=kernel.metadata._asdict(),
            metadata_group=kernel.metadata_group,
            times=times,
            cache_hit=handle.is_from_cache,
        )
    return kernel


def _count(kernel, handle, start):
    """Counts what the compiler was asked for at that time; returns where it came from."""
    counts, _ = _late_modules()
    seconds = time.perf_counter() - start
    return counts.got_kernel(kernel.name, kernel.hash, handle.is_from_cache, handle.is_from_bundle, seconds)


def _given_options(src, backend, options):
    given = {**({} if src._is_launched else backend.options_elsewhere), **(options or {})}
    if given.get("debug") is None:
        given["debug"] = bool(getattr(getattr(src, "fn", None), "debug", None) or knobs.runtime.debug)
    return given


_options_of_launches = {}  # what `_options_of_launch` has returned


def _options_of_launch(backend, given, parameters):
    """(what `parse_options` makes, what the compiler gets of it), which is the same for most kernels."""
    language = knobs.language
    settings = language.force_disable_fp_fusion, language.default_fp_fusion, knobs.nvidia.libdevice_path
    named = tuple((name, type(value), value) for name, value in given.items())
    key = backend, settings, knobs.compilation.instrumentation_mode, named
    try:
        known = _options_of_launches.get(key)
    except TypeError:  # an option that has no hash
        key, known = None, None
    if known is None:
        parsed = backend.parse_options(given, parameters)
        known = parsed, _C.Options.build(parsed.for_compiler())
        if key is not None:
            _options_of_launches[key] = known
    return known


def find_bundled(target, src, options, backend=None):
    """The CompiledKernel of a launch's source, if a bundle that the process has loaded has it; else None."""
    if not _C.has_bundles() or not _C.has_backend(target.backend) or _C.profiler.instrumentation():
        return None
    start = time.perf_counter()
    backend = backend or backend_of_launches(target)
    given = _given_options(src, backend, options)
    parsed, deciding = _options_of_launch(backend, {**given, **src.parse_options()}, src.fn.arg_names)
    if parsed.ir_override or backend.has_own_stages():
        return None
    place = target.backend, target.arch, target.warp_size
    handle = src._find_bundled(place, deciding, parsed.num_cpu_threads)
    if handle is None:
        return None
    kernel = CompiledKernel._of(src, handle, target, parsed, backend.binary_ext, given=given)
    kernel._origin = _count(kernel, handle, start)
    return kernel


def access_bytes(target, src, options):
    """The bytes that each access of a block may move at once, as the target's TTIR of the source says."""
    backend = make_backend(target)
    parsed = backend.parse_options(_given_options(src, backend, options), src.fn.arg_names)
    return src._access_bytes((target.backend, target.arch, target.warp_size), parsed.for_compiler())


class LazyDict:
    """A dict with entries that are computed when it is read."""

    def __init__(self, data):
        self.data = data
        self.extras = []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras.clear()
        return self.data

    def add(self, func, args):
        self.extras.append((func, args))


def max_shared_mem(device):
    """The shared memory that one program can have on the device, in bytes."""
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


class CompiledKernel:
    """A compiled variant of a kernel. ``asm`` maps each stage to its artifact; ``kernel`` is the last one.

    It can be pickled: another process of the same machine runs it without the disk cache.
    """

    _loaded_by = None  # the process whose hooks were called
    _origin = None  # "compiled", or the cache that it comes from

    def __init__(self, src, metadata_group, hash):
        # Programs put functions with these parameters in its place.
        self.src, self._files, self.hash = src, metadata_group, hash

    @classmethod
    def _of(cls, src, handle, target, options, binary_ext, artifacts=(), added=(), given=None):
        hash = handle.hash
        kernel = cls(src, _late_modules()[1].FilesInCache(hash), hash)
        kernel._given = given  # the options before they were completed
        kernel._handle, kernel.name = handle, handle.name
        kernel._artifacts, kernel._added = dict(artifacts), dict(added)  # by a program's own stages
        kernel._target, kernel._options, kernel._binary_ext = target, options, binary_ext
        return kernel

    def __getstate__(self):
        made = ("asm", "metadata", "metadata_group", "_variants")  # when they are first read
        return {name: value for name, value in self.__dict__.items() if name not in made}

    @cached_property
    def asm(self):
        from .artifacts import Artifacts

        return Artifacts(self, self._artifacts)

    @property
    def kernel(self):
        """The bytes of the last stage, which is a text in a simulator."""
        last = self.asm[self._binary_ext]
        return last.encode() if isinstance(last, str) else last

    @cached_property
    def metadata(self):
        import json
        from dataclasses import asdict

        fields = {**asdict(self._options), **_NO_SCRATCH, "shared": 0, "tmem_size": 0, "tensordesc_meta": []}
        derived = [name for name in ("warp_size", "base_arch") if hasattr(self._options, name)]
        fields.update({name: getattr(self._options, name) for name in derived})
        known = json.loads(self._handle.metadata or "{}")
        fields.update({name: value for name, value in known.items() if name.isidentifier()})
        fields["global_scratch_size"] = _hidden_bytes(known)
        fields.update(self._added)
        fields.update(name=self.name, hash=self.hash, target=self._target, triton_version=__version__)
        return namedtuple("KernelMetadata", sorted(fields))(**fields)

    @property
    def packed_metadata(self):
        return self.metadata

    @property
    def launch_metadata_schema(self):
        """Programs that launch the machine code from C++, such as PyTorch's AOTInductor, look whether this is there.
        It is not, and they read `metadata`. Of a kernel that they cannot launch, it is an error that says so."""
        if getattr(self.metadata, "tensor_maps", ()):
            raise RuntimeError(
                f"`{self.name}` gets tensor maps from its launch, which only `CompiledKernel.run` makes; to launch its "
                "machine code from another program, compile it with TRITON_DISABLE_WARP_SPECIALIZATION=1"
            )
        raise AttributeError("a kernel has no `launch_metadata_schema`; its `metadata` says what a launch needs")

    @cached_property
    def metadata_group(self):
        """{file name: path} of the kernel's files in the disk cache."""
        return dict(self._files)

    def _init_handles(self):
        """Loads the kernel on the current device, which calls hooks the first time. Raises OutOfResources when it
        needs more than the device has."""
        runtime, is_first = knobs.runtime, self._loaded_by != os.getpid()
        if is_first and runtime.kernel_load_start_hook:  # What hooks get takes long to find out.
            runtime.kernel_load_start_hook(None, None, self.name, self.metadata_group, self.hash)
        self._handle.load()
        self._loaded_by = os.getpid()
        if is_first and runtime.kernel_load_end_hook:
            runtime.kernel_load_end_hook(self.module, self.function, self.name, self.metadata_group, self.hash)

    def __del__(self):
        if self._loaded_by is None or sys.is_finalizing():
            return
        hook = knobs.runtime.kernel_unload_hook
        if hook and self._loaded_by == os.getpid():
            hook(self.module, self.function, self.name, self.metadata_group, self.hash)

    @property
    def module(self):
        """What is loaded: on NVIDIA's GPUs the driver's handle for the current device, elsewhere an object of ours."""
        if self._target.backend != "cuda" or not (function := self.function):
            return self._handle
        from ..backends.nvidia.driver import module_of

        return module_of(function)

    @property
    def function(self):
        """The address of the machine code's entry. On a GPU it is the driver's handle for the current device."""
        return self._handle.load()[0]

    @property
    def n_regs(self):
        """Registers of a thread; 0 on the CPU."""
        return getattr(self.metadata, "n_regs", 0)

    @property
    def n_spills(self):
        """Words of 4 bytes of a thread's local memory, as Triton counts them. The metadata has bytes: in ``n_spills``
        those that it stores for lack of registers."""
        spilled = getattr(self.metadata, "n_spills", 0)
        return -(-getattr(self.metadata, "resources", {}).get("local_bytes", spilled) // 4)

    @property
    def n_max_threads(self):
        """The largest number of threads that one program can have on the current device."""
        return self._handle.load()[3]

    def launch_metadata(self, grid, stream, *args):
        """The argument of launch hooks: name, function, stream, and what the kernel's own `launch_metadata` adds."""
        data = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        fn = getattr(self.src, "fn", None)
        if fn is not None and fn.launch_metadata is not None:
            data.add(fn.launch_metadata, (grid, self.metadata, dict(zip(fn.arg_names, args, strict=False))))
        return data

    @property
    def run(self):
        """Launches, in the form that generated host code calls: ``run(grid_0, grid_1, grid_2, stream, function,
        packed_metadata, launch_metadata, enter_hook, exit_hook, *args)``. It takes the arguments of all parameters,
        with or without constants at their end, or of those alone that exist at run time. With the stream None the
        kernel runs on the current one."""
        runner = self._handle.runner
        return functools.partial(self._run_checked, runner) if getattr(self.metadata, "disjoint_pairs", ()) else runner

    def _run_checked(self, runner, *args):
        try:
            return runner(*args)
        except _C.StorageOverlap as overlap:
            enter_hook = 7  # has been called
            args = (*args[:enter_hook], None, *args[enter_hook + 1 :])
            return self._for_storages(overlap)._handle.runner(*args)

    def _for_storages(self, overlap):
        """The variant for arrays that overlap; the error numbers the memory of each runtime argument."""
        if not isinstance(self.src, ASTSource) or self._given is None:
            raise overlap
        storages = tuple(overlap.storages)
        if storages not in self._variants:
            src = ASTSource._of_arguments(self.src.fn, self.src._arguments.in_storages(list(storages)))
            self._variants[storages] = compile(src, self._target, self._given)
        return self._variants[storages]

    @cached_property
    def _variants(self):
        return {}

    def _repr_html_(self):
        """For notebooks."""
        from .notebook import kernel_html

        return kernel_html(self)

    def __getitem__(self, grid):
        def launch(*args, stream=None):
            try:
                self._handle.launch(grid, args, stream)
            except _C.StorageOverlap as overlap:
                self._for_storages(overlap)._handle.launch(grid, args, stream)

        return launch
