"""`triton.autotune` and `triton.heuristics`: kernels that choose constants at launch."""

import contextlib
import contextvars
import functools
import importlib
import json
import math
import os
import threading
import time
import warnings

from .. import _C, _counts, knobs
from .._utils import cached_property, digest, read_json
from ..compiler.errors import CompileTimeAssertionFailure
from . import _misses
from ._async_compile import AsyncCompileMode, active_mode
from ._config import Config
from ._progress import ProgressBar, say
from ._same_code import find_twins
from ._tuning_key import array_of, tuning_key
from ._wrappers import Heuristics, Wrapper, heuristics  # noqa: F401
from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import JITFunction, TensorWrapper

_competition = contextvars.ContextVar("competition", default=None)  # of the configurations that are being measured

#: Where a tool chooses in place of measurements: ``chooser(tuner, configs, args, kwargs)`` → configuration,
#: or None to measure.
chooser = None

#: What a configuration may fail with while others are tried.
_FAILURES = (OutOfResources, CompileTimeAssertionFailure, PTXASError)


class _OfLaunch:
    """An attribute that belongs to a launch: each thread has a value of its own. None where there is none."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, tuner, owner=None):
        return self if tuner is None else tuner._launch.get(self.name)

    def __set__(self, tuner, value):
        tuner._launch[self.name] = value


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


class Autotuner(Wrapper):
    """A kernel that measures its configurations once for each key and then uses the fastest.

    After the first launch ``best_config``, ``configs_timings`` and ``bench_time`` (seconds) describe the last tuning;
    ``cache`` maps keys to configurations.

    Several threads may launch it. One at a time tunes; what belongs to a launch is kept for each thread.
    """

    nargs, restore_copies, _failures = _OfLaunch(), _OfLaunch(), _OfLaunch()

    def __init__(
        self,
        fn,
        arg_names,
        configs,
        key,
        reset_to_zero,
        restore_value,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        warmup=None,
        rep=None,
        use_cuda_graph=False,
        do_bench=None,
        cache_results=False,
    ):
        super().__init__(fn, arg_names)
        self.configs = list(configs) if configs else [Config({})]
        for config in self.configs:
            if not isinstance(config, Config):
                raise TypeError(f"`configs` of triton.autotune has {config!r}; each must be a triton.Config")
        if len(self.configs) > 1 and getattr(fn, "invariant", False):
            raise ValueError(
                f"`{self.__name__}` is `invariant`, and triton.autotune has {len(self.configs)} configurations, whose "
                "results may have other bits; give it one, or leave `invariant` out"
            )
        self.keys, self._parameters = self._known_keys(key), frozenset(arg_names)
        self.reset_to_zero = self._parameter_names("reset_to_zero", reset_to_zero)
        self.restore_value = self._parameter_names("restore_value", restore_value)
        self.cache = {}
        self._measured, self._loaded, self._taken, self._estimated = {}, {}, {}, set()  # see `_choices`
        self._make_local()
        self.user_defined_pre_hook, self.user_defined_post_hook = pre_hook is not None, post_hook is not None
        self.pre_hook = pre_hook or self._reset_arguments
        self.post_hook = post_hook or self._restore_arguments
        prune = prune_configs_by or {}
        self.early_config_prune, self.perf_model = prune.get("early_config_prune"), prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self._do_bench = do_bench
        self.num_warmups, self.num_reps, self.use_cuda_graph = warmup, rep, use_cuda_graph
        if warmup is not None or rep is not None or use_cuda_graph:
            warnings.warn(
                "`warmup`, `rep` and `use_cuda_graph` of triton.autotune are deprecated; give `do_bench`",
                DeprecationWarning,
                stacklevel=3,
            )
        self.cache_results = cache_results or knobs.autotuning.cache

    def _make_local(self):
        """What each process and thread has of its own."""
        self._local, self._tuning, self._process = threading.local(), threading.RLock(), os.getpid()

    @property
    def _launch(self):
        try:
            return self._local.state
        except AttributeError:
            self._local.state = {"nargs": None, "restore_copies": {}, "_failures": {}}
            return self._local.state

    @property
    def _tuning_lock(self):
        """The lock of those that tune. A thread of the process that was forked may have held it, which is not here."""
        if self._process != os.getpid():
            self._tuning, self._process = threading.RLock(), os.getpid()
        return self._tuning

    def __getstate__(self):
        local = ("_local", "_tuning", "_process", "do_bench")
        return {name: value for name, value in super().__getstate__().items() if name not in local}

    def __setstate__(self, state):
        super().__setstate__(state)
        self._make_local()

    def _known_keys(self, key):
        """The names in ``key`` without those of no parameter, which a warning names: they cannot change."""
        names = [key] if isinstance(key, str) else list(key or ())
        for name in names:
            if name not in self.arg_names:
                warnings.warn(
                    f"`key` of triton.autotune names `{name}`, which is not a parameter of `{self.__name__}`; it has "
                    "no effect",
                    stacklevel=4,
                )
        return [name for name in names if name in self.arg_names]

    def _parameter_names(self, option, names):
        names = [names] if isinstance(names, str) else list(names or ())
        for name in names:
            if name not in self.arg_names:
                raise ValueError(
                    f"`{option}` of triton.autotune names `{name}`, which is not a parameter of `{self.__name__}`; the "
                    f"parameters are {', '.join(self.arg_names)}"
                )
        return names

    def _reset_arguments(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            if kwargs.get(name) is not None:
                _zero(array_of(kwargs[name]))
        if not reset_only:
            given = [name for name in self.restore_value if kwargs.get(name) is not None]
            self.restore_copies = {name: _clone(array_of(kwargs[name])) for name in given}

    def _restore_arguments(self, kwargs, exception=None):
        for name, value in self.restore_copies.items():
            _copy_into(array_of(kwargs[name]), value)
        self.restore_copies = {}

    @cached_property
    def do_bench(self):
        """The function that measures: ``do_bench(call, quantiles=...)`` → milliseconds."""
        if self._do_bench is not None:
            return self._do_bench
        from ..backends.registry import GPU_BACKENDS
        from .driver import driver

        given = self._durations()
        if self.use_cuda_graph and driver.active.get_current_target().backend in GPU_BACKENDS:
            from ..backends.benchmark import do_bench_cudagraph

            given.pop("warmup", None)
            measure = do_bench_cudagraph
        else:
            measure = driver.active.get_benchmarker()
        return functools.partial(measure, **given)

    def _durations(self):
        given = {"warmup": self.num_warmups, "rep": self.num_reps}
        return {name: value for name, value in given.items() if value is not None}

    def _new_competition(self):
        """Measures like our own function, and leaves configurations early that cannot win; None for other functions."""
        from ..backends.benchmark import Competition, do_bench

        return Competition(**self._durations()) if getattr(self.do_bench, "func", None) is do_bench else None

    def _with_config(self, kwargs, config):
        """The keyword arguments of a launch with those of the configuration."""
        chosen = config.all_kwargs()
        both = {**kwargs, **chosen}
        if len(both) < len(kwargs) + len(chosen):
            conflicts = chosen.keys() & kwargs.keys()
            raise ValueError(
                f"`{sorted(conflicts)[0]}` of `{self.__name__}` is given by the call and by the configuration; leave "
                "it out of the call"
            )
        return both

    def _run_hooked(self, args, kwargs, config, look=lambda: None):
        """Runs a configuration between the hooks of tuning. ``look`` is called before these put arguments back."""
        current = self._with_config(kwargs, config)
        named = {**self.nargs, **current}
        if config.pre_hook:
            config.pre_hook(named)
        self.pre_hook(named)
        try:
            self.fn.run(*args, **current)
            look()
        except Exception as error:
            self.post_hook(named, exception=error)
            raise
        self.post_hook(named, exception=None)

    def _bench(self, *args, config, **meta):
        """The times of one configuration; infinite when it cannot be compiled or needs too much of the device."""
        if knobs.autotuning.print:
            say(f"Autotuning kernel {self.__name__} with config {config}")
        kernel_call = functools.partial(self._run_hooked, args, meta, config)
        try:
            return (_competition.get() or self.do_bench)(kernel_call, quantiles=(0.5, 0.2, 0.8))
        except _FAILURES as error:
            if knobs.autotuning.print:
                say(f"Autotuning kernel {self.__name__} with config {config} failed: {error}")
            self._failures[config] = error
            return [float("inf")] * 3

    def _start_compiling(self, args, kwargs, config):
        """Submits a configuration to the active AsyncCompileMode. What is wrong with it is reported by `_bench`."""
        current = {**kwargs, **config.all_kwargs()}
        try:
            if config.pre_hook:  # it may change the blocks of descriptors, and so the variant
                config.pre_hook({**self.nargs, **current})
            self.fn.warmup(*args, **current)
        except Exception:
            pass

    def _compile_ahead(self, args, kwargs, configs):
        """Compiles the configurations side by side: on the executor of the program's AsyncCompileMode, or else on
        threads, since the compiler does not hold the interpreter's lock."""
        if active_mode.get() is not None:
            for config in configs:
                self._start_compiling(args, kwargs, config)
            return
        from concurrent.futures import ThreadPoolExecutor, as_completed

        workers = min(len(configs), len(os.sched_getaffinity(0)))
        pool = ThreadPoolExecutor(workers, thread_name_prefix="triton-autotune")
        try:
            with AsyncCompileMode(pool, ignore_errors=True) as mode:
                for config in configs:
                    self._start_compiling(args, kwargs, config)
                with ProgressBar(f"compiling {self.__name__}", len(mode.raw_futures)) as bar:
                    for _ in as_completed(mode.raw_futures):
                        bar.advance()
        finally:  # after an interrupt, compilations in progress end in the background
            pool.shutdown(wait=False, cancel_futures=True)

    def _measure(self, key, args, kwargs, configs):
        start = time.perf_counter()
        self._failures = {}
        self._compile_ahead(args, kwargs, configs)
        timings = {}
        outer = _competition.set(self._new_competition())
        try:
            twins = (
                {} if _competition.get() is None or active_mode.get() else find_twins(self.fn, args, kwargs, configs)
            )
            measured = [config for config in configs if config not in twins]
            with ProgressBar(f"measuring {self.__name__}", len(measured)) as bar:
                for config in measured:
                    timings[config] = self._bench(*args, config=config, **kwargs)
                    time_of = lambda each: _as_list(timings[each])[0]
                    best = min(timings, key=time_of)
                    bar.advance(f"best {time_of(best):.3g} ms: {best}" if math.isfinite(time_of(best)) else "")
        finally:
            _competition.reset(outer)
        self.bench_time = time.perf_counter() - start
        if len(self._failures) == len(timings):
            self._raise_failures()
        self._accept(key, {config: timings[twins.get(config, config)] for config in configs})
        self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)

    def _raise_failures(self):
        """The error of the first configuration, whose cause lists those of all."""
        lines = [f"  {config}: {error}" for config, error in self._failures.items()]
        number = len(lines)
        every = AutotunerError(f"none of the {number} configurations of `{self.__name__}` works:\n" + "\n".join(lines))
        raise next(iter(self._failures.values())) from every

    def _accept(self, key, timings):
        self.configs_timings = timings
        self.cache[key] = min(timings, key=lambda config: _as_list(timings[config])[0])

    def _results_file(self, tuning_key, configs):
        """The cache's folder, and the name in it, of the timings for this kernel, key, device and environment."""
        from ..compiler.compiler import make_backend
        from .cache import get_cache_manager, triton_key
        from .driver import driver

        fn = self.fn
        while not isinstance(fn, JITFunction):
            fn = fn.fn
        target = driver.active.get_current_target()
        text = [triton_key(), make_backend(target).hash(), str(target), fn.cache_key, str(tuning_key)]
        text += [str(config) for config in configs]
        manager = get_cache_manager(digest("-".join(text)))
        return manager, f"{self.__name__[:150]}.autotune.json"

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        """Takes the timings from the disk cache, or calls ``bench_fn`` and stores them. Whether they were there."""
        if any(config.pre_hook for config in configs):  # what a hook does is not part of the key
            bench_fn()
            return False
        manager, name = self._results_file(tuning_key, configs)
        path = manager.get_file(name)
        if path:
            try:
                with open(path) as file:
                    rows = read_json(file.read())["configs_timings"]
                stored = [times for _, times in rows]
                if len(stored) == len(configs):
                    self._accept(tuning_key, dict(zip(configs, stored, strict=True)))
                    return True
            except (OSError, ValueError, KeyError, TypeError):  # damaged: measured again
                pass
        bench_fn()
        fields = [{name: value for name, value in vars(config).items() if name != "pre_hook"} for config in configs]
        rows = [[field, self.configs_timings[config]] for field, config in zip(fields, configs, strict=True)]
        text = json.dumps({"key": [str(part) for part in tuning_key], "configs_timings": rows}, default=str)
        try:
            manager.put(text, name, binary=False)
        except OSError as error:
            warnings.warn(f"the timings of `{self.__name__}` are not kept: {error}", stacklevel=2)
        return False

    def _choose(self, key, args, kwargs):
        """Fills ``cache[key]``."""
        configs = self.prune_configs(kwargs)
        if len(configs) == 1:
            self.cache[key] = configs[0]
            return
        chosen = None if chooser is None else chooser(self, configs, args, kwargs)
        if chosen is not None:
            self.cache[key] = chosen
            return
        start = time.perf_counter()
        measure = functools.partial(self._measure, key, args, kwargs, configs)
        if self.cache_results and not knobs.runtime.interpret:
            cache_hit = self.check_disk_cache(key, configs, measure)
        else:
            measure()
            cache_hit = False
        from ._choices import remember

        remember(self, key, kwargs, self.configs_timings)
        if cache_hit:
            self.bench_time = time.perf_counter() - start
            _counts.add(tuning_hits=1)
        else:
            _counts.add(tuning_runs=1, tuning_seconds=time.perf_counter() - start)
        self._report(key, cache_hit)

    def run(self, *args, **kwargs):
        launch = self._launch
        outer = launch["nargs"]  # a hook may launch the kernel in its turn
        launch["nargs"] = nargs = dict(zip(self.arg_names, args, strict=False))
        try:
            config = self.configs[0] if len(self.configs) == 1 else self._config_for(nargs, args, kwargs)
            self.best_config = config
            if config.pre_hook is not None:
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, **self._with_config(kwargs, config))
        finally:
            launch["nargs"] = outer

    def _config_for(self, nargs, args, kwargs):
        """The configuration that is known for the key of these arguments, or that is chosen now."""
        key = self._last_key = tuning_key(self.keys, self._parameters, {**nargs, **kwargs})
        if key not in self.cache:
            with self._tuning_lock:
                if key not in self.cache:  # another thread may have tuned meanwhile
                    if not _misses.take_choice(self, key, kwargs):
                        _misses.check_tuning(self.__name__, key)
                        self._choose(key, args, kwargs)
                        self._record(key)
        return self.cache[key]

    def _record(self, key):
        if knobs.runtime.record_classes:
            from ._recording import device_name, record_choice

            measured, device = self._taken.get(key) or (self._measured.get(key), device_name())
            record_choice(self, key, self.cache[key], measured, device)

    def _take_choice(self, key, found, device):
        """Whether it has the configuration that was `Measured` on a device, which is then the choice for the key."""
        config = next((config for config in self.configs if str(config) == found.configuration), None)
        if config is not None:
            self.cache[key] = config
            self._taken[key] = found, device
            self._estimated.discard(key)
        return config is not None

    def classes(self, *args, **declared):
        """See `JITFunction.classes`: those of all configurations, any of which a tuning run may choose."""
        from ._classes import join

        lists = [self.fn.classes(*args, **self._with_config(declared, config)) for config in self.configs]
        return join(lists, "configuration")

    @contextlib.contextmanager
    def _arguments(self, args):
        """Keeps the arguments for what is called meanwhile."""
        before, self.nargs = self.nargs, dict(zip(self.arg_names, args, strict=False))
        try:
            yield
        finally:
            self.nargs = before

    def _report(self, key, cache_hit):
        if knobs.autotuning.print and not cache_hit:
            print(
                f"Triton autotuning for function {self.__name__} with key as {key} finished after "
                f"{self.bench_time:.2f}s; best config selected: {self.cache[key]};"
            )
            times = {config: _as_list(times)[0] for config, times in self.configs_timings.items()}
            for config in sorted(times, key=times.get):
                shown = f"{times[config]:.4g} ms" if math.isfinite(times[config]) else "failed"
                print(f"{shown:>14}  {config}")
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
        if isinstance(top_k, float) and 0 <= top_k <= 1.0:
            top_k = max(1, math.floor(len(configs) * top_k))
        elif not isinstance(top_k, int) or isinstance(top_k, bool):
            raise TypeError(f"`top_k` is {top_k!r}; it must be an int, or a float up to 1.0")
        if len(configs) <= top_k:
            return configs
        estimate = lambda config: self.perf_model(**{**self.nargs, **kwargs, **config.all_kwargs()})
        return sorted(configs, key=estimate)[:top_k]

    def _inspected(self, args, kwargs):
        """The keywords with the configuration that launches with these arguments have, or with that of `config`."""
        config = kwargs.pop("config", None)
        with self._arguments(args):
            if config is None:
                key = tuning_key(self.keys, self._parameters, {**self.nargs, **kwargs})
                config = self.configs[0] if len(self.configs) == 1 else self.cache.get(key)
            if config is None:
                raise ValueError(
                    f"`{self.__name__}` has {len(self.configs)} configurations, and none was chosen for these "
                    f"arguments yet; launch it once, or give one: config={self.__name__}.configs[0]"
                )
            return self._with_config(kwargs, config)

    def warmup(self, *args, **kwargs):
        """Compiles every configuration that is worth measuring; their kernels."""
        with self._arguments(args):
            configs = self.prune_configs(kwargs)
            return [self.fn.warmup(*args, **self._with_config(kwargs, config)) for config in configs]


def __getattr__(name):
    """What Triton's module imports, and programs that replace `Autotuner.run` take from it."""
    if name in ("builtins", "hashlib"):
        return importlib.import_module(name)
    if name in ("get_cache_manager", "triton_key"):
        return getattr(importlib.import_module(".cache", __package__), name)
    if name == "get_cache_invalidating_env_vars":
        return _C.libtriton.get_cache_invalidating_env_vars
    if name == "driver":
        return importlib.import_module(".driver", __package__).driver
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


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
    """Measures ``configs`` at the first launch for each new value of the arguments in ``key``; uses the fastest.

    ``prune_configs_by`` may hold ``early_config_prune(configs, named_args, **kwargs)`` → configs, and
    ``perf_model(**kwargs)`` with ``top_k``, a number or a fraction, to keep. The arguments that ``reset_to_zero`` and
    ``restore_value`` name are put back before each measurement. ``do_bench(call, quantiles)`` measures.
    ``cache_results`` keeps the timings on disk. ``warmup``, ``rep`` and ``use_cuda_graph`` are deprecated.
    """

    def decorate(fn):
        return Autotuner(
            fn,
            fn.arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook=pre_hook,
            post_hook=post_hook,
            prune_configs_by=prune_configs_by,
            warmup=warmup,
            rep=rep,
            use_cuda_graph=use_cuda_graph,
            do_bench=do_bench,
            cache_results=cache_results,
        )

    return decorate
