"""Tests of what the frontend makes of a kernel, with LLVM's FileCheck. The checks are comments in the kernel."""

import functools
import glob
import inspect
import os
import shutil
import subprocess
import tempfile

from .backends.compiler import GPUTarget
from .compiler.compiler import make_backend
from .runtime._async_compile import FutureKernel, active_mode
from .runtime.jit import JITFunction


class MatchError(ValueError):
    """What FileCheck said; ``module_str`` is the text that it looked into."""

    def __init__(self, message, module_str):
        super().__init__(message)
        self.module_str = module_str


_TARGET = GPUTarget("cuda", 100, 32)


def _find_filecheck():
    """The program in PATH, or that of the newest LLVM that is installed; "" without one."""
    names = ["FileCheck", *(os.path.basename(path) for path in glob.glob("/usr/bin/FileCheck-*"))]
    folders = sorted(glob.glob("/usr/lib/llvm-*/bin"), key=lambda path: int(path.split("-")[1].split("/")[0]))
    for name in (*names, *(os.path.join(folder, "FileCheck") for folder in reversed(folders))):
        if found := shutil.which(name):
            return found
    return ""


filecheck_path = _find_filecheck()


def run_filecheck(name, module_str, check_template):
    """Raises `MatchError` unless the text matches the checks."""
    if not filecheck_path:
        raise RuntimeError("LLVM's program FileCheck is not installed; it comes with the package llvm-tools")
    with tempfile.TemporaryDirectory() as folder:
        paths = {part: os.path.join(folder, part) for part in ("module", "expected")}
        for part, text in (("module", module_str), ("expected", check_template)):
            with open(paths[part], "w") as file:
                file.write(text)
        command = [filecheck_path, paths["expected"], "--input-file", paths["module"], "--dump-input-context=50"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MatchError(f"{name}:\n{done.stderr}", module_str)


class _Capture:
    """In place of an AsyncCompileMode: keeps what would be compiled."""

    def submit(self, key, compile_fn, finalize_fn, cleanup_fn):
        self.task = compile_fn
        return FutureKernel(finalize_fn, cleanup_fn, None)


def run_parser(kernel_fn, args=(), kwargs={}, target=_TARGET):  # noqa: B006  Triton's signature
    """What the frontend makes of the kernel for these arguments, before any pass; ``str`` prints it."""
    fresh = JITFunction(kernel_fn.fn, debug=kernel_fn.debug, noinline=kernel_fn.noinline, repr=kernel_fn._repr)
    capture = _Capture()
    token = active_mode.set(capture)
    try:
        fresh.warmup(*args, grid=(1,), **kwargs)
    finally:
        active_mode.reset(token)
    source = capture.task.src
    return source.make_ir(target, make_backend(target).parse_options(capture.task.options, fresh.arg_names))


def run_filecheck_test(kernel_fn, args=(), kwargs={}, target=_TARGET):  # noqa: B006
    """Compares what `run_parser` gives with the checks in the kernel's own text."""
    text = kernel_fn.raw_src if isinstance(kernel_fn.raw_src, str) else "".join(kernel_fn.raw_src)
    if "CHECK" not in text:
        raise ValueError(f"`{kernel_fn.__name__}` has no comments with checks")
    run_filecheck(kernel_fn.__name__, str(run_parser(kernel_fn, args, kwargs, target)), text)


def filecheck_test(fn):
    """Makes a test of a kernel without parameters."""

    @functools.wraps(fn)
    def test():
        run_filecheck_test(fn)

    test.__signature__ = inspect.Signature()
    return test
