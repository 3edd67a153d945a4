"""`triton.autotune` and `triton.heuristics`: kernels that choose constants at launch."""

import hashlib
import inspect
import json
import sys
import time
import warnings

from .. import _C, knobs
from ..compiler.errors import CompileTimeAssertionFailure
from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import JITFunction, KernelInterface, TensorWrapper


class Config:
    """Values for constants of a kernel and launch options that are tried together."""

    _OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override", "num_cpu_threads")

    def __init__(
        self,
        kwargs,
        num_warps=4,
        num_stages=3,
        num_ctas=1,
        maxnreg=None,
        pre_hook=None,
        ir_override=None,
        num_cpu_threads=0,
    ):
        plain = _C.plain_number  # equal configurations have equal texts
        self.kwargs = {name: plain(value) for name, value in kwargs.items()}
        self.num_warps, self.num_stages, self.num_ctas = plain(num_warps), plain(num_stages), plain(num_ctas)
        self.maxnreg, self.ir_override, self.num_cpu_threads = plain(maxnreg), ir_override, plain(num_cpu_threads)
        self.pre_hook = pre_hook

    def all_kwargs(self):
        options = {name: getattr(self, name) for name in self._OPTIONS}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def _identity(self):
        return (tuple(sorted(self.all_kwargs().items(), key=lambda item: item[0])), self.pre_hook)

    def __hash__(self):
        return hash(str(self._identity()[0]))

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __repr__(self):
        return f"Config({self})"


class _Wrapper(KernelInterface):
    """A kernel that wraps another kernel."""

    def __init__(self, fn, arg_names):
        self.fn, self.arg_names = fn, arg_names
        self.base_fn = fn
        while not inspect.isfunction(self.base_fn) and hasattr(self.base_fn, "fn"):
            self.base_fn = self.base_fn.fn
        self.__name__ = getattr(self.base_fn, "__name__", "kernel")
        self.__doc__ = getattr(self.base_fn, "__doc__", None)

    def __getattr__(self, name):
        if name == "fn":
            raise AttributeError(name)
        return getattr(self.fn, name)

    def bound_arguments(self, args, kwargs):
        return {**dict(zip(self.arg_names, args, strict=False)), **kwargs}


class Heuristics(_Wrapper):
    """A kernel with constants that are computed from the arguments of each launch."""

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, arg_names)
        self.values = values

    def _computed(self, args, kwargs):
        bound = self.bound_arguments(args, kwargs)
        for name, function in self.values.items():
            kwargs[name] = bound[name] = function(bound)
        return kwargs

    def run(self, *args, **kwargs):
        return self.fn.run(*args, **self._computed(args, kwargs))

    def warmup(self, *args, **kwargs):
        return self.fn.warmup(*args, **self._computed(args, kwargs))


def heuristics(values):
    """Computes constants at launch: ``values`` maps a parameter to a function of the dict of arguments."""

    def decorate(fn):
        return Heuristics(fn, fn.arg_names, values)

    return decorate


def _copy_into(target, source):
    if hasattr(target, "copy_"):
        target.copy_(source)
    else:
        target[...] = source


def _clone(array):
    return array.clone() if hasattr(array, "clone") else array.copy()


def _zero(array):
    if isinstance(array, TensorWrapper):
        array = array.base
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array[...] = 0


class Autotuner(_Wrapper):
    """A kernel that measures its configurations once for each key and then uses the fastest."""

    def __init__(
        self,
        fn,
        arg_names,
        configs,
        key,
        reset_to_zero=None,
        restore_value=None,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        do_bench=None,
        cache_results=False,
        bench_arguments=None,
    ):
        super().__init__(fn, arg_names)
        self.configs = list(configs) if configs else [Config({})]
        self.keys = list(key)
        for name in self.keys:
            if name not in arg_names:
                raise ValueError(f"the key `{name}` is not a parameter of `{self.__name__}`")
        self.cache = {}
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        self.pre_hook = pre_hook or self._reset_arguments
        self.post_hook = post_hook or self._restore_arguments
        self._saved = {}
        prune = prune_configs_by or {}
        self.early_config_prune, self.perf_model = prune.get("early_config_prune"), prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self._do_bench, self._bench_arguments = do_bench, bench_arguments or {}
        self.cache_results = cache_results
        self.best_config, self.configs_timings, self.bench_time = None, None, None
        self.nargs = None

    def _reset_arguments(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            if kwargs.get(name) is not None:
                _zero(kwargs[name])
        if not reset_only:
            self._saved = {name: _clone(kwargs[name]) for name in self.restore_value if kwargs.get(name) is not None}

    def _restore_arguments(self, kwargs, exception=None):
        for name, value in self._saved.items():
            _copy_into(kwargs[name], value)
        self._saved = {}

    def do_bench(self, kernel_call, quantiles):
        if self._do_bench is not None:
            return self._do_bench(kernel_call, quantiles=quantiles)
        from .driver import driver

        return driver.active.get_benchmarker()(kernel_call, quantiles=quantiles, **self._bench_arguments)

    def _bench(self, args, config, kwargs):
        conflicts = set(kwargs) & set(config.kwargs)
        if conflicts:
            raise ValueError(
                f"parameter `{sorted(conflicts)[0]}` of `{self.__name__}` is given by the call and by the "
                "configuration; leave it out of the call"
            )
        current = {**kwargs, **config.all_kwargs()}
        named = {**self.nargs, **current}

        def kernel_call():
            if config.pre_hook:
                config.pre_hook(named)
            self.pre_hook(named)
            try:
                self.fn.run(*args, **current)
            except Exception as error:
                self.post_hook(named, exception=error)
                raise
            self.post_hook(named, exception=None)

        try:
            return self.do_bench(kernel_call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError):
            return [float("inf")] * 3

    def _compile_ahead(self, args, kwargs, configs):
        """Compiles the candidates on several threads, because the compiler does not hold the interpreter's lock."""
        from concurrent.futures import ThreadPoolExecutor

        def compile_one(config):
            try:
                self.fn.warmup(*args, **{**kwargs, **config.all_kwargs()})
            except Exception:  # measured again, and reported, by _bench
                pass

        if isinstance(self.fn, JITFunction) and len(configs) > 1:
            pool = ThreadPoolExecutor(max_workers=4)
            try:
                list(pool.map(compile_one, configs))
            finally:  # after an interrupt, compilations in progress end in the background
                pool.shutdown(wait=False, cancel_futures=True)

    def _tuning_key(self, args, kwargs):
        bound = {**self.nargs, **kwargs}
        key = [bound[name] for name in self.keys if name in bound]
        key += [str(value.dtype) for name, value in bound.items() if name in self.arg_names and hasattr(value, "dtype")]
        return tuple(key)

    def _measure(self, args, kwargs, configs):
        start = time.perf_counter()
        self._compile_ahead(args, kwargs, configs)
        timings = {}
        show = sys.stderr.isatty() and len(configs) > 1
        for number, config in enumerate(configs, 1):
            if show:
                print(f"\rautotuning {self.__name__}: {number}/{len(configs)}", end="", file=sys.stderr, flush=True)
            timings[config] = self._bench(args, config, kwargs)
        if show:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self.bench_time = time.perf_counter() - start
        return timings

    def _results_file(self, key, configs):
        from .cache import get_cache_manager, triton_key

        text = [triton_key(), self.fn.cache_key if isinstance(self.fn, JITFunction) else self.__name__, str(key)]
        text += [str(config) for config in configs]
        manager = get_cache_manager(hashlib.sha256("-".join(text).encode()).hexdigest())
        return manager, f"{self.__name__[:150]}.autotune.json"

    def _tune(self, key, args, kwargs, configs):
        """The timings of all configurations, and whether they were read from disk."""
        from_disk = (self.cache_results or knobs.autotuning.cache) and not any(c.pre_hook for c in configs)
        if from_disk:
            manager, name = self._results_file(key, configs)
            path = manager.get_file(name)
            if path:
                try:
                    with open(path) as file:
                        stored = {text: times for text, times in json.load(file)["configs_timings"]}
                    return {config: stored[str(config)] for config in configs}, True
                except (OSError, ValueError, KeyError, TypeError):
                    pass
        timings = self._measure(args, kwargs, configs)
        if from_disk:
            rows = [[str(config), _as_list(times)] for config, times in timings.items()]
            text = json.dumps({"key": [str(part) for part in key], "configs_timings": rows})
            try:
                manager.put(text, name, binary=False)
            except OSError as error:
                warnings.warn(f"the timings of `{self.__name__}` are not kept: {error}", stacklevel=2)
        return timings, False

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        cache_hit = True
        if len(self.configs) > 1:
            key = self._tuning_key(args, kwargs)
            if key not in self.cache:
                configs = self.prune_configs(kwargs)
                timings, cache_hit = self._tune(key, args, kwargs, configs)
                self.cache[key] = min(timings, key=lambda config: _as_list(timings[config])[0])
                self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)
                self.configs_timings = timings
                self._report(key, cache_hit)
            config = self.cache[key]
        else:
            config = self.configs[0]
        self.best_config = config
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
        result = self.fn.run(*args, **{**kwargs, **config.all_kwargs()})
        self.nargs = None
        return result

    def _report(self, key, cache_hit):
        if knobs.autotuning.print and not cache_hit:
            print(
                f"Triton autotuning for function {self.__name__} with key as {key} finished after "
                f"{self.bench_time:.2f}s; best config selected: {self.cache[key]};"
            )
        if knobs.autotuning.listener:
            knobs.autotuning.listener(
                fn=self.fn,
                key=key,
                best_config=self.cache[key],
                configs_timings=self.configs_timings,
                duration=self.bench_time,
                cache_hit=cache_hit,
            )

    def prune_configs(self, kwargs):
        """The configurations worth measuring for these arguments."""
        configs = self.configs
        if self.early_config_prune:
            configs = list(self.early_config_prune(configs, self.nargs, **kwargs))
            if not configs:
                raise AutotunerError(
                    f"`early_config_prune` of `{self.__name__}` left no configuration; it must keep at least one"
                )
        if not self.perf_model:
            return configs
        top_k = self.configs_top_k
        if isinstance(top_k, float) and top_k <= 1.0:
            top_k = max(1, int(len(self.configs) * top_k))
        elif not isinstance(top_k, int):
            raise TypeError(f"`top_k` is {top_k!r}; it must be an int, or a float up to 1.0")
        if len(configs) <= top_k:
            return configs
        estimate = lambda config: self.perf_model(**self.nargs, **kwargs, **config.all_kwargs())
        return sorted(configs, key=estimate)[:top_k]

    def warmup(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        kernels = [self.fn.warmup(*args, **{**kwargs, **config.all_kwargs()}) for config in self.prune_configs(kwargs)]
        self.nargs = None
        return kernels


def _as_list(times):
    return list(times) if isinstance(times, (list, tuple)) else [times]


def autotune(
    configs,
    key,
    prune_configs_by=None,
    reset_to_zero=None,
    restore_value=None,
    pre_hook=None,
    post_hook=None,
    warmup=None,
    rep=None,
    use_cuda_graph=False,
    do_bench=None,
    cache_results=False,
):
    """Measures ``configs`` at the first launch for each new value of the arguments in ``key``; uses the fastest."""
    bench_arguments = {name: value for name, value in (("warmup", warmup), ("rep", rep)) if value is not None}
    if bench_arguments or use_cuda_graph:
        warnings.warn(
            "`warmup`, `rep` and `use_cuda_graph` of triton.autotune are deprecated; give `do_bench`",
            DeprecationWarning,
            stacklevel=2,
        )

    def decorate(fn):
        return Autotuner(
            fn,
            fn.arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook,
            post_hook,
            prune_configs_by,
            do_bench,
            cache_results,
            bench_arguments,
        )

    return decorate
