"""`triton.autotune`, `triton.heuristics` and `triton.testing`."""

import json

import numpy as np
import pytest
import triton
import triton.language as tl
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
    with pytest.raises(ValueError, match="BLOCK"):
        tuned()[grid](np.zeros(10, np.float32), 10, BLOCK=64)
    with pytest.raises(ValueError, match="nothing"):
        tuned(key=["nothing"])

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
    assert config.all_kwargs() == {"BLOCK": 64, "num_warps": 8, "num_stages": 3, "num_ctas": 1, "num_cpu_threads": 0}
    assert config == triton.Config({"BLOCK": 64}, num_warps=8) and hash(config) == hash(triton.Config({"BLOCK": 64}, 8))
    assert config != triton.Config({"BLOCK": 32}, num_warps=8) and "BLOCK: 64" in str(config)


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
    assert config.pre_hook is hook and config.ir_override == "kernel.ttir" and config.num_cpu_threads == 0
    assert triton.Config({}, num_cpu_threads=3).all_kwargs()["num_cpu_threads"] == 3


def test_configurations_of_numpy_scalars():
    config = triton.Config({"BLOCK": np.int64(16)}, num_warps=np.int32(2))
    same = triton.Config({"BLOCK": 16}, num_warps=2)
    assert config == same and hash(config) == hash(same) and str(config) == str(same)
