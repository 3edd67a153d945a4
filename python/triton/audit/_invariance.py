"""Whether rows of a batch have the same bits in any company: of other rows, at another place, alone."""

import contextlib

from ..runtime.jit import JITFunction


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


@contextlib.contextmanager
def _noted_launches():
    """A list of the launches in the context: (name of the kernel, its choices)."""
    launches, launch = [], JITFunction.run

    def run(kernel, *args, grid, warmup=False, **kwargs):
        if not warmup:
            launches.append((kernel.__name__, _choices(kernel, args, kwargs)))
        return launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)

    JITFunction.run = run
    try:
        yield launches
    finally:
        JITFunction.run = launch


def _run(function, arrays, rows, axis):
    """The bytes of the rows of each result, and the launches."""
    with _noted_launches() as launches:
        results = function(*(_take(array, rows, axis) for array in arrays))
    results = results if isinstance(results, (tuple, list)) else (results,)
    for result in results:
        if result.shape[axis] != len(rows):
            raise ValueError(
                f"a result has {result.shape[axis]} rows along axis {axis}, but {len(rows)} were given; return arrays "
                "with a row for each"
            )
    return [_bits(result, axis) for result in results], launches


def _difference(before, after):
    """The first launch that differs, as a text."""
    for number, ((name, choices), (other, others)) in enumerate(zip(before, after, strict=False), 1):
        if name != other:
            return f"launch {number} is of `{other}` in place of `{name}`"
        names = [key for key in {**choices, **others} if choices.get(key) != others.get(key)]
        if names:
            texts = [f"`{key}` is {others.get(key)} in place of {choices.get(key)}" for key in names]
            return f"in launch {number}, of `{name}`, {', '.join(texts)}"
    if len(before) != len(after):
        return f"there are {len(after)} launches in place of {len(before)}"
    kernels = " and ".join(f"`{name}`" for name in dict.fromkeys(name for name, _ in before))
    return f"the launches choose the same constants: the order in which {kernels or 'the function'} adds up differs"


def _companies(count):
    """(what the rows are, their numbers in the batch) of the batches that are compared with the whole one."""
    rows = list(range(count))
    for row in dict.fromkeys((0, count // 2, count - 1)):
        yield "alone", [row]
    yield f"among the first {(count + 1) // 2}", rows[: (count + 1) // 2]
    yield f"among the last {count - count // 2}", rows[count // 2 :]
    yield "one place further", [rows[-1], *rows[:-1]]
    yield "in the opposite order", rows[::-1]


def assert_invariant(function, *arrays, axis=0):
    """Raises AssertionError unless each row of what ``function(*arrays)`` returns has the same bits in other batches:
    alone, among fewer rows, at other places. Rows are along ``axis`` of all arrays and results. The error names the
    first launch that chooses something else."""
    rank = len(arrays[0].shape)
    if not 0 <= axis < rank:
        raise ValueError(f"axis {axis} of arrays of {rank} dimensions; it must be from 0 to {rank - 1}")
    count = arrays[0].shape[axis]
    if count < 2:
        raise ValueError(f"there is {count} row along axis {axis}; give at least 2, whose batches are compared")
    whole, launches = _run(function, arrays, list(range(count)), axis)
    for company, rows in _companies(count):
        parts, others = _run(function, arrays, rows, axis)
        for number, (expected, got) in enumerate(zip(whole, parts, strict=True)):
            wrong = (expected[rows] != got).any(axis=1)
            if wrong.any():
                row = rows[int(wrong.argmax())]
                result = f" of result {number}" if len(whole) > 1 else ""
                raise AssertionError(
                    f"row {row}{result} has other bits {company} than among {count}: {_difference(launches, others)}"
                )
