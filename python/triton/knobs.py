"""Settings of the package. Each subject has one group object. Reading a setting gives the value that Python assigned,
or that of the environment variable.

Assigning a setting overrides its variable. While ``propagate_env`` is true it also sets the variable, so that child
processes and the compiler see the same value. Assign ``knobs.env`` or delete the attribute to undo this.
"""

import contextlib
import importlib
import os

from . import _C


class _Env:
    """The value that returns a setting to the environment."""

    def __repr__(self):
        return "knobs.env"


env = _Env()
propagate_env = True
_TRUE = ("1", "y", "on", "yes", "true")


def _parse_bool(text):
    return text.lower() in _TRUE


def _parse_int(text):
    try:
        return int(text)
    except ValueError:
        raise RuntimeError(f"`{text}` is not an integer") from None


class Setting:
    """One setting: a descriptor that reads ``variable`` unless the setting is overridden."""

    def __init__(self, variable=None, default=None, parse=str, cached=False):
        self.variable, self.default, self.parse, self.cached = variable, default, parse, cached

    def __set_name__(self, owner, name):
        self.name = name

    def read_environment(self):
        text = os.environ.get(self.variable) if self.variable else None
        if text is None:
            return self.default() if callable(self.default) else self.default
        return self.parse(text)

    def __get__(self, group, owner=None):
        if group is None:
            return self
        overrides = group.__dict__
        if self.name in overrides:
            return overrides[self.name]
        if not self.cached:
            return self.read_environment()
        cache = group._cache
        if self.name not in cache:
            cache[self.name] = self.read_environment()
        return cache[self.name]

    def __set__(self, group, value):
        if value is env:
            return self.__delete__(group)
        group.__dict__[self.name] = value
        if propagate_env and self.variable and (value is None or isinstance(value, (bool, str, int))):
            if value is None:
                os.environ.pop(self.variable, None)
            else:
                os.environ[self.variable] = str(int(value)) if isinstance(value, bool) else str(value)
        group._changed()

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)
        group._changed()


def _flag(variable, default=False, cached=False):
    return Setting(variable, default, _parse_bool, cached)


def _text(variable, default=None):
    return Setting(variable, default)


def _number(variable, default=None):
    return Setting(variable, default, _parse_int)


def _hook():
    return Setting()


class _ClassSetting(Setting):
    """A class that the environment names as ``module:Class``."""

    def __init__(self, variable):
        super().__init__(variable, None, self._load)

    @staticmethod
    def _load(text):
        module, separator, name = text.partition(":")
        if not separator:
            raise RuntimeError(f"`{text}` does not name a class; write it as `module:Class`")
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise RuntimeError(f"cannot load the class `{text}`: {error}") from error


class Group:
    """Base of the groups below."""

    def __init__(self):
        self.__dict__["_cache"] = {}

    def _changed(self):
        pass

    @property
    def knobs(self):
        names = [name for name in dir(type(self)) if isinstance(getattr(type(self), name), Setting)]
        return {name: getattr(self, name) for name in names}

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
        variables = [setting.variable for setting in vars(type(self)).values() if isinstance(setting, Setting)]
        before = {variable: os.environ.get(variable) for variable in variables if variable}
        overrides = {name: value for name, value in self.__dict__.items() if name != "_cache"}
        try:
            yield self
        finally:
            for variable, value in before.items():
                if value is None:
                    os.environ.pop(variable, None)
                else:
                    os.environ[variable] = value
            for name in [name for name in self.__dict__ if name != "_cache"]:
                del self.__dict__[name]
            self.__dict__.update(overrides)
            self._cache.clear()
            self._changed()


class HookChain:
    """Functions that are called in order; with ``reverse`` the one added last is called first."""

    def __init__(self, reverse=False, changed=None):
        self.calls, self.reverse, self._changed = [], reverse, changed or (lambda: None)

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
            self._changed()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
            self._changed()

    def __call__(self, *args, **kwargs):
        for function in reversed(self.calls) if self.reverse else list(self.calls):
            function(*args, **kwargs)

    def __bool__(self):
        return bool(self.calls)


class BuildKnobs(Group):
    cc = _text("CC")
    impl = _hook()


class CacheKnobs(Group):
    home_dir = _text("TRITON_HOME", _C.home_directory)
    dir = _text("TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"))
    dump_dir = _text("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"))
    override_dir = _text("TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override"))
    manager_class = _ClassSetting("TRITON_CACHE_MANAGER")

    def get_triton_dir(self, name):
        return os.path.join(self.home_dir, ".triton", name)


class CompilationKnobs(Group):
    always_compile = _flag("TRITON_ALWAYS_COMPILE")
    dump_ir = _flag("TRITON_KERNEL_DUMP")
    override = _flag("TRITON_KERNEL_OVERRIDE")
    store_binary_only = _flag("TRITON_STORE_BINARY_ONLY")
    disable_line_info = _flag("TRITON_DISABLE_LINE_INFO")
    allow_non_constexpr_globals = _flag("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    listener = _hook()


class AutotuningKnobs(Group):
    cache = _flag("TRITON_CACHE_AUTOTUNING")
    print = _flag("TRITON_PRINT_AUTOTUNING")
    listener = _hook()


class LanguageKnobs(Group):
    fp32_default = _text("TRITON_F32_DEFAULT")
    default_fp_fusion = _flag("TRITON_DEFAULT_FP_FUSION", True)


class RuntimeKnobs(Group):
    debug = _flag("TRITON_DEBUG", cached=True)
    interpret = _flag("TRITON_INTERPRET")
    override_arch = _text("TRITON_OVERRIDE_ARCH")
    simulate = _text("TRITON_SIMULATE")
    jit_cache_hook = _hook()
    jit_post_compile_hook = _hook()

    def __init__(self):
        super().__init__()
        hooks = {
            "launch_enter_hook": False,
            "launch_exit_hook": True,
            "kernel_load_start_hook": False,
            "kernel_load_end_hook": True,
            "kernel_unload_hook": False,
        }
        for name, reverse in hooks.items():
            object.__setattr__(self, name, HookChain(reverse, self._changed))

    def __setattr__(self, name, value):
        """A launch hook may also be assigned, either None or one function."""
        if isinstance(self.__dict__.get(name), HookChain) and not isinstance(value, HookChain):
            chain = self.__dict__[name]
            chain.calls[:] = [] if value is None else [value]
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
            _C.set_launch_hooks_active(bool(self.launch_enter_hook) or bool(self.launch_exit_hook))
            _C.set_launch_settings(int(bool(self.debug)))


class NvidiaKnobs(Group):
    ptxas = _text("TRITON_PTXAS_PATH")
    ptxas_blackwell = _text("TRITON_PTXAS_BLACKWELL_PATH")
    ptxas_options = _text("PTXAS_OPTIONS")
    disable_ptxas_opt = _flag("DISABLE_PTXAS_OPT")
    dump_ptxas_log = _flag("TRITON_DUMP_PTXAS_LOG")
    dump_nvptx = _text("NVPTX_ENABLE_DUMP")
    mock_ptx_version = _number("TRITON_MOCK_PTX_VERSION")
    libdevice_path = _text("TRITON_LIBDEVICE_PATH")
    libcuda_path = _text("TRITON_LIBCUDA_PATH")


build = BuildKnobs()
cache = CacheKnobs()
compilation = CompilationKnobs()
autotuning = AutotuningKnobs()
language = LanguageKnobs()
nvidia = NvidiaKnobs()
runtime = RuntimeKnobs()
runtime._changed()


def refresh_knobs():
    """Reads the settings again that are cached for speed: ``runtime.debug``."""
    runtime._cache.clear()
    runtime._changed()
