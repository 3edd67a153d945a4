"""`triton.tune`: choices of tuned kernels before a program serves."""

import numpy as np
import pytest
import triton
import triton.language as tl
from tuned_kernels import grid, tuned_kernel


def test_every_key_is_measured_once(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CPU_BACKEND", "1")
    fill, steps = tuned_kernel(), []
    x = np.zeros(256, np.int32)
    cases = [{"x": x, "n": n} for n in (64, 256, 64)]
    result = triton.tune(fill, cases, grid, progress=lambda done, of, tuned: steps.append((done, of, tuned.key[0])))
    assert x.tolist()[:64] == [64] * 64 and x[64] == 256
    assert steps == [(1, 3, 64), (2, 3, 256), (3, 3, 64)]
    assert [each.key for each in result] == [(64, "int32"), (256, "int32")]
    assert all(len(each.milliseconds) == 2 and str(fill.cache[each.key]) == each.configuration for each in result)
    lines = str(result).splitlines()
    assert lines[0].startswith("2 keys measured in ") and lines[0].endswith(" s on cpu")
    assert lines[1].split("  ")[0] == "key" and lines[2].startswith("(64, 'int32')") and lines[2].endswith(" x")
    again = triton.tune(fill, cases[:1], grid)
    assert not again[0].milliseconds
    assert str(again).splitlines()[0].endswith(", 2 were known")


def test_a_kernel_that_is_not_tuned():
    @triton.jit
    def plain(x):
        tl.store(x, 1)

    with pytest.raises(TypeError, match="takes a kernel with `triton.autotune`, not "):
        triton.tune(plain, [], (1,))


def test_choices_are_recorded(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CPU_BACKEND", "1")
    path = tmp_path / "classes.jsonl"
    triton.tune(tuned_kernel(), [{"x": np.zeros(64, np.int32), "n": 64}], grid, record=path)
    from triton.runtime._recording import read_records

    classes, choices, problems = read_records(path)
    assert not problems and len(classes) == 2
    (choice,) = [each.facts["choice"] for each in choices]
    assert choice["key"] == [64, "int32"] and choice["device"] is None and choice["target"]["backend"] == "cpu"
    assert triton.knobs.runtime.record_classes is None


def test_known_choices_are_recorded(monkeypatch, tmp_path):
    """Those of the cases, with the classes that are not in memory yet."""
    monkeypatch.setenv("TRITON_CPU_BACKEND", "1")
    from triton.runtime._recording import read_records

    fill, x, path, steps = tuned_kernel(), np.zeros(256, np.int32), tmp_path / "classes.jsonl", []
    cases = [{"x": x, "n": n} for n in (64, 128)]
    triton.tune(fill, cases, grid)
    triton.tune(fill, cases[:1], grid, record=path, progress=lambda done, of, tuned: steps.append(tuned))
    classes, choices, problems = read_records(path)
    assert not classes and not problems and [each.facts["choice"]["key"] for each in choices] == [[64, "int32"]]
    assert steps[0].key == (64, "int32") and steps[0].configuration == str(fill.cache[steps[0].key])
