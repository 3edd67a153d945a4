"""Measuring and comparing."""

import contextlib
import functools
import os
import shutil
import subprocess
import sys

from ._utils import type_canonicalisation_dict
from .backends.benchmark import (  # noqa: F401
    _summarize_statistics,
    cuda_graph_without_gc,
    do_bench,
    do_bench_cudagraph,
)
from .backends.kernel_times import do_bench_cudagraph_proton, do_bench_proton  # noqa: F401
from .runtime._devices import simulate_devices  # noqa: F401
from .runtime._simulation import accessible_memory  # noqa: F401


def _to_numpy(value):
    import numpy as np

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if "bfloat16" in str(value.dtype) or "float8" in str(value.dtype):
            value = value.float()
        value = value.numpy()
    return np.asarray(value)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless two arrays are close; NaN equals NaN. Tolerances may be functions of the dtype."""
    import numpy as np

    x, y = _to_numpy(x), _to_numpy(y)
    atol = 1e-2 if atol is None else atol(x.dtype) if callable(atol) else atol
    rtol = 0.0 if rtol is None else rtol(x.dtype) if callable(rtol) else rtol
    if x.dtype.kind not in "fc" and x.dtype.kind not in "biu":
        x, y = x.astype(np.float32), y.astype(np.float32)
    if x.size > 1 or y.size > 1:
        np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
    elif not np.allclose(x, y, atol=atol, rtol=rtol):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})")


class Benchmark:
    """A plot: which arguments of the measured function vary along x, and which argument distinguishes the lines."""

    def __init__(
        self,
        x_names,
        x_vals,
        line_arg,
        line_vals,
        line_names,
        plot_name,
        args,
        xlabel="",
        ylabel="",
        x_log=False,
        y_log=False,
        styles=None,
    ):
        self.x_names, self.x_vals = x_names, x_vals
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel, self.x_log, self.y_log, self.styles = xlabel, ylabel, x_log, y_log, styles


class Mark:
    """A measured function with its plots."""

    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def _measure(self, bench, kwargs):
        """Rows of x values followed by (y, min, max) of each line."""
        rows = []
        for x in bench.x_vals:
            values = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(values) != len(bench.x_names):
                raise ValueError(f"{x!r} has {len(values)} values for the {len(bench.x_names)} names {bench.x_names}")
            row = values
            for line in bench.line_vals:
                point = {**dict(zip(bench.x_names, values, strict=True)), bench.line_arg: line}
                result = self.fn(**point, **bench.args, **kwargs)
                row = row + list(result if isinstance(result, (list, tuple)) else (result, None, None))
            rows.append(row)
        return rows

    @staticmethod
    def _plot(bench, rows, save_path, show_plots):
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            return
        figure, axes = plt.subplots()
        width = len(bench.x_names)
        xs = [row[0] for row in rows]
        for index, name in enumerate(bench.line_names):
            column = width + 3 * index
            style = bench.styles[index] if bench.styles else (None, None)
            axes.plot(xs, [row[column] for row in rows], label=name, color=style[0], ls=style[1])
            if all(row[column + 1] is not None for row in rows):
                axes.fill_between(
                    xs, [row[column + 1] for row in rows], [row[column + 2] for row in rows], alpha=0.15, color=style[0]
                )
        axes.legend()
        axes.set_xlabel(bench.xlabel or bench.x_names[0])
        axes.set_ylabel(bench.ylabel)
        axes.set_xscale("log" if bench.x_log else "linear")
        axes.set_yscale("log" if bench.y_log else "linear")
        if save_path:
            figure.savefig(os.path.join(save_path, f"{bench.plot_name}.png"))
        if show_plots:
            plt.show()
        plt.close(figure)

    def _run(self, bench, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        rows = self._measure(bench, kwargs)
        self._plot(bench, rows, save_path, show_plots)
        width = len(bench.x_names)
        unit = f" ({bench.ylabel})" if bench.ylabel else ""
        header = list(bench.x_names) + [f"{name}{unit}" for name in bench.line_names]
        table = [row[:width] + row[width::3] for row in rows]
        if diff_col and len(bench.line_names) == 2:
            header.append("Diff")
            table = [row + [row[-1] - row[-2]] for row in table]
        if print_data:
            print(bench.plot_name + ":")
            print(format_table(header, table))
        if save_path:
            with open(os.path.join(save_path, f"{bench.plot_name}.csv"), "w") as file:
                file.write(",".join(header) + "\n")
                for row in table:
                    file.write(",".join(_cell(value, save_precision) for value in row) + "\n")
        return header, table

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Measures. Prints the tables, writes .png and .csv files to ``save_path``, or returns pandas DataFrames."""
        many = isinstance(self.benchmarks, (list, tuple))
        benchmarks = self.benchmarks if many else [self.benchmarks]
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        tables = [self._run(bench, save_path, show_plots, print_data, **kwargs) for bench in benchmarks]
        if save_path:
            with open(os.path.join(save_path, "results.html"), "w") as page:
                images = "".join(f'<image src="{bench.plot_name}.png"/>\n' for bench in benchmarks)
                page.write(f"<html><body>\n{images}</body></html>\n")
        if not return_df:
            return None
        import pandas

        frames = [pandas.DataFrame(table, columns=header) for header, table in tables]
        return frames if many else frames[0]


def _cell(value, precision):
    return f"{value:.{precision}f}" if isinstance(value, float) else str(value)


def format_table(header, rows, precision=6):
    """Columns of text, aligned."""
    cells = [[str(title) for title in header]] + [[_cell(value, precision) for value in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def perf_report(benchmarks):
    """Decorates a function that returns one measurement; see `Benchmark`."""
    return lambda fn: Mark(fn, benchmarks)


def _nvidia_smi(*arguments):
    try:
        return subprocess.run(["nvidia-smi", "-i", "0", *arguments], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        raise RuntimeError("`nvidia-smi` is not installed; it comes with the driver of NVIDIA GPUs") from None
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"`nvidia-smi {' '.join(arguments)}` failed: {error.stdout}{error.stderr}") from error


def nvsmi(attrs):
    """What ``nvidia-smi --query-gpu`` says of the first GPU: an integer for each of the attributes."""
    line = _nvidia_smi(f"--query-gpu={','.join(attrs)}", "--format=csv,noheader,nounits")
    return [int(text) for text in line.split(",")]


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """Fixes the clocks of the first GPU, in MHz, within the block. Gives what it can reach then: (TFLOP/s of float16
    products, GB/s of its memory)."""
    try:
        _nvidia_smi(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        _nvidia_smi(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        sm_clock, memory_clock = nvsmi(["clocks.current.sm", "clocks.current.memory"])
        assert abs(sm_clock - ref_sm_clock) < 10, f"the multiprocessors run at {sm_clock} MHz, not {ref_sm_clock}"
        assert abs(memory_clock - ref_mem_clock) < 10, f"the memory runs at {memory_clock} MHz, not {ref_mem_clock}"
        facts = _device_properties(None)
        tflops = get_max_tensorcore_tflops("float16", ref_sm_clock * 1e3)
        yield tflops, facts["mem_bus_width"] * ref_mem_clock * 2 / 8 * 1e-3
    finally:
        _nvidia_smi("--reset-gpu-clocks")
        _nvidia_smi("--reset-memory-clocks")


def _device_properties(device):
    """The facts of an NVIDIA GPU; the current one for None."""
    from .runtime.driver import driver

    active = driver.active
    target = active.get_current_target()
    if target.backend != "cuda":
        raise RuntimeError(f"the peaks of a device are known for NVIDIA GPUs; the current device is {target.backend}")
    device = active.get_current_device() if device is None else device
    return {**active.utils.get_device_properties(device), "capability": active.get_device_capability(device)}


def get_dram_gbps(device=None):
    """The bandwidth of the GPU's memory in GB/s: two transfers a clock."""
    facts = _device_properties(device)
    return facts["mem_clock_rate"] * facts["mem_bus_width"] * 2 / 1e6 / 8


# Operations of one multiprocessor in a clock, as Triton counts them for all GPUs from compute capability 8.0 on.
_MATRIX_RATES = {"fp32": 1024, "i32": 1024, "fp16": 2048, "bf16": 2048, "i16": 2048} | dict.fromkeys(
    ("i8", "fp8e4nv", "fp8e5"), 4096
)
_VECTOR_RATES = {"fp32": 128, "fp16": 256, "bf16": 256}


def _tflops(rates, dtype, clock_rate, facts):
    name = type_canonicalisation_dict.get(str(dtype).rsplit(".", 1)[-1], str(dtype))
    if name not in rates:
        raise RuntimeError(f"the peak of `{name}` is not known; there are {', '.join(rates)}")
    return facts["multiprocessor_count"] * rates[name] * clock_rate * 1e-9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """The TFLOP/s of matrix products, at a clock in kHz."""
    facts = _device_properties(device)
    rates = _MATRIX_RATES if facts["capability"][0] >= 8 else {"fp16": 1024}
    return _tflops(rates, dtype, clock_rate, facts)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The TFLOP/s without matrix units, at a clock in kHz."""
    facts = _device_properties(device)
    rates = _VECTOR_RATES if facts["capability"][0] >= 8 else {"fp32": 128, "fp16": 256}
    return _tflops(rates, dtype, clock_rate, facts)


def cuda_memcheck(**target_kwargs):
    """Lets a test run again under NVIDIA's checker of memory accesses when its arguments are these. The test has a
    parameter `request`. Elsewhere than on NVIDIA's GPUs the test runs as it is: the simulator checks every access."""

    def decorate(test_fn):
        @functools.wraps(test_fn)
        def checked(*args, **kwargs):
            from .runtime.driver import driver

            is_target = target_kwargs.items() <= kwargs.items()
            if not is_target or driver.active.get_current_target().backend != "cuda" or _IN_CHECKER in os.environ:
                return test_fn(*args, **kwargs)
            assert "request" in kwargs, "a test under the checker of memory needs the parameter `request`"
            checker = shutil.which("compute-sanitizer") or shutil.which("cuda-memcheck")
            if checker is None:
                raise RuntimeError("`compute-sanitizer` is not installed; it comes with the CUDA toolkit")
            node = f"{os.path.realpath(test_fn.__code__.co_filename)}::{kwargs['request'].node.name}"
            command = [checker, sys.executable, "-m", "pytest", "-vs", node]
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, _IN_CHECKER: "1"})
            assert done.returncode == 0, f"the checker of memory failed:\n{done.stdout}{done.stderr}"
            assert "ERROR SUMMARY: 0 errors" in done.stdout, f"the checker found errors:\n{done.stdout}"

        return checked

    return decorate


_IN_CHECKER = "TRITON_TEST_IN_MEMORY_CHECKER"


class Products:
    """Products of matrices by the vendor's library, through PyTorch. The right operand has its columns as rows."""

    def __init__(self, workspace=None):
        self.workspace = workspace  # PyTorch has one of its own

    def matmul(self, A, B, C):
        """C = A · Bᵀ."""
        import torch

        if A.dtype.itemsize > 1:
            torch.matmul(A, B.T, out=C)
        else:  # 8-bit floats
            one = torch.ones((), device=A.device)
            torch._scaled_mm(A.contiguous(), B.contiguous().T, one, one, out_dtype=C.dtype, out=C)

    def gemm(self, A, B, C, D, alpha, beta):
        """D = alpha · A · Bᵀ + beta · C."""
        import torch

        torch.addmm(C, A, B.T, alpha=alpha, beta=beta, out=D)


@functools.cache
def cublas():
    """The vendor's library to compare products with; None while launches only compile."""
    from ._compile_warmup_state import is_compile_warmup

    return None if is_compile_warmup() else Products()


def vendor_library(name):
    """``triton._C.libtriton.nvidia`` and ``.amd``, where tests and benchmarks find the libraries of products, and
    ``.linear_layout``."""
    from types import SimpleNamespace

    if name == "nvidia":
        return SimpleNamespace(cublas=SimpleNamespace(CublasLt=Products))
    if name == "amd":
        return SimpleNamespace(hipblas=SimpleNamespace(HipblasLt=Products))
    if name == "linear_layout":
        from .tools import LinearLayout

        return SimpleNamespace(LinearLayout=LinearLayout)
    raise AttributeError(f"module 'triton._C.libtriton' has no attribute {name!r}")
