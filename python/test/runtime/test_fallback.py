"""`TRITON_FALLBACK=generic`: launches of classes that nobody has compiled run on a variant without facts of values."""

import os
import signal
import subprocess
import sys
import threading
from collections import namedtuple

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs, monitor
from triton.compiler import compiler
from triton.runtime import _fallback, _misses
from triton.runtime._inspection import target_named
from triton.runtime._specialization_data import deserialize_specialization_data


@triton.jit
def fill(x, n, value, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, value, mask=i < n)


@triton.jit
def shift(out, x, sizes, scale, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < sizes[0], other=0.0)
    if scale is not None:
        value *= scale
    tl.store(out + i * sizes[1], value, mask=i < sizes[0])


@triton.jit
def rows(descriptor, out, M: tl.constexpr, N: tl.constexpr):
    block = descriptor.load([0, 0])
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], block)


def multiply_by(factor):
    @triton.jit
    def multiply(x):
        return x * factor

    return multiply


twice, thrice = multiply_by(tl.constexpr(2)), multiply_by(tl.constexpr(3))


@triton.jit
def apply(x, n, FUNCTION: tl.constexpr):
    i = tl.arange(0, 64)
    tl.store(x + i, FUNCTION(i.to(tl.float32)), mask=i < n)


@triton.jit
def contiguous(x, n, stride):
    tl.static_assert(n == 1)
    tl.store(x + n * stride, 1.0)


@pytest.fixture
def generic(tmp_path):
    with knobs.runtime.scope(), knobs.cache.scope():
        knobs.cache.dir = str(tmp_path / "cache")
        knobs.runtime.fallback = "generic"
        for kernel in (fill, shift, rows, apply, contiguous):
            kernel.device_caches.clear()
        yield
        finish()


def finish():
    """Waits until the thread has compiled what it was asked for."""
    _fallback._submit(lambda: None).result()


@pytest.fixture
def held():
    """The thread compiles nothing before the end of the test, or `set`."""
    gate = threading.Event()
    _fallback._submit(gate.wait)
    yield gate
    gate.set()


def elsewhere():
    """An array that begins at no multiple of 16, of which no variant beside those for others knows more."""
    return np.zeros(65, np.float32)[1:]


def last():
    return monitor.snapshot().events[-1]


def test_a_new_class_does_not_wait(generic, held):
    x = elsewhere()
    fill.warmup(np.zeros(64, np.float32), 32, 2.0, BLOCK=64, grid=(1,))
    before = monitor.snapshot()
    for n in (7, 1, 9):
        x[:] = 0
        fill[(1,)](x, n, float(n), BLOCK=64)
        assert (x[:n] == n).all() and not x[n:].any()
        assert last().origin == "generic" and last().reason in ("divisibility", "value")
    happened = monitor.snapshot() - before
    assert happened.fallbacks == 2 and happened.compilations == 0 and happened.waits == 0
    assert "triton_fallbacks_total" in monitor.prometheus()


def test_the_own_variant_takes_its_place(generic, held):
    x = elsewhere()
    fill.warmup(np.zeros(64, np.float32), 32, 2.0, BLOCK=64, grid=(1,))
    stand_in = fill[(1,)](x, 7, 3.0, BLOCK=64)
    assert not isinstance(stand_in, compiler.CompiledKernel) and stand_in.name == "fill"
    assert fill[(1,)](x, 7, 3.0, BLOCK=64) is stand_in
    held.set()
    finish()
    before = monitor.snapshot()
    fill[(1,)](x, 7, 4.0, BLOCK=64)
    own = fill[(1,)](x, 7, 5.0, BLOCK=64)
    assert isinstance(own, compiler.CompiledKernel) and (x[:7] == 5).all()
    assert fill[(1,)](x, 11, 5.0, BLOCK=64) is own, "the class is that of all numbers that are no multiples of 16"
    happened = monitor.snapshot() - before
    assert happened.fallbacks == happened.compilations == happened.memory_misses == 0


def test_arguments_of_all_kinds(generic, held):
    """Tuples, None, ones in tuples, wide integers, and arrays that overlap."""
    x = np.arange(64, dtype=np.float32)
    out = np.zeros(128, np.float32)
    shift.warmup(out, x, (32, 2), 2.0, BLOCK=64, grid=(1,))
    shift.warmup(out, x, (32, 2), None, BLOCK=64, grid=(1,))
    shift[(1,)](out, x, (17, 1), 3.0, BLOCK=64)
    assert last().origin == "generic" and np.array_equal(out[:17], x[:17] * 3)
    shift[(1,)](x, x, (33, 1), 2.0, BLOCK=64)
    assert last().origin == "generic" and np.array_equal(x[:33], np.arange(33) * 2)
    shift[(1,)](out, x[1:], (5, 3), None, BLOCK=64)
    assert last().origin == "generic" and np.array_equal(out[:15:3], x[1:6])
    compiled = monitor.snapshot().compilations
    shift[(1,)](out, x, (1 << 40, 1), None, BLOCK=64)  # another type
    assert monitor.snapshot().compilations == compiled + 1 and last().origin == "compiled"


def test_strides_that_are_one(generic, held):
    """Are known to the generic variants of launches that have them, too, where accesses are wider for it."""
    x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    shift.warmup(out, x, (32, 1), None, BLOCK=64, grid=(1,))
    same = shift[(1,)](out, x, (17, 1), None, BLOCK=64)
    assert last().origin == "preloaded" and isinstance(same, compiler.CompiledKernel), "it knows all that its own does"
    assert np.array_equal(out[:17], x[:17])
    near = shift[(1,)](out, x[1:], (18, 1), None, BLOCK=64)
    assert last().origin == "generic" and np.array_equal(out[:18], x[1:19])
    far = shift[(1,)](out, x, (9, 3), None, BLOCK=64)
    assert last().origin == "generic" and np.array_equal(out[:27:3], x[:9])
    assert near.src.signature["sizes"] == ("i32", "constexpr") and far.src.signature["sizes"] == ("i32", "i32")


@triton.jit
def rows_of(out, x, M, N, stride, step, B: tl.constexpr):
    m, n = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    mask = (m < M) & (n < N)
    tl.store(out + m * stride + n, tl.load(x + m * stride + n * step, mask=mask), mask=mask)


def facts_of_ladder(target):
    """Of the variants beside a class: the integers that are multiples of 16, and those that are 1."""
    names = rows_of.arg_names
    signature = {"out": "*fp32", "x": "*fp32", "M": "i32", "N": "i32", "stride": "i32", "step": "constexpr"}
    attributes = {(i,): [["tt.divisibility", 16]] for i in range(2)}
    src = compiler.ASTSource._for_launches(rows_of, {**signature, "B": "constexpr"}, {(5,): 1, (6,): 32}, attributes)
    found = []
    for each in _fallback.sources_beside(rows_of, src, {}, target_named(target)):
        divisible = [names[path[0]] for path, known in each.attrs.items() if ["tt.divisibility", 16] in known]
        found.append((divisible, [name for name, type_ in each.signature.items() if type_ == "constexpr"]))
    return found


def test_the_ladder():
    """The first variant knows what makes accesses wide, the last one nothing; the number of rows costs nothing."""
    assert facts_of_ladder("cuda:90") == [
        (["out", "x", "N", "stride"], ["step", "B"]),
        (["out", "x"], ["step", "B"]),
        ([], ["step", "B"]),
        ([], ["B"]),
    ]


def test_the_most_special_variant_runs(generic, held):
    x, out = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    rows_of.device_caches.clear()
    rows_of.warmup(out, x, 3, 7, 7, 1, B=32, grid=(1,))
    for M, N, stride, step, divisible in [(5, 16, 32, 1, 4), (5, 32, 17, 1, 2), (5, 9, 20, 2, 0)]:
        out[:] = 0
        ran = rows_of[(1,)](out, x, M, N, stride, step, B=32)
        assert last().origin in ("generic", "preloaded") and sum(map(bool, ran.src.attrs.values())) >= divisible
        m, n = np.arange(M)[:, None], np.arange(N)[None, :]
        assert np.array_equal(out[m * stride + n], x[m * stride + n * step])
    assert monitor.snapshot().events[-1].kernel == "rows_of"


@triton.jit
def turned(out, x, more, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        tl.store(out + i + 1, tl.load(x + i, mask=i < n) + more, mask=i < n)


def test_arrays_that_overlap(generic, held):
    """Are found by the launch on a variant that takes them to be disjoint, and run on another."""
    x = np.arange(66, dtype=np.float32)
    turned.device_caches.clear()
    turned.warmup(np.zeros(66, np.float32), x, 7, 7, BLOCK=4, grid=(1,))
    stand_in = turned[(1,)](np.zeros(66, np.float32), x, 16, 64, BLOCK=4)
    assert last().origin == "generic" and not isinstance(stand_in, compiler.CompiledKernel)
    before = monitor.snapshot().compilations
    expected = x.copy()
    for start in range(0, 64, 4):
        expected[start + 1 : start + 5] = expected[start : start + 4] + 16
    assert turned[(1,)](x, x, 16, 64, BLOCK=4) is stand_in
    assert np.array_equal(x, expected) and monitor.snapshot().compilations == before


Point, Turned = namedtuple("Point", "x y"), namedtuple("Turned", "y x")


@triton.jit
def place(out, point, n):
    tl.store(out, point.x * 10 + point.y)


def test_fields_of_tuples(generic, held):
    """No variant for one order of fields runs for the other."""
    out = np.zeros(16, np.int32)
    place.device_caches.clear()
    for point, expected in [(Point(3, 4), 34), (Turned(3, 4), 43), (Point(5, 6), 56)]:
        place[(1,)](out, point, 7)
        assert out[0] == expected
    place.device_caches.clear()
    place.warmup(out, Point(16, 32), 3, grid=(1,))
    place.warmup(out, Turned(16, 32), 3, grid=(1,))
    with triton.freeze():
        for point, expected in [(Point(3, 4), 34), (Turned(3, 4), 43), (Point(1, 6), 16)]:
            place[(1,)](out, point, 1)
            assert out[0] == expected and last().origin == "generic"


def test_fields_of_tuples_are_recorded():
    """A class that is described as text is the same class, with the names by which its kernel reads the tuple, also
    those that Python has given."""
    renamed = namedtuple("Renamed", ["y", "x", "class"], rename=True)
    for point, names in [(Turned(3, 1), ("y", "x")), (renamed(3, 1, 5), ("y", "x", "_2"))]:
        place.device_caches.clear()
        place.warmup(np.zeros(16, np.int32), point, 7, grid=(1,))
        ((src, _),) = place._classes.values()
        facts = deserialize_specialization_data(place._describe_variant("", src, {}))
        again = compiler.ASTSource._for_launches(place, facts["signature"], facts["constants"], facts["attrs"])
        assert again._text() == src._text() and again.hash() == src.hash()
        assert again._fields_of_tuples == {(1,): names}


@triton.jit
def is_before(out, n):
    tl.store(out, (tl.program_id(0) - n < 0).to(tl.int32))


def test_a_one_is_no_wide_number(generic, held):
    """A variant for numbers of 64 bits without a sign does not run for a 1, which has the sign of small numbers."""
    out = np.zeros(16, np.int32)
    is_before.device_caches.clear()
    is_before.warmup(out, 2**63 + 1, grid=(1,))
    is_before[(1,)](out, 1)
    assert out[0] == 1


@triton.jit
def lengths(out, first, second, n):
    tl.store(out, len(first) * 10 + len(second))


def test_lengths_of_tuples(generic, held):
    out = np.zeros(16, np.int32)
    lengths.device_caches.clear()
    lengths.warmup(out, (), ((), ()), 32, grid=(1,))
    lengths[(1,)](out, ((),), (), 7)
    assert out[0] == 10


def test_descriptors(generic, held):
    from triton.tools.tensor_descriptor import TensorDescriptor

    x = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)
    out = np.zeros((16, 16), np.float32)
    describe = lambda array: TensorDescriptor(array, list(array.shape), [array.strides[0] // 4, 1], [16, 16])
    rows.warmup(describe(x), out, 16, 16, grid=(1,))
    y = np.ascontiguousarray(x[:, :20])
    rows[(1,)](describe(y), out, 16, 16)
    assert last().origin == "generic" and np.array_equal(out, y[:, :16])


@pytest.mark.parametrize("functions", [(twice, thrice), (tl.exp, tl.sqrt)])
def test_functions_with_one_text(generic, functions):
    """No variant of one runs for the other."""
    arrays = []
    for function in functions:
        for n in (16, 7):
            x = np.zeros(64, np.float32)
            apply.warmup(x, 32, function, grid=(1,))
            apply[(1,)](x, n, function)
            finish()
            assert last().origin in ("compiled", "disk")
        arrays.append(x)
    i = np.arange(7, dtype=np.float32)
    expected = (2 * i, 3 * i) if functions[0] is twice else (np.exp(i), np.sqrt(i))
    for x, values in zip(arrays, expected, strict=True):
        np.testing.assert_allclose(x[:7], values, rtol=1e-5)


def test_a_preloaded_variant_of_another_function(generic):
    knobs.runtime.fallback = "0"
    x = np.zeros(64, np.float32)
    of_twice = apply.warmup(x, 16, twice, grid=(1,))
    key = next(iter(apply._classes))
    apply.device_caches.clear()
    apply._preloaded[key] = of_twice
    apply[(1,)](x, 16, thrice)
    assert x[5] == 15 and last().origin != "preloaded"
    assert apply[(1,)](x, 16, twice) is of_twice and x[5] == 10 and last().origin == "preloaded"


def test_a_class_without_a_generic_variant(generic):
    """Is compiled as without the setting."""
    x = np.zeros(64, np.float32)
    assert contiguous.warmup(x, 1, 16, grid=(1,)) is not None
    (group,) = contiguous._generic.values()
    assert sorted(bool(compiled) for _, compiled in group.variants.values()) == [False, True, True]
    contiguous[(1,)](elsewhere(), 1, 7)
    assert last().origin == "generic"
    with pytest.raises(triton.CompilationError, match="n == 1|static"):
        contiguous[(1,)](x, 2, 7)


def test_what_clears_variants_clears_generic_ones(generic):
    x = np.zeros(64, np.float32)
    fill.warmup(x, 32, 2.0, BLOCK=64, grid=(1,))
    assert fill._generic
    fill.device_caches.clear()
    assert not fill._generic


def test_settings_that_change_meanwhile(generic, held):
    """The own variant is that of the settings of the launch."""
    x = elsewhere()
    fill.warmup(np.zeros(64, np.float32), 32, 2.0, BLOCK=64, grid=(1,))
    fill[(1,)](x, 7, 3.0, BLOCK=64)
    knobs.runtime.debug = True
    held.set()
    finish()
    knobs.runtime.debug = False
    stand_in = fill[(1,)](x, 7, 3.0, BLOCK=64)
    assert not isinstance(stand_in, compiler.CompiledKernel) and not fill._preloaded
    fill[(1,)](x, 7, 3.0, BLOCK=64)
    finish()
    fill[(1,)](x, 7, 3.0, BLOCK=64)
    own = fill[(1,)](x, 7, 3.0, BLOCK=64)
    assert isinstance(own, compiler.CompiledKernel) and not own.metadata.debug


def test_a_forked_child_gets_its_own_variant(generic, held):
    """Also where a thread of the parent has the lock, and was asked for the variant."""
    x = elsewhere()
    fill.warmup(np.zeros(64, np.float32), 32, 2.0, BLOCK=64, grid=(1,))
    fill[(1,)](x, 7, 3.0, BLOCK=64)
    with _fallback._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            status = 1
            try:
                fill[(1,)](x, 7, 3.0, BLOCK=64)
                finish()
                fill[(1,)](x, 7, 4.0, BLOCK=64)
                status = 0 if isinstance(fill[(1,)](x, 7, 5.0, BLOCK=64), compiler.CompiledKernel) else 2
            finally:
                os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_a_first_launch_prepares_the_next(generic):
    x = elsewhere()
    fill[(1,)](np.zeros(64, np.float32), 16, 2.0, BLOCK=64)
    assert last().origin == "compiled"
    finish()
    fill[(1,)](x, 7, 3.0, BLOCK=64)
    assert last().origin == "generic" and x[6] == 3 and x[7] == 0


def test_nothing_is_compiled_after_a_freeze(generic):
    x = elsewhere()
    fill.warmup(np.zeros(64, np.float32), 32, 2.0, BLOCK=64, grid=(1,))
    with triton.freeze():
        before = monitor.snapshot().compilations
        for _ in range(3):
            fill[(1,)](x, 7, 3.0, BLOCK=64)
        finish()
        assert x[6] == 3 and monitor.snapshot().compilations == before
        with pytest.raises(triton.FrozenError, match="`BLOCK` is 32"):  # no variant runs that
            fill[(1,)](x, 7, 3.0, BLOCK=32)
    fill[(1,)](x, 7, 3.0, BLOCK=64)
    finish()
    fill[(1,)](x, 7, 3.0, BLOCK=64)
    assert isinstance(fill[(1,)](x, 7, 3.0, BLOCK=64), compiler.CompiledKernel)


def test_stand_ins_are_launched_directly_after_a_freeze(generic, held):
    """No launch passes Python code, and numbers that are 1 arrive where the own variant would have none."""
    x, out = np.arange(64, dtype=np.float32), np.zeros(128, np.float32)
    shift.warmup(out, x, (32, 2), 2.0, BLOCK=64, grid=(1,))
    entered = []
    with triton.freeze():
        stand_in = shift[(1,)](out, x, (1, 1), 3.0, BLOCK=64)
        assert stand_in._handle is stand_in._generic._handle and stand_in._ones == ["sizes.0", "sizes.1"]
        stand_in._launch = entered.append
        shift[(1,)](out, x[1:], (1, 1), 4.0, BLOCK=64)
        assert out[0] == 4 and not out[1:].any() and not entered
        # The variant of overlapping arrays takes the place of that of others, and the other way round.
        both = np.arange(64, dtype=np.float32)
        for step in range(3):
            shift[(1,)](both[1:], both, (1, 1), 3.0, BLOCK=64)
            assert both[1] == 3 * both[0] and (both[2:] == np.arange(2, 64)).all()
            shift[(1,)](out, x[2:], (1, 1), 5.0 + step, BLOCK=64)
            assert out[0] == 2 * (5 + step)
    held.set()
    shift[(1,)](out, x, (1, 1), 3.0, BLOCK=64)
    finish()
    shift[(1,)](out, x, (1, 1), 3.0, BLOCK=64)
    own = shift[(1,)](out, x, (1, 1), 3.0, BLOCK=64)
    assert isinstance(own, compiler.CompiledKernel), "after the freeze its own variant is made"


@triton.jit
def talking(x, n, stride):
    tl.static_print("talking")
    tl.store(x + n * stride, 1.0)


def test_finding_out_what_matters_prints_nothing(generic, capfd):
    """Each variant that is compiled prints once: the own one, and those beside it."""
    talking.device_caches.clear()
    x = np.zeros(64, np.float32)
    talking.warmup(x, 16, 16, grid=(1,))
    variants = sum(len(group.variants) for group in talking._generic.values())
    assert 1 <= variants <= 4 and capfd.readouterr().out.count("talking") == 1 + variants


def test_few_variants_are_looked_at(generic):
    """Those with other constants serve no launch, however many there are."""
    x = elsewhere()
    for block in (8, 16, 32, 64):
        fill.warmup(x, 32, 2.0, BLOCK=block, grid=(1,))
    looked_at, best_first = [], _fallback.ladder.best_first

    def note(candidates, src):
        looked_at.append(candidates)
        return best_first(candidates, src)

    with pytest.MonkeyPatch.context() as patched, triton.freeze():
        patched.setattr(_fallback.ladder, "best_first", note)
        fill[(1,)](x, 7, 3.0, BLOCK=16)
    assert (x[:7] == 3).all() and 1 <= len(looked_at[0]) <= 5


def test_launches_after_a_freeze_compare_later(generic, monkeypatch):
    """What is known of variants is found out by the freeze, and why a class is new once somebody asks."""
    x, described, find_facts = elsewhere(), [], _fallback.ladder._find_facts
    fill.device_caches.clear()
    fill.warmup(np.zeros(64, np.float32), 32, 2.0, BLOCK=64, grid=(1,))
    before = monitor.snapshot()
    with triton.freeze(), monkeypatch.context() as patched:
        patched.setattr(_fallback.ladder, "_find_facts", lambda src: described.append(src) or find_facts(src))
        patched.setattr(_misses, "nearest", None)
        fill[(1,)](x, 7, 3.0, BLOCK=64)
        fill[(1,)](x, 1, 3.0, BLOCK=64)
        assert [src.constants.get((1,)) for src in described] == [None, 1]
    seen = monitor.snapshot() - before
    assert [event.origin for event in seen.events] == ["generic"] * 2 and seen.fallbacks == 2
    assert [event.reason for event in seen.events] == ["divisibility", "value"]
    assert seen.events[0].differences.keys() == {"x"} and seen.memory_misses == 2


def test_hooks_of_launches(generic, held):
    x = elsewhere()
    fill.warmup(np.zeros(64, np.float32), 32, 2.0, BLOCK=64, grid=(1,))
    seen = []
    knobs.runtime.launch_enter_hook.add(lambda data: seen.append(data.get()["name"]))
    try:
        fill[(1,)](x, 7, 3.0, BLOCK=64)
    finally:
        knobs.runtime.launch_enter_hook.calls.clear()
    assert seen == ["fill"] and x[6] == 3


def test_settings_that_are_wrong(generic):
    knobs.runtime.fallback = "fast"
    with pytest.raises(ValueError, match="TRITON_FALLBACK is `fast`; it must be `generic`"):
        fill[(1,)](np.zeros(64, np.float32), 16, 2.0, BLOCK=64)
    knobs.runtime.fallback = "0"
    x = np.zeros(64, np.float32)
    fill.warmup(x, 32, 2.0, BLOCK=64, grid=(1,))
    fill[(1,)](x, 7, 3.0, BLOCK=64)
    assert last().origin == "compiled"


PROGRAM = """import sys
import numpy as np
import triton
import triton.language as tl
from triton import monitor


@triton.jit
def fill(x, n, more, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, n + more, mask=i < n)


if __name__ == "__main__":
    x = np.zeros(64, np.int32)
    if sys.argv[2:]:
        from triton.runtime import _bundles

        _bundles.GENERIC_NAME = "absent"
    if sys.argv[1:]:
        if sys.argv[1] == "kernels":
            loaded = triton.load_classes("kernels")
            assert not loaded.compiled and not loaded.problems, loaded
        else:
            assert not triton.load_bundle(sys.argv[1]).problems
        with triton.freeze():
            fill[(1,)](x, 7, 16, BLOCK=64)
        now = monitor.snapshot()
        print(x[6], now.compilations, now.fallbacks)
    else:
        fill[(1,)](x, 16, 5, BLOCK=64)
"""


@pytest.mark.parametrize("output", ["kernels", "all.bundle"])
def test_generic_variants_are_built_beforehand(tmp_path, output):
    (tmp_path / "fill.py").write_text(PROGRAM)

    def run(*arguments, **variables):
        environment = {**os.environ, **variables}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("fill.py", TRITON_RECORD_CLASSES="classes.jsonl", TRITON_CACHE_DIR=str(tmp_path / "other"))
    build = ["-m", "triton.tools.build", "classes.jsonl", "--target", "cpu", "--output", output]
    run(*build, TRITON_FALLBACK="generic")
    assert run("fill.py", output, TRITON_FALLBACK="generic", TRITON_CACHE_DIR="kernels") == "23 0 1\n"
    if output == "all.bundle":  # an earlier build's, which does not list them
        assert run("fill.py", output, "unlisted", TRITON_FALLBACK="generic", TRITON_CACHE_DIR="none") == "23 0 1\n"
