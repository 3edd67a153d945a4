"""`triton.autotune`, `triton.heuristics` and `triton.testing`."""

import io
import json
import os
import pickle
import pty
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends import benchmark
from triton.compiler.errors import CompileTimeAssertionFailure
from triton.runtime._progress import ProgressBar, say
from triton.runtime.errors import AutotunerError

pytestmark = pytest.mark.usefixtures("host_device")

CONFIGS = [triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((32, 1), (64, 2), (128, 4))]


def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def quick(call, quantiles):
    """Runs once; the first configuration measured seems slowest."""
    quick.calls += 1
    call()
    return [10.0 / quick.calls] * 3


quick.calls = 0


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def tuned(**options):
    options = {"configs": CONFIGS, "key": ["n"], "do_bench": quick, **options}
    return triton.autotune(**options)(triton.jit(add_one))


def test_best_configuration_is_kept_for_each_key():
    kernel = tuned(restore_value=["x"])
    x = np.zeros(100, np.float32)
    quick.calls = 0
    kernel[grid](x, 100)
    assert quick.calls == 3 and kernel.best_config.kwargs == {"BLOCK": 128}
    np.testing.assert_array_equal(x, 1)
    kernel[grid](x, 100)
    assert quick.calls == 3
    kernel[grid](np.zeros(200, np.float32), 200)
    assert quick.calls == 6
    kernel[grid](np.zeros(100, np.float64), 100)
    assert quick.calls == 9 and len(kernel.cache) == 3
    np.testing.assert_array_equal(x, 2)


def test_reset_to_zero_and_hooks():
    calls = []
    kernel = tuned(reset_to_zero=["x"])
    x = np.full(100, 50, np.float32)
    kernel[grid](x, 100)
    np.testing.assert_array_equal(x, 1)
    kernel = tuned(
        pre_hook=lambda arguments, reset_only=False: calls.append("pre"),
        post_hook=lambda arguments, exception=None: calls.append("post"),
    )
    kernel[grid](x, 100)
    assert calls.count("pre") == 4 and calls.count("post") == 3


def test_hook_of_a_configuration():
    seen = []
    config = triton.Config({"BLOCK": 64}, pre_hook=lambda arguments: seen.append(arguments["n"]))
    kernel = tuned(configs=[config])
    kernel[grid](np.zeros(10, np.float32), 10)
    assert seen == [10] and kernel.best_config is config


def test_real_measurement_and_report(capfd):
    kernel = triton.autotune(configs=CONFIGS, key=["n"], restore_value=["x"])(triton.jit(add_one))
    x = np.zeros(1000, np.float32)
    with triton.knobs.autotuning.scope():
        triton.knobs.autotuning.print = True
        kernel[grid](x, 1000)
    np.testing.assert_array_equal(x, 1)
    assert "add_one" in capfd.readouterr().out
    assert kernel.best_config in CONFIGS and len(kernel.configs_timings) == 3


def test_pruning():
    kernel = tuned(prune_configs_by={"early_config_prune": lambda configs, named, **kw: configs[:2]})
    quick.calls = 0
    kernel[grid](np.zeros(10, np.float32), 10)
    assert quick.calls == 2
    model = {"perf_model": lambda BLOCK, **kw: -BLOCK, "top_k": 1}
    kernel = tuned(prune_configs_by=model)
    kernel[grid](np.zeros(10, np.float32), 10)
    assert kernel.best_config.kwargs["BLOCK"] == 128
    with pytest.raises(AutotunerError):
        tuned(prune_configs_by={"early_config_prune": lambda *args, **kw: []})[grid](np.zeros(1, np.float32), 1)
    with pytest.raises(TypeError, match="top_k"):
        tuned(prune_configs_by={**model, "top_k": "all"})[grid](np.zeros(1, np.float32), 1)


def test_errors_of_tuning():
    for given in ({"BLOCK": 64}, {"num_warps": 8}):
        kernel, x = tuned(), np.zeros(10, np.float32)
        with pytest.raises(ValueError, match=f"`{next(iter(given))}` of `.*` is given by the call and by the config"):
            kernel[grid](x, 10, **given)
        kernel[grid](x, 10)
        with pytest.raises(ValueError, match="leave it out of the call"):  # also when the choice is made
            kernel[grid](x, 10, **given)
    with pytest.raises(TypeError, match=r"`configs` of triton.autotune has \{'BLOCK': 64\}; each must be a triton.Con"):
        tuned(configs=[{"BLOCK": 64}])

    def failing(x, n, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK < 100)
        tl.store(x, BLOCK)

    kernel = triton.autotune(configs=CONFIGS, key=["n"], do_bench=quick)(triton.jit(failing))
    kernel[(1,)](np.zeros(10, np.float32), 10)
    assert kernel.best_config.kwargs["BLOCK"] == 64


def test_timings_on_disk(fresh_cache):
    quick.calls = 0
    for expected in (3, 3):
        tuned(cache_results=True)[grid](np.zeros(64, np.float32), 64)
        assert quick.calls == expected
    files = list(fresh_cache.rglob("*.autotune.json"))
    assert len(files) == 1 and len(json.loads(files[0].read_text())["configs_timings"]) == 3


def test_heuristics():
    @triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"]), "EVEN": lambda a: a["n"] % 2 == 0})
    @triton.jit
    def kernel(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, BLOCK + EVEN, mask=i < n)

    x = np.zeros(100, np.int32)
    kernel[(1,)](x, 50)
    np.testing.assert_array_equal(x, np.where(np.arange(100) < 50, 65, 0))


def test_autotune_with_heuristics():
    @triton.autotune(configs=[triton.Config({"SCALE": 2}), triton.Config({"SCALE": 3})], key=["n"], do_bench=quick)
    @triton.heuristics({"BLOCK": lambda args: args["SCALE"] * 0 + 64})
    @triton.jit
    def kernel(x, n, SCALE: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, SCALE, mask=i < n)

    x = np.zeros(64, np.int32)
    kernel[(1,)](x, 64)
    assert set(x) == {kernel.best_config.kwargs["SCALE"]}


def test_config():
    config = triton.Config({"BLOCK": 64}, num_warps=8)
    assert config.all_kwargs() == {"BLOCK": 64, "num_warps": 8, "num_stages": 3, "num_ctas": 1}
    assert config == triton.Config({"BLOCK": 64}, num_warps=8) and hash(config) == hash(triton.Config({"BLOCK": 64}, 8))
    assert config != triton.Config({"BLOCK": 32}, num_warps=8) and "BLOCK: 64" in str(config)


class GivenTimes:
    """A clock on which functions take what they return."""

    def estimate(self, fn):
        return fn()

    def times(self, fn, runs, grad_to_none):
        return [fn() for _ in range(runs)]

    def synchronize(self):
        pass


def test_configurations_that_cannot_win_are_left_early(monkeypatch):
    monkeypatch.setattr(benchmark, "_active_clock", GivenTimes)
    competition = benchmark.Competition(warmup=10, rep=20)
    calls = []

    def taking(*milliseconds):
        remaining = list(milliseconds)

        def call():
            calls.append(remaining[0])
            return remaining.pop(0) if len(remaining) > 1 else remaining[0]

        return call

    quantiles = (0.5, 0.2, 0.8)
    assert competition(taking(1.0), quantiles) == [1.0] * 3
    assert calls.count(1.0) == 1 + 1 + 10 + 20
    assert competition(taking(2.5), quantiles) == [2.5] * 3
    assert calls.count(2.5) == 1 + 2
    # One estimate that something else has disturbed decides nothing.
    assert competition(taking(4.0, 4.0, 0.5), quantiles) == [0.5] * 3
    assert calls.count(0.5) == 1 + 20 + 40
    assert competition(taking(1.5), quantiles) == [1.5] * 3
    assert calls.count(1.5) == 1 + 2


def test_configurations_of_the_same_code_are_measured_once(host_device, capsys, monkeypatch, fresh_cache):
    """The code of the processor does not depend on warps and stages; the constants do. Elsewhere warps decide."""
    configs = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (32, 64) for warps in (1, 2, 4)]
    configs.append(triton.Config({"BLOCK": 32}, num_stages=1, num_cpu_threads=1))
    kernel = triton.autotune(configs, key=["n"])(triton.jit(add_one))
    measured = []
    bench = kernel._bench
    monkeypatch.setattr(
        kernel, "_bench", lambda *args, config, **meta: measured.append(config) or bench(*args, config=config, **meta)
    )
    with triton.knobs.autotuning.scope():
        triton.knobs.autotuning.print = True
        kernel[grid](np.zeros(64, np.float32), 64)
    if triton.knobs.runtime.interpret:  # which makes no code
        assert measured == configs
        return
    if host_device.name != "cpu":
        assert measured == configs
        return
    assert measured == [configs[0], configs[3], configs[6]]
    times = [kernel.configs_timings[config] for config in configs]
    assert times[:3] == [times[0]] * 3 and times[3:6] == [times[3]] * 3
    assert kernel.best_config in measured
    output = capsys.readouterr().out
    assert output.count("makes the code of config BLOCK: 32, num_warps: 1") == 2
    assert len(re.findall(r"^ *[\d.e+-]+ ms  BLOCK: ", output, re.MULTILINE)) == len(configs)


def test_do_bench():
    calls = []
    times = triton.testing.do_bench(lambda: calls.append(1), warmup=1, rep=2, return_mode="all")
    assert len(times) >= 1 and all(time >= 0 for time in times) and len(calls) > len(times)
    assert isinstance(triton.testing.do_bench(lambda: None, warmup=1, rep=1), float)
    assert len(triton.testing.do_bench(lambda: None, warmup=1, rep=1, quantiles=[0.5, 0.2, 0.8])) == 3
    assert isinstance(triton.testing.do_bench(lambda: None, warmup=1, rep=1, quantiles=[0.5]), float)
    with pytest.raises(AssertionError):
        triton.testing.do_bench(lambda: None, return_mode="average")


def test_assert_close():
    triton.testing.assert_close(np.array([1.0, np.nan]), np.array([1.001, np.nan]))
    with pytest.raises(AssertionError):
        triton.testing.assert_close(np.array([1.0, 2.0]), np.array([1.0, 2.1]))
    with pytest.raises(AssertionError):
        triton.testing.assert_close(1.0, 1.1)


def test_perf_report(tmp_path, capfd):
    @triton.testing.perf_report(
        triton.testing.Benchmark(
            x_names=["n"],
            x_vals=[1, 2],
            line_arg="who",
            line_vals=["a", "b"],
            line_names=["A", "B"],
            plot_name="plot",
            args={"offset": 10},
            ylabel="GB/s",
        )
    )
    def measure(n, who, offset):
        return n + offset if who == "a" else (n, n - 1, n + 1)

    measure.run(print_data=True, save_path=str(tmp_path))
    output = capfd.readouterr().out
    assert "plot" in output and "A (GB/s)" in output and "12" in output
    assert (tmp_path / "plot.csv").read_text().splitlines()[1].startswith("1,11")
    assert (tmp_path / "results.html").exists()


def test_positional_parameters_of_a_configuration():
    """Triton's order; what only this package has comes last."""
    hook = lambda arguments: None
    config = triton.Config({"BLOCK": 16}, 8, 2, 1, 128, hook, "kernel.ttir")
    assert (config.num_warps, config.num_stages, config.num_ctas, config.maxnreg) == (8, 2, 1, 128)
    assert config.pre_hook is hook and config.ir_override == "kernel.ttir" and config.num_cpu_threads is None
    assert triton.Config({}, num_cpu_threads=3).all_kwargs()["num_cpu_threads"] == 3


def test_configurations_of_numpy_scalars():
    config = triton.Config({"BLOCK": np.int64(16)}, num_warps=np.int32(2))
    same = triton.Config({"BLOCK": 16}, num_warps=2)
    assert config == same and hash(config) == hash(same) and str(config) == str(same)


def test_configuration_interface():
    config = triton.Config({"BLOCK": 16}, maxnreg=64)
    assert str(config) == "BLOCK: 16, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: 64, ir_override: None"
    assert pickle.loads(pickle.dumps(config)) == config and config != 3
    older = triton.Config.__new__(triton.Config)
    older.__setstate__({"kwargs": {"BLOCK": 16}, "num_warps": 2})
    assert older == triton.Config({"BLOCK": 16}, num_warps=2)


def test_attributes_that_programs_read():
    with pytest.warns(DeprecationWarning):
        kernel = tuned(restore_value=["x"], cache_results=True, warmup=3, rep=5)
    assert kernel.keys == ["n"] and kernel.restore_value == ["x"] and kernel.reset_to_zero == []
    assert kernel.arg_names == ["x", "n", "BLOCK"] and kernel.base_fn is add_one and kernel.cache_results
    assert kernel.fn.fn is add_one and kernel.cache == {} and kernel.restore_copies == {}
    assert (kernel.num_warmups, kernel.num_reps, kernel.use_cuda_graph) == (3, 5, False)
    assert not kernel.user_defined_pre_hook and not kernel.user_defined_post_hook
    assert kernel.early_config_prune is None and kernel.perf_model is None and kernel.configs_top_k == 1.0
    assert not hasattr(kernel, "best_config")
    heuristic = triton.heuristics({"BLOCK": lambda args: 16})(triton.jit(add_one))
    assert list(heuristic.values) == ["BLOCK"] and heuristic.arg_names == kernel.arg_names


def test_deprecated_keywords():
    for options in ({"warmup": 3}, {"rep": 2}, {"use_cuda_graph": True}):
        with pytest.warns(DeprecationWarning, match="do_bench"):
            kernel = tuned(do_bench=None, configs=CONFIGS[:2], **{"rep": 1, **options})
    x = np.zeros(64, np.float32)
    kernel[grid](x, 64)
    assert kernel.best_config in CONFIGS and kernel.do_bench(lambda: None, quantiles=(0.5, 0.2, 0.8))


def test_keys_that_are_no_parameters_are_named():
    with pytest.warns(UserWarning, match="`key` .* `nothing`, which is not a parameter of `add_one`"):
        kernel = tuned(key=["n", "nothing"])
    assert kernel.keys == ["n"]


@pytest.mark.parametrize("option", ["reset_to_zero", "restore_value"])
def test_names_of_parameters(option):
    with pytest.raises(
        ValueError, match=f"`{option}` .* `nothing`, which is not a parameter of `add_one`.*x, n, BLOCK"
    ):
        tuned(**{option: ["nothing"]})
    assert tuned(key="n").keys == ["n"]


def test_one_configuration_left_is_not_measured():
    quick.calls = 0
    kernel = tuned(prune_configs_by={"early_config_prune": lambda configs, args, **kwargs: configs[2:]})
    kernel[grid](np.zeros(64, np.float32), 64)
    assert quick.calls == 0 and kernel.best_config is CONFIGS[2]


def test_fraction_is_of_what_pruning_left():
    seen = []

    def estimate(**arguments):
        seen.append(arguments["BLOCK"])
        return -arguments["BLOCK"]

    def prune(configs, args, **kwargs):
        return configs[:2]

    for top_k, left in ((0.5, [64]), (0.1, [64]), (1.0, [32, 64]), (1, [64]), (5, [32, 64])):
        kernel = tuned(prune_configs_by={"early_config_prune": prune, "perf_model": estimate, "top_k": top_k})
        kernel.nargs = {"n": 1}
        assert [config.kwargs["BLOCK"] for config in kernel.prune_configs({})] == left
    assert set(seen) == {32, 64}


def test_all_configurations_fail():
    @triton.autotune(configs=CONFIGS, key=["n"], do_bench=quick)
    @triton.jit
    def kernel(x, n, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK > 1000, "larger blocks")
        tl.store(x, BLOCK)

    with pytest.raises(CompileTimeAssertionFailure, match="larger blocks") as raised:
        kernel[(1,)](np.zeros(10, np.float32), 10)
    cause = raised.value.__cause__
    assert isinstance(cause, AutotunerError) and "none of the 3 configurations of `kernel` works" in str(cause)
    assert all(f"BLOCK: {block}" in str(cause) for block in (32, 64, 128))


def test_failing_configurations_are_told_to_the_hook():
    seen = []

    def watch(arguments, exception):
        seen.append(type(exception))

    def raising(x, n, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK < 100)
        tl.store(x, BLOCK)

    kernel = triton.autotune(configs=CONFIGS, key=["n"], do_bench=quick, post_hook=watch)(triton.jit(raising))
    kernel[(1,)](np.zeros(10, np.float32), 10)
    assert kernel.user_defined_post_hook and seen == [type(None), type(None), CompileTimeAssertionFailure]
    assert kernel.configs_timings[CONFIGS[2]] == [float("inf")] * 3


def test_compiled_ahead_on_threads(fresh_cache):
    """All variants are compiled, by other threads, when the first one is measured. A configuration's own hook has
    changed the arguments by then."""
    threads, hooked = set(), []
    configs = [
        triton.Config({"BLOCK": block}, pre_hook=lambda args: hooked.append(args["BLOCK"])) for block in (16, 32, 64)
    ]

    def measure(call, quantiles):
        assert len(threads) >= 1 and threading.current_thread().name not in threads
        assert set(hooked[:3]) == {16, 32, 64}
        call()
        return [1.0] * 3

    def listen(**facts):
        threads.add(threading.current_thread().name)

    kernel = tuned(configs=configs, do_bench=measure)
    with triton.knobs.compilation.scope():
        triton.knobs.compilation.listener = listen
        kernel[grid](np.zeros(64, np.float32), 64)
    assert all(name.startswith("triton-autotune") for name in threads)


def test_progress_on_a_terminal():
    """On a terminal a line shows the progress, and is gone at the end; elsewhere nothing is printed."""
    code = "import numpy as np, test_autotune as t\nt.tuned()[t.grid](np.zeros(64, np.float32), 64)\n"
    environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    master, terminal = pty.openpty()
    done = subprocess.run([sys.executable, "-c", code], env=environment, stderr=terminal, stdout=subprocess.PIPE)
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    assert done.returncode == 0 and done.stdout == b""
    assert b"compiling add_one [" in shown and b"measuring add_one [########################] 3/3" in shown
    assert shown.endswith(b"\r\x1b[K")
    plain = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert plain.stderr == b""


def test_a_report_stands_above_the_progress(monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar("measuring", 2, terminal) as bar:
        say("one")
        bar.advance("best 2 ms")
        say("two")
    shown = [line.rpartition("\r\033[K")[2] for line in terminal.getvalue().split("\n")]
    assert shown == ["one", "two", ""]
    assert re.search(r"measuring \[#+-+\] 1/2 [\d.]+ s, about [\d.]+ s left; best 2 ms", terminal.getvalue())
    say("three")
    assert terminal.getvalue().endswith("\033[Kthree\n")


def test_listener_and_report(capsys, fresh_cache):
    events = []
    with triton.knobs.autotuning.scope():
        triton.knobs.autotuning.listener = lambda **facts: events.append(facts)
        triton.knobs.autotuning.print = True
        for _ in range(2):
            kernel = tuned(cache_results=True)
            kernel[grid](np.zeros(64, np.float32), 64)
    assert [event["cache_hit"] for event in events] == [False, True]
    assert set(events[0]) == {"fn", "key", "best_config", "configs_timings", "duration", "cache_hit"}
    assert events[0]["key"] == (64, "float32") and events[1]["best_config"] == events[0]["best_config"]
    assert events[1]["configs_timings"] == events[0]["configs_timings"] and events[1]["duration"] >= 0
    output = capsys.readouterr().out
    assert output.count("Autotuning kernel add_one with config BLOCK: 32") == 1
    assert "Triton autotuning for function add_one with key as (64, 'float32') finished after" in output
    times = [float(time) for time in re.findall(r"^ *([\d.e+-]+) ms  BLOCK: ", output, re.MULTILINE)]
    assert len(times) == 3 and times == sorted(times), "the table of all configurations, the fastest first"


def test_launches_from_several_threads():
    """Each has arguments of its own, and one of them tunes for all."""
    quick.calls = 0
    kernel = tuned(restore_value=["x"])
    together = threading.Barrier(8)

    def launch(number):
        together.wait()
        for turn in range(5):
            x = np.full(100, number, np.float32)
            kernel[grid](x, 100)
            np.testing.assert_array_equal(x, number + 1, err_msg=f"thread {number}, turn {turn}")
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(launch, range(8)))
    assert quick.calls == 3


def test_hook_launches_the_same_kernel():
    def before(arguments):
        if arguments["n"] == 100:
            kernel[grid](np.zeros(50, np.float32), 50)

    configs = [triton.Config({"BLOCK": block}, pre_hook=before) for block in (32, 64)]
    kernel = tuned(configs=configs)
    x = np.zeros(100, np.float32)
    kernel[grid](x, 100)
    assert kernel.nargs is None and len(kernel.cache) == 2


def test_subclass_with_its_own_run():
    """Libraries of kernels derive from Autotuner, call its parts, and keep the results in a way of their own."""

    class Tuner(triton.runtime.Autotuner):
        def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, *others, **named):
            super().__init__(fn, arg_names, configs, key, reset_to_zero, restore_value, *others, **named)
            self.chosen = {}

        def run(self, *args, **kwargs):
            self.nargs = dict(zip(self.arg_names, args, strict=False))
            key = self.nargs["n"]
            if key not in self.chosen:
                pruned = self.prune_configs(kwargs)
                timings = {config: self._bench(*args, config=config, **kwargs) for config in pruned}
                self.chosen[key] = min(timings, key=timings.get)
                full = {**self.nargs, **kwargs, **self.chosen[key].all_kwargs()}
                self.pre_hook(full, reset_only=True)
            return self.fn.run(*args, **kwargs, **self.chosen[key].all_kwargs())

    fn = triton.jit(add_one)
    kernel = Tuner(fn, fn.arg_names, CONFIGS, ["n"], None, ["x"], None, None, None, None, None, False, quick)
    x = np.zeros(64, np.float32)
    kernel[grid](x, 64)
    np.testing.assert_array_equal(x, 1)
    assert kernel.chosen[64] in CONFIGS
