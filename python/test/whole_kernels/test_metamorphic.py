"""Kernels of the suite store the same under changes that must not matter (metamorphic.py); a kernel that does not is
found and made small."""

import collections
import re

import metamorphic
import numpy as np
import pytest
from metamorphic import Launch, Suite, difference, header, narrowed, reduce_failure, run, try_variant, variants
from random_driver import load
from skippable import optional_passes

VARIANTS = 8  # of a group
PARTS, KERNELS = 4, 5  #: of the passes that only improve code; of a group that does without a part


@pytest.mark.parametrize("group", range(5))
def test_variants(device, tmp_path, group):
    counts, wrong = collections.Counter(), []
    first = 1000 + group * VARIANTS
    for seed, launch, changes in variants(Suite(tmp_path, device), range(first, first + VARIANTS)):
        outcome = try_variant(launch, changes, seed, tmp_path)
        counts[outcome.kind] += 1
        if outcome.kind in ("wrong", "failed"):
            changes = narrowed(launch, changes, seed, tmp_path, outcome.kind)
            wrong.append(
                (outcome.note, reduce_failure(launch, changes, seed, outcome, device.name, tmp_path).read_text())
            )
    assert not wrong, "\n\n".join(f"{note}\n{text}" for note, text in wrong)
    assert counts["right"] > VARIANTS // 2, counts


def kernel_of(launch, folder):
    text = f"{header(launch.module)}\n\n@triton.jit\n{launch.text}\n"
    return getattr(load(folder, "kernel", text), launch.name)


@pytest.mark.parametrize("group", range(5))
def test_kernels_without_a_part_of_the_passes(device, tmp_path, monkeypatch, pytestconfig, group):
    """Each kernel does without another part of the passes that only improve code, so that each pass is left out of
    several kernels. With all devices, each kernel does without each part."""
    target = device.driver().get_current_target()
    passes = optional_passes(f"{target.backend.removeprefix('sim:')}:{target.arch}".removesuffix(":"))
    parts = [",".join(passes[part::PARTS]) for part in range(PARTS)]
    first, differences = 1000 + group * VARIANTS, []
    for seed, launch, _ in variants(Suite(tmp_path, device), range(first, first + KERNELS)):
        expected = run(kernel_of(launch, tmp_path), launch, launch.arguments(), {})
        for part in parts if pytestconfig.getoption("device") == "full" else [parts[seed % PARTS]]:
            with monkeypatch.context() as context:
                context.setenv("TRITON_SKIP_PASSES", part)
                stored = run(kernel_of(launch, tmp_path), launch, launch.arguments(), {})
            if wrong := difference(launch, ["passes"], stored, expected):
                differences.append(f"{launch.name} (seed {seed}) without {part}: {wrong}")
    assert not differences, "\n".join(differences)


#: What it stores depends on the type of an index, which a user would never want.
PLANTED = """
def kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = row * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n)
    for step in range(3):
        a = a * 2
    if row.dtype == tl.int64:
        a = a + 1
    tl.store(y + i, a, mask=i < n)
"""
CHANGES = ["dead branch", "wide index", "split loop"]


def planted():
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    return Launch(None, "kernel", PLANTED, (4,), [x, y, 64], {"BLOCK": 16})


def test_a_difference_is_found_and_made_small(tmp_path):
    launch, seed = planted(), 0
    while (outcome := try_variant(launch, CHANGES, seed, tmp_path)).kind != "wrong":
        seed += 1
    assert re.search(r"kernel with .*wide index.*: differs in array 1 at \(0,\): 1.0, not 0.0", outcome.note)
    changes = narrowed(launch, CHANGES, seed, tmp_path, "wrong")
    assert changes == ["wide index"]
    text = reduce_failure(launch, changes, seed, outcome, "cpu", tmp_path).read_text()
    assert "row.dtype == tl.int64" in text and "for step" not in text, text


@pytest.mark.parametrize("change", metamorphic.CHANGES)
def test_every_change_applies(tmp_path, change):
    """Each gives a variant that compiles and is right where nothing asks for the type of an index."""
    launch = planted()
    launch.text = launch.text.replace("row.dtype == tl.int64", "row.dtype == tl.int8").replace("range(3)", "range(n)")
    launch.args[2] = 32
    kinds = {try_variant(launch, [change], seed, tmp_path).kind for seed in range(4)}
    if change == "argument":
        assert kinds == {"unchanged"}, "BLOCK is a shape"
    else:
        assert kinds <= {"right", "unchanged"} and "right" in kinds
