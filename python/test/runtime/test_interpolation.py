"""Choices of tuned kernels for keys between those that were measured."""

import json
import logging
import math

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime import _choices, _interpolation
from triton.runtime._choices import _of_each_device, forget_estimates
from triton.runtime._interpolation import Candidate, Estimate, Measured
from triton.runtime._recording import Recorded
from tuned_kernels import grid, tuned_kernel


def interpolate(measured, key, names):
    """Among configurations of which nothing is known but their names."""
    return _interpolation.interpolate(measured, key, {name: Candidate() for name in names})


def measured(keys, times):
    """What tuning finds where a configuration of the name takes ``times[name](*key)``."""
    found = {}
    for key in keys:
        of_key = {name: float(time(*key[:2])) for name, time in times.items()}
        found[key] = Measured(min(of_key, key=of_key.get), of_key)
    return found


#: Small tiles are better for small sizes; the lines cross at 1000.
CROSSING = {"small": lambda n, *_: n / 1000, "large": lambda n, *_: (n / 1000) ** 0.5, "never": lambda n, *_: 9 * n}


def test_the_fastest_by_times_around():
    """Not that of the nearest key: the line through the times crosses before it."""
    known = measured([(256,), (512,), (1024,), (8192,)], CROSSING)
    for n, name in ((300, "small"), (900, "small"), (1100, "large"), (5000, "large")):
        assert interpolate(known, (n,), CROSSING).configuration == name
    assert interpolate(known, (2000,), {"small", "never"}).configuration == "small"
    assert interpolate(known, (2000,), set()) is None


def test_two_sizes_and_parts_that_are_not_sizes():
    times = {"wide": lambda m, n: (n / m) ** 0.5, "tall": lambda m, n: (m / n) ** 0.5}
    sizes = [64, 256, 1024, 4096]
    known = measured([(m, n, "float16", True, 0) for m in sizes for n in sizes if m != n], times)
    assert interpolate(known, (300, 200, "float16", True, 0), times).configuration == "wide"
    assert interpolate(known, (200, 300, "float16", True, 0), times).configuration == "tall"
    for other in ((300, 200, "float32", True, 0), (300, 200, "float16", False, 0), (300, 200, "float16", True, 1)):
        assert interpolate(known, other, times) is None
    for outside in ((32, 64), (64, 5000)):
        assert interpolate(known, (*outside, "float16", True, 0), times) is None
    assert interpolate(known, (64, 64), times) is None


def test_sizes_of_a_kind():
    """Odd sizes, and sizes that are padded to the same power of two, say more about their like."""
    times = {"wide": lambda n, *_: 1.0 if n % 16 == 0 else 4.0, "narrow": lambda n, *_: 2.0}
    known = measured([(n,) for base in (512, 1024, 2048) for n in (base, base + 1)], times)
    assert interpolate(known, (1040,), times).configuration == "wide"
    assert interpolate(known, (1027,), times).configuration == "narrow"


def test_sizes_with_other_configurations():
    """Programs leave out small tiles for large sizes, and the other way round; what all sizes have is slow."""
    small = {(n,): Measured("small", {"small": 1.0, "all": 3.0}) for n in (64, 256)}
    large = {(n,): Measured("large", {"large": 1.0, "all": 3.0}) for n in (4096, 8192)}
    names = {"small", "all", "large"}
    assert interpolate(small | large, (128,), names) == Estimate("small", 2)
    assert interpolate(small | large, (6000,), names) == Estimate("large", 2)
    assert interpolate(small | large, (128,), {"all", "large"}) == Estimate("all", 4)


def test_choices_without_times():
    """As older files have them: that of the nearest key."""
    known = {(64,): Measured("small", {}), (4096,): Measured("large", {})}
    assert interpolate(known, (100,), {"small", "large"}) == Estimate("small", 1)
    assert interpolate(known, (2000,), {"small", "large"}) == Estimate("large", 1)
    assert interpolate(known, (100,), {"large"}) == Estimate("large", 1)
    times = measured([(128,), (1024,)], CROSSING)
    assert interpolate({**known, **times}, (200,), {*CROSSING}).keys == 2


def test_times_of_a_product():
    """They jump with each further round of programs over the processors, which sizes alone do not tell."""
    processors, rng = 132, np.random.default_rng(0)
    tiles_of = lambda shape, m, n: math.ceil(m / shape[0]) * math.ceil(n / shape[1])

    def time_of(shape, m, n):
        rows, columns = shape
        rounds = math.ceil(tiles_of(shape, m, n) / processors)
        return rounds * (rows * columns / 1e4 + (rows + columns) / 30 + 0.5)

    shapes = {str(shape): shape for shape in [(64, 64), (64, 128), (128, 128), (128, 256)]}
    sizes = [(int(m) * 16, int(n) * 16) for m, n in rng.integers(256 // 16, 4096 // 16 + 1, (100, 2))]
    known = {}
    for m, n in [(256, 256), (256, 4096), (4096, 256), (4096, 4096), *sizes[:60]]:
        times = {name: time_of(shape, m, n) for name, shape in shapes.items()}
        programs = {name: tiles_of(shape, m, n) for name, shape in shapes.items()}
        if m == n == 256:  # one was left out there, which says nothing of its programs for other sizes
            del times["(128, 256)"], programs["(128, 256)"]
        known[m, n] = Measured(min(times, key=times.get), times, programs, processors)

    def share_of_good_choices(candidate):
        good = 0
        for m, n in sizes[60:]:
            candidates = {name: candidate(shape, m, n) for name, shape in shapes.items()}
            choice = _interpolation.interpolate(known, (m, n), candidates).configuration
            best = min(time_of(shape, m, n) for shape in shapes.values())
            good += time_of(shapes[choice], m, n) < 1.03 * best
        return good / len(sizes[60:])

    counted = share_of_good_choices(lambda shape, m, n: Candidate(sorted(set(shape)), tiles_of(shape, m, n)))
    assert counted >= 0.9
    assert share_of_good_choices(lambda shape, m, n: Candidate(sorted(set(shape)))) < 0.8


def test_blocks_of_a_row():
    """What a loop over blocks takes jumps where one more begins."""
    blocks = {"256": 256, "512": 512, "1024": 1024}
    time_of = lambda block, n: math.ceil(n / block) * (block / 200 + 1)
    known = {}
    for n in [64, 200, 256, 300, 500, 700, 1000, 1100, 1500, 1700, 2100, 2600, 3000, 3500, 4096]:
        times = {name: time_of(block, n) for name, block in blocks.items()}
        known[n,] = Measured(min(times, key=times.get), times)
    candidates = {name: Candidate([block]) for name, block in blocks.items()}
    for n in (240, 400, 520, 900, 1200, 1300, 2000, 2200, 3300, 3800):
        choice = _interpolation.interpolate(known, (n,), candidates).configuration
        assert time_of(blocks[choice], n) < 1.03 * min(time_of(block, n) for block in blocks.values())


def test_numbers_of_65_bits():
    """They are no sizes: a key has the same one or another, such as that of a generator of random numbers."""
    seed = 2**64 - 1
    known = measured([(n, seed) for n in (64, 1024)], CROSSING)
    assert interpolate(known, (128, seed), CROSSING) == Estimate("small", 2)
    assert interpolate(known, (128, seed - 1), CROSSING) is None


def test_times_of_two_gpus_are_not_compared():
    ours, theirs, more = {(1,): "ours"}, {(2,): "theirs"}, {(3,): "more"}
    assert _of_each_device([{}, {"a": theirs}, {"b": ours, "a": more}], "b") == [ours, theirs | more]
    assert _of_each_device([{"a": theirs}, {"b": ours}], "c") == [theirs, ours]
    assert _of_each_device([{}], "c") == []


def clock_of(fast):
    """Measures in place of a clock: ``fast(n)`` is the block that is fast for n."""
    now = {}
    return tuned_kernel(
        do_bench=lambda call, quantiles: [call() or (1.0 if now["block"] == fast(now["n"]) else 2.0)] * 3,
        pre_hook=lambda given, reset_only=False: now.update(n=given["n"], block=given["BLOCK"]),
    )


def test_launches_after_a_freeze(monkeypatch, caplog):
    """Take what this process has measured around; before, each key is measured, and by `triton.tune` afterwards."""
    monkeypatch.setenv("TRITON_CPU_BACKEND", "1")
    fill, x = clock_of(lambda n: 16 if n < 500 else 64), np.zeros(4096, np.int32)
    triton.tune(fill, [{"x": x, "n": n} for n in (64, 256, 512, 1024)], grid)
    fill[grid](x, 128)
    before = triton.monitor.snapshot()
    with triton.freeze(), caplog.at_level(logging.INFO, "triton.monitor"):
        for n, block in ((80, 16), (288, 16), (640, 64), (1008, 64)):
            fill[grid](x, n)
            assert fill.best_config.kwargs["BLOCK"] == block and x[n - 1] == n
            fill[grid](x, n)
        with pytest.raises(triton.FrozenError, match="needs a tuning run for the key"):
            fill[grid](x, 2048)
    seen = triton.monitor.snapshot() - before
    assert (seen.tuning_runs, seen.interpolations) == (0, 4)
    assert "triton_interpolations_total " in triton.monitor.prometheus()
    lines = [record.message for record in caplog.records if "is not tuned for the key" in record.message]
    assert len(lines) == 4 and lines[0].startswith(__file__)
    assert "`fill` is not tuned for the key (80, 'int32'); by 5 keys that were, it takes BLOCK: 16, num_w" in lines[0]
    assert triton.tune(fill, [{"x": x, "n": 288}], grid)[0].milliseconds


@pytest.fixture
def tuned_elsewhere(monkeypatch):
    """(kernel, array, the texts of its two configurations): another GPU has measured the keys 64 and 1024, for which
    it could run the second alone."""
    monkeypatch.setenv("TRITON_CPU_BACKEND", "1")
    fill = clock_of(lambda n: 16)
    texts = [str(config) for config in fill.configs]
    found = Measured(texts[1], {texts[1]: 1.0})
    fill._loaded["another"] = {(n, "int32"): found for n in (64, 1024)}
    return fill, np.zeros(4096, np.int32), texts


def test_times_of_this_gpu_count_first(tuned_elsewhere):
    """And those of another one where this one has not measured around."""
    fill, x, _ = tuned_elsewhere
    triton.tune(fill, [{"x": x, "n": n} for n in (128, 256)], grid)
    with triton.freeze():
        for n, block in ((192, 16), (512, 64)):
            fill[grid](x, n)
            assert fill.best_config.kwargs["BLOCK"] == block


def test_a_choice_that_replaces_an_estimate_stays(tuned_elsewhere):
    fill, x, texts = tuned_elsewhere
    for n in (128, 256):
        fill[grid](x, n)
    assert fill._take_choice((128, "int32"), Measured(texts[0], {}), None)
    forget_estimates(fill)
    assert [*fill.cache] == [(128, "int32")]


def test_choices_of_a_bundle_keep_their_gpu(tuned_elsewhere, monkeypatch, tmp_path):
    """A launch that takes one, and is recorded, has not measured the times itself."""
    fill, x, _ = tuned_elsewhere
    monkeypatch.setattr(triton._C, "has_bundles", lambda: True)
    monkeypatch.setattr("triton.runtime._bundles.choices_for", lambda tuner: [tuner._loaded])
    record = tmp_path / "classes.jsonl"
    monkeypatch.setattr(triton.knobs.runtime, "record_classes", str(record))
    fill[grid](x, 64)
    (choice,) = [line["choice"] for line in map(json.loads, record.read_text().splitlines()) if "choice" in line]
    assert choice["device"] == "another" and choice["milliseconds"] == fill._loaded["another"][64, "int32"].milliseconds


def test_programs_of_what_is_measured(monkeypatch, tmp_path):
    """They are counted by the launch's grid, also where it asks for what is computed at the launch, and recorded."""
    monkeypatch.setenv("TRITON_CPU_BACKEND", "1")
    configs, record = [triton.Config({"BLOCK": block}) for block in (16, 64)], tmp_path / "classes.jsonl"

    @triton.autotune(configs, key=["n"], do_bench=lambda call, quantiles: [call() or 1.0] * 3)
    @triton.heuristics({"HALF": lambda bound: bound["BLOCK"] // 2})
    @triton.jit
    def fill(x, n, BLOCK: tl.constexpr, HALF: tl.constexpr, TWO: tl.constexpr = 2):
        i = tl.program_id(0) * TWO * HALF + tl.arange(0, BLOCK)
        tl.store(x + i, tl.program_id(1), mask=i < n)

    cases = [{"x": np.zeros(100, np.int32), "n": 100}]
    triton.tune(fill, cases, lambda meta: (triton.cdiv(meta["n"], meta["TWO"] * meta["HALF"]), 3), record=record)
    texts = [str(config) for config in fill.configs]
    assert fill._measured[100, "int32"].programs == {texts[0]: 21, texts[1]: 6}
    (facts,) = [line for line in map(json.loads, record.read_text().splitlines()) if "choice" in line]
    assert Recorded("", facts).measured == fill._measured[100, "int32"]
    facts["choice"]["programs"][0] = None
    assert Recorded("", facts).measured.programs == {texts[1]: 6}
    for name, wrong in (("programs", [1]), ("programs", 3), ("processors", 0), ("processors", 2**62)):
        damaged = {**facts, "choice": {**facts["choice"], name: wrong}}
        assert Recorded("", damaged).measured == fill._measured[100, "int32"]._replace(programs={}, processors=1)
    facts["choice"]["programs"][1] = 10**30
    assert Recorded("", facts).measured.programs == {}
    no_grid = _choices.candidates_of(fill, {"grid": lambda meta: meta["LATER"]}, {texts[0]: fill.configs[0]})
    assert no_grid == {texts[0]: Candidate([16], None)}
