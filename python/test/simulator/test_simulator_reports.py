"""What the simulator reports on planted bugs (examples/simulator), and that it reports nothing on correct kernels."""

import importlib
import importlib.util
import pathlib
import re

import numpy as np
import pytest
import triton
import triton.language as tl
from example_programs import EXAMPLES, SMALL
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.nvidia.driver import SimulatedDriver
from triton.runtime.driver import driver
from triton.runtime.errors import SimulationError

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples/simulator/planted_bugs.py"
_spec = importlib.util.spec_from_file_location("planted_bugs", EXAMPLE)
planted_bugs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(planted_bugs)


class Report:
    """A finding taken apart: place, kind, program, thread, what was seen, source line with marks, remedy."""

    def __init__(self, text):
        lines = text.splitlines()
        head = re.fullmatch(
            r"(.+):(\d+):(\d+): error: (.+) in program \((\d+), (\d+), (\d+)\), thread (\d+): (.+)", lines[0]
        )
        assert head, lines[0]
        self.file, self.line, self.column = pathlib.Path(head[1]), int(head[2]), int(head[3])
        self.kind, self.program, self.thread = head[4], tuple(map(int, head.group(5, 6, 7))), int(head[8])
        self.detail = head[9]
        self.source, marks = lines[1], re.fullmatch(r"( *)([\^~]+)", lines[2])
        self.marked = self.source[len(marks[1]) : len(marks[1]) + len(marks[2])]
        self.remedy = lines[3].removeprefix("help: ") if lines[3:] and lines[3].startswith("help: ") else ""
        self.calls = [line for line in lines if line.endswith("note: called from here")]


# By bug: kind, file, what is marked on a line that holds a text, program, thread, and words of detail and remedy.
EXPECTED = {
    "out_of_bounds": (
        "access out of bounds",
        "planted_bugs.py",
        "tl.store",
        "mask=mask) * 2",
        (3, 0, 0),
        104,
        "write of 4 bytes at byte 4000 of `out`, which has 4000 bytes",
        "mask the elements",
    ),
    "use_after_free": (
        "use after free",
        "planted_bugs.py",
        "tl.load",
        "tl.load(row",
        (2, 0, 0),
        0,
        "read of 4 bytes of `other memory`, which was freed",
        "keep the array alive",
    ),
    "misaligned": (
        "misaligned access",
        "planted_bugs.py",
        "tl.load",
        "tl.load(x + i))",
        (0, 0, 0),
        0,
        "read of 16 bytes at byte 8 of `x`, an address that is 8 bytes past a multiple of 16",
        "tl.multiple_of",
    ),
    "uninitialized_shared": (
        "read of uninitialized shared memory",
        "uninitialized_shared.ttgir",
        "ttg.local_load",
        "%values =",
        (0, 0, 0),
        0,
        "which nothing has written",
        "write these bytes first",
    ),
    "shared_race": (
        "race on shared memory",
        "shared_race.ttgir",
        "ttg.local_store",
        "%numbers, %buffer",
        (0, 0, 0),
        32,
        "which another warp accessed since the last barrier",
        "barrier",
    ),
    "global_race": (
        "race on global memory",
        "planted_bugs.py",
        "tl.store",
        "# BUG: all programs",
        (1, 0, 0),
        0,
        "write of 4 bytes at byte 0 of `count`",
        "atomic operations",
    ),
    "divergent_barrier": (
        "barrier reached by a part of a warp",
        "divergent_barrier.llir",
        "call",
        "barrier.cta.sync",
        (0, 0, 0),
        0,
        "lanes 0x000000ff of the warp are here and 0xffffff00 are elsewhere",
        "where all threads come by",
    ),
    "deadlock": (
        "deadlock",
        "planted_bugs.py",
        "tl.atomic_cas",
        "while",
        (0, 0, 0),
        0,
        "the warp waits for byte 0 of `lock` to change",
        "change what the others wait for",
    ),
    "failed_assertion": (
        "assertion failed",
        "planted_bugs.py",
        "tl.device_assert",
        "a zero has no inverse",
        (0, 0, 0),
        None,
        "`a zero has no inverse`",
        "",
    ),
}


def test_every_bug_is_expected():
    assert [bug.__name__ for bug in planted_bugs.BUGS] == list(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_planted_bug_is_reported(name):
    kind, file, marked, text, program, thread, detail, remedy = EXPECTED[name]
    findings = planted_bugs.report_of(getattr(planted_bugs, name))
    report = Report(next(finding for finding in findings if f"error: {kind} " in finding))
    assert report.file == EXAMPLE.with_name(file)
    lines = report.file.read_text().splitlines()
    assert lines[report.line - 1] == report.source and text in report.source
    assert report.marked == marked and report.source.find(marked) == report.column - 1
    assert report.program == program
    assert thread is None or report.thread == thread
    assert detail in report.detail and remedy in report.remedy


@pytest.mark.parametrize("name", EXPECTED)
def test_program_put_right_runs_in_silence(name):
    assert planted_bugs.report_of(getattr(planted_bugs, name), correct=True) == []


@pytest.mark.parametrize("name", EXPECTED)
def test_reports_are_the_same_every_time(name):
    bug = getattr(planted_bugs, name)
    assert len({tuple(planted_bugs.report_of(bug)) for _ in range(4)}) == 1


@pytest.fixture(params=[80, 90])
def simulated(request):
    driver.set_active(SimulatedDriver(request.param))
    yield request.param
    driver.set_active_to_cpu()


@triton.jit
def pick(x, i):
    return tl.load(x + i)


@triton.jit
def doubled(x, i):
    return pick(x, i) * 2


@triton.jit
def double_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, doubled(x, i))


def test_report_names_the_calls_that_led_there(simulated):
    with pytest.raises(SimulationError) as caught:
        double_kernel[(1,)](np.ones(31, np.float32), np.zeros(32, np.float32), BLOCK=32)
    report = Report(caught.value.findings[0])
    assert report.file == pathlib.Path(__file__) and report.source.strip() == "return tl.load(x + i)"
    places = [re.search(r":(\d+):(\d+): note", call) for call in report.calls]
    lines = pathlib.Path(__file__).read_text().splitlines()
    assert [lines[int(place[1]) - 1][int(place[2]) - 1 :].strip() for place in places] == [
        "pick(x, i) * 2",
        "doubled(x, i))",
    ]


@triton.jit
def library_kernel(x, out, BLOCK: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, BLOCK))))


def test_error_inside_of_the_library_is_shown_where_the_kernel_calls_it(simulated):
    with pytest.raises(SimulationError) as caught:
        library_kernel[(1,)](np.ones(128, np.float32), np.zeros(0, np.float32), BLOCK=128)
    assert all(Report(finding).file == pathlib.Path(__file__) for finding in caught.value.findings)


@triton.jit
def bytes_kernel(out, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    tl.store(out + program, program.to(tl.int8))


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_neighbours_within_a_word_do_not_race(simulated, dtype):
    out = np.zeros(64, dtype)
    bytes_kernel[(64,)](out, BLOCK=1)
    np.testing.assert_array_equal(out, np.arange(64))


@triton.jit
def same_byte_kernel(out):
    tl.store(out + tl.program_id(0) // 2, tl.program_id(0).to(tl.int8))


def test_programs_that_share_a_byte_race(simulated):
    with pytest.raises(SimulationError, match="race on global memory"):
        same_byte_kernel[(8,)](np.zeros(64, np.int8))


@pytest.fixture(params=["sim:cuda:80", "sim:cuda:90", "sim:cuda:100", "sim:hip:gfx942", "sim:hip:gfx1100"])
def any_simulated(request):
    kind, _, arch = request.param.rpartition(":")
    driver.set_active(SimulatedHIPDriver(arch) if kind == "sim:hip" else SimulatedDriver(int(arch)))
    yield request.param
    driver.set_active_to_cpu()


@triton.jit
def same_values_kernel(out, other, BLOCK: tl.constexpr):
    tl.store(out, 1)
    tl.store(out + 1 + tl.zeros([BLOCK], tl.int32), 2)
    tl.store(other, tl.program_id(0))


def test_programs_that_store_the_same_value_do_not_race(any_simulated):
    out, other = np.zeros(2, np.int32), np.zeros(1, np.int32)
    with pytest.raises(SimulationError) as error:
        same_values_kernel[(5,)](out, other, BLOCK=256)
    assert len(error.value.findings) == 1 and "of `other`" in error.value.findings[0]
    assert out.tolist() == [1, 2]


@triton.jit
def meeting_kernel(count, out, PROGRAMS: tl.constexpr):
    tl.atomic_add(count, 1)
    while tl.atomic_add(count, 0) < PROGRAMS:
        pass
    tl.store(out + tl.program_id(0), tl.atomic_add(count, 0))


def test_programs_may_wait_for_later_ones(simulated):
    """As many as a GPU runs at once."""
    out = np.zeros(16, np.int32)
    meeting_kernel[(16,)](np.zeros(1, np.int32), out, PROGRAMS=16)
    np.testing.assert_array_equal(out, 16)


def test_programs_that_wait_for_too_many_hang(simulated):
    with pytest.raises(SimulationError, match="deadlock in program .* of `count` to change"):
        meeting_kernel[(16,)](np.zeros(1, np.int32), np.zeros(16, np.int32), PROGRAMS=17)


def race_of(kernel, *arguments, **options):
    """The report of the race that a launch over 8 programs has, or an empty text."""
    try:
        kernel[(8,)](*arguments, **options)
    except SimulationError as error:
        assert all("race on global memory" in finding for finding in error.findings), error
        return str(error)
    return ""


@triton.jit
def lock_kernel(lock, total, BLOCK: tl.constexpr, ACQUIRE: tl.constexpr, RELEASE: tl.constexpr):
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock, 0, 1, sem=ACQUIRE) == 1:
        pass
    tl.store(total + i, tl.load(total + i) + i)
    tl.debug_barrier()
    if RELEASE == "store":
        tl.store(lock, 0)
    else:
        tl.atomic_xchg(lock, 0, sem=RELEASE)


@pytest.mark.parametrize("acquire", ["acquire", "acq_rel", "relaxed", "release"])
@pytest.mark.parametrize("release", ["release", "acq_rel", "relaxed", "acquire", "store"])
def test_locks_are_acquired_and_released(simulated, acquire, release):
    total = np.zeros(128, np.int32)
    report = race_of(lock_kernel, np.zeros(1, np.int32), total, BLOCK=128, ACQUIRE=acquire, RELEASE=release)
    if acquire in ("acquire", "acq_rel") and release in ("release", "acq_rel"):
        assert not report
        np.testing.assert_array_equal(total, 8 * np.arange(128))
    else:
        assert "of `total`" in report or "of `lock`" in report


@triton.jit
def split_sum_kernel(x, partial, done, out, BLOCK: tl.constexpr, ATOMIC: tl.constexpr, SEM: tl.constexpr):
    program, programs = tl.program_id(0), tl.num_programs(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + program * BLOCK + i)
    if ATOMIC:
        tl.atomic_add(partial + i, value, sem="relaxed")
    else:
        tl.store(partial + program * BLOCK + i, value)
    if tl.atomic_add(done, 1, sem=SEM) == programs - 1:
        total = tl.zeros([BLOCK], tl.float32)
        if ATOMIC:
            total = tl.load(partial + i)
        else:
            for k in range(programs):
                total += tl.load(partial + k * BLOCK + i)
        tl.store(out + i, total)


@pytest.mark.parametrize("atomic", [False, True])
@pytest.mark.parametrize("sem", ["acq_rel", "acquire", "release", "relaxed"])
def test_split_sums_count_with_release_and_acquire(simulated, atomic, sem):
    x, out = np.random.default_rng(0).integers(0, 9, (8, 256)).astype(np.float32), np.zeros(256, np.float32)
    partial = np.zeros((8, 256), np.float32)
    report = race_of(split_sum_kernel, x, partial, np.zeros(1, np.int32), out, BLOCK=256, ATOMIC=atomic, SEM=sem)
    if sem == "acq_rel":
        assert not report
        np.testing.assert_array_equal(out, x.sum(0))
    else:
        assert "of `partial`" in report


@triton.jit
def look_back_kernel(x, sums, flags, out, BLOCK: tl.constexpr, RELEASE: tl.constexpr, ACQUIRE: tl.constexpr):
    """Prefix sums over all programs: each waits for the sum of those before it."""
    program = tl.program_id(0)
    i = program * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    before = 0
    if program > 0:
        while tl.atomic_add(flags + program - 1, 0, sem=ACQUIRE) == 0:
            pass
        before = tl.load(sums + program - 1)
    tl.store(sums + program, before + tl.sum(value))
    tl.atomic_xchg(flags + program, 1, sem=RELEASE)
    tl.store(out + i, before + tl.cumsum(value))


@pytest.mark.parametrize("release,acquire", [("release", "acquire"), ("relaxed", "acquire"), ("release", "relaxed")])
def test_look_back_needs_release_and_acquire(simulated, release, acquire):
    x = np.arange(8 * 64, dtype=np.int32)
    out, sums, flags = np.zeros_like(x), np.zeros(8, np.int32), np.zeros(8, np.int32)
    report = race_of(look_back_kernel, x, sums, flags, out, BLOCK=64, RELEASE=release, ACQUIRE=acquire)
    assert bool(report) == ("relaxed" in (release, acquire))
    if report:
        assert "of `sums`" in report
    else:
        np.testing.assert_array_equal(out, np.cumsum(x))


@triton.jit
def packed_look_back_kernel(x, words, out, BLOCK: tl.constexpr):
    """The flag and the sum are one word, which relaxed operations pass on."""
    program = tl.program_id(0)
    i = program * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    before = 0
    if program > 0:
        word = tl.atomic_add(words + program - 1, 0, sem="relaxed")
        while word == 0:
            word = tl.atomic_add(words + program - 1, 0, sem="relaxed")
        before = word >> 1
    tl.atomic_xchg(words + program, (before + tl.sum(value)) * 2 + 1, sem="relaxed")
    tl.store(out + i, before + tl.cumsum(value))


def test_relaxed_operations_may_carry_the_data_themselves(simulated):
    x = np.arange(8 * 64, dtype=np.int32)
    out = np.zeros_like(x)
    assert not race_of(packed_look_back_kernel, x, np.zeros(8, np.int32), out, BLOCK=64)
    np.testing.assert_array_equal(out, np.cumsum(x))


@triton.jit
def scope_kernel(count, SCOPE: tl.constexpr):
    tl.atomic_add(count, 1, scope=SCOPE)


@pytest.mark.parametrize("scope", ["cta", "gpu", "sys"])
def test_the_scope_of_a_program_does_not_reach_others(simulated, scope):
    report = race_of(scope_kernel, np.zeros(1, np.int32), SCOPE=scope)
    assert bool(report) == (scope == "cta")
    if report:
        assert "while the scope of one of the two is its own program" in report and "`scope`" in report


@triton.jit
def wait_with_barriers_kernel(flag, out, BLOCK: tl.constexpr):
    while tl.load(flag, volatile=True) == 0:
        tl.debug_barrier()
    tl.store(out + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 1)


def test_loop_of_barriers_that_never_ends_is_a_deadlock(simulated):
    out = np.zeros(256, np.int32)
    wait_with_barriers_kernel[(2,)](np.ones(1, np.int32), out, BLOCK=128)
    with pytest.raises(SimulationError, match="deadlock in program .* of `flag` to change"):
        wait_with_barriers_kernel[(2,)](np.zeros(1, np.int32), out, BLOCK=128)


@pytest.mark.parametrize("name", SMALL)
def test_examples_run_in_silence(simulated, monkeypatch, name):
    monkeypatch.syspath_prepend(EXAMPLES)
    tolerance = {"tolerance": 1e-2} if name == "matmul" else {}
    assert importlib.import_module(name).run(**SMALL[name], **tolerance)


@triton.jit
def assembly_kernel(x, out, BLOCK: tl.constexpr, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.inline_asm_elementwise(TEXT, CONSTRAINTS, [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, value)


@pytest.mark.parametrize(
    "text,expected",
    [
        ("shl.b32 $0, $1, 3;", lambda x: x << 3),
        ("lop3.b32 $0, $1, 0xff, 0xf0, 0x96;", lambda x: x ^ 0xFF ^ 0xF0),
        ("{ .reg .pred p; setp.gt.s32 p, $1, 5; selp.s32 $0, 1, -1, p; }", lambda x: np.where(x > 5, 1, -1)),
        ("{ .reg .s32 t; mul.lo.s32 t, $1, $1; sub.s32 $0, t, $1; }", lambda x: x * x - x),
        ("prmt.b32 $0, $1, 0, 0x0123;", lambda x: x.byteswap()),
    ],
)
def test_inline_assembly_runs(simulated, text, expected):
    x = np.arange(-64, 64, dtype=np.int32)
    out = np.zeros_like(x)
    assembly_kernel[(1,)](x, out, BLOCK=128, TEXT=text, CONSTRAINTS="=r,r")
    np.testing.assert_array_equal(out, expected(x))


def test_unknown_assembly_is_refused(simulated):
    x = np.zeros(32, np.int32)
    with pytest.raises(triton.CompilationError) as caught:
        assembly_kernel[(1,)](x, x.copy(), BLOCK=32, TEXT="vabsdiff4.u32.u32.u32 $0, $1, $1, $1;", CONSTRAINTS="=r,r")
    lines = str(caught.value).splitlines()
    assert "not supported on the simulator yet: `vabsdiff4.u32.u32.u32 $0, $1, $1, $1` in inline assembly" in lines[0]
    assert "tl.inline_asm_elementwise(" in lines[1] and lines[2].strip().startswith("^~~")
