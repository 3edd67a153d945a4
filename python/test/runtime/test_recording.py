"""Recorded classes: written by launches, compiled ahead for any target, loaded before the first launch."""

import json
import os
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import programs
import pytest
import triton
import triton.language as tl
from triton import knobs, monitor
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.nvidia.driver import SimulatedDriver
from triton.runtime import _recording
from triton.runtime.driver import driver
from triton.tools.build import build, main
from triton.tools.tensor_descriptor import TensorDescriptor

KERNELS = """
import triton, triton.language as tl
@triton.jit
def twice(x):
    return x * 2
@triton.jit
def add(x, y, n, pair, wide: tl.int64, BLOCK: tl.constexpr, MODE: tl.constexpr = "plain"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, twice(tl.load(x + i, mask=i < n)) + pair[0] + wide, mask=i < n)
"""
SERVER = """
import os, sys, warnings
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np, triton
from kernels import add
if __name__ == "__main__":
    loaded = None
    if len(sys.argv) > 1:
        warnings.simplefilter("error")
        loaded = triton.load_classes(sys.argv[1])
        triton.freeze()
    x, y = np.ones(200, np.float32), np.zeros(200, np.float32)
    for n in (1, 5, 16, 100):
        for mode in ("plain", "other"):
            add[(4,)](x, y, n, (n, 1.5), -n, BLOCK=64, MODE=mode, num_warps=2)
    assert y[0] == 2 and y[99] == 2 and y[100] == 0, y
    now = triton.monitor.snapshot()
    print(now.compilations, now.memory_misses, now.disk_hits, loaded and loaded.cached)
"""


@pytest.fixture
def server(tmp_path):
    """Runs the server in a process of its own; what it prints."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "server.py").write_text(SERVER)

    def run(*arguments, **environment):
        environment = {**os.environ, "TRITON_CPU_BACKEND": "1", **environment}
        command = [sys.executable, str(tmp_path / "server.py"), *map(str, arguments)]
        process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=programs.PATIENCE)
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout.strip()

    return run


def build_command(*arguments):
    command = [sys.executable, "-m", "triton.tools.build", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=programs.PATIENCE)


@pytest.fixture
def build_main(monkeypatch, capsys):
    """The command in this process: (exit status, standard output, standard error)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["build", *map(str, arguments)])
        try:
            status = main()
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run


def test_a_server_that_compiles_nothing(server, tmp_path):
    """Recorded on the processor, built for two devices, launched on both."""
    record, kernels = tmp_path / "classes.jsonl", tmp_path / "kernels"
    assert server(TRITON_RECORD_CLASSES=str(record), TRITON_CACHE_DIR=str(tmp_path / "a")) == "6 6 0 None"
    assert server(TRITON_RECORD_CLASSES=str(record), TRITON_CACHE_DIR=str(tmp_path / "a")) == "0 6 6 None"
    assert len(record.read_text().splitlines()) == 6, "the second run adds nothing"
    targets = "cpu,sim:cuda:90,sim:hip:gfx942"
    done = build_command(record, "--target", targets, "-o", kernels, "--jobs", 2)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert "cpu: 6 classes compiled, 0 were there" in done.stdout
    assert "sim:hip:gfx942: 6 classes compiled, 0 were there" in done.stdout
    for device in ({}, {"TRITON_SIMULATE": "sim:cuda:90"}, {"TRITON_SIMULATE": "sim:hip:gfx942"}):
        environment = {"TRITON_CPU_BACKEND": "", **device} if device else {}
        assert server(kernels, TRITON_CACHE_DIR=str(kernels), **environment) == "0 0 6 6", device


@triton.jit
def fill_recorded(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)


@pytest.fixture
def record(tmp_path):
    """The file to which launches are recorded."""
    fill_recorded.device_caches.clear()
    path = tmp_path / "classes.jsonl"
    with knobs.runtime.scope(), knobs.cache.scope():
        knobs.runtime.record_classes = str(path)
        knobs.cache.dir = str(tmp_path / "cache")
        yield path
    fill_recorded.device_caches.clear()


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_threads_wait_for_the_file_of_their_kernels(server, tmp_path):
    server(TRITON_RECORD_CLASSES=str(tmp_path / "classes.jsonl"))
    (tmp_path / "kernels.py").write_text(f"import time; time.sleep(0.2)\n{KERNELS.removeprefix(chr(10))}")
    done = build_command(tmp_path / "classes.jsonl", "--target", "cpu", "--output", tmp_path / "out", "--jobs", 8)
    assert done.returncode == 0, done.stderr
    # And those that find it broken all say why.
    (tmp_path / "kernels.py").write_text("1 / 0")
    done = build_command(tmp_path / "classes.jsonl", "--target", "cpu", "--output", tmp_path / "out", "--jobs", 8)
    assert done.returncode == 1
    for line in done.stderr.splitlines():
        assert line.startswith("error: ") and line.endswith(" is not found: ZeroDivisionError: division by zero"), line


def test_what_a_line_has(record):
    fill_recorded[(1,)](np.zeros(64, np.float32), 16, BLOCK=16, num_warps=2)
    fill_recorded[(1,)](np.zeros(64, np.float32), 32, BLOCK=16, num_warps=2)
    fill_recorded.warmup(np.float32, 7, BLOCK=16, grid=(1,))
    first, second = lines_of(record)
    assert first["format"] == 1 and first["kernel"] == f"{__name__}:fill_recorded" and first["file"] == __file__
    assert first["line"] == fill_recorded.def_file_line_number and first["in_range"] == [[0], [1]]
    variant = first["variant"]
    assert variant["signature"] == {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    assert variant["options"] == {"num_warps": 2} and variant["target"]["backend"] == "cpu"
    assert second["variant"]["attrs_keys"] == [[0]]


def test_classes_are_loaded_before_the_first_launch(record, build_main):
    x = np.zeros(64, np.float32)
    fill_recorded[(1,)](x, 16, BLOCK=16)
    fill_recorded[(1,)](x, 7, BLOCK=16)
    knobs.runtime.record_classes = None
    fill_recorded.device_caches.clear()
    status, output, _ = build_main(record, "-t", "cpu", "-o", knobs.cache.dir)
    assert status == 0 and output == "cpu: 0 classes compiled, 2 were there\n"
    loaded = triton.load_classes(record)
    assert loaded == (0, 2, ())
    before, prepared = monitor.snapshot(), []
    knobs.runtime.kernel_load_start_hook.add(lambda module, function, name, group, key: prepared.append(name))
    with triton.freeze():  # also loads what other tests of this process have launched
        assert prepared.count("fill_recorded") == 2, "what is in memory is loaded on the device"
        for n in (16, 7, 9):
            fill_recorded[(1,)](x, n, BLOCK=16)
    after = monitor.snapshot() - before
    assert (after.compilations, after.memory_misses) == (0, 0)
    assert not after.events, "the launcher has got them"
    assert prepared.count("fill_recorded") == 2


@triton.jit
def copy_tile(source, target, row, pair):
    target.store([0, 0], source.load([row, 0]) + pair[0] + tl.load(pair[1]))


def test_what_gpus_look_at_is_recorded_on_the_processor(record):
    """Parts of descriptors and of tuples, too."""
    make = lambda rows: TensorDescriptor.from_tensor(np.ones((rows, 32), np.float32), [8, 16])
    calls = [(make(17), make(16), 3, (-5, np.ones(1))), (make(1), make(17), 1, (16, np.ones(1)))]
    for call in calls:
        copy_tile[(1,)](*call)
    knobs.runtime.record_classes = None
    try:
        for simulated in (SimulatedDriver(90), SimulatedHIPDriver("gfx942")):
            driver.set_active(simulated)
            copy_tile.device_caches.clear()
            assert triton.load_classes(record) == (2, 0, ())
            with triton.freeze():
                for call in calls:
                    copy_tile[(1,)](*call)
    finally:
        driver.set_active_to_cpu()


@triton.autotune(
    [triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})],
    key=["n"],
    do_bench=lambda call, quantiles: [call() or 1.0] * 3,
)
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, n, mask=i < n)


def test_choices_of_tuning_runs(record, tmp_path, build_main, monkeypatch):
    """A tuned kernel neither measures nor compiles in a later process, also for a key between those recorded."""
    x = np.zeros(64, np.float32)
    for n in (16, 48):
        tuned[(1,)](x, n)
    knobs.runtime.record_classes = None
    assert build_main(record, "-t", "cpu", "-o", tmp_path / "out")[:2] == (0, "cpu: 2 classes compiled, 0 were there\n")
    tuned.cache.clear()
    tuned.fn.device_caches.clear()
    assert triton.load_classes(tmp_path / "out").problems == ()
    before = monitor.snapshot()
    with triton.freeze():
        for n in (16, 48, 32):
            tuned[(1,)](x, n)
        with pytest.raises(triton.FrozenError, match="needs a tuning run"):
            tuned[(1,)](x, 64)
    after = monitor.snapshot() - before
    assert (after.compilations, after.tuning_runs, after.interpolations) == (0, 0, 1)
    tuned.cache.clear()
    monkeypatch.setattr(knobs.autotuning, "interpolate", False)
    with triton.freeze(), pytest.raises(triton.FrozenError, match="needs a tuning run"):
        tuned[(1,)](x, 32)
    (line,) = [line for line in lines_of(record) if line.get("choice", {}).get("key") == [48, "float32"]]
    for name, value, problem in (
        ("device", ["gpu"], "the class has no `device`"),
        ("key", [48, ["float32"]], 'the key of the choice has the part ["float32"]; record the class again'),
    ):
        record.write_text(json.dumps({**line, "choice": {**line["choice"], name: value}}) + "\n")
        assert _recording.read_records(record)[2] == [f"{record}:1: {problem}"]
    line["choice"]["configuration"] = "BLOCK: 8"
    record.write_text(json.dumps(line) + "\n")
    with pytest.warns(RuntimeWarning, match="has no configuration `BLOCK: 8` any more, which a tuning run has chosen"):
        assert len(triton.load_classes(record).problems) == 1
    line["choice"]["target"]["arch"] = "another"
    record.write_text(json.dumps(line) + "\n")
    assert triton.load_classes(record) == (0, 0, ())


def test_several_writers(record, tmp_path):
    """Threads and processes that add at once leave whole lines, each once."""
    program = """
import sys
from triton.runtime._recording import _Recorder
recorder = _Recorder(sys.argv[1])
for number in range(100):
    recorder.add(f"line {number} " + "x" * 5000)
"""
    processes = [subprocess.Popen([sys.executable, "-c", program, str(record)]) for _ in range(2)]
    recorder = _recording._Recorder(str(record))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: recorder.add(f"line {number % 100} " + "x" * 5000), range(400)))
    assert not any(process.wait(timeout=programs.PATIENCE) for process in processes)
    lines = record.read_text().splitlines()
    assert sorted(lines) == sorted(f"line {number} " + "x" * 5000 for number in range(100))


def test_what_a_killed_writer_left_is_cut_off(record):
    recorder = _recording._Recorder(str(record))
    recorder.add("first")
    with open(record, "a") as file:
        file.write("half a li")
    recorder.add("second")
    assert record.read_text() == "first\nsecond\n"
    record.write_text("")
    recorder.add("second")
    recorder.add("second")
    assert record.read_text() == "second\n"


def test_a_full_disk_leaves_whole_lines(record, monkeypatch):
    fill_recorded[(1,)](np.zeros(64, np.float32), 16, BLOCK=16)
    before = record.read_text()
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, place: write(file, data[:10], place))
    x = np.zeros(64, np.float32)
    with pytest.warns(RuntimeWarning, match=r"classes.jsonl` \(TRITON_RECORD_CLASSES\) any more: .*No space") as warned:
        fill_recorded[(1,)](x, 7, BLOCK=16)
        fill_recorded[(1,)](x, 7, BLOCK=32)
    assert x[6] == 7 and record.read_text() == before and len(warned) == 1


def test_a_folder_that_is_not_there(record, tmp_path):
    knobs.runtime.record_classes = str(tmp_path / "nowhere" / "classes.jsonl")
    with pytest.warns(RuntimeWarning, match="No such file"):
        fill_recorded[(1,)](np.zeros(64, np.float32), 16, BLOCK=16)


def problems_of(record, **changes):
    """What is said about the first line of the record with these changes."""
    (line,) = lines_of(record)
    line.update(changes)
    other = record.with_name("changed.jsonl")
    other.write_text(json.dumps(line) + "\n")
    _, problems = build(other, ["cpu"], record.with_name("out"))
    assert len(problems) == 1, problems
    with pytest.warns(RuntimeWarning) as warned:
        assert triton.load_classes(other).problems == tuple(problems)
    assert str(warned[0].message) == problems[0]
    return problems[0].removeprefix(f"{other}:1: ")


def test_records_that_do_not_fit_are_sentences(record, tmp_path):
    fill_recorded[(1,)](np.zeros(64, np.float32), 16, BLOCK=16)
    knobs.runtime.record_classes = None
    name = f"the kernel `{__name__}:fill_recorded` of {__file__}:{fill_recorded.def_file_line_number}"
    changed = "was recorded with another text than it has now; record its classes again"
    assert problems_of(record, source="0" * 32) == f"{name} {changed}"
    assert "reads the format 1" in problems_of(record, format=2)
    assert problems_of(record, file=3) == "the class has no `file`"
    assert "is not found: AttributeError" in problems_of(record, kernel=f"{__name__}:gone")
    assert "is not found: ModuleNotFoundError" in problems_of(
        record, kernel="gone:fill_recorded", file="/nowhere/gone.py"
    )
    assert problems_of(record, kernel=f"{__name__}:np").endswith("is not a kernel any more")
    inside = problems_of(record, kernel=f"{__name__}:test.<locals>.fill_recorded")
    assert inside.endswith("is defined inside a function, so that no other process finds it by its name")
    variant = lines_of(record)[0]["variant"]
    unknown = {**variant, "constant_vals": [{"unknown": "<object>"}]}
    assert "`fill_recorded` cannot be compiled from its description, which lacks <object>" in problems_of(
        record, variant=unknown
    )
    impossible = {**variant, "constant_vals": [17]}
    assert f"`{__name__}:fill_recorded` cannot be compiled: " in problems_of(record, variant=impossible)


def test_what_a_program_compiles_is_recorded_for_building(record, build_main):
    source = triton.compiler.ASTSource(fill_recorded, {"x": "*fp32", "n": "i32"}, {"BLOCK": 16})
    triton.compile(source, options={"num_warps": 2})
    (line,) = lines_of(record)
    assert line["launched"] is False and "text" not in line
    knobs.runtime.record_classes = None
    assert build_main(record, "-t", "cpu", "-o", knobs.cache.dir)[1] == "cpu: 0 classes compiled, 1 were there\n"
    assert triton.load_classes(record) == (0, 0, ())


def test_only_builds_run_the_text_of_a_record(record, tmp_path, monkeypatch):
    helpers = "torch._inductor.runtime.triton_helpers"
    monkeypatch.setitem(sys.modules, helpers, types.ModuleType(helpers))
    fill_recorded[(1,)](np.zeros(64, np.float32), 16, BLOCK=16)
    knobs.runtime.record_classes = None
    ran = tmp_path / "ran"
    generated = {"file": f"/nowhere/ab/cab{'0' * 49}.py", "kernel": "gone:fill", "text": f"open({str(ran)!r}, 'w')"}
    assert "is not found: ModuleNotFoundError" in problems_of(record, **generated)
    assert not ran.exists()
    line = json.dumps({**lines_of(record)[0], **generated, "launched": False}) + "\n"
    (recorded,), _, _ = _recording.records_in(line.encode(), "classes.jsonl")
    with pytest.raises(ValueError, match="is not found: AttributeError"):
        recorded.find()
    assert ran.exists()


def test_files_that_are_no_records(record, tmp_path, build_main):
    record.write_text('nonsense\n{"format": 1}\n[]\n{"format": 1, "choice": 3}\nhalf')
    classes, choices, problems = _recording.read_records(record)
    assert not classes and not choices
    assert [problem.partition(": ")[2] for problem in problems] == [
        "the last line is not whole",
        "the line is not a class that TRITON_RECORD_CLASSES has written",
        "the class has no `kernel`",
        "the line is not a class that TRITON_RECORD_CLASSES has written",
        "the class has no `kernel`",
    ]
    status, _, errors = build_main(record, "-t", "cpu", "-o", tmp_path / "out")
    assert status == 1 and f"error: {record}:5: the last line is not whole" in errors
    status, _, errors = build_main(tmp_path / "gone", "-t", "cpu", "-o", tmp_path / "out")
    assert status == 1 and errors.startswith("error: ") and "No such file" in errors
    status, _, errors = build_main(record, "-t", "tpu", "-o", tmp_path / "out")
    assert status == 1 and errors.startswith("error: ") and "tpu" in errors
    assert "--jobs is 0; it must be at least 1" in build_main(record, "-t", "cpu", "-o", "x", "-j", 0)[2]


def test_a_change_of_a_called_kernel_is_noticed(tmp_path):
    (tmp_path / "first.py").write_text(KERNELS)
    (tmp_path / "second.py").write_text("# moved\n" + KERNELS)
    (tmp_path / "third.py").write_text(KERNELS.replace("x * 2", "x * 3"))
    program = """
import sys
sys.path.insert(0, {0!r})
from triton.runtime._recording import digest_of_source
import first, second, third
print(len({{digest_of_source(each.add) for each in (first, second)}}), digest_of_source(first.add) ==
      digest_of_source(third.add))
"""
    output, _ = programs.run(tmp_path, program.format(str(tmp_path)))
    assert output == "1 False\n"
