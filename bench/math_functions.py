"""Speed and error of mathematical functions on the processor, as the tables of docs/performance.md.

    .venv/bin/python bench/math_functions.py            prints the tables
    .venv/bin/python bench/math_functions.py --write    puts them into the document

Times are medians of blocks of 2048 elements in the first-level cache, by one thread: the kernel repeats a block, NumPy
and PyTorch, where it is installed, take arrays of 65536 elements, so that their calls do not count. All are measured in
turn. Errors are in units of the last place, against mpmath for f64 and NumPy's f64 and SciPy for f32, over all
magnitudes for which the result is finite."""

import argparse
import pathlib
import platform
import statistics
import sys
import time

import mpmath
import numpy as np
import scipy.special
import triton
import triton.language as tl
from triton.language.extra import libdevice

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
from marked_section import MarkedSection, write  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

SECTION = MarkedSection(
    "docs/performance.md",
    "<!-- Functions: written by bench/math_functions.py. -->",
    "<!-- End of the functions. -->",
)
BLOCK, REPEATS, REFERENCE = 2048, 64, 1 << 16


@triton.jit
def repeat(x, out, repeats, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for _ in range(repeats):
        value = tl.load(x + i)
        if NAME == "tanh":
            result = libdevice.tanh(value)
        elif NAME == "erf":
            result = tl.erf(value)
        elif NAME == "exp":
            result = tl.exp(value)
        elif NAME == "exp2":
            result = tl.exp2(value)
        elif NAME == "log":
            result = tl.log(value)
        elif NAME == "log2":
            result = tl.log2(value)
        elif NAME == "sin":
            result = tl.sin(value)
        elif NAME == "cos":
            result = tl.cos(value)
        else:
            result = value
        tl.store(out + i, result)


#: Name: the range of typical arguments, and the exact function for mpmath.
FUNCTIONS = {
    "erf": ((-3, 3), mpmath.erf),
    "tanh": ((-4, 4), mpmath.tanh),
    "exp": ((-10, 10), mpmath.exp),
    "exp2": ((-10, 10), lambda x: mpmath.power(2, x)),
    "log": ((0.001, 1000), mpmath.log),
    "log2": ((0.001, 1000), lambda x: mpmath.log(x) / mpmath.log(2)),
    "sin": ((-10, 10), mpmath.sin),
    "cos": ((-10, 10), mpmath.cos),
}


def compute(name, x):
    out = np.empty_like(x)
    for start in range(0, len(x), BLOCK):
        repeat[(1,)](x[start : start + BLOCK], out[start : start + BLOCK], 1, name, BLOCK, num_cpu_threads=1)
    return out


def patterns(dtype, count):
    """Numbers of all magnitudes and both signs, in equal steps of their bits."""
    bits, unsigned = (32, np.uint32) if dtype == np.float32 else (64, np.uint64)
    step = (1 << bits) // count | 1
    x = (np.arange(count, dtype=np.uint64) * np.uint64(step)).astype(unsigned).view(dtype)
    return np.where(np.isfinite(x), x, dtype(1))


def error(name, dtype):
    """The largest error in units of the last place."""
    with np.errstate(all="ignore"):
        if dtype == np.float32:
            x = patterns(dtype, 1 << 22)
            exact = (scipy.special.erf if name == "erf" else getattr(np, name))(x.astype(np.float64))
            rounded = exact.astype(np.float32)
            usable = np.isfinite(rounded)
            unit = np.spacing(np.abs(rounded)).astype(np.float64)
            return np.max(np.abs(compute(name, x).astype(np.float64) - exact)[usable] / unit[usable])
        x = patterns(dtype, 1 << 14)
        found, largest = compute(name, x), 0.0
        function = FUNCTIONS[name][1]
        for number, result in zip(x.tolist(), found.tolist(), strict=True):
            if not np.isfinite(result):
                continue
            # Enough digits to reduce the largest angle.
            with mpmath.workdps(340 if name in ("sin", "cos") else 40):
                exact = function(mpmath.mpf(number))
                largest = max(largest, float(abs(exact - result) / float(np.spacing(abs(float(exact))))))
        return largest


def nanoseconds(functions, elements):
    """Of each function in turn, for an element: the median of the thread's own time."""
    times = [[] for _ in functions]
    for repetition in range(16):
        for series, function, count in zip(times, functions, elements, strict=True):
            begin = time.thread_time()
            function()
            if repetition:
                series.append((time.thread_time() - begin) * 1e9 / count)
    return [statistics.median(series) for series in times]


def speed(name, dtype, rng):
    low, high = FUNCTIONS[name][0]
    x = rng.uniform(low, high, BLOCK).astype(dtype)
    large = rng.uniform(low, high, REFERENCE).astype(dtype)
    out, large_out = np.empty_like(x), np.empty_like(large)
    reference = scipy.special.erf if name == "erf" else getattr(np, name)
    functions = [
        lambda: repeat[(1,)](x, out, REPEATS, name, BLOCK, num_cpu_threads=1),
        lambda: reference(large, out=large_out),
    ]
    elements = [BLOCK * REPEATS, REFERENCE]
    if torch:
        tensor, result, function = torch.from_numpy(large), torch.from_numpy(large_out), getattr(torch, name)
        functions.append(lambda: function(tensor, out=result))
        elements.append(REFERENCE)
    return nanoseconds(functions, elements)


def table(dtype, rng):
    versions = f"NumPy {np.__version__}" + (f" | PyTorch {torch.__version__.split('+')[0]}" if torch else "")
    columns = 3 + bool(torch)
    lines = [f"| {np.dtype(dtype).name} | error, ulp | kernel, ns | {versions} |", "| --- |" + " ---: |" * columns]
    for name in FUNCTIONS:
        times = speed(name, dtype, rng)
        cells = [f"{times[0]:.2f}"] + [f"{each:.2f} ({each / times[0]:.1f} x)" for each in times[1:]]
        lines.append(f"| {name} | {error(name, dtype):.2f} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    arguments = parser.parse_args()
    triton.runtime.driver.set_active_to_cpu()
    if torch:
        torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    libc = " ".join(platform.libc_ver())
    section = f"Measured on one thread of {processor()}, {libc}.\n\n"
    section += "\n".join(table(dtype, rng) for dtype in (np.float32, np.float64))
    print(section)
    if arguments.write:
        write(SECTION.documents(section))


if __name__ == "__main__":
    main()
