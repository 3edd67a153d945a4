"""An operator of PyTorch in C++ around kernels that are compiled ahead of time.

    python examples/pytorch/swiglu.py [--build FOLDER] [--device cuda]

compiles the kernels with `tritonc`, builds the operator, and compares values, gradients and times with PyTorch's own
operations, eager and under torch.compile. The library that is built needs no Triton.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

import torch
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent
BLOCK = 1024
TARGETS = "cpu:x86-64-v2,cpu:x86-64-v3,cpu:x86-64-v4,cuda:80,cuda:90"
#: For each kernel how many arrays it takes.
KERNELS = {"swiglu": 3, "swiglu_gradient": 5}
TYPES = {torch.float32: "f32", torch.bfloat16: "bf16"}


def tritonc():
    """The compiler: of this project's build, else the one on the path."""
    beside = Path(sys.executable).with_name("tritonc")
    found = os.environ.get("TRITONC") or (str(beside) if beside.exists() else shutil.which("tritonc"))
    return found or sys.exit("There is no tritonc on the path. Build it (README.md), or name it by TRITONC.")


def compile_kernels(folder):
    """For each kernel and type a header and a source with variants for all targets."""
    for kernel, arrays in KERNELS.items():
        for name in TYPES.values():
            pointer = {"f32": "*fp32", "bf16": "*bf16"}[name]
            command = [tritonc(), "compile", f"{HERE / 'kernels.py'}:{kernel}", "--emit=cpp", "--namespace", "example"]
            command += ["--out-name", f"{kernel}_{name}", "--target", TARGETS, "-o", str(folder)]
            command += ["--grid", "(n + BLOCK - 1) / BLOCK, 1, 1"]
            for hint in (":16", ""):
                command += ["--signature", ", ".join([pointer + hint] * arrays + ["i64" + hint, str(BLOCK)])]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build(folder):
    """The path of a library with the operators."""
    folder = Path(folder)
    compile_kernels(folder)
    with_cuda = torch.version.cuda is not None
    return cpp_extension.load(
        "triton_example",
        [str(HERE / "operator.cpp"), *map(str, sorted(folder.glob("swiglu*.cpp")))],
        extra_cflags=["-O2", "-std=c++20", "-fopenmp", *(["-DWITH_CUDA"] if with_cuda else [])],
        extra_ldflags=["-lm", "-ldl", *(["-lc10_cuda"] if with_cuda else [])],
        extra_include_paths=[str(folder)],
        build_directory=str(folder),
        with_cuda=with_cuda,
        is_python_module=False,
    )


def load(library):
    """Loads the operators, and says to PyTorch how to differentiate and compile `swiglu`, which it returns."""
    torch.ops.load_library(library)
    operators = torch.ops.triton_example

    # What torch.compile computes in place of the operators: shapes and types alone.
    @torch.library.register_fake("triton_example::swiglu")
    def _(gate, value):
        return torch.empty_like(gate, memory_format=torch.contiguous_format)

    @torch.library.register_fake("triton_example::swiglu_gradient")
    def _(gate, value, gradient):
        return tuple(torch.empty_like(gate, memory_format=torch.contiguous_format) for _ in range(2))

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def backward(ctx, gradient):
        return operators.swiglu_gradient(*ctx.saved_tensors, gradient)

    torch.library.register_autograd("triton_example::swiglu", backward, setup_context=keep)
    return operators.swiglu


def eager(gate, value):
    return torch.nn.functional.silu(gate) * value


def results(function, *inputs):
    """The value and the gradients of all inputs."""
    inputs = [tensor.detach().clone().requires_grad_() for tensor in inputs]
    output = function(*inputs)
    output.backward(torch.ones_like(output))
    return [output.detach(), *(tensor.grad for tensor in inputs)]


def seconds(function, device, repeat=20):
    """The best time of a call."""

    def synchronize():
        if device == "cuda":
            torch.cuda.synchronize()

    best = float("inf")
    for _ in range(repeat):
        synchronize()
        start = perf_counter()
        function()
        synchronize()
        best = min(best, perf_counter() - start)
    return best


def compare(swiglu, dtype, device):
    """Errors of the operator and of its compiled call over PyTorch in float64; times of the operator and of PyTorch."""
    gate, value = (torch.randn(4096, 1024, device=device).to(dtype) for _ in range(2))
    exact = results(eager, gate.double(), value.double())

    def error(function):
        pairs = zip(results(function, gate, value), exact, strict=True)
        return max((a.double() - b).abs().max().item() / b.abs().max().item() for a, b in pairs)

    with torch.no_grad():
        times = [seconds(partial(function, gate, value), device) for function in (swiglu, eager)]
    return error(swiglu), error(torch.compile(swiglu, fullgraph=True)), *times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", metavar="FOLDER", help="where files are built and kept")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    arguments = parser.parse_args()
    folder = arguments.build or tempfile.mkdtemp(prefix="swiglu-")
    os.makedirs(folder, exist_ok=True)
    swiglu = load(build(folder))
    print(f"{'type':>9} {'error':>9} {'compiled':>9} {'time':>10} {'PyTorch':>10}   (error over PyTorch's in float64)")
    for dtype, name in TYPES.items():
        error, compiled, ours, theirs = compare(swiglu, dtype, arguments.device)
        print(f"{name:>9} {error:9.1e} {compiled:9.1e} {ours * 1e3:7.3f} ms {theirs * 1e3:7.3f} ms")


if __name__ == "__main__":
    main()
