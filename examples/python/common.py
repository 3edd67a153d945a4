"""What the examples share: the folder of `kernels` on the path, timing against NumPy, and the table of results."""

import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


@dataclass
class Row:
    """One line of the table: a measured example."""

    name: str
    size: str
    milliseconds: float
    rate: float
    unit: str
    numpy_milliseconds: float
    error: float

    @property
    def ratio(self):
        return self.numpy_milliseconds / self.milliseconds


def measure(ours, reference, repetitions=7, pause=0.01):
    """Median milliseconds of two functions, taken in turn so that both see the same machine."""
    times = ([], [])
    for repetition in range(repetitions + 1):
        for function, own in zip((ours, reference), times, strict=True):
            time.sleep(pause)
            start = time.perf_counter()
            function()
            if repetition:
                own.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[0]), statistics.median(times[1])


def check(result, expected, tolerance):
    """The largest error relative to the largest expected value; raises when it is above `tolerance`."""
    import numpy as np

    error = float(np.max(np.abs(result.astype(np.float64) - expected)) / max(float(np.max(np.abs(expected))), 1e-30))
    if not error <= tolerance:  # NaN is an error too
        raise AssertionError(f"the result differs from NumPy's by {error:.2e}, more than {tolerance:.0e}")
    return error


def print_table(rows):
    header = ("example", "size", "time", "rate", "NumPy", "ratio to NumPy", "largest error")
    cells = [header] + [
        (
            row.name,
            row.size,
            f"{row.milliseconds:.2f} ms",
            f"{row.rate:.1f} {row.unit}",
            f"{row.numpy_milliseconds:.2f} ms",
            f"{row.ratio:.2f}x",
            f"{row.error:.1e}",
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
