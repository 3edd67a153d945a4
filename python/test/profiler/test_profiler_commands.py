"""The commands `proton` and `proton-viewer`."""

import json
import subprocess
import sys

import pytest
from triton.profiler import viewer

PROGRAM = """
import sys
import numpy as np
import triton
import triton.language as tl
import triton.profiler as proton

def facts(grid, metadata, arguments):
    return {"flops32": 1000}

@triton.jit(launch_metadata=facts)
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)

def launch():
    fill[(1,)](np.zeros(64, np.float32), BLOCK=64)

assert proton.start("own") is None, "the command has a session already"
with proton.scope("part"):
    launch()
proton.finalize()
launch()

def test_launch():
    launch()

if __name__ == "__main__":
    print(sys.argv[1:])
    sys.exit(int(sys.argv[1]))
"""


def run(*command, folder):
    return subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def test_a_program_is_profiled(program):
    done = run("triton.profiler.proton", "-n", "it", "-k", "triton", "program.py", "7", "-n", "x", folder=program)
    assert (done.returncode, done.stdout) == (7, "['7', '-n', 'x']\n"), done.stderr
    assert sorted(path.name for path in program.glob("*.*")) == ["it.hatchet", "program.py"]
    shown = run("triton.profiler.viewer", "-m", "count,flops32", "it.hatchet", folder=program)
    assert shown.stdout.splitlines() == [
        "count flops32",
        "2.000 2000.000 ROOT",
        "├─ 1.000 1000.000 part",
        "│  └─ 1.000 1000.000 fill",
        "└─ 1.000 1000.000 fill",
    ]


def test_pytest_is_profiled(program):
    done = run("triton.profiler.proton", "-d", "trace", "-c", "python", "pytest", "-q", "program.py", folder=program)
    assert done.returncode == 0, done.stdout
    events = json.loads((program / "proton.chrome_trace").read_text())["traceEvents"]
    assert [event["name"] for event in events] == ["fill"] * 3
    assert any("@test_launch" in frame for frame in events[-1]["args"]["call_stack"])


def test_wrong_calls(program):
    for arguments, message in (
        (["missing.py"], "there is no file `missing.py`"),
        (["-b", "vtune", "program.py"], "invalid choice: 'vtune'"),
        (["-m", "often", "program.py"], "has no mode `often`"),
        ([], "required: SCRIPT.py | pytest"),
    ):
        done = run("triton.profiler.proton", *arguments, folder=program)
        assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert [path.name for path in program.iterdir()] == ["program.py"]


def node(name, *children, **metrics):
    return {
        "frame": {"name": name, "type": "function"},
        "metrics": {key.replace("__", " (") + ")" if "__" in key else key: value for key, value in metrics.items()},
        "children": list(children),
    }


KERNEL = {"device_type": "CUDA", "device_id": "0"}


@pytest.fixture
def profile(tmp_path):
    """A tree, and a device that reads 4000 bytes in a microsecond."""
    root = node(
        "ROOT",
        node(
            "/a/b/model.py:17@forward",
            node("matmul", time__ns=3000, count=3, flops=6000, bytes=6000, **KERNEL),
            node("__proton_launch_metadata:matmul", node("hidden", time__ns=9999, count=1)),
            node("softmax", time__ns=1000, count=1, bytes=2000, **KERNEL),
            tokens__inc=5,
        ),
        node("idle", names=["not", "numbers"]),
    )
    device = {"arch": "90", "bus_width": 1024, "clock_rate": 1, "memory_clock_rate": 15625, "num_sms": 1}
    path = tmp_path / "profile.hatchet"
    path.write_text(json.dumps([root, {"CUDA": {"0": device}}]))
    return path


def show(capsys, *arguments):
    viewer.run(viewer.parse_arguments([str(argument) for argument in arguments]))
    return capsys.readouterr().out.splitlines()


def test_columns(profile, capsys):
    lines = show(capsys, "-m", "time/us,avg_time/us,gbyte/s,util,time/%,tokens", profile)
    assert lines == [
        "time/us avg_time/us gbyte/s util time/% tokens",
        "4.000 1.000 2.000 0.500 100.000 - ROOT",
        "├─ 4.000 1.000 2.000 0.500 100.000 5.000 /a/b/model.py:17@forward",
        "│  ├─ 3.000 1.000 2.000 0.500 75.000 - matmul",
        "│  └─ 1.000 1.000 2.000 0.500 25.000 - softmax",
        "└─ - - - - - - idle",
    ]
    assert show(capsys, profile)[:2] == ["time/ms", "0.004 ROOT"]
    listed = show(capsys, "-l", profile)
    assert {"time/us", "avg_time/s", "tflop/s", "gbyte/s", "util", "time/%", "count", "tokens (inc)"} <= set(listed)


def test_filters_and_orders(profile, capsys):
    full = show(capsys, "-m", "time/us", profile)
    assert show(capsys, "-m", "time/us", "-e", "^soft", profile)[1] == "3.000 ROOT"
    only = show(capsys, "-m", "time/us", "-i", "^soft", profile)
    assert only[1:] == ["1.000 ROOT", "└─ 1.000 /a/b/model.py:17@forward", "   └─ 1.000 softmax"]
    assert len(show(capsys, "-m", "time/us", "-i", "forward", profile)) == len(full) - 1
    assert [line.split()[-1] for line in show(capsys, "-m", "time/us", "-d", "1", profile)[1:]] == [
        "ROOT",
        "/a/b/model.py:17@forward",
        "idle",
    ]
    assert len(show(capsys, "-m", "time/us", "-t", "2", profile)) == 4
    for style, expected in (
        ("file_function_line", "model.py:17@forward"),
        ("function_line", "17@forward"),
        ("file_function", "model.py@forward"),
    ):
        assert show(capsys, "-m", "count", "-f", style, profile)[2] == f"├─ 4.000 {expected}"
    assert show(capsys, "-m", "bytes", "--print-sorted", profile)[3].endswith("matmul")


def test_difference(profile, tmp_path, capsys):
    other = tmp_path / "other.hatchet"
    data = json.loads(profile.read_text())
    forward = data[0]["children"][0]
    forward["children"][0]["metrics"]["time (ns)"] = 2000
    forward["children"][2]["frame"]["name"] = "fused"
    other.write_text(json.dumps(data))
    assert show(capsys, "-m", "time/us", "-diff", other, profile)[1:5] == [
        "-1.000 ROOT",
        "├─ -1.000 /a/b/model.py:17@forward",
        "│  ├─ -1.000 matmul",
        "│  ├─ -1.000 softmax",
    ]
    assert "│  └─ 1.000 fused" in show(capsys, "-m", "time/us", "-diff", other, profile)


def test_files_that_are_no_profiles(profile, tmp_path, capsys):
    whole = profile.read_bytes()
    broken = tmp_path / "broken"
    for data, message in (
        (b"", "is empty"),
        (whole[: len(whole) // 2], "it is cut off"),
        (whole[:-1], "it is cut off"),
        (b"[1, 2]", "is not a tree of a profile"),
        (b"[oops", "byte 1 is wrong"),
        (b'{"traceEvents": []}', "is a trace"),
        (b"\x92\x83\xa5frame", "cut off"),
        (b"\xc1", "no value that begins with byte 0xc1"),
    ):
        broken.write_bytes(data)
        with pytest.raises(ValueError, match=message):
            show(capsys, broken)
    done = run("triton.profiler.viewer", "broken", folder=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("proton-viewer: `broken` is not a whole profile")
    assert "No such file" in run("triton.profiler.viewer", "missing", folder=tmp_path).stderr
    done = run("triton.profiler.viewer", "-i", "(", "profile.hatchet", folder=tmp_path)
    assert done.stderr.startswith("proton-viewer: `(` is not a regular expression")
    with pytest.raises(ValueError, match="cannot be given together"):
        show(capsys, "-i", "a", "-e", "b", profile)
    with pytest.raises(ValueError, match=r"has no metric `speed`; there are: .*avg_time/ms"):
        show(capsys, "-m", "speed", profile)
    with pytest.raises(ValueError, match="`flop16/s` cannot be computed: .* no metric `flops16`"):
        show(capsys, "-m", "flop16/s", profile)


def test_deep_trees(tmp_path):
    text = '{"frame":{"name":"leaf"},"metrics":{"count":1},"children":[]}'
    for level in range(900):
        text = f'{{"frame":{{"name":"s{level}"}},"metrics":{{}},"children":[{text}]}}'
    (tmp_path / "deep").write_text(f"[{text}, {{}}]")
    done = run("triton.profiler.viewer", "-d", "2000", "-m", "count", "deep", folder=tmp_path)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("└─ 1.000 leaf"), done.stderr
