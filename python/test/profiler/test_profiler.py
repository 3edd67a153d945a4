"""`triton.profiler`: sessions, scopes, states, metrics, phases, formats, and what the backends of the processor and of
the simulator count."""

import json
import struct
import threading

import numpy as np
import pytest
import triton
import triton.language as tl
import triton.profiler as proton
from triton import knobs
from triton.profiler import flags
from triton.profiler.hooks import Hook, LaunchHook


def facts_of_add(grid, metadata, arguments):
    return {"name": f"add_{arguments['n']}", "flops": arguments["n"], "bytes": 12 * arguments["n"], "rows": 2}


@triton.jit(launch_metadata=facts_of_add)
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def repeat(x, count):
    i = tl.arange(0, 64)
    for k in range(count):
        tl.store(x + 64 * k + i, tl.load(x + 64 * k + i) + 1)


@triton.jit
def exchange(x, SIZE: tl.constexpr):
    """A transposition, for which threads exchange elements through shared memory."""
    i, j = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    tl.store(x + i * SIZE + j, tl.trans(tl.load(x + i * SIZE + j)))


def aligned(count, dtype=np.float32):
    """Zeros that begin at a multiple of 128 bytes."""
    memory = np.zeros(count * np.dtype(dtype).itemsize + 128, np.uint8)
    start = -memory.ctypes.data % 128
    return memory[start : start + count * np.dtype(dtype).itemsize].view(dtype)


def launch_add(n=1024, block=256):
    x, y, out = (aligned(n) for _ in range(3))
    add[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch, request):
    """Profiles are written to a folder of the test's own, and no session outlives the test."""
    monkeypatch.chdir(tmp_path)
    yield
    proton.finalize()
    assert not flags.profiling_on
    for chain in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
        assert not chain


def tree(session=0, phase=0):
    return proton.data.get(session, phase)[0]


def child(node, *names):
    for name in names:
        found = [each for each in node["children"] if each["frame"]["name"] == name]
        assert len(found) == 1, f"{name} among {[each['frame']['name'] for each in node['children']]}"
        node = found[0]
    return node


def names(node):
    return [each["frame"]["name"] for each in node["children"]]


def test_a_tree_of_scopes(host_device):
    session = proton.start("nested")
    with proton.scope("outer", {"tokens": 3}):
        for _ in range(2):
            with proton.scope("inner"):
                launch_add()
        launch_add()
    launch_add()
    root = tree(session)
    assert names(root) == ["outer", "add"] and root["frame"] == {"name": "ROOT", "type": "function"}
    outer = child(root, "outer")
    assert outer["metrics"] == {"tokens": 3}
    assert child(outer, "inner", "add")["metrics"]["count"] == 2
    assert child(outer, "add")["metrics"]["count"] == child(root, "add")["metrics"]["count"] == 1
    kernel = child(outer, "inner", "add")["metrics"]
    if host_device.is_simulated:
        assert kernel["device_type"] == "SIMULATOR" and "time (ns)" not in kernel
        assert kernel["simulation_time (ns)"] > 0
    else:
        assert kernel["device_type"] == "CPU" and kernel["device_id"] == "0"
        assert 0 < kernel["thread_time (ns)"] and 0 < kernel["time (ns)"] and kernel["threads"] >= 1
    assert kernel["programs"] == 8
    proton.finalize(session)
    with open("nested.hatchet") as file:
        assert json.load(file)[0] == root


def test_counts_of_the_simulator_are_exact(host_device):
    if not host_device.is_simulated:
        return
    n, block = 1000, 256
    session = proton.start()
    launch_add(n, block)
    counts = child(tree(session), "add")["metrics"]
    assert counts["global_load_bytes"] == 8 * n and counts["global_store_bytes"] == 4 * n
    assert counts["global_sectors"] == 3 * 4 * n // 32
    assert counts["shared_load_bytes"] == counts["bank_conflicts"] == counts["local_bytes"] == 0
    assert counts["programs"] == 4

    def instructions(count):
        session = proton.start(f"repeat{count}")
        repeat[(1,)](aligned(64 * count), count, num_warps=1)
        found = child(tree(session), "repeat")["metrics"]
        assert found["global_load_bytes"] == found["global_store_bytes"] == 256 * count
        assert found["global_sectors"] == 16 * count
        proton.finalize(session)
        return found["instructions"]

    assert instructions(12) - instructions(11) == instructions(7) - instructions(6) > 0


def test_exchanges_through_shared_memory_are_counted(host_device):
    if not host_device.is_simulated:
        return
    session = proton.start()
    size = 32
    exchange[(1,)](aligned(size * size), SIZE=size, num_warps=4)
    counts = child(tree(session), "exchange")["metrics"]
    assert counts["shared_store_bytes"] == counts["shared_load_bytes"] == 4 * size * size
    wavefronts = 2 * 4 * size * size // 128
    assert counts["shared_wavefronts"] == wavefronts + counts["bank_conflicts"]
    assert counts["barrier_arrivals"] >= 4


def test_metrics_are_added_up_and_properties_are_not():
    session = proton.start()
    for value in (1, 2):
        with proton.scope(
            "s",
            {
                "sum": value,
                "half (exc)": value / 2,
                "whole (inc)": value,
                "last (pty)": value,
                "list": [value, 10],
                "array": np.array([0.5, value]),
                "scalar": np.float32(0.25),
                "flops": value,
            },
        ):
            pass
    assert child(tree(session), "s")["metrics"] == {
        "sum": 3,
        "half": 1.5,
        "whole (inc)": 3,
        "last": 2,
        "list": [3, 20],
        "array": [1.0, 3.0],
        "scalar": 0.5,
        "flops": 3.0,
    }
    with pytest.raises(TypeError, match="`bad` is a `dict`"):
        proton.enter_scope("s", metrics={"bad": {}})
    with pytest.raises(TypeError, match="must be a dict"):
        proton.enter_scope("s", metrics=[1])
    with pytest.raises(ValueError, match="`cpu_time`"):
        proton.cpu_timed_scope("s", {"cpu_time": 1})
    assert proton.context.depth(session) == 0


def test_functions_of_scopes_and_their_mistakes():
    assert proton.enter_scope("nobody listens") == -1 and proton.exit_scope() == -1
    session = proton.start()
    first = proton.enter_scope("a")
    second = proton.enter_scope("b", metrics={"m": 1})
    assert second > first >= 0 and proton.context.depth(session) == 2
    with pytest.raises(ValueError, match="innermost open scope is `b`, not `a`"):
        proton.exit_scope("a")
    assert proton.exit_scope("b", metrics={"m": 2}) == second
    assert proton.exit_scope() == first and proton.exit_scope() == -1
    assert child(tree(session), "a", "b")["metrics"] == {"m": 3}
    for wrong in ("", None, 3):
        with pytest.raises(ValueError, match="name of a scope"):
            proton.enter_scope(wrong)

    @proton.scope("decorated")
    @proton.cpu_timed_scope("timed", {"calls": 1})
    def work():
        """Of its own."""
        return 5

    assert work() == work() == 5 and work.__doc__ == "Of its own."
    timed = child(tree(session), "decorated", "timed")["metrics"]
    assert timed["calls"] == 2 and timed["cpu_time (ns)"] > 0


def test_states_are_frames_below_the_scope():
    session = proton.start()
    with proton.scope("s"), proton.state("warm"):
        launch_add()
        with proton.metadata_state("add"):
            launch_add()
        launch_add()
    assert child(tree(session), "s", "warm", "add")["metrics"]["count"] == 2
    assert names(child(tree(session), "s")) == ["warm", "__proton_launch_metadata:add"]


def test_threads_have_scopes_of_their_own():
    session = proton.start()
    met = threading.Barrier(2)

    def work(name):
        with proton.scope(name):
            met.wait()
            with proton.scope("inside"):
                launch_add()
            met.wait()

    with proton.scope("main"):
        threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    root = tree(session)
    assert sorted(names(root)) == ["main", "one", "two"] and names(child(root, "main")) == []
    for name in ("one", "two"):
        assert child(root, name, "inside", "add")["metrics"]["count"] == 1


def test_the_hook_takes_metrics_from_launches():
    session = proton.start("hooked", hook="triton")
    launch_add(512)
    launch_add(512)
    metrics = child(tree(session), "add_512")["metrics"]
    assert metrics["flops"] == 1024 and metrics["bytes"] == 2 * 12 * 512 and metrics["rows"] == 4
    assert metrics["count"] == 2
    LaunchHook().configure(exclude="^ad+$")
    try:
        launch_add(512)
        assert names(tree(session)) == ["add_512", "add"]
        LaunchHook().configure(include="nothing")
        launch_add(512)
        assert child(tree(session), "add")["metrics"]["count"] == 2
    finally:
        LaunchHook().configure()
    proton.deactivate(session)
    assert not knobs.runtime.launch_enter_hook
    proton.activate(session)
    assert knobs.runtime.launch_enter_hook
    with pytest.raises(ValueError, match="`other` is not a hook"):
        proton.start("again", hook="other")


def test_own_hooks_are_entered_by_priority():
    calls = []

    class Own(Hook):
        def __init__(self, name, priority):
            self.name, self.priority = name, priority

        def enter(self, metadata):
            calls.append(f"enter {self.name} {metadata.get()['name']}")

        def exit(self, metadata):
            calls.append(f"exit {self.name}")

        def activate(self):
            calls.append(f"activate {self.name}")

        def deactivate(self):
            calls.append(f"deactivate {self.name}")

    proton.start("low", hook=Own("low", 1))
    proton.start("high", hook=Own("high", 2))
    launch_add(512)
    proton.finalize()
    assert calls == [
        "activate low",
        "activate high",
        "enter high add_512",
        "enter low add_512",
        "exit low",
        "exit high",
        "deactivate low",
        "deactivate high",
    ]


def test_python_context():
    session = proton.start(context="python")
    with proton.scope("not shown"):
        launch_add()
    node = tree(session)
    frames = []
    while node["children"]:
        node = next(each for each in node["children"] if each["children"] or "count" in each["metrics"])
        frames.append(node["frame"]["name"])
    assert frames[-1] == "add" and "not shown" not in frames
    assert frames[-2].startswith(__file__) and frames[-2].endswith("@launch_add")
    assert frames[-3].endswith("@test_python_context")
    assert proton.context.depth(session) >= 1


def test_interrupted_sessions_record_nothing():
    session = proton.start("one")
    other = proton.start("two")
    assert session != other and proton.start("one") == session
    proton.deactivate(session)
    launch_add()
    proton.activate()
    launch_add()
    assert child(tree(session), "add")["metrics"]["count"] == 1
    assert child(tree(other), "add")["metrics"]["count"] == 2
    proton.deactivate()
    launch_add()
    assert child(tree(other), "add")["metrics"]["count"] == 2
    with pytest.raises(ValueError, match="session `one` with other options"):
        proton.start("one", data="trace")


def test_phases(tmp_path):
    session = proton.start("phased")
    launch_add()
    assert not proton.data.is_phase_complete(session, 0)
    assert proton.data.advance_phase(session) == 1
    assert proton.data.is_phase_complete(session, 0) and not proton.data.is_phase_complete(session, 1)
    with proton.scope("second"):
        launch_add()
    assert names(tree(session, 0)) == ["add"] and names(tree(session, 1)) == ["second"]
    proton.data.clear(session, 0)
    with pytest.raises(ValueError, match="has no phase 0; it is in phase 1"):
        proton.data.get(session, 0)
    proton.data.clear(session, 1)
    assert names(tree(session, 1)) == []
    proton.data.advance_phase(session)
    proton.data.advance_phase(session)
    proton.data.clear(session, 2, clear_up_to_phase=True)
    proton.finalize()
    assert [path.name for path in tmp_path.iterdir()] == ["phased.hatchet"]
    for function in (proton.data.get, proton.data.get_msgpack, proton.data.clear):
        assert function(None) is None
    assert proton.data.advance_phase(None) is None and proton.data.is_phase_complete(None, 0) is False


def test_phases_are_written_as_they_end(tmp_path):
    session = proton.start("parts", mode="periodic_flushing:format=hatchet_msgpack")
    for part in range(3):
        with proton.scope(f"s{part}"):
            launch_add()
        assert len(list(tmp_path.iterdir())) == part
        if part < 2:
            proton.data.advance_phase(session)
    proton.finalize()
    for part in range(3):
        assert names(unpack((tmp_path / f"parts.part_{part}.hatchet_msgpack").read_bytes())[0]) == [f"s{part}"]


def unpack(data):
    """Reads MessagePack: what a profile consists of."""
    position = 0

    def take(form):
        nonlocal position
        (value,) = struct.unpack_from(">" + form, data, position)
        position += struct.calcsize(form)
        return value

    def text(length):
        nonlocal position
        position += length
        return data[position - length : position].decode()

    def mapping(length):
        return {value(): value() for _ in range(length)}

    def value():
        tag = take("B")
        if tag <= 0x7F:
            return tag
        if tag >= 0xE0:
            return tag - 256
        if tag <= 0x8F:
            return mapping(tag & 15)
        if tag <= 0x9F:
            return [value() for _ in range(tag & 15)]
        if tag <= 0xBF:
            return text(tag & 31)
        if 0xCA <= tag <= 0xD3:
            return take("fdBHIQbhiq"[tag - 0xCA])
        sized = {0xD9: ("B", text), 0xDA: ("H", text), 0xDB: ("I", text), 0xDE: ("H", mapping), 0xDF: ("I", mapping)}
        if tag in sized:
            form, read = sized[tag]
            return read(take(form))
        if tag in (0xDC, 0xDD):
            return [value() for _ in range(take("H" if tag == 0xDC else "I"))]
        assert tag == 0xC0, hex(tag)

    result = value()
    assert position == len(data)
    return result


def test_formats_agree(tmp_path):
    session = proton.start("formats")
    metrics = {"big": 1 << 40, "small": -3, "real": 0.1, "nan": float("nan"), "huge (pty)": 1e300, "é": 2}
    with proton.scope("s", metrics):
        for _ in range(20):
            with proton.scope(f"scope {_}"):
                launch_add()
    expected = proton.data.get(session)
    assert child(expected[0], "s")["metrics"]["nan"] is None and child(expected[0], "s")["metrics"]["é"] == 2
    assert unpack(proton.data.get_msgpack(session)) == expected
    proton.finalize(session, "hatchet_msgpack")
    assert unpack((tmp_path / "formats.hatchet_msgpack").read_bytes()) == expected


def test_traces(tmp_path):
    session = proton.start("trace", data="trace")
    with proton.scope("outer", {"m": 2.5}):
        launch_add()
        with proton.scope("inner"):
            launch_add()
    proton.finalize(session)
    trace = json.loads((tmp_path / "trace.chrome_trace").read_text())
    assert set(trace) == {"baseTimeNanoseconds", "displayTimeUnit", "traceEvents"} and trace["displayTimeUnit"] == "us"
    events = trace["traceEvents"]
    assert [(event["cat"], event["name"]) for event in events] == [
        ("scope", "outer"),
        ("metric", "outer: <m, 2.5>"),
        ("kernel", "add"),
        ("scope", "inner"),
        ("kernel", "add"),
    ]
    assert all(event["ph"] == "X" and (event["pid"], event["tid"]) == (0, 0) for event in events)
    inside = ["ROOT", "outer", "inner"]
    assert [event["args"]["call_stack"] for event in events[3:]] == [inside, [*inside, "add"]]
    outer, metric, first, inner, second = events
    for event, within in ((first, outer), (inner, outer), (second, inner)):
        assert within["ts"] <= event["ts"] and event["ts"] + event["dur"] <= within["ts"] + within["dur"] + 1e-3
    assert metric["args"]["metrics"] == {"m": "2.5"} and outer["args"]["scope_id"] < inner["args"]["scope_id"]


def test_wrong_options(tmp_path):
    for options, message in (
        ({"context": "c"}, "`c` is no context of a profile; it is one of shadow, python"),
        ({"data": "d"}, "`d` is no kind of data"),
        ({"backend": "vtune"}, "no backend `vtune` of the profiler; the backends are cupti, roctracer"),
        ({"backend": "cpu", "mode": "pcsampling"}, "no mode `pcsampling`; its modes are counters, periodic_flushing"),
        ({"backend": "cpu", "mode": "counters:interval=5"}, "`interval=5` is not an option of the mode `counters`"),
        ({"backend": "simulator", "mode": "counters"}, "no mode `counters`; its modes are periodic_flushing"),
        (
            {"backend": "instrumentation", "mode": "default:granularity=grid"},
            "`grid` is not a value of .* `granularity`",
        ),
        ({"backend": "instrumentation", "mode": "default:buffer_size=-1"}, "a number from 0 on"),
        ({"backend": "instrumentation", "mode": "default:optimizations=clock32,speed"}, "`speed` is not a value"),
        ({"backend": "cpu", "mode": "periodic_flushing:size=1"}, "`size=1` is not an option"),
        ({"backend": "cpu", "mode": "periodic_flushing:format=pdf"}, "`pdf` is not a format"),
        ({"backend": "cpu", "mode": "periodic_flushing:format=chrome_trace"}, "Output format not supported"),
    ):
        with pytest.raises(ValueError, match=message):
            proton.start("wrong", **options)
        assert not flags.profiling_on
    with pytest.raises(TypeError, match="the mode is a `int`; give a text"):
        proton.start("wrong", backend="cpu", mode=5)
    session = proton.start("right")
    launch_add()
    with pytest.raises(ValueError, match="Output format not supported"):
        proton.finalize(session, "chrome_trace")
    with pytest.raises(ValueError, match="`svg` is not a format"):
        proton.finalize(session, "svg")
    assert names(tree(session)) == ["add"]  # nothing is lost by this
    for function in (proton.activate, proton.deactivate, proton.finalize, proton.data.get):
        with pytest.raises(ValueError, match="no session 7"):
            function(7)
    proton.finalize()
    missing = proton.start("no/such/folder/profile")
    with pytest.raises(RuntimeError, match="cannot write the profile `no/such/folder/profile.hatchet`"):
        proton.finalize(missing)
    assert [path.name for path in tmp_path.iterdir()] == ["right.hatchet"]


def test_disabled(monkeypatch):
    monkeypatch.setenv("TRITON_PROTON_DISABLE", "1")
    assert proton.start() is None and not flags.profiling_on
    with proton.scope("s", {"m": 1}):
        launch_add()
    assert proton.data.get(None) is None


def test_functions_that_are_profiled(tmp_path):
    @proton.profile(name="own")
    def work(value):
        with proton.scope("s"):
            return value

    assert work(3) == 3 and proton.profile(lambda: 4, name="other")() == 4
    assert names(json.loads((tmp_path / "own.hatchet").read_text())[0]) == ["s"]
    assert (tmp_path / "other.hatchet").exists()


def test_importing_the_package_does_not_load_the_profiler():
    import subprocess
    import sys

    code = "import sys, triton; assert 'triton.profiler' not in sys.modules; triton.profiler.scope"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_modes_as_objects():
    assert str(proton.mode.PCSampling(interval=50)) == "pcsampling:interval=50"
    assert str(proton.mode.Default()) == "default" and str(proton.mode.Counters()) == "counters"
    text = str(proton.mode.MMA(granularity="cta", optimizations=["clock32", "time_shift"]))
    assert text == "mma:granularity=cta:optimizations=clock32,time_shift"
    assert str(proton.mode.MMA(granularity="cta", optimizations="clock32,time_shift")) == text
    with pytest.raises(ValueError, match="`grid` is no granularity"):
        proton.mode.Default(granularity="grid")
    with pytest.raises(ValueError, match="none of the optimizations"):
        proton.mode.Default(optimizations=["speed"])


def test_what_devices_can_do():
    h200 = {"arch": "90", "num_sms": 132, "clock_rate": 1830000}
    assert proton.specs.max_flops("CUDA", width=16, **h200) == pytest.approx(989e12, rel=0.01)
    assert proton.specs.max_flops("CUDA", width=8, **h200) == 2 * proton.specs.max_flops("CUDA", width=16, **h200)
    assert proton.specs.max_bps("CUDA", "90", 6144, 3201000) == pytest.approx(4.9e12, rel=0.01)
    with pytest.raises(ValueError, match="device TPU v5"):
        proton.specs.max_flops("TPU", "v5", 16, 1, 1)
