"""What the compiler says of wrong kernels in Gluon: the place, both sides, and a remedy."""

import re

import bad_gluon_blocks
import bad_gluon_buffers
import bad_gluon_library
import bad_gluon_units
import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl

MARKER = re.compile(r"# error(?: on (\w+))?(?: in (\w+))?: (.*)$", re.MULTILINE)
#: What an error without a line of help says of what would be right.
REMEDY = re.compile(r"; |\b(must|takes|needs?|both|is out of range|does not support)\b")
#: The types of parameters, by their names.
TYPES = {
    "x": "*i32",
    "f": "*fp32",
    "h": "*fp16",
    "n": "i32",
    "source": f"tensordesc<fp16[64,64],{bad_gluon_buffers.TILE!r}>",
}
KERNELS = [
    (module, kernel)
    for module in (bad_gluon_blocks, bad_gluon_buffers, bad_gluon_library, bad_gluon_units)
    for kernel in vars(module).values()
    if isinstance(kernel, gluon._jit.GluonJITFunction) and MARKER.search("".join(kernel.raw_src))
]


def target_of(arch):
    if arch.isdigit():
        return GPUTarget("cuda", int(arch), 32)
    return GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)


def line_of(mark, function):
    """The one line of a function with this mark."""
    (line,) = [number for number, text in enumerate(function.raw_src, function._first_line) if mark in text]
    return line


def compiled(kernel, arch):
    source = gluon.GluonASTSource(kernel, {name: TYPES[name] for name in kernel.arg_names})
    return triton.compile(source, target=target_of(arch), options={"num_warps": 4})


@pytest.mark.parametrize("module, kernel", KERNELS, ids=lambda value: value.__name__)
def test_wrong_kernel(module, kernel):
    arch, function, pattern = MARKER.search("".join(kernel.raw_src)).groups()
    line = line_of("# here", getattr(module, function)) if function else line_of("# error", kernel)
    with pytest.raises(triton.CompilationError) as caught:
        compiled(kernel, arch or "90")
    text = str(caught.value)
    assert re.search(pattern, caught.value.error_message), text
    assert re.match(rf".*{module.__name__}\.py:{line}:\d+: error: ", text), text
    assert "help: " in text or REMEDY.search(caught.value.error_message), text


@gluon.jit
def drops_results(x):
    i = ttgl.arange(0, 128, layout=bad_gluon_blocks.FLAT)
    ttgl.convert_layout(i, bad_gluon_blocks.PAIRED)
    ttgl.atomic_add(x + i, i)


def test_results_without_use_are_a_warning(capfd, monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    compiled(drops_results, "90")
    told = capfd.readouterr().err
    assert "warning: the result of `ttgl.convert_layout` is not used, and it has no other effect" in told
    assert told.count("warning:") == 1
