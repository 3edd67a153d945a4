"""What profiling costs on an NVIDIA GPU, and how true its times are. Runs with this package or another Triton.

profiler.py                      a table; needs PyTorch and a GPU
profiler.py --peer PYTHON        the same in turns with the Triton of another interpreter
profiler.py --rows               as JSON, for --peer
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import triton
import triton.language as tl
import triton.profiler as proton

ROUNDS, LAUNCHES = 9, 2000


@triton.jit(do_not_specialize=["steps"])  # so that one kernel is compiled for all lengths
def spin(x, steps, BLOCK: tl.constexpr):
    """Takes a time that grows with ``steps``, since each depends on the one before."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    for _ in range(steps):
        value = value * 0.999 + 0.001
    tl.store(x + i, value)


def launcher(steps):
    x = torch.ones(132 * 256, device="cuda")
    return lambda: spin[(132,)](x, steps, BLOCK=256, num_warps=4)


def events_of(run, count):
    """Microseconds of a launch, between events around many."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(count):
        run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e3 / count


def calibrate(microseconds):
    """A kernel of about this length."""
    launcher(1)()  # Events would count its compilation.
    steps = 10000
    for _ in range(4):
        steps = max(1, round(steps * microseconds / events_of(launcher(steps), 200)))
    return launcher(steps)


def wall(run):
    """(microseconds of the host, and of all) for a launch."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        run()
    queued = time.perf_counter() - start
    torch.cuda.synchronize()
    return queued * 1e6 / LAUNCHES, (time.perf_counter() - start) * 1e6 / LAUNCHES


def overhead(run, hook=None):
    """Rows of what a session adds to launches, in turns with none."""
    plain, profiled = [], []
    for _ in range(ROUNDS):
        plain.append(wall(run))
        session = proton.start("overhead", hook=hook)
        with proton.scope("scope"):
            profiled.append(wall(run))
        proton.finalize(session)
    rows = []
    for index, what in enumerate(("host", "all")):
        before = statistics.median(times[index] for times in plain)
        after = statistics.median(times[index] for times in profiled)
        rows.append((f"{what}: off, on, added", f"{before:.3f} us {after:.3f} us {after / before - 1:+.1%}"))
    return rows


def kernel_node(tree, *path):
    for name in path:
        found = [child for child in tree["children"] if child["frame"]["name"].startswith(name)]
        assert len(found) == 1, f"{name}: {[child['frame']['name'] for child in tree['children']]}"
        tree = found[0]
    return tree["metrics"]


def read(name):
    with open(f"{name}.hatchet") as file:
        return json.load(file)


def kernel_times():
    """Rows that compare the profile with events, which also count the gap between a kernel and the next. Therefore the
    last row compares what one kernel takes longer than another."""
    rows, means, events = [], [], []
    for microseconds in (10, 20, 50, 200, 1000):
        run = calibrate(microseconds)
        run()
        by_events = min(events_of(run, 200) for _ in range(5))
        proton.start("times")
        for _ in range(200):
            run()
        proton.finalize()
        metrics = kernel_node(read("times")[0], "spin")
        mean = metrics["time (ns)"] / metrics["count"] / 1e3
        assert metrics["count"] == 200, metrics
        difference = f"{mean:.3f} us {by_events:.3f} us {mean / by_events - 1:+.2%}"
        rows.append((f"kernel of {microseconds} us: profile, events", difference))
        means.append(mean)
        events.append(by_events)
    longer, longer_by_events = means[-2] - means[1], events[-2] - events[1]
    difference = f"{longer:.3f} us {longer_by_events:.3f} us {longer / longer_by_events - 1:+.2%}"
    rows.append(("200 us less 20 us: profile, events", difference))
    return rows


def graphs():
    """Checks that kernels of a graph are found, under the scopes in which they were captured."""
    run = calibrate(20)
    run()
    proton.start("graph")
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            with proton.scope("first"):
                run()
            with proton.scope("second"):
                run()
                run()
    for _ in range(10):
        with proton.scope("replay"):
            graph.replay()
    proton.finalize()
    tree, devices = read("graph")
    counts = [kernel_node(tree, "replay", "<captured_at>", name, "spin")["count"] for name in ("first", "second")]
    assert counts == [10, 20], counts
    return [("graph", f"kernels under their scopes: {counts}"), ("devices", json.dumps(devices))]


def framework():
    """Checks that PyTorch's kernels are in the profile, too."""
    a = torch.rand(512, 512, device="cuda")
    a @ a
    proton.start("framework")
    with proton.scope("product"):
        a @ a
    proton.finalize()
    names = [child["frame"]["name"] for child in read("framework")[0]["children"][0]["children"]]
    assert names, "no kernel of PyTorch in the profile"
    return [("kernels of a product in PyTorch", "; ".join(name[:60] for name in names))]


def measure():
    rows = [("triton", triton.__version__), ("device", torch.cuda.get_device_name())]
    rows += [(f"10 us kernels, {name}", value) for name, value in overhead(calibrate(10))]
    rows += [(f"1 us kernels, {name}", value) for name, value in overhead(launcher(1))]
    rows += kernel_times() + framework()
    try:
        rows += graphs()
    except AssertionError as error:
        rows.append(("graph", f"WRONG: {error}"))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter with another Triton")
    parser.add_argument("--rows", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.abspath(__file__)
        os.chdir(folder)
        if options.rows:
            print(json.dumps(measure()))
            return
        sources = [sys.executable, options.peer] if options.peer else [sys.executable]
        for python in sources * (2 if options.peer else 1):
            output = subprocess.run([python, script, "--rows"], capture_output=True, text=True, check=False)
            if output.returncode != 0:
                sys.exit(output.stderr)
            for name, value in json.loads(output.stdout.splitlines()[-1]):
                print(f"{name:42} {value}")
            print()


if __name__ == "__main__":
    main()
