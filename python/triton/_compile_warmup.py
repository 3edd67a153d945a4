"""Fills the disk cache for a test suite without running its kernels. A plugin of pytest:

    pytest -p triton._compile_warmup --warmup-only --warmup-workers 4 --warmup-trace traces tests
    pytest -p triton._compile_warmup --warmup-trace traces tests

The first command runs the tests that are marked ``enable_warmup``. Their launches compile, on worker processes, and
comparisons of results succeed. The second one runs the tests; `summarize_compile_trace` says how much of what it
compiled was there already.
"""

import contextlib
import importlib
import json
import multiprocessing
import os
import pathlib
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor

import pytest

from . import _compile_warmup_state as state
from . import knobs
from .runtime._async_compile import AsyncCompileMode
from .runtime.autotuner import Autotuner
from .runtime.jit import JITFunction

#: Functions that compare results, by their modules. Those of packages that nobody has imported stay as they are.
_COMPARISONS = {
    "numpy.testing": (
        "assert_",
        "assert_allclose",
        "assert_almost_equal",
        "assert_approx_equal",
        "assert_array_almost_equal",
        "assert_array_almost_equal_nulp",
        "assert_array_equal",
        "assert_array_less",
        "assert_array_max_ulp",
        "assert_equal",
    ),
    "torch.testing": ("assert_close", "assert_allclose"),
    "triton.testing": ("assert_close",),
}


@contextlib.contextmanager
def _replaced(replacements):
    """Attributes of objects, replaced within the context. One that the object only inherits is inherited again."""
    missing = object()
    before = [(owner, name, vars(owner).get(name, missing)) for owner, name, _ in replacements]
    try:
        for owner, name, value in replacements:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in reversed(before):
            if value is missing:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


def _warm(kernel, *args, grid=None, warmup=None, **kwargs):
    """A launch: compiles, all configurations of a tuned kernel."""
    kernel.warmup(*args, grid=grid, **kwargs)


def _warm_variant(kernel, *args, grid=None, warmup=None, **kwargs):
    return _RUN(kernel, *args, grid=grid, warmup=True, **kwargs)


_RUN = JITFunction.run


def _succeed(*args, **kwargs):
    """A comparison of results that do not exist."""


def _comparisons():
    for name, functions in _COMPARISONS.items():
        # NumPy imports the module when it is first used.
        module = importlib.import_module(name) if name.partition(".")[0] in sys.modules else None
        for function in functions:
            if hasattr(module, function):
                yield module, function, _succeed


@contextlib.contextmanager
def _launches_compile():
    launches = [
        (JITFunction, "__getitem__", lambda kernel, grid: lambda *args, **kw: _warm(kernel, *args, grid=grid, **kw)),
        (JITFunction, "run", _warm_variant),
        (Autotuner, "run", _warm),
    ]
    state.enter()
    try:
        with _replaced([*launches, *_comparisons()]):
            yield
    finally:
        state.leave()


@contextlib.contextmanager
def compile_warmup_only(dispatcher=None):
    """A context in which ``kernel[grid](...)`` compiles and does not run, and comparisons of arrays succeed.
    ``dispatcher`` is an executor that compiles; without one, a launch compiles at once."""
    mode = contextlib.nullcontext() if dispatcher is None else AsyncCompileMode(dispatcher, ignore_errors=True)
    with mode, _launches_compile():
        yield


@pytest.fixture
def compile_warmup():
    """The launches of a test that takes this fixture compile and do not run."""
    with compile_warmup_only():
        yield


# ---- Traces ----


class CompilationTrace:
    """Writes what this process compiles to ``<directory>/<phase>-<pid>.jsonl``, a line for each compilation."""

    def __init__(self, directory, phase, test=None, compiler_worker=None):
        self.directory, self.phase, self.test = pathlib.Path(directory), phase, test or ""
        self.compiler_worker = compiler_worker

    def _append(self, suffix, facts):
        self.directory.mkdir(parents=True, exist_ok=True)
        with open(self.directory / f"{self.phase}-{os.getpid()}.{suffix}", "a") as file:
            file.write(json.dumps(facts) + "\n")

    def note_test(self):
        self._append("tests", {"phase": self.phase, "test": self.test})

    def note_compilation(self, src, metadata, times, cache_hit):
        facts = {
            "phase": self.phase,
            "test": self.test,
            "kernel": metadata["name"],
            "hash": metadata["hash"],
            "source_hash": src.hash(),
            "cache_hit": cache_hit,
            "duration_us": times.total,
            "worker": os.environ.get("PYTEST_XDIST_WORKER", "main"),
            "gpu": f"{metadata['target'].backend}:{metadata['target'].arch}",
            "compiler_worker": self.compiler_worker,
            "cache_dir": knobs.cache.dir,
        }
        self._append("jsonl", facts)

    @contextlib.contextmanager
    def recording(self):
        """A context in which compilations of this process are noted. A listener that a test sets replaces this one."""
        before = knobs.compilation.listener

        def listen(*, src, metadata, metadata_group, times, cache_hit):
            self.note_compilation(src, metadata, times, cache_hit)
            if before:
                before(src=src, metadata=metadata, metadata_group=metadata_group, times=times, cache_hit=cache_hit)

        with knobs.compilation.scope():
            knobs.compilation.listener = listen
            yield


def _compile_traced(task, directory, phase, test, settings):
    """Compiles in a worker process. The settings are those that its parent had when it submitted the task."""
    os.environ.update(settings)
    if directory is None:
        return task()
    with CompilationTrace(directory, phase, test, compiler_worker=os.getpid()).recording():
        return task()


class _TracingExecutor(Executor):
    """Submits compilations to a pool, with what their traces need."""

    def __init__(self, pool, directory, phase):
        self.pool, self.directory, self.phase, self.test = pool, directory, phase, ""

    def submit(self, task, /):
        settings = {name: value for name, value in os.environ.items() if name.startswith("TRITON_")}
        return self.pool.submit(_compile_traced, task, self.directory, self.phase, self.test, settings)


@contextlib.contextmanager
def process_pool_compile_warmup(*, workers, directory, phase):
    """`compile_warmup_only` on ``workers`` processes, with traces in ``directory`` (None: without). Gives the
    dispatcher, whose attribute ``test`` names what is compiled for."""
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        dispatcher = _TracingExecutor(pool, directory, phase)
        with compile_warmup_only(dispatcher):
            yield dispatcher


def _rows(paths):
    for path in paths:
        with open(path) as file:
            yield from map(json.loads, file)


def summarize_compile_trace(directory):
    """What the traces in a directory say: for each phase how many ``tests`` ran, how often a kernel was asked for
    (``requests``), how many were ``cache_hits`` and how many ``kernels`` there are, and the ``duration_us`` of
    compilations. ``coverage`` is the part of the kernels of later phases that the phase ``warmup`` had compiled."""
    directory = pathlib.Path(directory)
    events = list(_rows(sorted(directory.glob("*.jsonl"))))
    tests = list(_rows(sorted(directory.glob("*.tests"))))
    phases = {}
    for name in sorted({row["phase"] for row in events + tests}):
        own = [event for event in events if event["phase"] == name]
        phases[name] = {
            "tests": len({row["test"] for row in tests if row["phase"] == name}),
            "requests": len(own),
            "cache_hits": sum(event["cache_hit"] for event in own),
            "kernels": len({event["hash"] for event in own}),
            "duration_us": sum(event["duration_us"] for event in own),
        }
    warmed = {event["hash"] for event in events if event["phase"] == "warmup"}
    later = {event["hash"] for event in events if event["phase"] != "warmup"}
    return {"phases": phases, "coverage": len(later & warmed) / len(later) if later else None}


# ---- The plugin ----


def pytest_addoption(parser):
    group = parser.getgroup("compile warm-up")
    group.addoption("--warmup-only", action="store_true", help="compile what the marked tests launch, and run nothing")
    group.addoption("--warmup-workers", type=int, default=1, metavar="N", help="processes that compile")
    group.addoption(
        "--warmup-phase",
        action="append",
        default=[],
        metavar="PATH=PHASE",
        help="the name in traces of the tests below PATH; `warmup` with --warmup-only and `run` without by default",
    )
    group.addoption("--warmup-trace", metavar="DIR", help="where to write what is compiled, a line for each kernel")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "enable_warmup(min_capability=None, priority=0): --warmup-only compiles this test"
    )
    config.addinivalue_line("markers", "disable_warmup: --warmup-only leaves this test out")
    if config.getoption("--warmup-workers") < 1:
        raise pytest.UsageError("--warmup-workers must be at least 1")
    for text in config.getoption("--warmup-phase"):
        if "=" not in text:
            raise pytest.UsageError(f"--warmup-phase `{text}` must be PATH=PHASE")
    config.pluginmanager.register(_Plugin(config), "triton-compile-warmup")


def _capability():
    """The compute capability of the active target as one number, as in 90; None on processors."""
    from .runtime.driver import driver

    arch = driver.active.get_current_target().arch
    return arch if isinstance(arch, int) else None


def _warmup_marker(item):
    """The marker that enables a test, unless a nearer one disables it."""
    for marker in item.iter_markers():
        if marker.name == "disable_warmup":
            return None
        if marker.name == "enable_warmup":
            least, capability = marker.kwargs.get("min_capability"), _capability()
            return marker if least is None or capability is None or capability >= least else None
    return None


class _Plugin:
    def __init__(self, config):
        self.is_warmup = config.getoption("--warmup-only")
        self.workers = config.getoption("--warmup-workers")
        self.directory = config.getoption("--warmup-trace")
        self.directory = self.directory and os.path.abspath(self.directory)
        self.phases = [text.rpartition("=")[::2] for text in config.getoption("--warmup-phase")]
        self.root = config.rootpath
        self.dispatcher, self.mode = None, None
        self.ended_early, self.warmed = [], 0
        self.started = time.perf_counter()

    def _phase(self, item):
        """The phase of the longest PATH that holds the test."""
        holding = []
        for path, phase in self.phases:
            folder = self.root / path
            if item.path == folder or folder in item.path.parents:
                holding.append((len(str(folder)), phase))
        return max(holding)[1] if holding else "warmup" if self.is_warmup else "run"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if not self.is_warmup:
            return
        markers = {item: _warmup_marker(item) for item in items}
        config.hook.pytest_deselected(items=[item for item in items if markers[item] is None])
        items[:] = [item for item in items if markers[item] is not None]
        items.sort(key=lambda item: -markers[item].kwargs.get("priority", 0))

    def _start(self):
        """All tests share the pool, which compiles for some while others run."""
        pool = ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"))
        self.dispatcher = _TracingExecutor(pool, self.directory, "")
        self.mode = AsyncCompileMode(self.dispatcher, ignore_errors=True)
        self.mode.__enter__()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        phase, test = self._phase(pyfuncitem), pyfuncitem.nodeid
        if self.directory:
            CompilationTrace(self.directory, phase, test).note_test()
        if self.is_warmup:
            if self.mode is None:
                self._start()
            self.dispatcher.phase, self.dispatcher.test = phase, test
            with _launches_compile():
                outcome = yield
            self.warmed += 1
            if outcome.excinfo is not None and issubclass(outcome.excinfo[0], Exception):
                # The results that the test looked at do not exist.
                self.ended_early.append(test)
                outcome.force_result(True)
        elif self.directory:
            with CompilationTrace(self.directory, phase, test).recording():
                yield
        else:
            yield

    def pytest_sessionfinish(self):
        if self.mode is not None:
            self.mode.__exit__(None, None, None)
            self.dispatcher.pool.shutdown()

    def pytest_terminal_summary(self, terminalreporter):
        if self.is_warmup:
            seconds = time.perf_counter() - self.started
            terminalreporter.section("compile warm-up")
            terminalreporter.line(f"{self.warmed} tests in {seconds:.1f} s on {self.workers} processes")
            if self.ended_early:
                terminalreporter.line(f"{len(self.ended_early)} ended early, where they looked at results:")
                for test in self.ended_early:
                    terminalreporter.line(f"  {test}")
        if self.directory and os.path.isdir(self.directory):
            summary = summarize_compile_trace(self.directory)
            for phase, facts in summary["phases"].items():
                terminalreporter.line(
                    f"{phase}: {facts['tests']} tests, {facts['kernels']} kernels, {facts['cache_hits']} of "
                    f"{facts['requests']} requests from the cache, {facts['duration_us'] / 1e6:.1f} s of compiling"
                )
            if summary["coverage"] is not None:
                terminalreporter.line(f"{summary['coverage']:.0%} of the kernels were warm")
