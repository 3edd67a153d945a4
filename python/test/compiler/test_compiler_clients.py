"""What compilers that generate kernels, such as PyTorch's, take of the package. Their own programs are in clients/."""

import copy
import inspect
import os
import pickle
import subprocess
import sys
import types
from collections import namedtuple

import numpy as np
import programs
import pytest
import triton
import triton.language as tl
from shared_kernels import compiled_product
from triton import _C
from triton._utils import find_paths_if, get_iterable_path, set_iterable_path
from triton.backends import BaseBackend
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompiledKernel
from triton.compiler.compiler import make_backend
from triton.runtime.cache import _base32
from triton.runtime.driver import driver
from triton.runtime.jit import MarkedFunction, mangle_type, native_specialize_impl


@triton.jit
def pick(pointer, mask):
    return tl.load(pointer, mask=mask, other=0.0)


@triton.jit
def kernel(x, out, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(2):
        total += pick(x + i, i < n) * scale + k
    tl.store(out + i, total, mask=i < n)


SIGNATURE = {"x": "*fp32", "out": "*fp32", "n": "i32", "scale": "fp32", "BLOCK": "constexpr"}


def compiled(target=None):
    return triton.compile(ASTSource(kernel, SIGNATURE, {"BLOCK": 32}), target=target)


def run(compiled_kernel, hooks=(None, None), constants=(32,), stream=0):
    x, out = np.arange(50, dtype=np.float32), np.full(50, np.nan, np.float32)
    compiled_kernel._init_handles()
    launch = compiled_kernel.run
    launch(
        2,
        1,
        1,
        stream,
        compiled_kernel.function,
        compiled_kernel.packed_metadata,
        "told",
        *hooks,
        x,
        out,
        50,
        2.0,
        *constants,
    )
    np.testing.assert_array_equal(out, x * 4 + 1)


def test_runner():
    run(compiled())
    run(compiled(), constants=())
    run(compiled(), stream=None)


def test_runner_calls_hooks():
    calls = []
    run(compiled(), (lambda told: calls.append(("enter", told)), lambda told: calls.append(("exit", told))))
    assert calls == [("enter", "told"), ("exit", "told")]
    run(compiled(), (triton.knobs.runtime.launch_enter_hook, triton.knobs.runtime.launch_exit_hook))


def test_runner_refuses():
    launch = compiled().run
    with pytest.raises(TypeError, match="three extents of the grid, stream"):
        launch(1, 1, 1)
    with pytest.raises(TypeError, match="takes 5 arguments, or the 4 that are not"):
        launch(1, 1, 1, 0, 0, None, None, None, None, 1)
    with pytest.raises(TypeError, match="argument `n`"):
        launch(1, 1, 1, 0, 0, None, None, None, None, None, None, "fifty", 2.0)
    launch(0, 1, 1, 0, 0, None, None, None, None, None, None, 50, 2.0)  # no program


def test_facts_of_a_kernel():
    facts = compiled(GPUTarget("cuda", 90, 32))
    assert f".reqntid {32 * facts.metadata.num_warps}" in facts.asm["ptx"]
    assert facts.metadata.shared == 0 and facts.metadata.num_ctas == 1
    assert facts.metadata.global_scratch_size == 0 and facts.metadata.profile_scratch_size == 0
    assert facts.asm["cubin"][:4] == b"\x7fELF"
    assert facts.metadata_group["kernel.cubin"].endswith(f"{_base32(facts.hash)}/kernel.cubin")


@pytest.mark.parametrize("size, words", [(0, 0), (4, 1), (10, 3), (64, 16)])
def test_spills_are_counted_in_words(size, words):
    """PyTorch leaves out configurations that spill more than 16 of them."""
    kernel = compiled()
    kernel.__dict__["metadata"] = types.SimpleNamespace(n_spills=size)
    assert kernel.n_spills == words
    kernel.__dict__["metadata"] = types.SimpleNamespace(n_spills=size * 3, resources={"local_bytes": size})
    assert kernel.n_spills == words


def test_other_launchers_leave_kernels_with_tensor_maps(monkeypatch):
    facts = compiled_product()
    assert facts.metadata.global_scratch_size == 128 * len(facts.metadata.tensor_maps) == 256
    with pytest.raises(RuntimeError, match="`product_by_maps` gets tensor maps .*TRITON_DISABLE_WARP_SPEC"):
        facts.launch_metadata_schema  # noqa: B018  as PyTorch asks for it
    monkeypatch.setenv("TRITON_DISABLE_WARP_SPECIALIZATION", "1")
    facts = compiled_product()
    assert facts.metadata.global_scratch_size == 0 and not hasattr(facts, "launch_metadata_schema")


@triton.jit
def shout(x):
    tl.device_print("x", tl.load(x))


@pytest.mark.parametrize("target,size", [(GPUTarget("hip", "gfx942", 64), 8), (GPUTarget("cuda", 90, 32), 0)])
def test_other_launchers_leave_kernels_that_leave_messages(target, size):
    facts = triton.compile(ASTSource(shout, {"x": "*i32"}), target=target)
    assert facts.metadata.global_scratch_size == size and not hasattr(facts, "launch_metadata_schema")


def test_machine_code_as_text(tmp_path):
    program = tmp_path / "cuobjdump"
    line = "        /*0000*/  EXIT ;  /* 0x000000000000794d */\n  /* 0x000fea0003800000 */\n"
    program.write_text(
        '#!/bin/sh\ncase "$*" in *--version*) echo "release 13.1, V13.1";; *) '
        + f"cat <<'END'\n\tFunction : kernel\n{line}END\n;; esac\n"
    )
    program.chmod(0o755)
    facts = compiled(GPUTarget("cuda", 90, 32))
    with triton.knobs.nvidia.scope():
        triton.knobs.nvidia.cuobjdump = str(program)
        assert "EXIT" in facts.asm["sass"]
    assert "sass" not in list(facts.asm)
    with pytest.raises(KeyError):
        compiled().asm["sass"]


def travelled(value):
    return pickle.loads(pickle.dumps(value))


def without_function(function):
    """Takes from a function what cannot travel, as PyTorch's workers do; returns what puts it back."""
    kept = {name: getattr(function, name) for name in ("fn", "__globals__", "used_global_vals", "repr")}
    function.fn = function.__globals__ = function.used_global_vals = None
    function.repr = "kernel"
    return kept


def restore(function, kept):
    for name, value in kept.items():
        setattr(function, name, value)
    del function.repr
    function.used_global_vals = None


def test_programs_replace_what_makes_a_kernel(monkeypatch):
    """Kernel libraries count compilations and change files so. They know Triton's parameters."""
    make, seen = CompiledKernel.__init__, []

    def replacement(self, src, metadata_group, hash):
        seen.append((src, sorted(metadata_group), hash))
        metadata_group["elsewhere.json"] = "/elsewhere"
        make(self, src, metadata_group, hash)

    monkeypatch.setattr(CompiledKernel, "__init__", replacement)
    made = compiled()
    ((src, files, hash),) = seen
    assert (src, hash) == (made.src, made.hash)
    assert set(made.metadata_group) == {"elsewhere.json", *files} and "kernel.json" in files
    run(made)


def test_kernels_travel():
    original = compiled()
    assert original.metadata_group
    kept = without_function(kernel)
    try:
        data = pickle.dumps(original)
        copied = copy.deepcopy(kernel)
    finally:
        restore(kernel, kept)
    assert copied is not kernel and copied.fn is None and copied.arg_names == kernel.arg_names
    arrived = pickle.loads(data)
    assert isinstance(arrived, CompiledKernel) and arrived.hash == original.hash
    assert arrived.metadata == original.metadata and arrived.asm["ttir"] == original.asm["ttir"]
    assert arrived.src.fn.arg_names == kernel.arg_names and arrived.src.fn.params[4].is_constexpr
    assert arrived.src.signature == original.src.signature and arrived.src.constants == original.src.constants
    run(arrived)
    run(arrived, constants=())
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = "elsewhere"
        assert not pickle.loads(data).metadata_group


def test_functions_travel_by_name():
    assert travelled(kernel) is kernel and copy.deepcopy(kernel) is kernel


@triton.constexpr_function
def doubled(x):
    return 2 * x


@triton.autotune([triton.Config({"BLOCK": block}) for block in (16, 32)], key=["n"])
@triton.heuristics({"SCALE": lambda arguments: doubled(arguments["n"])})
@triton.jit
def chosen(x, n, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, doubled(SCALE), i < n)


class Holder:
    @staticmethod
    @triton.jit
    def method(x):
        return x


@pytest.mark.parametrize("function", [doubled, chosen, chosen.fn, Holder.method])
def test_all_kinds_of_functions_travel_by_name(function):
    if isinstance(function, triton.runtime.autotuner.Heuristics):  # only the outermost kernel has the name
        assert copy.copy(function) is function and copy.deepcopy([function])[0] is function
        return
    assert travelled(function) is function
    assert copy.copy(function) is function and copy.deepcopy([function])[0] is function


def test_functions_without_a_name_travel_with_what_they_are(tmp_path):
    programs.run(
        tmp_path,
        """
import copy, pickle
import numpy as np, triton, triton.language as tl

@triton.constexpr_function
def twice(x):
    return 2 * x

@triton.jit
def plain(x, pair, N: tl.constexpr):
    a, b = pair
    tl.store(x, a + b + twice(N))

@triton.autotune([triton.Config({"N": number}) for number in (5, 5)], key=[])
@triton.jit
def tuned(x, pair, N: tl.constexpr):
    a, b = pair
    tl.store(x, a + b + twice(N))

for copied in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
    x = np.zeros(1, np.int32)
    copied(plain)[(1,)](x, (3, 4), N=5)
    assert x[0] == 17, x
    x[0] = 0
    copied(tuned)[(1,)](x, (3, 4))
    assert x[0] == 17, x
    assert copied(twice)(4) == 8
""",
    )


def test_kernels_travel_to_another_process(tmp_path):
    original = compiled()
    kept = without_function(kernel)
    try:
        (tmp_path / "kernel").write_bytes(pickle.dumps(original))
    finally:
        restore(kernel, kept)
    program = f"""
import os
import pickle
import numpy as np
kernel = pickle.load(open({str(tmp_path / "kernel")!r}, "rb"))
x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
kernel[(2,)](x, out, 50, 2.0)
assert (out == x * 4 + 1).all()
"""
    variables = {"PYTHONPATH": ":".join(sys.path), "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    environment = os.environ | variables
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert not (tmp_path / "cache").exists()


def test_damaged_kernels_are_refused():
    with pytest.raises(ValueError, match="damaged"):
        _C.Kernel.__new__(_C.Kernel).__setstate__(("0" * 64, "{}", {}, [], 0))


def listed(function=kernel, signature=SIGNATURE, constants=None):
    target = driver.active.get_current_target()
    backend = make_backend(target)
    context = _C.libtriton.ir.context()
    _C.libtriton.ir.load_dialects(context)
    backend.load_dialects(context)
    options = backend.parse_options({})
    source = ASTSource(function, signature, {"BLOCK": 32} if constants is None else constants)
    assert len(inspect.signature(source.make_ir).parameters) == 5
    return source.make_ir(
        target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
    )


def test_operations_are_walked_from_the_inside_out(capfd):
    module = listed()
    module.dump()
    assert capfd.readouterr().err == str(module)
    assert module.verify() and "tt.func public @kernel" in str(module)
    names, functions, stored = [], [], []

    def visit(operation):
        names.append(operation.get_name())
        if operation.get_name() == "tt.func":
            functions.append(operation.get_str_attr("sym_name"))
        if operation.get_name() == "tt.call":
            assert operation.get_flat_symbol_ref_attr("callee").startswith(("pick", "zeros"))
        if operation.get_name() == "scf.for":
            assert operation.get_num_regions() == 1 and operation.get_num_results() == 1
            assert names.index("scf.yield") < len(names) - 1
        if operation.get_name() == "tt.store":
            block = operation.get_block()
            stored.append(operation.get_operand(0).id())
            assert block.get_num_arguments() == 4 and block.get_parent().id() is not None
            assert len({block.get_argument(index).id() for index in range(4)}) == 4
            with pytest.raises(IndexError):
                operation.get_operand(3)
            with pytest.raises(IndexError):
                block.get_argument(4)

    module.walk(visit)
    assert functions[0] == "kernel" and len(stored) == 1
    assert names[-1] == "builtin.module" and names.index("scf.for") < names.index("tt.func")


def test_attributes_of_operations():
    @triton.jit
    def inline(out):
        tl.store(out, tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [tl.load(out)], tl.int32, False, 1))

    found = {}

    def visit(operation):
        if operation.get_name() == "tt.elementwise_inline_asm":
            found.update(
                pure=operation.get_bool_attr("pure"),
                text=operation.get_str_attr("asm_string"),
                count=operation.get_int_attr("packed_element"),
                nothing=operation.get_bool_attr("other"),
            )

    listed(inline, {"out": "*i32"}, {}).walk(visit)
    assert found == {"pure": False, "text": "mov.b32 $0, $1;", "count": 1, "nothing": None}


def test_what_a_launch_makes_of_an_argument():
    x = np.zeros(16, np.float16)
    aligned = x if x.ctypes.data % 16 == 0 else x[(-x.ctypes.data % 16) // 2 :]
    cases = {
        "*fp16": aligned,
        "i32": 5,
        "i64": 1 << 40,
        "u64": 1 << 63,
        "fp32": 2.5,
        "u1": True,
    }
    for expected, value in cases.items():
        assert mangle_type(value) == expected
    assert mangle_type(None) == mangle_type(tl.constexpr(3)) == mangle_type(kernel) == "constexpr"
    assert native_specialize_impl(BaseBackend, 1) == ("constexpr", 1)
    assert native_specialize_impl(BaseBackend, 1, False, False) == ("i32", None)
    assert native_specialize_impl(BaseBackend, 32) == ("i32", "D")
    assert native_specialize_impl(BaseBackend, 33) == ("i32", "")
    assert native_specialize_impl(BaseBackend, aligned) == ("*fp16", "D")
    assert native_specialize_impl(BaseBackend, aligned[1:], True) == ("*kfp16", "")
    for is_specialized in (True, False):  # which does not count for elements of tuples
        given = BaseBackend, (1, 32, aligned), False, is_specialized
        assert native_specialize_impl(*given) == (("constexpr", "i32", "*fp16"), (1, "D", "D"))


def test_paths():
    nested = [1, (2, [3, None])]
    assert find_paths_if(nested, lambda path, item: item is not None) == [(0,), (1, 0), (1, 1, 0)]
    assert get_iterable_path(nested, (1, 1, 0)) == 3
    set_iterable_path(nested, (1, 1, 1), 4)
    assert nested == [1, (2, [3, 4])]


def mark(function):
    function.__triton_builtin__ = True
    return function


@mark
def rounded_up(n, *, _builder=None):
    assert isinstance(n, tl.constexpr) and _builder is None
    return tl.constexpr(triton.next_power_of_2(n.value))


@mark
def unless_missing(mask, value, *, _semantic):
    assert _semantic is None
    return tl.constexpr(None) if isinstance(mask, tl.constexpr) and mask.value is None else value


@mark
def width_of(value, *, _semantic):
    return tl.constexpr(value.dtype.primitive_bitwidth)


@mark
def bits_of(dtype, *, _semantic):
    return tl.constexpr(dtype.value.primitive_bitwidth)


@mark
def bits_by_name(dtype, *, _semantic):
    return tl.constexpr({"fp16": 16, "int64": 64}[dtype.name])


@mark
def looks_inside(value, *, _semantic):
    return value.handle


def test_marked_functions_run_at_compile_time():
    @triton.jit
    def kernel(x, out, n, N: tl.constexpr):
        SIZE: tl.constexpr = rounded_up(N)
        i = tl.arange(0, SIZE)
        value = tl.load(x + i, mask=i < n, other=unless_missing(i < n, 7.0))
        value += tl.load(x + i % N, mask=None, other=unless_missing(None, 7.0))
        tl.store(out + i, unless_missing(True, value) + width_of(value))

    x, out = np.arange(5, dtype=np.float32), np.zeros(8, np.float32)
    kernel[(1,)](x, out, 5, 5)
    np.testing.assert_array_equal(out, np.array([0, 2, 4, 6, 8, 7, 8, 9]) + 32)


def test_marked_functions_get_types():
    """As constants, whose value they read, and as what the language calls by name."""

    @triton.jit
    def kernel(out, DT: tl.constexpr):
        LOCAL: tl.constexpr = tl.int64
        tl.store(out, bits_of(DT) + 100 * bits_of(LOCAL))
        tl.store(out + 1, bits_by_name(tl.float16) + 100 * bits_by_name(tl.int64))

    out = np.zeros(2, np.int32)
    kernel[(1,)](out, tl.bfloat16)
    assert out.tolist() == [6416, 6416]


@mark
def kinds_of(*args, label, _semantic):
    def kind(value):
        if isinstance(value, tuple):
            return [kind(element) for element in value]
        return f"constexpr {kind(value.value)}" if isinstance(value, tl.constexpr) else type(value).__name__

    seen[label.value] = [kind(value) for value in args]
    return tl.core._unwrap_if_constexpr(args)[0]


seen = {}


HELD = tl.constexpr(tl.float16)


@triton.jit
def same(x):
    return x


def test_marked_functions_get_constants_as_triton_passes_them():
    """In `tl.constexpr`, but dtypes that none holds and functions as they are; each element of a tuple for itself."""
    pair, captured = namedtuple("pair", "one other"), tl.constexpr(tl.int64)

    @triton.jit
    def kernel(out, given, n, N: tl.constexpr, DT: tl.constexpr):
        kinds_of(1, 2.5, True, "text", None, -N, label="numbers")
        LOCAL: tl.constexpr = tl.int64
        kinds_of(DT, LOCAL, HELD, captured, tl.float32, out.dtype.element_ty, label="dtypes")
        kinds_of(same, label="functions")
        kinds_of((N, 2), [n, 2], (tl.float16, (N, n)), given, label="tuples")
        tl.store(out, kinds_of((N, 2), label="returned")[0] + kinds_of(n, label="value"))

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, pair(3, 2.5), 20, 4, tl.float16)
    assert out[0] == 24
    number = "constexpr int"
    assert seen["numbers"] == [f"constexpr {kind}" for kind in ("int", "float", "bool", "str", "NoneType", "int")]
    assert seen["dtypes"] == ["constexpr dtype"] * 4 + ["dtype"] * 2
    assert seen["functions"] == ["JITFunction"]
    assert seen["tuples"] == [
        [number, number],
        ["RuntimeTensor", number],
        ["dtype", [number, "RuntimeTensor"]],
        ["RuntimeTensor", "RuntimeTensor"],
    ]


def test_marked_functions_cannot_look_into_values():
    @triton.jit
    def kernel(out):
        tl.store(out, looks_inside(tl.load(out)))

    with pytest.raises(triton.CompilationError, match="looks_inside.*AttributeError"):
        kernel[(1,)](np.zeros(1, np.float32))


def test_sources_of_marked_functions_decide():
    def decorated(function):
        return mark(lambda n, **keywords: function(n, **keywords))

    assert "next_power_of_2" in MarkedFunction(rounded_up).fingerprint
    assert "next_power_of_2" in MarkedFunction(decorated(rounded_up)).fingerprint


def test_unwrapping():
    @triton.jit
    def kernel(out, TYPE: tl.constexpr):
        kind = tl.core._unwrap_if_constexpr(TYPE)
        tl.store(out, tl.core._unwrap_if_constexpr(tl.load(out) + 1).to(kind))

    out = np.zeros(1, np.int64)
    kernel[(1,)](out, tl.int32)
    assert out[0] == 1
