"""Whether rows of a batch have the same bits in any company: of other rows, at another place, alone."""

import contextlib
from dataclasses import dataclass

from ..runtime.autotuner import Autotuner
from ..runtime.interpreter import InterpretedFunction
from ..runtime.jit import JITFunction
from ._sums import Sums, first_difference, sums_of


def _take(array, rows, axis):
    return array[(slice(None),) * axis + (rows,)]


def _bits(array, axis):
    """The bytes of each row."""
    import numpy

    if hasattr(array, "detach"):
        import torch

        with torch.no_grad():
            rows = array.detach().movedim(axis, 0).contiguous().cpu().reshape(array.shape[axis], -1)
            return rows.view(torch.uint8).numpy()
    array = numpy.asarray(array)
    rows = numpy.ascontiguousarray(numpy.moveaxis(array, axis, 0)).reshape(array.shape[axis], -1)
    return rows.view(numpy.uint8)


def _choices(kernel, args, kwargs):
    """What a launch chooses: constants and options, but not its arguments."""
    constants = {param.name for param in kernel.params if param.is_constexpr}
    given = {**dict(zip(kernel.arg_names, args, strict=False)), **kwargs}
    return {name: value for name, value in given.items() if name in constants or name not in kernel.arg_names}


@dataclass
class _Launch:
    kernel: str
    choices: dict
    sums: Sums | None  # if they are asked for


def _noting(launch, launches, with_sums, is_tuning):
    def run(kernel, *args, grid, warmup=False, **kwargs):
        if not warmup and not is_tuning():
            sums = sums_of(kernel, args, grid, kwargs) if with_sums else None
            launches.append(_Launch(kernel.__name__, _choices(kernel, args, kwargs), sums))
        return launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)

    return run


@contextlib.contextmanager
def noted_launches(with_sums=False):
    """A list of the launches in the context, without those that measure a tuned kernel."""
    launches, tuning, choose = [], [], Autotuner._choose
    before = {kind: kind.run for kind in (JITFunction, InterpretedFunction)}

    def chosen(tuner, *args):
        tuning.append(tuner)
        try:
            return choose(tuner, *args)
        finally:
            tuning.pop()

    Autotuner._choose = chosen
    for kind, launch in before.items():
        kind.run = _noting(launch, launches, with_sums, lambda: bool(tuning))
    try:
        yield launches
    finally:
        Autotuner._choose = choose
        for kind, launch in before.items():
            kind.run = launch


def _run(function, arrays, rows, axis, with_sums=False):
    """The bytes of the rows of each result, and the launches."""
    with noted_launches(with_sums) as launches:
        results = function(*(_take(array, rows, axis) for array in arrays))
    results = results if isinstance(results, (tuple, list)) else (results,)
    for result in results:
        if result.shape[axis] != len(rows):
            raise ValueError(
                f"a result has {result.shape[axis]} rows along axis {axis}, but {len(rows)} were given; return arrays "
                "with a row for each"
            )
    return [_bits(result, axis) for result in results], launches


def difference_of(before, after, rows=None):
    """The first launch that differs: (its kernel, the place of the sum that does or None, a text)."""
    for number, (one, other) in enumerate(zip(before, after, strict=False), 1):
        if one.kernel != other.kernel:
            return other.kernel, None, f"launch {number} is of `{other.kernel}` in place of `{one.kernel}`"
        names = [key for key in {**one.choices, **other.choices} if one.choices.get(key) != other.choices.get(key)]
        texts = [f"`{key}` is {other.choices.get(key)} in place of {one.choices.get(key)}" for key in names]
        place, sum_text = first_difference(one.sums, other.sums, rows) or (None, "")
        if texts or place:
            where = f"in launch {number}, of `{one.kernel}`, "
            return one.kernel, place, where + ", ".join(texts) + ": " * bool(texts and place) + sum_text
    if len(before) != len(after):
        return "", None, f"there are {len(after)} launches in place of {len(before)}"
    kernels = list(dict.fromkeys(launch.kernel for launch in before))
    named = " and ".join(f"`{name}`" for name in kernels) or "the function"
    text = f"the launches choose the same constants: the order in which {named} adds up differs"
    if kernels:
        text += "; `@triton.jit(invariant=True)` makes one variant for all arguments"
    return (kernels or [""])[0], None, text


def _companies(count):
    """(what the rows are, their numbers in the batch) of the batches that are compared with the whole one."""
    rows = list(range(count))
    for row in dict.fromkeys((0, count // 2, count - 1)):
        yield "alone", [row]
    yield f"among the first {(count + 1) // 2}", rows[: (count + 1) // 2]
    yield f"among the last {count - count // 2}", rows[count // 2 :]
    yield "one place further", [rows[-1], *rows[:-1]]
    yield "in the opposite order", rows[::-1]


class VariantRows(AssertionError):
    """Rows that depend on their batch; ``kernel`` and ``place`` of the sum are those of the launch that differs, and
    ``rows`` the other batch."""

    def __init__(self, text, kernel="", place=None, rows=()):
        super().__init__(text)
        self.kernel, self.place, self.rows = kernel, place, rows


def assert_invariant(function, *arrays, axis=0):
    """Raises AssertionError unless each row of what ``function(*arrays)`` returns has the same bits in other batches:
    alone, among fewer rows, at other places. Rows are along ``axis`` of all arrays and results. The error names the
    first launch that chooses something else, and the sum that adds up in another way."""
    rank = len(arrays[0].shape)
    if not 0 <= axis < rank:
        raise ValueError(f"axis {axis} of arrays of {rank} dimensions; it must be from 0 to {rank - 1}")
    count = arrays[0].shape[axis]
    if count < 2:
        raise ValueError(f"there is {count} row along axis {axis}; give at least 2, whose batches are compared")
    everything = list(range(count))
    whole, _ = _run(function, arrays, everything, axis)
    for company, rows in _companies(count):
        parts, _ = _run(function, arrays, rows, axis)
        for number, (expected, got) in enumerate(zip(whole, parts, strict=True)):
            wrong = (expected[rows] != got).any(axis=1)
            if wrong.any():
                row = rows[int(wrong.argmax())]
                result = f" of result {number}" if len(whole) > 1 else ""
                noted = [_run(function, arrays, each, axis, with_sums=True)[1] for each in (everything, rows)]
                kernel, place, text = difference_of(*noted, (count, len(rows)))
                text = f"row {row}{result} has other bits {company} than among {count}: {text}"
                raise VariantRows(text, kernel, place, rows)
