"""`kernel.classes`: the variants that launches can need, listed and compiled before any launch."""

import random

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import monitor
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.nvidia.driver import SimulatedDriver
from triton.runtime._arguments import MockArray
from triton.runtime.driver import driver
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def scale(x, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def shift(x, by: tl.int32, wide: tl.int64, n, flag, SIGN: tl.constexpr = 1):
    if flag:
        tl.store(x + n, by * SIGN + wide)


@pytest.fixture
def fresh():
    """Kernels without variants; not frozen afterwards."""
    scale.device_caches.clear()
    shift.device_caches.clear()
    yield
    triton.unfreeze()
    scale.device_caches.clear()
    shift.device_caches.clear()


def refused(*arguments, kernel=scale, **declared):
    with pytest.raises(ValueError) as error:
        kernel.classes(*arguments, **declared)
    return str(error.value)


def test_the_product_of_all_kinds():
    classes = scale.classes("*fp32", n="1..65536", factor=0.5, BLOCK=[64, 128], num_warps=[4, 8])
    assert len(classes) == 2 * 3 * 2 * 2
    assert classes.factors == {"x": 2, "n": 3, "BLOCK": 2, "num_warps": 2}
    assert classes.unspecialized == {"x": 1, "n": 1}
    facts = [each.facts for each in classes]
    assert len({str(each) for each in facts}) == len(facts), "no class is listed twice"
    assert {each["n"] for each in facts} == {"1", "i32", "i32, divisible by 16"}
    assert {each["x"] for each in facts} == {"*fp32", "*fp32, divisible by 16"}
    assert all(each["factor"] == "fp32" for each in facts)
    text = str(classes)
    assert text.startswith("scale: 24 classes for cpu")
    assert '`n` multiplies them by 3; do_not_specialize=["n"] leaves 8 classes' in text
    assert "scale(x: *fp32, divisible by 16, n: 1, factor: fp32, BLOCK: 64, num_warps: 4)" in text


@triton.jit
def copy_column(source, target, stride, last: tl.int32, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(target + i, tl.load(source + i * stride), mask=i < last)


def test_what_do_not_specialize_costs():
    """Marking a stride costs what wide accesses save; marking what code does not depend on costs nothing."""
    classes = copy_column.classes("*fp32:16", "*fp32", "1..64", any, BLOCK=1024, target="cuda:90")
    assert "times as long" not in str(classes)
    costs = classes.costs()
    assert set(costs) == set(classes.unspecialized) == {"target", "stride", "last"}
    assert costs["stride"]["1"] > 1.3 > costs["stride"]["i32, not negative"] == 1
    assert costs["target"]["*fp32, divisible by 16"] > 1.05
    assert f"takes {costs['stride']['1']:.2f} times as long, at most, where it is 1" in str(classes)
    with pytest.raises(ValueError, match="`copy_column` has classes for cpu, and clocks are those of a simulated GPU"):
        copy_column.classes("*fp32:16", "*fp32:16", "1..64", any, BLOCK=64, target="cpu").costs()


@triton.jit
def copy_block(source, table, target, stride, BLOCK: tl.constexpr):
    i, j = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    tl.store(target + i[:, None] * stride + j[None, :], source.load([tl.load(table), 0]))


def test_costs_touch_no_array_that_was_declared():
    """Arrays may stand for others, alone and in descriptors, or be those of a GPU that is here."""

    class OfGPU(MockArray):
        def data_ptr(self):
            return 16

    source = TensorDescriptor(MockArray("fp32"), [64, 64], [64, 1], [16, 16])
    classes = copy_block.classes(source, OfGPU("int32"), "*fp32", "1..64", 16, target="cuda:90")
    assert classes.costs()["target"]["*fp32, divisible by 16"] > 1.1


def test_what_do_not_specialize_costs_a_launch(host_device):
    """The launch's own arguments are those that are timed, on its device."""
    classes = copy_column.classes("*fp32", "*fp32:16", "1..64", 1024, BLOCK=1024)
    source, target = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    costs = classes.costs(source, target, 1, 1024, grid=lambda meta: (meta["BLOCK"] // 1024,), BLOCK=1024)
    assert set(costs) == {"source", "stride"} and costs["stride"].keys() == {"1"} and (source == target).all()
    if host_device.name != "cpu":
        assert costs["stride"]["1"] > 1.3
    with pytest.raises(ValueError, match="`costs` of `copy_column` got arguments of a launch and no `grid`; give the"):
        classes.costs(source, target, 1, 1024, BLOCK=1024)
    with pytest.raises(ValueError, match="`copy_column` has classes for .*, and launches go to"):
        copy_column.classes("*fp32", "*fp32", 1, 2, 64, target="cuda:80").costs(source, target, 1, 2, 64, grid=(1,))


def kinds(declared):
    classes = scale.classes("*fp32:16", declared, 0.5, 16)
    return {each.facts["n"] for each in classes}


def test_declarations_of_integers():
    multiples, others = "i32, divisible by 16", "i32"
    assert kinds("2..15") == {others}
    assert kinds("0..0") == {multiples}
    assert kinds("16..4096:16") == kinds(range(16, 4096, 16)) == kinds(range(4096, 16, -16)) == {multiples}
    assert kinds("1..1") == kinds(1) == {"1"}
    assert kinds("1..4096:8") == {multiples, others}, "1 is no multiple of 8"
    assert kinds(range(1, 100, 32)) == {"1", others}
    assert kinds(any) == {"1", multiples, others}
    assert kinds([7, "32..64:32"]) == {multiples, others}
    wide = {"i64", "i64, divisible by 16"}
    assert kinds("2147483648..4294967296") == wide
    assert kinds("0..2147483648") == {"1", multiples, others, "i64, divisible by 16"}
    assert kinds(range(-(1 << 40), -(1 << 39))) == wide
    assert kinds("9223372036854775808..9223372036854775809") == {"u64", "u64, divisible by 16"}
    assert scale.classes(["*fp32:16", "*fp16:16"], 3, 0.5, range(16, 19)).factors == {"x": 2, "BLOCK": 3}


def test_types_of_annotations_decide():
    classes = shift.classes(np.int64, any, any, "0..9", [True], SIGN=[1, -1])
    assert classes.factors == {"by": 2, "wide": 2, "n": 3, "SIGN": 2}
    assert {each.facts["wide"] for each in classes} == {"i64", "i64, divisible by 16"}
    assert {each.facts["by"] for each in classes} == {"i32", "i32, divisible by 16"}
    assert classes.unspecialized == {"by": 1, "wide": 1, "n": 1}


@pytest.mark.parametrize("target", ["cuda:90", "hip:gfx942"])
def test_what_gpus_also_look_at(target):
    """Negative integers are classes of their own there."""
    classes = scale.classes("*fp32:16", range(-64, 64), 0.5, 16, target=target)
    assert {each.facts["n"] for each in classes} == {
        "1",
        "i32, divisible by 16, not negative",
        "i32, not negative",
        "i32, divisible by 16",
        "i32",
    }
    assert kinds(range(-64, 64)) == {"1", "i32, divisible by 16", "i32"}


@triton.jit(do_not_specialize=["n"])
def loose(x, n, pair):
    tl.store(x + n, pair[0] + pair[1])


def test_tuples_and_parameters_that_are_not_specialized():
    classes = loose.classes("*i32:16", any, (any, "2..3"))
    assert classes.factors == {"pair": 3} and not classes.unspecialized
    loose.device_caches.clear()
    with triton.freeze():
        pass
    for each in classes:
        assert each.compile() is loose.warmup(*each.args, grid=(1,), **each.kwargs)
    with triton.freeze():
        for n in (1, 2, 16):
            loose[(1,)](np.zeros(32, np.int32), n, (16 * n, 3))


def test_launches_of_all_lengths_after_a_freeze(fresh, host_device):
    """The loop of a server: no launch waits, whatever it is called with."""
    classes = scale.classes("*fp32", "0..40000", 0.5, BLOCK=[256, 1024])
    classes.compile()
    before, generator = monitor.snapshot(), random.Random(0)
    array = np.ones(40008, np.float32)
    with triton.freeze():
        for step in range(10_000 if host_device.name == "cpu" else 50):
            n = generator.choice((step % 18, generator.randrange(4000)))
            x = array[generator.choice((0, 4, 1)) :]
            scale[(1,)](x, n, 1.0, BLOCK=256 << (2 * (step % 2)))
    after = monitor.snapshot() - before
    assert (after.compilations, after.memory_misses, after.waits, after.disk_hits) == (0, 0, 0, 0)
    assert (array == 1).all()


@pytest.mark.parametrize("make", [lambda: SimulatedDriver(90), lambda: SimulatedHIPDriver("gfx942")])
def test_classes_for_another_device_are_what_its_launches_need(fresh, make, tmp_path):
    """What is compiled ahead for a GPU is found in the disk cache by launches there."""
    other = make().get_current_target()
    text = f"{other.backend}:{other.arch}"
    for each in scale.classes("*fp32", range(-8, 40), 0.5, BLOCK=32, target=text):
        assert each.compile().metadata.target == other
    driver.set_active(make())
    try:
        before, array = monitor.snapshot(), np.ones(64, np.float32)
        for n in (-5, 0, 1, 3, 16, 17):
            for offset in (0, 1, 4):
                scale[(1,)](array[offset:], n, 2.0, BLOCK=32)
        after = monitor.snapshot() - before
        assert after.compilations == 0 and after.disk_hits == after.memory_misses > 0
    finally:
        driver.set_active_to_cpu()


@triton.jit
def copy_tile(source, target, row):
    target.store([0, 0], source.load([row, 0]))


def test_tensor_descriptors(fresh):
    """Extents that are multiples of 16 or not are classes of their own, here as in launches."""
    copy_tile.device_caches.clear()
    make = lambda rows: TensorDescriptor.from_tensor(np.ones((rows, 32), np.float32), [8, 16])
    sources, target = [make(rows) for rows in (16, 32, 17, 1)], make(16)
    classes = copy_tile.classes(sources, target, "1..16", target="sim:cuda:90")
    assert classes.factors == {"source": 3, "row": 3}, "16 and 32 are of one kind"
    classes.compile()
    driver.set_active(SimulatedDriver(90))
    try:
        before = monitor.snapshot()
        for source in sources:
            for row in (1, 2, 16):
                copy_tile[(1,)](source, target, row)
        after = monitor.snapshot() - before
        assert (after.compilations, after.disk_hits) == (0, 9)
    finally:
        driver.set_active_to_cpu()


def test_tuned_kernels_have_the_classes_of_their_configurations(fresh):
    configs = [triton.Config({"BLOCK": 16}, num_warps=2), triton.Config({"BLOCK": 32})]
    tuned = triton.autotune(configs, key=["n"])(scale)
    classes = tuned.classes("*fp32:16", "2..100", 0.5)
    assert len(classes) == 4 and classes.factors == {"configuration": 2, "n": 2}
    assert {each.kwargs["num_warps"] for each in classes} == {2, 4}
    computed = triton.heuristics({"BLOCK": lambda arguments: 16 << (arguments["n"] > 16)})(scale)
    assert len(computed.classes("*fp32:16", "2..100", 0.5, BLOCK=[16, 32])) == 4
    with pytest.raises(ValueError, match="`scale` computes `BLOCK` from the arguments of each launch"):
        computed.classes("*fp32:16", "2..100", 0.5)


def test_wrong_declarations_are_sentences():
    given = {"x": "*fp32:16", "n": 3, "factor": 0.5, "BLOCK": 16}
    assert "`k` is neither a parameter of the kernel nor an option; the parameters are" in refused(**given, k=3)
    assert "`num_wraps` is neither" in refused(**given, num_wraps=3) and "did you mean `num_warps`?" in refused(
        **given, num_wraps=3
    )
    assert "the parameter `n`, of which nothing was declared" in refused("*fp32", factor=1.0, BLOCK=16)
    assert "two declarations of `x`" in refused("*fp32:16", **given)
    assert "takes 4 arguments, but 5 were given" in refused(1, 2, 3, 4, 5)
    assert "the range `9..3` for `n` of `scale` holds no number" in refused(**{**given, "n": "9..3"})
    assert "the range `17..31:16` for `n` of `scale` holds no number" in refused(**{**given, "n": "17..31:16"})
    assert "the range `1..2:0` for `n` of `scale` is of multiples of 0" in refused(**{**given, "n": "1..2:0"})
    assert "holds no number" in refused(**{**given, "n": range(3, 3)})
    assert "64 bits do not hold" in refused(**{**given, "n": f"0..{1 << 64}"})
    assert "neither a range, as in `1..65536`, nor a type" in refused(**{**given, "n": "many"})
    assert "names the type `fp33`" in refused(**{**given, "x": "*fp33:16"})
    assert "`BLOCK` of `scale` is a constant, and each value is a class" in refused(**{**given, "BLOCK": any})
    assert "the range has 5000 numbers" in refused(**{**given, "BLOCK": "1..5000"})
    assert "`BLOCK` of `scale` has no alternatives: the list is empty" in refused(**{**given, "BLOCK": []})
    many = refused(**{**given, "n": any, "BLOCK": "1..4000"})
    assert "`scale` has 12000 classes, 3 (`n`) x 4000 (`BLOCK`), and no more than 10000 are listed" in many
