"""Variants as texts: hooks get them, `preload` compiles them; and how programs outside bind arguments."""

import json

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.jit import compute_cache_key, create_function_from_signature, serialize_specialization_data

pytestmark = pytest.mark.usefixtures("host_device")


@triton.jit
def double(x):
    return 2 * x


@triton.jit
def apply(x, n, FUNCTION: tl.constexpr, TYPE: tl.constexpr, SHAPE: tl.constexpr):
    i = tl.program_id(0) * SHAPE[0] + tl.arange(0, SHAPE[0])
    tl.store(x + i, FUNCTION(tl.load(x + i, mask=i < n)).to(TYPE), mask=i < n)


@triton.jit
def named(x, MODE: tl.constexpr):
    tl.store(x, 1)


def launch(x):
    apply[(2,)](x, 50, double, tl.float32, (32,), num_warps=2)


@pytest.fixture
def described(monkeypatch):
    """The texts that the hook of compilations gets."""
    texts = []

    def hook(*, compile, **others):
        texts.append(compile["specialization_data"])
        return False

    monkeypatch.setattr(triton.knobs.runtime, "jit_cache_hook", hook)
    apply.device_caches.clear()
    return texts


def test_hooks_are_told_where_the_function_stands(monkeypatch):
    """Programs that make a kernel of text give its function the place where another process finds it."""
    told = []

    def hook(*, fn, **others):
        told.append((fn.module, fn.name))
        return False

    monkeypatch.setattr(triton.knobs.runtime, "jit_cache_hook", hook)
    kernel = triton.JITFunction(apply.fn)
    x = np.ones(64, np.float32)
    kernel.warmup(x, 50, double, tl.float32, (64,), grid=(1,))
    monkeypatch.setattr(apply.fn, "__module__", "elsewhere")
    monkeypatch.setattr(apply.fn, "__qualname__", "Class.method")
    kernel.warmup(x, 50, double, tl.float32, (64,), grid=(1,), num_warps=8)
    assert told == [(__name__, "apply"), ("elsewhere", "Class.method")]


def test_a_preloaded_variant_is_not_compiled_again(described):
    x = np.ones(64, np.float32)
    launch(x)
    assert len(described) == 1
    facts = json.loads(described[0])
    assert facts["name"] == "apply" and facts["signature"]["x"] == "*fp32" and facts["options"] == {"num_warps": 2}
    assert {"jit_function": f"{__name__}:double"} in facts["constant_vals"]
    assert facts["target"].keys() == {"backend", "arch", "warp_size"}
    apply.device_caches.clear()
    kernel = apply.preload(described[0])
    assert described == described[:1] * 2, "the hook is called where something is compiled"
    launch(x)
    assert len(described) == 2
    assert kernel in apply.device_caches[0][0].values()
    np.testing.assert_array_equal(x, [4.0] * 50 + [1.0] * 14)
    apply[(2,)](x, 50, double, tl.float32, (64,))
    assert len(described) == 3, "another variant"


def test_data_of_something_else_are_refused(described):
    launch(np.ones(64, np.float32))
    with pytest.raises(RuntimeError, match="a variant of `apply`, not of `named`"):
        named.preload(described[0])
    facts = json.loads(described[0])
    facts["target"]["arch"] = "vax"
    with pytest.raises(RuntimeError, match=":vax, but kernels are launched on"):
        apply.preload(json.dumps(facts))


def test_values_without_a_text():
    class Mode:
        def __repr__(self):
            return "Mode.fast"

    target = triton.runtime.driver.active.get_current_target()
    types = {"x": "*i32", "MODE": "constexpr"}
    data = serialize_specialization_data("named", types, {(1,): Mode()}, {}, {}, "key", target)
    with pytest.raises(RuntimeError, match="`named` cannot be compiled from its description, which lacks Mode.fast"):
        named.preload(data)


def test_descriptions_of_options_and_nested_constants():
    class Options:
        def __init__(self):
            self.num_warps = 8

    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    constants = {(1,): tl.constexpr(3), (2, 0): None}
    text = serialize_specialization_data("k", {"x": ("i32", "*fp16")}, constants, {(0,): []}, Options(), "key", target)
    assert json.loads(text) == {
        "name": "k",
        "signature": {"x": ["i32", "*fp16"]},
        "constant_keys": [[1], [2, 0]],
        "constant_vals": [{"constexpr": 3}, None],
        "attrs_keys": [[0]],
        "attrs_vals": [[]],
        "options": {"num_warps": 8},
        "key": "key",
        "target": {"backend": "cuda", "arch": 90, "warp_size": 32},
    }


@triton.jit
def annotated(x, n: tl.int32, scale: tl.float32, plain, BLOCK: tl.constexpr = 64):
    pass


def test_arguments_are_bound_as_a_launch_binds_them():
    kernels, texts, target, backend, bind = annotated.create_binder()
    assert kernels == {} and texts == {} and target == triton.runtime.driver.active.get_current_target()
    x = np.zeros(8, np.float16)
    arguments, specialization, options = bind(x, 16, 1.5, plain=7, num_warps=2)
    assert arguments["x"] is x and list(arguments.values())[1:] == [16, 1.5, 7, 64] and options == {"num_warps": 2}
    types, keys = zip(*specialization, strict=True)
    assert types == ("*fp16", "i32", "fp32", "i32", "constexpr")
    assert keys[1] == backend.get_int_specialization(16, align=True) and keys[2] is None and keys[4] == 64
    assert bind(x, 17, 1.5, 1)[1][3] == ("constexpr", 1)
    again = create_function_from_signature(annotated.signature, annotated.params, backend)
    assert again(x, 16, 1.5, plain=7)[1] == specialization
    with pytest.raises(TypeError, match="plain"):
        bind(x, 16, 1.5)


@triton.jit
def scaled_sum(pair, out, n, SCALE: tl.constexpr, BLOCK: tl.constexpr = 64):
    i = tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, (tl.load(pair[0] + i, mask=mask) + tl.load(pair[1] + i, mask=mask)) * SCALE, mask=mask)


def test_programs_compile_the_variant_of_a_launch_themselves():
    """As the tuner of Helion does, and the warm-up of vLLM."""
    x, y, out = np.arange(64, dtype=np.float32), np.ones(64, np.float32), np.zeros(64, np.float32)
    given = dict(pair=(x, y), out=out, n=48, SCALE=3)
    kernels, texts, target, backend, bind = scaled_sum.device_caches[0]
    arguments, specialization, options = bind(**given, num_warps=2, debug=False)
    key = compute_cache_key(texts, specialization, options)
    packed = scaled_sum._pack_args(backend, {}, arguments, specialization, options)
    options, signature, constants, attributes = packed
    assert signature["pair"] == ("*fp32", "*fp32") and signature["SCALE"] == signature["BLOCK"] == "constexpr"
    assert constants == {(3,): 3, (4,): 64} and options.num_warps == 2
    assert ["tt.divisibility", 16] in attributes[(2,)]
    source = scaled_sum.ASTSource(scaled_sum, signature, constants, attributes)
    kernels[key] = scaled_sum.compile(source, target=target, options=options.__dict__)
    kernels[key][(1,)]((x, y), out, 48)
    np.testing.assert_array_equal(out, np.where(np.arange(64) < 48, (x + y) * 3, 0))
    launched = scaled_sum.warmup(**given, num_warps=2, debug=False, grid=(1,))
    assert launched.hash == kernels[key].hash and launched in scaled_sum.device_caches[0][0].values()
    with pytest.raises(KeyError, match="`warps` is neither"):
        scaled_sum._pack_args(backend, {}, arguments, specialization, {"warps": 2})
