"""The stages of compilations as Python functions: `knobs.runtime.add_stages_inspection_hook` and `add_stages`."""

import pathlib
import pickle

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs
from triton.backends import backends
from triton.backends.compiler import GPUTarget, Language
from triton.backends.cpu.compiler import CPUBackend
from triton.backends.nvidia.driver import SimulatedDriver
from triton.compiler import ASTSource
from triton.runtime.driver import driver

TARGETS = {
    "cpu": (GPUTarget("cpu", "x86_64", 0), ["ttir", "ttcir", "llir", "o"]),
    "cuda:90": (GPUTarget("cuda", 90, 32), ["ttir", "ttgir", "llir", "ptx", "cubin"]),
    "sim:cuda:90": (GPUTarget("sim:cuda", 90, 32), ["ttir", "ttgir", "llir"]),
    "gfx942": (GPUTarget("hip", "gfx942", 64), ["ttir", "ttgir", "llir", "amdgcn", "hsaco"]),
}


@triton.jit
def fill(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 41)


class Hook:
    """Notes what it is called with; `change` gets the stages."""

    def __init__(self, change=lambda stages: None, name="test"):
        self.change, self.name, self.calls = change, name, []

    def __call__(self, backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:
            return self.name, self.name
        self.calls.append((backend, list(stages), options.num_warps, language, capability))
        self.change(stages)


@pytest.fixture
def hook():
    with knobs.runtime.scope():

        def install(change=lambda stages: None, name="test"):
            knobs.runtime.add_stages_inspection_hook = Hook(change, name)
            return knobs.runtime.add_stages_inspection_hook

        yield install


def compiled(target, num_warps=4):
    source = ASTSource(fill, {"x": "*i32"}, {"N": 64})
    return triton.compile(source, target=TARGETS[target][0], options={"num_warps": num_warps})


def replaced(artifact):
    """The kernel stores 43 then. No text is bytes, not even the last one of a simulated GPU."""
    return (
        artifact.replace("dense<41>", "dense<43>")
        .replace("i32 41", "i32 43")
        .replace("%c41_i32 = arith.constant 41", "%c41_i32 = arith.constant 43")
    )


@pytest.mark.parametrize("target", TARGETS)
def test_hooks_see_the_stages(hook, target):
    seen = {}

    def watch(stages):
        for name, own in list(stages.items()):

            def run(src, metadata, name=name, own=own):
                result = seen[name] = own(src, metadata)
                metadata[f"size_of_{name}"] = len(result)
                return result

            stages[name] = run

    expected = compiled(target, num_warps=2)
    watcher = hook(watch)
    kernel = compiled(target, num_warps=2)
    names = TARGETS[target][1]
    (call,) = watcher.calls
    assert call[1:] == (names, 2, Language.TRITON, 90 if "cuda" in target else None)
    assert list(seen) == names and "tt.func public @fill" in seen["ttir"]
    assert kernel.kernel == expected.kernel and type(kernel.kernel) is bytes and kernel.hash == expected.hash
    assert [name for name in kernel.asm if name != "asm"] == ["source", *names]
    assert all(kernel.asm[name] == text == expected.asm[name] for name, text in seen.items())
    assert kernel.metadata.size_of_ttir == len(seen["ttir"]) and kernel.metadata.num_warps == 2


@pytest.mark.parametrize("stage", ["ttir", "llir"])
@pytest.mark.parametrize("of", ["argument", "result"])
def test_hooks_change_artifacts(hook, device, stage, of):
    def change(stages):
        own = stages[stage]
        if of == "argument":
            stages[stage] = lambda src, metadata: own(replaced(src), metadata)
        else:
            stages[stage] = lambda src, metadata: replaced(own(src, metadata))

    x = np.zeros(64, np.int32)
    for expected in (41, 43, 41):  # without the hook, with it, without it
        knobs.runtime.add_stages_inspection_hook = None if expected == 41 else hook(change, f"{stage} {of}")
        kernel = fill[(1,)](x, 64)
        assert (x == expected).all() and ("dense<43>" in kernel.asm["ttir"]) == (expected == 43 and stage == "ttir")
        x[:] = 0


def test_hooks_change_machine_code(hook):
    with knobs.runtime.scope():
        hook(lambda stages: stages.update(llir=lambda src, metadata, own=stages["llir"]: replaced(own(src, metadata))))
        other = compiled("cpu")
    hook(lambda stages: stages.update(o=lambda src, metadata: other.kernel))
    kernel, x = compiled("cpu"), np.zeros(64, np.int32)
    kernel[(1,)](x)
    assert (x == 43).all() and kernel.kernel == other.kernel and "i32 41" in kernel.asm["llir"]
    knobs.runtime.add_stages_inspection_hook = None
    assert kernel.hash != compiled("cpu").hash


@triton.jit
def copied(x, out, m, n):
    pass


def test_launches_make_the_maps_of_changed_stages(hook):
    """The kernel promises that rows begin at multiples of 16 bytes; a launch with others is refused."""
    text = (pathlib.Path(__file__).parent / "mapped_copy.ttgir").read_text()
    hook(lambda stages: stages.update(ttgir=lambda src, metadata: text))
    x = np.arange(64 * 72, dtype=np.float16).reshape(64, 72)
    out = np.zeros_like(x)
    driver.set_active(SimulatedDriver(90))
    try:
        copied[(1,)](x, out, 64, 72)
        with pytest.raises(RuntimeError, match="stride of 70 elements.*multiple of 16 bytes"):
            copied[(1,)](x, out, 64, 70)
    finally:
        driver.set_active_to_cpu()
    assert (out[:, :64] == x[:, :64]).all() and (out[:, 64:] == 0).all()


def test_hooks_with_another_hash_make_other_kernels(hook):
    x = np.zeros(64, np.int32)
    kernels = []
    for name in ("one", "two", "one"):
        watcher = hook(name=name)
        kernels.append(fill[(1,)](x, 64))
        assert len(watcher.calls) == (0 if len(kernels) == 3 else 1)
    assert kernels[2] is kernels[0] is not kernels[1]


def test_stages_that_a_hook_adds(hook, tmp_path):
    def change(stages):
        own = dict(stages)
        stages.clear()
        stages["ttir"] = own["ttir"]
        stages["checked"] = lambda src, metadata: (metadata.update(checked=src.count("tt.store")), src)[1]
        for name in ("ttcir", "llir", "o"):
            stages[name] = own[name]

    hook(change)
    kernel = compiled("cpu")
    assert kernel.asm["checked"] == kernel.asm["ttir"] and kernel.metadata.checked == 1
    path = tmp_path / "fill.ttir"
    path.write_text(kernel.asm["ttir"])
    again = triton.compile(str(path), target=TARGETS["cpu"][0])  # goes on behind the stage of the file
    assert list(again.asm)[:3] == ["ttir", "checked", "ttcir"]
    x = np.zeros(64, np.int32)
    again[(1,)](x)
    assert (x == 41).all()


def test_kernels_of_changed_stages_travel(hook):
    hook(lambda stages: stages.update(ttcir=lambda src, metadata, own=stages["ttcir"]: own(replaced(src), metadata)))
    kernel = pickle.loads(pickle.dumps(compiled("cpu")))
    x = np.zeros(64, np.int32)
    kernel[(1,)](x)
    assert (x == 43).all() and "dense<41>" in kernel.asm["ttir"]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda stages: stages.pop("o"), ValueError, "the stages are ttir, ttcir, llir; the last one must be `o`"),
        (lambda stages: stages.clear(), ValueError, "the stages are none"),
        (
            lambda stages: stages.update(ttir=lambda src, metadata: None),
            TypeError,
            "the function of stage `ttir` returned a `NoneType`; it must return a text",
        ),
        (
            lambda stages: stages.update(o=lambda src, metadata: src),
            TypeError,
            "the function of stage `o` returned a `str`; it must return bytes",
        ),
        (
            lambda stages: stages.update(ttir=lambda src, metadata, own=stages["ttir"]: own(3, metadata)),
            TypeError,
            "the stage `ttir` takes the text of the stage `source`, not a `int`",
        ),
        (
            lambda stages: stages.update(ttir=lambda src, metadata: src.replace("tt.store", "tt.stow")),
            triton.CompilationError,
            "tt.stow",
        ),
    ],
)
def test_mistakes(hook, change, error, message):
    hook(change)
    with pytest.raises(error, match=message):
        compiled("cpu")


def test_what_is_no_hook():
    with pytest.raises(
        TypeError, match=r"returned None when it was called without arguments; it must return \(key, hash"
    ):
        knobs.runtime.add_stages_inspection_hook = lambda *arguments: None
    assert knobs.runtime.add_stages_inspection_hook is None


def test_backends_with_their_own_stages(monkeypatch):
    class Counting(CPUBackend):
        def add_stages(self, stages, options, language=Language.TRITON):
            super().add_stages(stages, options, language)
            stages["ttir"] = lambda src, metadata, own=stages["ttir"]: replaced(own(src, metadata))

    monkeypatch.setattr(backends["cpu"], "compiler", Counting)
    x = np.zeros(64, np.int32)
    compiled("cpu")[(1,)](x)
    assert (x == 43).all()
