"""`triton.knobs`: groups, descriptors, tools, hooks; and the small helper modules that go with them."""

import os
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import _filecheck, _instrumentation, _utils, knobs
from triton.backends.compiler import GPUTarget
from triton.runtime import _allocation, build

GROUPS = ("build", "redis", "cache", "compilation", "autotuning", "language", "runtime", "nvidia")


def test_groups():
    for name in GROUPS:
        group = getattr(knobs, name)
        assert type(group) is getattr(knobs, f"{name}_knobs") and isinstance(group, knobs.base_knobs)
        assert set(group.knobs) == set(group.knob_descriptors)
        assert all(isinstance(setting, knobs.env_base) for setting in group.knob_descriptors.values())
        assert group.copy().knobs == group.knobs
    assert isinstance(knobs.runtime_knobs.interpret, knobs.env_bool) and knobs.runtime_knobs.interpret.key


def test_kinds_of_settings(monkeypatch):
    class Own(knobs.base_knobs):
        text = knobs.env_str("OWN_TEXT", "default")
        made = knobs.env_str_callable_default("OWN_MADE", lambda: "made")
        flag = knobs.env_bool("OWN_FLAG", True)
        number = knobs.env_int("OWN_NUMBER", 7)
        maybe = knobs.env_opt_str("OWN_MAYBE")
        unsure = knobs.env_opt_bool("OWN_UNSURE")
        cls = knobs.env_class("OWN_CLASS", "CacheManager")

    own = Own()
    assert own.knobs == {
        "text": "default",
        "made": "made",
        "flag": True,
        "number": 7,
        "maybe": None,
        "unsure": None,
        "cls": None,
    }
    for name, text in (("TEXT", "t"), ("FLAG", "off"), ("NUMBER", "12"), ("MAYBE", ""), ("UNSURE", "Yes")):
        monkeypatch.setenv(f"OWN_{name}", text)
    assert (own.text, own.flag, own.number, own.maybe, own.unsure) == ("t", False, 12, "", True)
    with own.scope():
        own.number = 3
        assert own.number == 3 and os.environ["OWN_NUMBER"] == "3"
        own.flag = True
        assert os.environ["OWN_FLAG"] == "1"
        own.text = None
        assert own.text is None and "OWN_TEXT" not in os.environ
        del own.number
        assert own.number == 3
    assert own.number == 12 and own.flag is False and own.text == "t"
    monkeypatch.setenv("OWN_NUMBER", "twelve")
    with pytest.raises(RuntimeError, match="OWN_NUMBER is `twelve`"):
        own.number  # noqa: B018
    monkeypatch.setenv("OWN_CLASS", "triton.runtime.cache:FileCacheManager")
    assert own.cls.__name__ == "FileCacheManager"
    monkeypatch.setenv("OWN_CLASS", "triton.runtime.jit:JITFunction")
    with pytest.raises(RuntimeError, match="derives from `CacheManager`"):
        own.cls  # noqa: B018
    assert [knobs.toenv(value) for value in (True, 3, "x", None, object())] == [("1",), ("3",), ("x",), (None,), None]
    knobs.setenv("OWN_TEXT", None)
    assert "OWN_TEXT" not in os.environ


def test_tools(tmp_path, monkeypatch):
    """Reading a tool gives its path and version; what is no tool is an error."""
    ptxas = knobs.nvidia.ptxas
    assert os.access(ptxas.path, os.X_OK) and float(ptxas.version) >= 12
    assert knobs.NvidiaTool.from_path(ptxas.path) == ptxas and knobs.NvidiaTool.from_path("/nowhere") is None
    assert knobs.NvidiaTool.from_path(sys.executable) is None
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 99.1, V99.1.2'\n")
    program.chmod(0o755)
    with knobs.nvidia.scope():
        knobs.nvidia.nvdisasm = str(program)
        assert knobs.nvidia.nvdisasm == knobs.NvidiaTool(str(program), "99.1")
        assert os.environ["TRITON_NVDISASM_PATH"] == str(program) and knobs.nvidia.knobs["nvdisasm"].version == "99.1"
        del knobs.nvidia.nvdisasm
        assert knobs.nvidia.nvdisasm.path == str(program)
        monkeypatch.setenv("TRITON_CUOBJDUMP_PATH", "/nowhere")
        with pytest.raises(RuntimeError, match="TRITON_CUOBJDUMP_PATH names `/nowhere`"):
            knobs.nvidia.cuobjdump  # noqa: B018


def test_fusion(monkeypatch):
    assert knobs.language.fp_fusion_enabled(None) is True and knobs.language.fp_fusion_enabled(False) is False
    with knobs.language.scope():
        knobs.language.default_fp_fusion = False
        assert knobs.language.fp_fusion_enabled(None) is False and knobs.language.fp_fusion_enabled(True) is True
        knobs.language.force_disable_fp_fusion = True
        assert knobs.language.fp_fusion_enabled(True) is False

        @triton.jit
        def kernel(x, y):
            tl.store(y, tl.load(x) * tl.load(x + 1) + tl.load(x + 2))

        x, y = np.array([1 + 2**-12, 1 + 2**-12, -1 - 2**-11], np.float32), np.zeros(1, np.float32)
        kernel[(1,)](x, y, enable_fp_fusion=True)
        assert y[0] == 0  # a fused operation keeps the 2**-24 of the product


def test_checks_that_are_not_available_are_refused(monkeypatch):
    @triton.jit
    def kernel(x):
        tl.store(x, 1)

    monkeypatch.setenv("TRITON_ENABLE_ASAN", "1")
    with pytest.raises(RuntimeError, match=r"`knobs.compilation.enable_asan` \(TRITON_ENABLE_ASAN\)"):
        kernel[(1,)](np.zeros(1, np.int32))


def test_instrumentation_is_refused():
    @triton.jit
    def kernel(x):
        tl.store(x, 1)

    with pytest.raises(ValueError, match="`consan` is not available"):
        kernel[(1,)](np.zeros(1, np.int32), instrumentation_mode="consan")


def test_types_of_hooks():
    for name in ("JITHook", "LaunchHook", "InitHandleHook", "CompilationListener", "AutotuneListener", "BuildImpl"):
        assert getattr(knobs, name).__name__ == name
    assert "signature" in knobs.JITHookCompileInfo.__annotations__
    times = knobs.CompileTimes(1, [("ttir", 2), ("llir", 3)], 4)
    assert times.total_lowering == 5 and times.total == 10
    calls = []
    chain = knobs.HookChain(reversed=True)
    first, second = (lambda name: lambda *args: calls.append(name))("first"), lambda *args: calls.append("second")
    chain.add(first)
    chain.add(second)
    chain.add(first)
    chain("data")
    assert calls == ["second", "first"] and chain.reversed
    chain.remove(second)
    assert chain.calls == [first]


def test_nested_tuples():
    nested = (1, (2, [3, 4]))
    assert _utils.find_paths_if(nested, lambda path, item: item % 2 == 0) == [(1, 0), (1, 1, 1)]
    assert _utils.get_iterable_path(nested, (1, 1, 0)) == 3
    _utils.set_iterable_path(nested, (1, 1, 0), 5)
    assert nested[1][1] == [5, 4]
    seen = {}
    _utils.apply_with_path(nested, lambda path, item: seen.__setitem__(path, item))
    assert seen == {(0,): 1, (1, 0): 2, (1, 1, 0): 5, (1, 1, 1): 4}
    assert [_utils.is_power_of_two(n) for n in (0, 1, 6, 8)] == [False, True, False, True]


def test_names_of_types():
    assert (
        _utils.canonicalize_dtype("torch.bfloat16") == "bf16"
        and _utils.canonicalize_dtype("float8_e4m3fn") == "fp8e4nv"
    )
    assert _utils.canonicalize_ptr_dtype("int", True) == "*ki32" and _utils.canonicalize_dtype(np.dtype("u1")) == "u8"
    assert _utils.get_primitive_bitwidth("fp64") == 64 and _utils.BITWIDTH_DICT["double"] == 64
    assert _utils.type_canonicalisation_dict["bool"] == "u1" and _utils.BITWIDTH_DICT["i1"] == 1


def test_instrumentation_points():
    seen = []
    _instrumentation.register_instrumentation(point="p", backend="b", callback=lambda *args: seen.append(args))
    assert _instrumentation.instrument(1, 2, point="p", backend="b", context=3) and seen == [(1, 2)]
    assert not _instrumentation.instrument(point="q", backend="b")
    with pytest.raises(RuntimeError, match="already"):
        _instrumentation.register_instrumentation(point="p", backend="b", callback=print)
    _instrumentation.unregister_instrumentation(point="p", backend="b")
    assert not _instrumentation.instrument(point="p", backend="b")
    options = type("Options", (), {"instrumentation_mode": "one, two"})
    assert _instrumentation.is_enabled(options, "two") and not _instrumentation.is_enabled(options, "three")


def test_allocators():
    assert not _allocation.has_profile_allocator()
    _allocation.set_profile_allocator(lambda size, alignment, stream: None)
    assert _allocation.has_profile_allocator()
    _allocation.set_profile_allocator(None)
    assert not _allocation.has_profile_allocator() and _allocation.Allocator and _allocation.Buffer
    with pytest.raises(RuntimeError, match="set_allocator"):
        _allocation.NullAllocator()(1, 1, None)


@_filecheck.filecheck_test
@triton.jit
def test_checks_in_a_kernel():
    # CHECK-LABEL: test_checks_in_a_kernel
    # CHECK: tt.get_program_id
    # CHECK: arith.muli
    i = tl.program_id(0) * 2
    tl.device_print("i", i)


@triton.jit
def with_arguments(x, n, BLOCK: tl.constexpr):
    # CHECK: tt.func {{.*}}!tt.ptr<f32>
    # CHECK: tt.make_range {end = 32
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


def test_filecheck():
    arguments = (triton.MockTensor(tl.float32), 5, 32)
    for target in (GPUTarget("cuda", 90, 32), GPUTarget("cpu", "x86_64", 0)):
        _filecheck.run_filecheck_test(with_arguments, arguments, target=target)
    text = str(_filecheck.run_parser(with_arguments, arguments[:2], {"BLOCK": 64}))
    assert "end = 64" in text
    with pytest.raises(_filecheck.MatchError, match="end = 32") as raised:
        _filecheck.run_filecheck_test(with_arguments, arguments[:2], {"BLOCK": 64})
    assert raised.value.module_str == text and isinstance(raised.value, ValueError)


SOURCE = """
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *args) { return PyLong_FromLong(ANSWER); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "native_answer", "", -1, methods};
PyMODINIT_FUNC PyInit_native_answer(void) { return PyModule_Create(&definition); }
"""


def test_native_modules(fresh_cache, tmp_path, monkeypatch):
    module = build.compile_module_from_src(SOURCE, "native_answer", ccflags=["-DANSWER=42"])
    assert module.answer() == 42 and str(fresh_cache) in module.__file__
    again = build.compile_so_from_src(SOURCE, "native_answer", ccflags=["-DANSWER=42"])
    assert again == module.__file__ and build.platform_key().startswith("x86_64,Linux")
    (tmp_path / "number.h").write_text("#define ANSWER 43\n")
    path = tmp_path / "answer.cpp"
    path.write_text('#include "number.h"\n' + SOURCE.replace("static struct PyModuleDef", "static PyModuleDef"))
    assert build.compile_module_from_file(str(path), "native_answer").answer() == 43
    with pytest.raises(RuntimeError, match="(?s)cannot build `broken`.*error"):
        build.compile_so_from_src("nonsense", "broken")
    with pytest.raises(ValueError, match="language is 'rust'"):
        build.compile_so_from_src("", "name", language="rust")
    monkeypatch.setattr(knobs.build, "impl", lambda name, src, *rest: again, raising=False)
    assert os.path.exists(build.compile_so_from_src("whatever", "elsewhere"))
