"""Scopes of the profiler inside of kernels: `triton.profiler.language`."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.language as pl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def helper(x, i):
    pl.enter_scope("load")
    value = tl.load(x + i)
    pl.exit_scope("load")
    return value


@triton.jit
def work(x, out, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    with pl.scope("outer"):
        for k in range(count):
            with pl.scope("step"):
                value = helper(x, i)
                total += value * k
        tl.store(out + i, total)


@triton.jit
def events(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    span = pl.allocate_event("span")
    pl.enter_scope("first")
    pl.start_event(span)
    value = tl.load(x + i)
    pl.exit_scope("first")
    pl.enter_scope("second")
    tl.store(x + i, value + 1)
    pl.end_event(span)
    pl.exit_scope("second")


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    proton.finalize()


def child(node, *names):
    for name in names:
        (node,) = [each for each in node["children"] if each["frame"]["name"] == name]
    return node


def run_work(programs=3, count=5):
    x, out = np.ones(programs * 64, np.float32), np.zeros(programs * 64, np.float32)
    kernel = work[(programs,)](x, out, count, BLOCK=64)
    assert (out == sum(range(count))).all()
    return kernel


def test_scopes_are_timed(device):
    session = proton.start("it", backend="instrumentation")
    with proton.scope("host"):
        run_work()
        run_work()
    kernel = child(proton.data.get(session)[0], "host", "work")
    assert kernel["metrics"]["count"] == 2
    unit = "scope_time (ns)" if device.name == "cpu" else "cycles"
    outer, step, load = (child(kernel, *path) for path in (["outer"], ["outer", "step"], ["outer", "step", "load"]))
    assert [node["metrics"]["count"] for node in (outer, step, load)] == [6, 30, 30]
    times = [node["metrics"][unit] for node in (outer, step, load)]
    assert times[0] >= times[1] >= times[2] >= 0 and times[0] > 0


def test_scopes_are_no_code_after_a_session(device):
    kernel = triton.jit(work.fn)
    x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    session = proton.start("it", backend="instrumentation")
    instrumented = kernel[(1,)](x, out, 5, BLOCK=64)
    proton.deactivate(session)
    plain = kernel[(1,)](x, out, 5, BLOCK=64)
    assert "get_time" in instrumented.asm["source"] and "get_time" not in plain.asm["source"]


def test_scopes_are_no_code_without_the_backend(device):
    plain = run_work()
    assert "get_time" not in plain.asm["source"] and "atomic" not in plain.asm["ttir"]
    session = proton.start("it", backend="instrumentation")
    instrumented = run_work()
    assert instrumented.hash != plain.hash and "tt.scope_begin" in instrumented.asm["source"]
    proton.deactivate(session)
    assert run_work().hash == plain.hash
    proton.activate(session)
    assert run_work().hash == instrumented.hash
    proton.finalize()
    assert run_work().hash == plain.hash


def test_kernels_of_the_disk_cache_have_their_scopes(device, fresh_cache):
    session = proton.start("it", backend="instrumentation")
    for _ in range(2):
        run_work(count=3)
        work.device_caches.clear()
    assert child(proton.data.get(session)[0], "work", "outer", "step")["metrics"]["count"] == 18


def test_counts_in_the_simulator_are_exact(host_device):
    if not host_device.is_simulated:
        return
    session = proton.start("it", backend="instrumentation")
    for _ in range(2):
        run_work()
        metrics = child(proton.data.get(session)[0], "work", "outer")["metrics"]
    once = metrics["cycles"] // 2
    assert metrics["cycles"] == 2 * once
    proton.data.clear(session)
    run_work(programs=6)
    assert child(proton.data.get(session)[0], "work", "outer")["metrics"]["cycles"] == 2 * once


def test_events_cross_scopes(device):
    session = proton.start("it", backend="instrumentation")
    x = np.zeros(64, np.float32)
    events[(1,)](x, BLOCK=64)
    assert (x == 1).all()
    kernel = child(proton.data.get(session)[0], "events")
    assert sorted(each["frame"]["name"] for each in kernel["children"]) == ["first", "second", "span"]
    assert all(each["metrics"]["count"] == 1 for each in kernel["children"])


@triton.jit
def unclosed(x):
    pl.enter_scope("open")
    tl.store(x, 1.0)


@triton.jit
def crossed(x):
    pl.enter_scope("a")
    pl.enter_scope("b")
    pl.exit_scope("a")
    pl.exit_scope("b")


@triton.jit
def in_a_branch(x, n):
    pl.enter_scope("a")
    if n > 3:
        tl.store(x, 1.0)
        pl.exit_scope("a")


@triton.jit
def left(x, n):
    for _ in range(n):
        with pl.scope("a"):
            break


@triton.jit
def nameless(x, NAME: tl.constexpr):
    pl.enter_scope(NAME)


@triton.jit
def other_context(x):
    with open("x"):
        tl.store(x, 1.0)


@pytest.mark.parametrize(
    ("kernel", "arguments", "line", "message"),
    [
        (unclosed, (), 2, "the scope `open` of the profiler has no end in the same block"),
        (crossed, (), 4, "the scope `a` of the profiler ends here, but the innermost one .* is `b`"),
        (in_a_branch, (7,), 5, "the scope `a` of the profiler ends here, but it does not begin in the same block"),
        (left, (7,), 3, "`return`, `break` or `continue` inside of `with` is not supported"),
        (nameless, ("é",), 2, "`name` of `.*enter_scope` must be a string of printable ASCII characters"),
        (nameless, (None,), 2, "`name` of `.*enter_scope` must be a string of printable ASCII characters"),
        (other_context, (), 2, "`open` is not defined|`with` is not supported in a kernel"),
    ],
)
def test_mistakes(kernel, arguments, line, message):
    proton.start("it", backend="instrumentation")
    with pytest.raises(triton.CompilationError, match=message) as caught:
        kernel[(1,)](np.zeros(4, np.float32), *arguments)
    assert caught.value.line == kernel.def_file_line_number + line - 1


def test_machine_code_for_gpus_reads_their_cycles():
    source = ASTSource(
        work, signature={"x": "*fp32", "out": "*fp32", "count": "i32", "BLOCK": "constexpr"}, constexprs={"BLOCK": 64}
    )
    target = GPUTarget("cuda", 90, 32)
    assert "%clock64" not in triton.compile(source, target=target).asm["ptx"]
    proton.start("it", backend="instrumentation")
    kernel = triton.compile(source, target=target)
    assert kernel.asm["ptx"].count("%clock64") >= 6 and kernel.asm["cubin"]


def test_interpreted_kernels_ignore_scopes():
    code = Path(__file__).read_text().split("@pytest.fixture")[0] + (
        "x, out = np.ones(64, np.float32), np.zeros(64, np.float32)\n"
        "work[(1,)](x, out, 3, BLOCK=64)\n"
        "events[(1,)](x, BLOCK=64)\n"
        "assert (out == 3).all() and (x == 2).all()\n"
    )
    Path("program.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "program.py"], env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_outside_of_kernels():
    for function in (pl.enter_scope, pl.exit_scope, pl.scope, pl.allocate_event, pl.start_event, pl.end_event):
        with pytest.raises(ValueError, match="inside a @triton.jit kernel"):
            function("x")
    pl.enable_semantic("triton")
    pl.disable_semantic("gluon")
    with pytest.raises(ValueError, match="`C` is not a language of kernels"):
        pl.enable_semantic("C")
    with pytest.raises(ValueError, match="no mode `pcsampling`; its modes are default, mma"):
        proton.start("it", backend="instrumentation", mode="pcsampling")
    assert proton.start("it", backend="instrumentation", mode=proton.mode.Default(granularity="cta")) is not None


def traced(mode=None, **launch):
    """The events of scopes in the kernel `work`, by name, and the metrics of the trace's other events."""
    session = proton.start("traced", backend="instrumentation", data="trace", mode=mode)
    run_work(**launch)
    events = proton.data.get(session)["traceEvents"]
    proton.finalize(session)
    return [event for event in events if event["name"] in ("outer", "step", "load", "mma") and event["cat"] == "scope"]


def units_of(events):
    return len({event["tid"] for event in events})


def test_traces_show_each_execution_by_each_warp(device):
    warps = 1 if device.name == "cpu" else 4
    events = traced(programs=3, count=5)
    assert units_of(events) == 3 * warps
    names = [event["name"] for event in events]
    assert [names.count(name) for name in ("outer", "step", "load")] == [n * warps for n in (3, 15, 15)]
    for outer in (event for event in events if event["name"] == "outer"):
        inside = [event for event in events if event["tid"] == outer["tid"]]
        end = outer["ts"] + outer["dur"] + 1e-6
        assert all(outer["ts"] <= each["ts"] and each["ts"] + each["dur"] <= end for each in inside)
    step = next(event for event in events if event["name"] == "step")
    assert step["args"]["call_stack"][-3:] == ["work", "outer", "step"]
    assert list(step["args"]["metrics"]) == ["scope_time (ns)" if device.name == "cpu" else "cycles"]


@pytest.mark.parametrize(
    "granularity, warps_of_unit", [("cta", 4), ("warp_2", 2), ("warp_group", 4), ("warp_group_8", 32)]
)
def test_units_of_traces(device, granularity, warps_of_unit):
    events = traced(f"default:granularity={granularity}", programs=2, count=1)
    assert units_of(events) == (2 if device.name == "cpu" else 2 * max(1, 4 // warps_of_unit))


def test_selected_units(device):
    mode = proton.mode.Default(sampling_strategy="selective", sampling_options="0,2")
    assert units_of(traced(mode, programs=3)) == (3 if device.name == "cpu" else 6)
    assert traced("default:sampling_strategy=selective:sampling_options=7") == []


def test_full_buffers(device):
    """A record takes 24 bytes. Records are written when scopes end: a load, its step, and at last the outer scope."""
    size = 4 * 24
    latest = traced(f"default:granularity=cta:buffer_size={size}", programs=1, count=6)
    assert sorted(event["name"] for event in latest) == ["load", "outer", "step", "step"]
    first = traced(f"default:granularity=cta:buffer_strategy=flush:buffer_size={size}", programs=1, count=6)
    assert sorted(event["name"] for event in first) == ["load", "load", "step", "step"]


def test_lost_records_are_counted(device):
    session = proton.start("tree", backend="instrumentation", mode="default:granularity=cta:buffer_size=24")
    trace = proton.start(
        "trace", backend="instrumentation", data="trace", mode="default:granularity=cta:buffer_size=24"
    )
    run_work(programs=2, count=6)
    kernel = child(proton.data.get(session)[0], "work")
    assert kernel["metrics"]["lost_records"] == 2 * (6 + 6 + 1 - 1)
    assert child(kernel, "outer", "step")["metrics"]["count"] == 12  # sums are complete
    proton.finalize(trace)
    proton.data.clear(session)
    run_work(programs=2, count=6)
    assert "lost_records" not in child(proton.data.get(session)[0], "work")["metrics"]


def test_buffers_that_are_too_large_are_refused(device):
    proton.start("large", backend="instrumentation", data="trace", mode=f"default:buffer_size={1 << 30}")
    with pytest.raises(RuntimeError, match="the profiler would need .* smaller `buffer_size`"):
        run_work(programs=3)


@triton.jit
def product(a, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tile = tl.load(a + i[:, None] * N + i[None, :])
    for _ in range(3):
        tile = tl.dot(tile, tile)
    tl.store(out + i[:, None] * N + i[None, :], tile)


def test_matrix_products_are_scopes(device):
    session = proton.start("mma", backend="instrumentation", mode=proton.mode.MMA())
    a = np.eye(16, dtype=np.float32)
    out = np.zeros_like(a)
    product[(1,)](a, out, N=16)
    assert (out == a).all()
    assert child(proton.data.get(session)[0], "product", "mma")["metrics"]["count"] == 3
