"""Printing, assertions and hints of kernels."""

import sys

import numpy as np

from ...compiler.errors import CompileTimeAssertionFailure
from . import formats
from .operators import unary
from .registry import current, implements
from .values import describe, is_number, plain, to_tensor


@implements
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    print(*(plain(value) for value in values), sep=sep, end=end, file=file, flush=flush)


@implements
def static_assert(cond, msg=""):
    if not plain(cond):
        raise CompileTimeAssertionFailure(None, None, f"the static assertion failed{': ' + str(msg) if msg else ''}")


def _texts(value, is_hex):
    """The elements as a text of NumPy's form, with C's formats for numbers."""
    bits = formats.storage_type(value.dtype).itemsize * 8
    if is_hex and value.dtype.is_int():
        unsigned = value.data.astype(f"uint{bits}")
        show = lambda number: f"0x{int(number):0{bits // 4}x}"
    elif value.dtype.is_floating():
        unsigned, show = value.data, lambda number: f"{float(number):g}"
    else:
        unsigned, show = value.data, lambda number: str(int(number))
    if not value.shape:
        return show(unsigned[()])
    return np.array2string(unsigned, separator=", ", formatter={"all": show}, threshold=sys.maxsize, max_line_width=100)


@implements
def device_print(prefix, *args, hex=False):
    if not isinstance(prefix, str) or not all(" " <= character < "\x7f" for character in prefix):
        raise AssertionError(f"the prefix of a print must be a string of printable characters, not {describe(prefix)}")
    place = f"({', '.join(map(str, current().grid_idx))})"
    if not args:
        print(place + prefix, flush=True)
    for value in args:
        if not is_number(plain(value)) and not hasattr(value, "handle"):
            raise ValueError(f"a print takes tensors and numbers, not {describe(value)}")
        print(f"{place} {prefix.strip().removesuffix(':')}: {_texts(to_tensor(value), hex)}", flush=True)


@implements
def device_assert(cond, msg="", mask=None):
    if not current().debug:
        return
    condition = to_tensor(cond)
    holds = condition.data != 0
    if mask is not None:
        holds = holds | unary("~", to_tensor(mask)).data
    if not np.all(holds):
        raise AssertionError(str(plain(msg)))


@implements
def assume(cond):
    if not np.all(to_tensor(cond).data):
        raise AssertionError("`tl.assume` promises something that does not hold")


@implements
def debug_barrier():
    """One thread runs a program: there is nothing to wait for."""
