"""Memory that nobody has written: whether it decides what a kernel computes.

`torch.empty` fills what it returns with a word. The simulator knows which instructions of a launch read the word. Such
a launch then runs again with another word in the same places, from the same contents: where results differ, memory that
nobody has written has decided them. Values that are read and dropped, or copied as they are, make no difference.

All of this computes with NumPy, since programs may replace PyTorch's operators by kernels of their own.
"""

import numpy
import torch

from .. import _C
from .._memory import base_of
from ..runtime.errors import SimulationError
from ..runtime.jit import JITFunction
from ._findings import parse_finding

#: Finite as f32, f16 and bf16, and larger than what programs compute with; and a NaN, which a product with zero shows.
_WORD, _OTHER = 0x7A5C7A5C, 0x7FFF7FFF
_MOST_BYTES = 1 << 28  # of an array that is filled
_PART = 1 << 16  # words


class _Bytes:
    """A storage as NumPy reads it."""

    def __init__(self, storage):
        self.storage = storage
        place = {"data": (storage.data_ptr(), False), "shape": (storage.nbytes(),)}
        self.__array_interface__ = {**place, "typestr": "|u1", "version": 3}


def bytes_of(storage):
    return numpy.asarray(_Bytes(storage))


def _pattern(word, size):
    """The word over and over, as so many bytes."""
    return numpy.full(size // 4 + 1, word, numpy.int32).view(numpy.uint8)[:size]


def fill(tensor):
    """Marks the memory of a tensor that was just made as unwritten."""
    if tensor.layout != torch.strided or tensor.is_meta or tensor.dtype == torch.bool or tensor.is_quantized:
        return
    with torch._C.DisableTorchFunction():
        storage = tensor.untyped_storage()
        if storage.device.type == "cpu" and 0 < storage.nbytes() <= _MOST_BYTES:  # fake tensors have no memory
            _fill(bytes_of(storage), _WORD)


def _fill(contents, word):
    """Writes the word over and over."""
    whole = len(contents) // 4 * 4
    contents[:whole].view(numpy.int32)[:] = word
    contents[whole:] = _pattern(word, len(contents) - whole)


def _runs(same):
    """Of equal words those that stand beside another. One alone may have been written: random bits are all words."""
    if len(same) < 2 or not same.any():
        return same
    beside = numpy.zeros_like(same)
    beside[1:] |= same[:-1]
    beside[:-1] |= same[1:]
    return same & beside


def _unwritten_parts(contents):
    """(the place of a part, whether each of its words is unwritten): parts are so small that they stay in the cache."""
    words = contents[: len(contents) // 4 * 4].view(numpy.int32)
    for begin in range(0, len(words), _PART):
        first, end = max(begin - 1, 0), min(begin + _PART, len(words))
        same = _runs(words[first : end + 1] == _WORD)
        yield slice(4 * begin, 4 * end), same[begin - first : end - first]


class _Array:
    """The memory behind one or several arguments of a launch."""

    def __init__(self, storage):
        self.bytes, self.names = bytes_of(storage), set()
        self.before = None  # a copy of the contents; None: all of them is unwritten
        self.is_unwritten = any(same.any() for _, same in _unwritten_parts(self.bytes))

    def keep(self):
        is_whole = len(self.bytes) % 4 == 0 and all(same.all() for _, same in _unwritten_parts(self.bytes))
        self.before = None if is_whole else self.bytes.copy()

    def restore(self, word=None):
        """The contents before the launch, with another word where nobody has written."""
        if self.before is None:
            _fill(self.bytes, word or _WORD)
            return
        self.bytes[:] = self.before
        if word is not None:
            for part, same in _unwritten_parts(self.before):
                self.bytes[part].view(numpy.int32)[same] = word

    def is_decided(self, first, second):
        """Whether two results of a launch differ in more than copies of the word."""
        word, other = _pattern(_WORD, len(first)), _pattern(_OTHER, len(first))
        return bool(((first != second) & ~((first == word) & (second == other))).any())


def _arrays_of(kernel, args, kwargs):
    """The memory of a launch's tensors, with the names of the parameters that reach it."""
    arrays = {}
    for name, value in [*zip(kernel.arg_names, args, strict=False), *kwargs.items()]:
        for each in value if isinstance(value, tuple) else (value,):
            tensor = base_of(each)
            if not isinstance(tensor, torch.Tensor) or tensor.is_meta or tensor.layout != torch.strided:
                continue
            storage = tensor.untyped_storage()
            if storage.nbytes():
                arrays.setdefault(storage.data_ptr(), _Array(storage)).names.add(name)
    return list(arrays.values())


class _Launch:
    """A launch that reads what nobody has written."""

    def __init__(self, arrays, run):
        self.arrays, self.run = arrays, run

    def results(self, varied=None):
        """The arrays' contents after another run, with the other word in the array `varied`; None if it failed."""
        for array in self.arrays:
            array.restore(_OTHER if array is varied else None)
        try:
            self.run()
        except SimulationError:  # an address, or how often a loop runs, has become another
            return None
        return [array.bytes.copy() for array in self.arrays]

    def deciding(self, first, names):
        """The arrays among those of the names whose unwritten parts decide results; ``first`` are the results."""
        for varied in self.arrays:
            if not varied.is_unwritten or not varied.names & names:
                continue
            second = self.results(varied)
            if second is None or any(a.is_decided(x, y) for a, x, y in zip(self.arrays, first, second, strict=True)):
                yield varied


def _check(session, kernel, launch):
    """Raises what was found about a launch that has run, if something was."""
    reads = {text: parse_finding(text).argument for text in _C.take_unwritten_reads()}
    if not reads:
        return
    first = [array.bytes.copy() for array in launch.arrays]
    session.is_probing = True
    try:
        deciding = list(launch.deciding(first, set(reads.values())))
        # A kernel whose results differ from run to run anyway is none of this.
        if deciding and any(not numpy.array_equal(x, y) for x, y in zip(first, launch.results() or [], strict=False)):
            deciding = []
    finally:
        session.is_probing = False
        _C.take_unwritten_reads()
        for array, contents in zip(launch.arrays, first, strict=True):
            array.bytes[:] = contents
    names = set().union(*(array.names for array in deciding))
    texts = [text for text, name in reads.items() if name in names]
    if texts:
        text = f"kernel `{kernel.__name__}`: its results depend on memory that nobody has written"
        raise SimulationError("\n".join([text, *texts]), texts)


def install(session):
    """Lets launches of this process be checked."""
    launch_as_before = JITFunction.run

    def run(kernel, *args, **kwargs):
        launch = lambda: launch_as_before(kernel, *args, **kwargs)
        if kwargs.get("warmup") or session.is_probing:
            return launch()
        with torch._C.DisableTorchFunction():
            arrays = _arrays_of(kernel, args, kwargs)
            if not any(array.is_unwritten for array in arrays):
                return launch()
            for array in arrays:
                array.keep()
            _C.take_unwritten_reads()
            result = launch()
            _check(session, kernel, _Launch(arrays, launch))
            return result

    JITFunction.run = run
    _C.watch_unwritten(_WORD)
