"""Settings of the package. Each subject has one group object. Reading a setting gives the value that Python assigned,
or that of the environment variable.

Assigning a setting overrides its variable. While ``propagate_env`` is true it also sets the variable, so that child
processes and the compiler see the same value. Assign ``knobs.env`` or delete the attribute to undo this.
"""

import contextlib
import importlib
import os

from . import _C
from ._utils import warn_once


class Env:
    """The value that returns a setting to the environment."""

    def __repr__(self):
        return "knobs.env"


env = Env()
propagate_env = True
_TRUE = ("1", "y", "on", "yes", "true")


def setenv(key, value):
    """Sets a variable of the environment; None removes it."""
    if value is None:
        os.environ.pop(key, None)
    else:
        os.environ[key] = value


def toenv(val):
    """``(text,)`` for a variable of the environment, ``(None,)`` for none, or None for what no variable can hold."""
    if val is None:
        return (None,)
    if isinstance(val, bool):
        return ("1" if val else "0",)
    return (str(val),) if isinstance(val, (str, int)) else None


class env_base:
    """One setting: a descriptor that reads the variable ``key`` unless the setting is overridden. ``get`` reads the
    variable, ``transform`` makes the value of what was assigned."""

    def __init__(self, key):
        self.key = key

    def __set_name__(self, owner, name):
        self.name = name

    def get(self):
        raise NotImplementedError("a class of settings defines `get`")

    def transform(self, val):
        return val

    def __get__(self, group, owner=None):
        if group is None:
            return self
        overrides = group.__dict__
        return self.transform(overrides[self.name]) if self.name in overrides else self.get()

    def __set__(self, group, value):
        if value is env:
            return self.__delete__(group)
        group.__dict__[self.name] = value
        text = toenv(value)
        if propagate_env and text:
            setenv(self.key, text[0])
        group._changed()

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)
        group._changed()


class env_str(env_base):
    def __init__(self, key, default):
        super().__init__(key)
        self.default = default

    def get(self):
        text = _C.variable(self.key)
        return self.default if text is None else text


class env_str_callable_default(env_base):
    def __init__(self, key, default_factory):
        super().__init__(key)
        self.default_factory = default_factory

    def get(self):
        text = _C.variable(self.key)
        return self.default_factory() if text is None else text


class env_bool(env_base):
    def __init__(self, key, default=False):
        super().__init__(key)
        self.default = default

    def get(self):
        text = _C.variable(self.key)
        return self.default if text is None else text.lower() in _TRUE


class env_int(env_base):
    def __init__(self, key, default=0):
        super().__init__(key)
        self.default = default

    def get(self):
        text = _C.variable(self.key)
        if text is None:
            return self.default
        try:
            return int(text)
        except ValueError:
            raise RuntimeError(f"{self.key} is `{text}`, which is not an integer") from None


class env_opt_str(env_str):
    def __init__(self, key):
        super().__init__(key, None)


class env_opt_bool(env_bool):
    def __init__(self, key):
        super().__init__(key, None)


class env_class(env_base):
    """A class that the environment names as ``module:Class``; ``type`` names what it derives from."""

    def __init__(self, key, type):
        super().__init__(key)
        self.type = type

    def get(self):
        text = _C.variable(self.key)
        if text is None:
            return None
        module, separator, name = text.partition(":")
        if not separator:
            raise RuntimeError(f"{self.key} is `{text}`, which does not name a class; write it as `module:Class`")
        try:
            found = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise RuntimeError(f"cannot load the class `{text}` that {self.key} names: {error}") from error
        if not isinstance(found, type) or self.type not in [base.__name__ for base in found.__mro__]:
            raise RuntimeError(f"`{text}`, which {self.key} names, is not a class that derives from `{self.type}`")
        return found


class env_nvidia_tool(env_base):
    """A program of NVIDIA's toolkit: the one that the variable names, or the one that the compiler finds (docs/gpu.md).
    Reading raises RuntimeError when there is none."""

    def __init__(self, binary):
        self.binary = binary
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH")

    def get(self):
        from ._toolkit import add_wheels

        add_wheels()
        return self.transform(_C.find_tool(self.binary.replace("-", "_")))

    def transform(self, path):
        from ._knob_values import NvidiaTool

        if isinstance(path, NvidiaTool):
            return path
        tool = NvidiaTool.from_path(path)
        if tool is None:
            raise RuntimeError(f"`{path}` is not NVIDIA's program `{self.binary}`")
        return tool


class _Cached(env_base):
    """A setting whose variable is read once; see `refresh_knobs`."""

    def __init__(self, setting):
        super().__init__(setting.key)
        self.setting = setting

    def __get__(self, group, owner=None):
        if group is None:
            return self
        if self.name in group.__dict__:
            return group.__dict__[self.name]
        cache = group._cache
        if self.name not in cache:
            cache[self.name] = self.setting.get()
        return cache[self.name]


class base_knobs:
    """Base of the groups below."""

    def __init__(self):
        self.__dict__["_cache"] = {}

    def _changed(self):
        pass

    def __setattr__(self, name, value):
        if name not in self.__dict__ and not hasattr(type(self), name):
            group = type(self).__name__.removesuffix("_knobs")
            warn_once(f"`knobs.{group}` has no setting `{name}`; what is assigned to it has no effect")
        object.__setattr__(self, name, value)

    @property
    def knob_descriptors(self):
        """{name: descriptor} of the settings that have a variable."""
        return {
            name: setting
            for owner in reversed(type(self).__mro__)
            for name, setting in vars(owner).items()
            if isinstance(setting, env_base)
        }

    @property
    def knobs(self):
        """{name: value} of the settings that have a variable, without tools that are not installed."""
        values = {}
        for name, setting in self.knob_descriptors.items():
            try:
                values[name] = getattr(self, name)
            except RuntimeError:
                if not isinstance(setting, env_nvidia_tool):
                    raise
                values[name] = None
        return values

    def copy(self):
        result = type(self)()
        result.__dict__.update({name: value for name, value in self.__dict__.items() if name != "_cache"})
        return result

    def reset(self):
        for name in [name for name in self.__dict__ if name != "_cache"]:
            delattr(self, name)
        return self

    @contextlib.contextmanager
    def scope(self):
        """Restores every setting of the group, and its variables, at the end."""
        variables = [setting.key for setting in self.knob_descriptors.values()]
        before = {variable: os.environ.get(variable) for variable in variables}
        overrides = {name: value for name, value in self.__dict__.items() if name != "_cache"}
        try:
            yield self
        finally:
            for variable, value in before.items():
                setenv(variable, value)
            for name in [name for name in self.__dict__ if name != "_cache"]:
                del self.__dict__[name]
            self.__dict__.update(overrides)
            self._cache.clear()
            self._changed()


class HookChain:
    """Functions that are called in order; with ``reversed`` the one added last is called first."""

    def __init__(self, reversed=False, changed=None):
        self.calls, self.reversed, self._changed = [], reversed, changed or (lambda: None)

    def add(self, func):
        if func not in self.calls:
            self.calls.append(func)
            self._changed()

    def remove(self, func):
        if func in self.calls:
            self.calls.remove(func)
            self._changed()

    def __call__(self, *args, **kwargs):
        for function in self.calls[::-1] if self.reversed else list(self.calls):
            function(*args, **kwargs)

    def __bool__(self):
        return bool(self.calls)


class build_knobs(base_knobs):
    """How native modules are built (`triton.runtime.build`)."""

    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TRITON_CUDACRT_PATH")
    cudart_path = env_opt_str("TRITON_CUDART_PATH")
    impl = None

    @property
    def backend_dirs(self):
        """The folders of the CUDA headers that the settings name."""
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


class redis_knobs(base_knobs):
    key_format = env_str("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = env_str("TRITON_REDIS_HOST", "localhost")
    port = env_int("TRITON_REDIS_PORT", 6379)


class cache_knobs(base_knobs):
    home_dir = env_str_callable_default("TRITON_HOME", _C.home_directory)
    dir = env_str_callable_default("TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"))
    dump_dir = env_str_callable_default("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"))
    override_dir = env_str_callable_default("TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override"))
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager")
    remote_manager_class = env_class("TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend")

    def get_triton_dir(self, dirname):
        return os.path.join(self.home_dir, ".triton", dirname)


class compilation_knobs(base_knobs):
    override = env_bool("TRITON_KERNEL_OVERRIDE")
    dump_ir = env_bool("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = env_bool("TRITON_STORE_BINARY_ONLY")
    always_compile = env_bool("TRITON_ALWAYS_COMPILE")
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TRITON_ENABLE_ASAN")
    disable_line_info = env_bool("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = env_bool("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    instrumentation_mode = _Cached(env_str("TRITON_INSTRUMENTATION_MODE", ""))
    fpsan_homomorphic_casts = env_bool("TRITON_FPSAN_HOMOMORPHIC_CASTS")
    listener = None


class autotuning_knobs(base_knobs):
    cache = env_bool("TRITON_CACHE_AUTOTUNING")
    print = env_bool("TRITON_PRINT_AUTOTUNING")
    interpolate = env_bool("TRITON_INTERPOLATE_AUTOTUNING", True)
    listener = None


class language_knobs(base_knobs):
    fp32_default = env_opt_str("TRITON_F32_DEFAULT")
    default_fp_fusion = env_bool("TRITON_DEFAULT_FP_FUSION", True)
    force_disable_fp_fusion = env_bool("TRITON_FORCE_DISABLE_FP_FUSION")

    def fp_fusion_enabled(self, requested):
        """Whether multiplications and additions are fused when a launch asks for ``requested``, which may be None."""
        if self.force_disable_fp_fusion:
            return False
        return self.default_fp_fusion if requested is None else requested


_pipelines = {}  # hash of a hook of the stages → number


def _number_of_stages(hook):
    """Called without arguments, a hook of the stages returns (key, hash), which distinguish its stages from others."""
    if hook is None:
        return 0
    answer = hook()
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise TypeError(
            f"the hook of the stages returned {answer!r} when it was called without arguments; it must return "
            "(key, hash), two texts that change with what it does"
        )
    return _pipelines.setdefault(str(answer[1]), len(_pipelines) + 1)


#: (debug, what sessions of the profiler ask kernels to record, number of a program's own stages) → number. Kernels are
#: compiled anew for each of these. The launcher has 32 bits for the number.
_launch_settings = {(False, "", 0): 0}


class runtime_knobs(base_knobs):
    interpret = env_bool("TRITON_INTERPRET")
    debug = _Cached(env_bool("TRITON_DEBUG"))
    override_arch = env_opt_str("TRITON_OVERRIDE_ARCH")
    simulate = env_opt_str("TRITON_SIMULATE")
    record = env_opt_str("TRITON_RECORD")
    record_classes = env_opt_str("TRITON_RECORD_CLASSES")
    fallback = env_opt_str("TRITON_FALLBACK")
    jit_cache_hook = None
    jit_post_compile_hook = None
    launch_enter_hook: HookChain
    launch_exit_hook: HookChain
    kernel_load_start_hook: HookChain
    kernel_load_end_hook: HookChain
    kernel_unload_hook: HookChain
    add_stages_inspection_hook = None

    #: The hooks of launches, and whether the one added last is called first.
    _HOOKS = {
        "launch_enter_hook": False,
        "launch_exit_hook": True,
        "kernel_load_start_hook": False,
        "kernel_load_end_hook": True,
        "kernel_unload_hook": False,
    }

    #: Functions that follow the settings.
    _followers = []

    def __init__(self):
        super().__init__()
        for name, is_reversed in self._HOOKS.items():
            object.__setattr__(self, name, HookChain(is_reversed, self._changed))

    @classmethod
    def follow_changes(cls, function):
        """Has ``function`` called whenever a setting has changed."""
        cls._followers.append(function)

    def __setattr__(self, name, value):
        """A launch hook may also be assigned, either None or one function."""
        if isinstance(self.__dict__.get(name), HookChain) and not isinstance(value, HookChain):
            chain = self.__dict__[name]
            chain.calls[:] = [] if value is None else [value]
            self._changed()
        elif name == "add_stages_inspection_hook":
            _number_of_stages(value)  # refuses what is none
            super().__setattr__(name, value)
            self._changed()
        else:
            super().__setattr__(name, value)

    def reset(self):
        for name, value in list(self.__dict__.items()):
            if isinstance(value, HookChain):
                value.calls.clear()
            elif name != "_cache":
                delattr(self, name)
        self._changed()
        return self

    def _changed(self):
        if self is globals().get("runtime"):
            _C.set_launch_hooks_active(any(getattr(self, name) for name in self._HOOKS))
            settings = bool(self.debug), _C.profiler.instrumentation(), self.pipeline
            _C.set_launch_settings(_launch_settings.setdefault(settings, len(_launch_settings)))
            for function in self._followers:
                function()

    @property
    def pipeline(self):
        """0, or the number of the stages that ``add_stages_inspection_hook`` makes."""
        return _number_of_stages(self.add_stages_inspection_hook)


class nvidia_knobs(base_knobs):
    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    mock_ptx_version = env_opt_str("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = env_bool("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TRITON_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TRITON_LIBCUDA_PATH")


class amd_knobs(base_knobs):
    codegen_path = env_opt_str("TRITON_AMD_CODEGEN_PATH")
    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = env_bool("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = env_bool("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TRITON_LIBHIP_PATH")
    use_block_pingpong = env_opt_bool("TRITON_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = env_opt_bool("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = env_opt_bool("TRITON_HIP_USE_ASYNC_COPY")
    use_coexec_scheduler = env_opt_bool("TRITON_HIP_USE_COEXEC_SCHEDULER")
    use_expert_scheduling = env_opt_bool("TRITON_HIP_USE_EXPERT_SCHEDULING")
    scalarize_packed_fops = env_bool("AMDGCN_SCALARIZE_PACKED_FOPS")
    dump_mir = env_opt_str("TRITON_DUMP_MIR")
    swap_mir = env_opt_str("TRITON_SWAP_MIR")
    swap_mir_enable_misched = env_bool("TRITON_SWAP_MIR_ENABLE_MISCHED")


class proton_knobs(base_knobs):
    """The profiler."""

    disable = env_bool("TRITON_PROTON_DISABLE")
    cupti_lib_dir = env_opt_str("TRITON_CUPTI_LIB_PATH")
    cupti_lib_blackwell_dir = env_opt_str("TRITON_CUPTI_LIB_BLACKWELL_PATH")
    hsa_runtime_path = env_opt_str("TRITON_HSA_RUNTIME_PATH")
    hsa_runtime_library = env_opt_str("TRITON_HSA_RUNTIME_LIBRARY")
    rocprofiler_sdk_include_path = env_opt_str("TRITON_ROCPROFILER_SDK_INCLUDE_PATH")
    rocprofiler_sdk_lib_path = env_opt_str("TRITON_ROCPROFILER_SDK_LIB_PATH")
    rocprofiler_sdk_library = env_opt_str("TRITON_ROCPROFILER_SDK_LIBRARY")
    roctracer_lib_path = env_opt_str("TRITON_ROCTRACER_LIB_PATH")
    roctracer_library = env_opt_str("TRITON_ROCTRACER_LIBRARY")
    roctx_lib_path = env_opt_str("TRITON_ROCTX_LIB_PATH")
    roctx_library = env_str("TRITON_ROCTX_LIBRARY", "libroctx64.so")
    profile_buffer_size = env_int("TRITON_PROFILE_BUFFER_SIZE", 64 << 20)
    profile_metric_buffer_size = env_int("TRITON_PROFILE_METRIC_BUFFER_SIZE", 64 << 20)
    enable_nvtx = env_bool("TRITON_ENABLE_NVTX", True)
    enable_hw_trace = env_bool("TRITON_ENABLE_HW_TRACE")


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()
runtime = runtime_knobs()
runtime._changed()


def refresh_knobs():
    """Reads the settings again that are cached for speed: ``runtime.debug``, ``compilation.instrumentation_mode``."""
    runtime._cache.clear()
    compilation._cache.clear()
    runtime._changed()


def __getattr__(name):
    # These modules need `dataclasses` and `typing`, which importing the package does not. The import system itself asks
    # for names with underscores.
    if not name.startswith("__"):
        from . import _hook_types, _knob_values

        for module in (_knob_values, _hook_types):
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
