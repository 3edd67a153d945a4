"""`python -m triton.tools.compile`: compiles one variant of a kernel ahead of time, into C that holds it.

`tritonc compile --emit=c` does the same without Python; see docs/aot.md.
"""

import importlib.machinery
import importlib.util
import os
import sys
import traceback
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

from .. import _C
from .._help import with_examples
from ..backends.active import driver
from ..backends.compiler import GPUTarget
from ..compiler import ASTSource
from ..compiler.compiler import compile_for
from ..compiler.errors import CompilationError
from ..runtime.jit import JITFunction

DESCRIPTION = """
Compiles the kernel KERNEL_NAME of the file PATH, which is executed, into C that holds its machine code and functions
that load, launch and unload it. No GPU is needed when --target names one.

The signature has one item for each parameter, separated by commas: a type such as *fp32 or i32, a type with a hint (:16
for a multiple of 16, :1 for the value 1), or a constant. Constants and parameters that are 1 are compiled in.
"""
EXAMPLES = (
    "mkdir variants",
    'python -m triton.tools.compile add.py -n add -s "*fp32:16, *fp32:16, *fp32:16, i32, 1024" \\',
    '    -g "(n + 1023) / 1024, 1, 1" -t cpu -o variants/add',
)


@dataclass
class CompileArgs:
    """The arguments of the command line."""

    path: str = ""
    kernel_name: str = ""
    signature: str = ""
    grid: str = ""
    target: "str | None" = None
    num_warps: int = 1
    num_stages: int = 3
    out_name: "str | None" = None
    out_path: "Path | None" = None


class _Source(ASTSource):
    """A kernel compiled without line tables, which would hold the paths of this machine."""

    def _compile(self, target, options, max_threads):
        return super()._compile(target, {**options, "line_info": False}, max_threads)


def _code(loader):
    """The compiled file. What is wrong with its text is a SyntaxError; null bytes are one only since Python 3.11.4."""
    try:
        return loader.get_code(loader.name)
    except ValueError as error:
        raise SyntaxError(str(error)) from error


def _execute(path):
    """The module of the file, executed from its folder."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no file `{path}`")
    loader = importlib.machinery.SourceFileLoader(path.stem, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.stem, loader))
    folder = str(path.parent)
    sys.path.insert(0, folder)
    try:
        exec(_code(loader), module.__dict__)
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    return module


def _find_kernel(args):
    module = _execute(args.path)
    kernel = getattr(module, args.kernel_name, None)
    while kernel is not None and not isinstance(kernel, JITFunction) and hasattr(kernel, "fn"):
        kernel = kernel.fn  # below an autotuner or heuristics, whose choices the signature makes
    if not isinstance(kernel, JITFunction):
        names = [name for name, value in vars(module).items() if isinstance(value, JITFunction)]
        raise ValueError(f"`{args.path}` has no kernel `{args.kernel_name}`; it has {', '.join(names) or 'none'}")
    return kernel


def _target(args):
    """The target, and the options that it stands for."""
    if args.target is None:
        current = driver.active.get_current_target()
        backend, arch, warp_size, processor = _C.aot_target(f"{current.backend}:{current.arch}")
    else:
        backend, arch, warp_size, processor = _C.aot_target(args.target)
    if backend == "cpu":
        return GPUTarget("cpu", os.uname().machine, 0), {"arch": processor}
    return GPUTarget(backend, int(arch) if arch.isdecimal() else arch, warp_size), {}


def _variant(args, kernel):
    """What the signature describes; mistakes in it are said with the kernel's place."""
    try:
        return _C.AotSpecification.read(
            args.kernel_name,
            args.out_name or "",
            args.signature,
            args.grid,
            args.num_warps,
            args.num_stages,
            [(parameter.name, parameter.is_constexpr, parameter.has_default) for parameter in kernel.params],
        )
    except ValueError as error:
        place = f"{kernel.fn.__code__.co_filename}:{kernel.def_file_line_number}"
        raise ValueError(f"{place}: {error}") from None


def compile_kernel(args):
    """Writes the files of the variant; returns the name of its function and their paths."""
    kernel = _find_kernel(args)
    variant = _variant(args, kernel)
    attributes = {(index,): [["tt.divisibility", 16]] for index in variant.divisible}
    source = _Source(kernel, variant.types, variant.constants, attributes)
    target, options = _target(args)
    options.update(num_warps=args.num_warps, num_stages=args.num_stages)
    compiled = compile_for(target, source, options)
    path = Path(args.out_path if args.out_path else variant.out_name)
    files = [
        (str(path.with_suffix(f".{variant.file_suffix}{extension}")), text)
        for extension, text in variant.generate(compiled._handle)
    ]
    _C.aot_write(files)
    return variant.function_name, [Path(name) for name, _ in files]


def _line_that_raised(error, path):
    """The line of the file whose execution raised the error; None for an error of another origin. Errors in the code of
    kernels have their places in their texts."""
    name = str(Path(path))
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == name]
    return None if isinstance(error, CompilationError) or not lines else lines[-1]


def main():
    parser = ArgumentParser(prog="python -m triton.tools.compile", description=DESCRIPTION, **with_examples(*EXAMPLES))
    parser.add_argument("path", help="file with the kernel; it is executed")
    parser.add_argument("--kernel-name", "-n", default="", required=True, help="the kernel to compile")
    parser.add_argument(
        "--target", "-t", help="backend:arch:warp_size, such as cuda:80:32 or hip:gfx942:64; by default the current GPU"
    )
    parser.add_argument("--num-warps", "-w", type=int, default=1, metavar="N", help="warps of a program")
    parser.add_argument("--num-stages", "-ns", type=int, default=3, metavar="N", help="iterations that load at once")
    parser.add_argument(
        "--out-name", "-on", help="what the names of functions begin with; by default the kernel's name"
    )
    parser.add_argument("--out-path", "-o", type=Path, metavar="FILE", help="what the names of files begin with")
    parser.add_argument("--signature", "-s", required=True, help='such as "*fp32:16, i32:1, 64"')
    parser.add_argument("--grid", "-g", required=True, help='three expressions of C, such as "(n + 63) / 64, 1, 1"')
    args = CompileArgs(**vars(parser.parse_args()))
    try:
        compile_kernel(args)
    except SyntaxError as error:
        place = f"{error.filename}:{error.lineno}" if error.filename else args.path
        parser.exit(1, f"error: {place}: {error.msg}\n")
    except Exception as error:
        line = _line_that_raised(error, args.path)
        if line is not None:
            parser.exit(1, f"error: {args.path}:{line}: {type(error).__name__}: {error}\n")
        if not isinstance(error, (ValueError, OSError, RuntimeError, AssertionError, CompilationError)):
            raise
        parser.exit(1, f"error: {error}".replace("error: error: ", "error: ").rstrip() + "\n")


if __name__ == "__main__":
    main()
