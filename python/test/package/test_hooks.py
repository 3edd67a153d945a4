"""Every hook of Triton: when it is called, and what it is told. docs/triton-compatibility.md lists them."""

import gc
import os
import re
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language as tl
from api_table import table
from triton import knobs

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/triton-compatibility.md"


def new_kernel():
    @triton.jit
    def fill(x, n, N: tl.constexpr):
        tl.store(x + tl.arange(0, N), n)

    return fill


@pytest.fixture
def x():
    return np.zeros(16, np.int32)


@pytest.fixture
def calls():
    """What hooks note; afterwards all hooks are gone."""
    with knobs.runtime.scope(), knobs.compilation.scope(), knobs.autotuning.scope():
        yield []
        knobs.runtime.reset()


def test_the_document_lists_every_hook():
    named = set(re.findall(r"^\| `knobs\.(\S+)`", DOCUMENT.read_text(), re.MULTILINE))
    hooks = {f"runtime.{name}" for name in table()["triton.knobs"]["runtime_knobs"]["members"] if "hook" in name}
    assert named == hooks | {"compilation.listener", "autotuning.listener", "build.impl"}


def test_compilations(calls, x):
    kernel = new_kernel()
    knobs.runtime.jit_cache_hook = lambda **facts: calls.append(("before", facts)) or False
    knobs.runtime.jit_post_compile_hook = lambda **facts: calls.append(("after", facts))
    knobs.compilation.listener = lambda **facts: calls.append(("compiled", facts))
    kernel[(1,)](x, 7, N=16, num_warps=2)
    kernel[(1,)](x, 7, N=16, num_warps=2)
    kernel.warmup(x, 7, N=8, grid=(1,))
    assert [name for name, _ in calls] == ["before", "compiled", "after"] * 2
    (_, before), (_, compiled), (_, after), (_, warmed), *_ = calls
    assert set(before) == {"key", "repr", "fn", "compile", "is_manual_warmup", "already_compiled"} == set(after)
    assert (
        before["fn"].jit_function is kernel
        and before["fn"].name.endswith("fill")
        and before["repr"].startswith("fill[")
    )
    facts = before["compile"]
    assert facts["num_warps"] == 2 and facts["device"] == 0 and facts["signature"]["x"] == "*i32"
    assert not facts["is_warmup"] and warmed["compile"]["is_warmup"] and warmed["is_manual_warmup"]
    assert set(compiled) == {"src", "metadata", "metadata_group", "times", "cache_hit"}
    assert compiled["src"].fn is kernel and compiled["metadata"]["num_warps"] == 2 and compiled["times"].total > 0
    kernel.preload(facts["specialization_data"])


def test_a_true_answer_skips_compiling_and_launching(calls, x):
    kernel = new_kernel()
    knobs.runtime.jit_cache_hook = lambda **facts: True
    assert kernel[(1,)](x, 7, N=16) is None and not x.any()


def test_launches(calls, x):
    kernel = new_kernel()
    knobs.runtime.launch_enter_hook.add(lambda data: calls.append(("enter 1", data.get())))
    knobs.runtime.launch_enter_hook.add(lambda data: calls.append(("enter 2", data.get())))
    knobs.runtime.launch_exit_hook.add(lambda data: calls.append(("exit 1", int(x[0]))))
    knobs.runtime.launch_exit_hook.add(lambda data: calls.append(("exit 2", int(x[0]))))
    kernel.add_pre_run_hook(lambda *args, **options: calls.append(("run", options)))
    compiled = kernel[(1,)](x, 7, N=16)
    assert [name for name, _ in calls] == ["run", "enter 1", "enter 2", "exit 2", "exit 1"]
    assert calls[0][1]["N"] == 16 and calls[3][1] == 7
    told = calls[1][1]
    assert (told["name"], told["function"], told["stream"]) == ("fill", compiled.function, 0)


def test_loaded_kernels(calls, x):
    gc.collect()  # kernels of other tests
    kernel, name = new_kernel(), lambda which: lambda *facts: calls.append((which, *facts))
    warmed = kernel.warmup(x, 7, N=16, grid=(1,))
    for hook in ("kernel_load_start_hook", "kernel_load_end_hook", "kernel_unload_hook"):
        getattr(knobs.runtime, hook).add(name(hook.split("_")[-2]))
    compiled = kernel[(1,)](x, 7, N=16)
    kernel[(1,)](x, 8, N=16)
    group, key = compiled.metadata_group, compiled.hash
    assert calls == [
        ("start", None, None, "fill", group, key),
        ("end", compiled.module, compiled.function, "fill", group, key),
    ]
    assert compiled is warmed and x[0] == 8
    child = os.fork()
    if child == 0:  # in which the kernel was not loaded
        kernel.device_caches.clear()
        del compiled, warmed
        gc.collect()
        os._exit(len(calls) != 2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    module, function = compiled.module, compiled.function
    kernel.device_caches.clear()
    del compiled, warmed
    gc.collect()
    assert calls[2:] == [("unload", module, function, "fill", group, key)]


def test_stages(calls, x):
    def hook(backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:
            return "key", "hash of test_hooks"
        calls.append((list(stages), options.num_warps))

    knobs.runtime.add_stages_inspection_hook = hook
    new_kernel()[(1,)](x, 7, N=16)
    assert calls == [(["ttir", "ttcir", "llir", "o"], 4)] and x[0] == 7


def test_tuning(calls, x):
    knobs.autotuning.listener = lambda **facts: calls.append(facts)
    tuned = triton.autotune([triton.Config({"N": size}) for size in (8, 16)], key=["n"])(new_kernel())
    tuned[(1,)](x, 7)
    assert [set(facts) for facts in calls] == [{"fn", "key", "best_config", "configs_timings", "duration", "cache_hit"}]
    assert calls[0]["fn"].fn.__name__ == "fill" and calls[0]["fn"].cache_key


def test_devices_share_variants(x):
    """A program that looks for what it has launched on the second device finds it."""
    kernel = new_kernel()
    compiled = kernel[(1,)](x, 7, N=16)
    assert list(kernel.device_caches[1][0].values()) == [compiled]
