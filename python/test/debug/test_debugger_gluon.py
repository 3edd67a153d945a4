"""`python -m triton.debug` steps through kernels in Gluon: layouts, buffers, barriers, and groups of warps."""

import re

import pytest
from debug_client import Client, Refused

PROGRAM = """\
import numpy as np
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier

ROW = ttgl.BlockedLayout([1], [32], [4], [0])
SHARED = ttgl.SwizzledSharedLayout(1, 1, 1, [0])


@gluon.jit
def fill(x, ring, full):
    i = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([4], [32], [1], [0]))
    for step in range(2):
        ttgl.device_print("fills", step)
        ring.index(step).store(ttgl.load(x + step * 128 + i))
        mbarrier.arrive(full.index(step))


@gluon.jit
def add(y, ring, full):
    i = ttgl.arange(0, 128, layout=ROW)
    total = ttgl.zeros([128], ttgl.float32, ROW)
    for step in range(2):
        mbarrier.wait(full.index(step), 0)
        total += ring.index(step).load(ROW)
    ttgl.store(y + i, total)


@gluon.jit
def sums(x, y):
    ring = ttgl.allocate_shared_memory(ttgl.float32, [2, 128], SHARED)
    full = mbarrier.allocate_mbarrier(batch=2)
    for step in ttgl.static_range(2):
        mbarrier.init(full.index(step), count=1)
    ttgl.warp_specialize([(add, (y, ring, full)), (fill, (x, ring, full))], [1])
    mbarrier.wait(full.index(0), 1)


x, y = np.arange(256, dtype=np.float32), np.zeros(128, np.float32)
try:
    sums[(1,)](x, y)
finally:
    print("sums are right:", (y == x[:128] + x[128:]).all())
"""


def line_of(text):
    return 1 + PROGRAM[: PROGRAM.index(text)].count("\n")


ARRIVE, STORE, ADD = line_of("mbarrier.arrive"), line_of("ring.index(step).store"), line_of("total +=")


def facts(client, *names):
    found = client.scope("Program")
    return [found[name]["value"] for name in names]


def test_groups_of_warps_take_turns_in_both_directions(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with Client(tmp_path) as client:
        assert all(each["verified"] for each in client.start(path, [ARRIVE, ADD]))
        assert client.stopped() == ("breakpoint", ARRIVE)
        assert [frame["name"] for frame in client.stack()] == ["fill", "sums", "<module>"]
        waits = "waits at a barrier that waits for 1 of 1 arrivals in a phase of parity 0"
        assert facts(client, "num_warps", "group 0", "group 1") == ["1", waits, "runs"]
        # What a buffer holds, who wrote it, and what nobody has written.
        ring = client.parts(client.scope("Arguments")["ring"]["variablesReference"])
        assert ring["[0]"]["value"] == "fp32[128] in shared memory, 0 to 127"
        assert ring["[1]"]["value"] == "fp32[128] in shared memory, 128 NaN"
        assert "SwizzledSharedLayout" in ring["layout"]["value"]
        elements = client.parts(ring["[0]"]["variablesReference"], filter="indexed", start=5, count=1)
        assert elements["[5]"]["value"] == "5"
        full = client.scope("Arguments")["full"]["variablesReference"]
        assert client.parts(full)["[0]"]["value"] == "a barrier that waits for 1 of 1 arrivals in a phase of parity 0"
        with pytest.raises(Refused, match="the group would wait at a barrier"):
            client.evaluate("mbarrier.wait(full.index(1), 0)")
        writers = client.ask("evaluate", expression="last_write(ring.index(0))")["variablesReference"]
        found = client.parts(writers)[f"buffer of line {line_of('ring = ')}[0]"]["value"]
        assert found == f"`program.py`:{STORE} in program (0, 0, 0), step 16: 0"
        # The layout of a block is its own: nothing is compiled.
        values = client.scope("Locals")
        threads = client.parts(values["i"]["variablesReference"], filter="named")["threads"]
        (layout,) = client.parts(threads["variablesReference"]).values()
        assert "BlockedLayout(size_per_thread=(4,)" in layout["value"]
        grid = client.parts(layout["variablesReference"])["warp:lane:register"]["value"]
        assert re.match(r"\[ *0:0:0 +0:0:1 +0:0:2 +0:0:3 +0:1:0", grid)
        # The first group goes on when the second one has ended, and back over the turn.
        assert client.go("continue") == ("breakpoint", ARRIVE)
        assert client.go("continue") == ("breakpoint", ADD)
        assert facts(client, "num_warps", "group 1") == ["4", "has ended"]
        assert [client.go("stepBack")[1] for _ in range(3)] == [line_of("for step in range"), ARRIVE, STORE]
        assert client.parts(client.scope("Arguments")["ring"]["variablesReference"])["[1]"]["value"].endswith("NaN")
        assert client.go("reverseContinue") == ("breakpoint", ARRIVE)
        assert [client.go("continue")[1] for _ in range(3)] == [ARRIVE, ADD, ADD]
        assert client.go("continue") == ("exception", line_of("mbarrier.wait(full.index(0), 1)"))
        assert "deadlock: the program waits at a barrier" in client.ask("exceptionInfo", threadId=1)["description"]
        assert client.finish() == 1
        assert "sums are right: True" in client.output and client.output.count("fills: 1") == 2  # forwards alone
