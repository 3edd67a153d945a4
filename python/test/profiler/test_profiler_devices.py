"""The profiler on every device that tests run on, with the backend that it chooses for it."""

import json

import numpy as np
import pytest
import triton
import triton.language as tl
import triton.profiler as proton


def facts_of_double(grid, metadata, arguments):
    return {"name": f"double [{arguments['n']}]", "flops32": arguments["n"], "bytes": 8 * arguments["n"]}


@triton.jit(launch_metadata=facts_of_double)
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    proton.finalize()


def find(node, *names):
    for name in names:
        (node,) = [child for child in node["children"] if child["frame"]["name"] == name]
    return node["metrics"]


def times_of(metrics, device):
    return metrics["simulation_time (ns)" if device.is_simulated else "time (ns)"]


def launch(n=1000):
    x = np.ones(n, np.float32)
    double[(triton.cdiv(n, 128),)](x, n, BLOCK=128)
    assert (x == 2).all()


def test_kernels_are_in_the_scopes_of_their_launches(device):
    launch()
    proton.start("it")
    with proton.scope("outer"):
        launch()
        with proton.scope("inner"):
            for _ in range(10):
                launch()
    proton.finalize()
    with open("it.hatchet") as file:
        root, devices = json.load(file)
    assert find(root, "outer", "double")["count"] == 1
    inner = find(root, "outer", "inner", "double")
    assert inner["count"] == 10 and times_of(inner, device) > 0 and inner["device_id"] == "0"
    if not device.is_simulated:
        assert devices[inner["device_type"]]["0"]["arch"]


def test_a_hook_names_launches(device):
    session = proton.start("it", hook="triton")
    for n in (1000, 1000, 2000):
        launch(n)
    proton.deactivate(session, flushing=True)
    root = proton.data.get(session)[0]
    first, second = (find(root, f"double [{n}]") for n in (1000, 2000))
    assert (first["count"], first["flops32"], first["bytes"]) == (2, 2000, 16000)
    assert (second["count"], second["flops32"]) == (1, 2000) and times_of(second, device) > 0


def test_phases_are_complete_after_a_wait(device):
    session = proton.start("it")
    launch()
    assert proton.data.advance_phase(session) == 1
    proton.deactivate(session, flushing=True)
    assert proton.data.is_phase_complete(session, 0)
    assert find(proton.data.get(session, 0)[0], "double")["count"] == 1
    assert proton.data.get(session, 1)[0]["children"] == []


def test_traces_are_in_order(device):
    proton.start("it", data="trace")
    with proton.scope("scope"):
        launch()
        launch()
    proton.finalize()
    with open("it.chrome_trace") as file:
        events = json.load(file)["traceEvents"]
    kernels = [event for event in events if event["cat"] == "kernel"]
    assert [event["name"] for event in kernels] == ["double", "double"]
    assert kernels[0]["ts"] + kernels[0]["dur"] <= kernels[1]["ts"]
    assert all(event["args"]["call_stack"] == ["ROOT", "scope", "double"] for event in kernels)
