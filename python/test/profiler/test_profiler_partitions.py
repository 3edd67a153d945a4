"""Scopes in groups of warps that do different things, in traces."""

from collections import Counter

import numpy as np
import pytest
from triton import profiler as proton
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier
from triton.profiler import language as pl


@gluon.jit
def consume(out, buffer, full, free, n, layout: ttgl.constexpr):
    acc = ttgl.zeros([128], ttgl.float32, layout)
    for k in range(n):
        with pl.scope("consume"):
            mbarrier.wait(full, k & 1)
            acc += buffer.load(layout)
            mbarrier.arrive(free)
    ttgl.store(out + ttgl.arange(0, 128, layout=layout), acc)


@gluon.jit
def produce(x, buffer, full, free, n):
    layout: ttgl.constexpr = ttgl.BlockedLayout([4], [32], [1], [0])
    for k in range(n):
        with pl.scope("produce"):
            mbarrier.wait(free, (k & 1) ^ 1)
            buffer.store(ttgl.load(x + k * 128 + ttgl.arange(0, 128, layout=layout)))
            mbarrier.arrive(full)


@gluon.jit
def sums(x, out, n):
    layout: ttgl.constexpr = ttgl.BlockedLayout([1], [32], [4], [0])
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    full = mbarrier.allocate_mbarrier()
    free = mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    mbarrier.init(free, count=1)
    ttgl.warp_specialize([(consume, (out, buffer, full, free, n, layout)), (produce, (x, buffer, full, free, n))], [1])


def test_each_warp_of_a_partition_has_its_track(device, tmp_path, monkeypatch):
    if device.name not in ("cuda", "sim:cuda:90"):
        pytest.skip("needs compute capability 9.0")
    values = np.arange(3 * 128, dtype=np.float32)
    x, out = device.put(values), device.put(np.zeros(128, np.float32))
    monkeypatch.chdir(tmp_path)  # where the session writes its trace
    pl.enable_semantic("gluon")
    session = proton.start("partitions", backend="instrumentation", data="trace")
    try:
        sums[(1,)](x, out, 3)
        events = [event for event in proton.data.get(session)["traceEvents"] if event["cat"] == "scope"]
    finally:
        proton.finalize(session)
        pl.disable_semantic("gluon")
    tracks = Counter((event["name"], event["tid"]) for event in events)
    assert set(tracks.values()) == {3} and len({tid for _, tid in tracks}) == 5, tracks
    assert sorted(name for name, _ in tracks) == 4 * ["consume"] + ["produce"]
