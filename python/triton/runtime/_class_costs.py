"""What naming a parameter in `do_not_specialize` costs in speed: a class is compiled as it is and without what it knows
of the parameter, and both variants are timed with the same arguments."""

import copy
import ctypes
import mmap

from ..backends.active import driver
from ..backends.benchmark import do_bench
from ..backends.compiler import GPUTarget
from ..compiler.compiler import compile_for
from ._arguments import MockArray
from ._variants import facts_of

_MOST_SURROUNDINGS = 8  # other classes of the other parameters
_BYTES = 32 << 20  # of an array, of which only what is touched takes memory
_LARGEST = 1 << 16  # Programs may take as many turns as an integer says.


class _Memory(MockArray):
    """An array of zeros in place of one that was declared, which may be a MockArray or on a GPU."""

    def __init__(self, dtype, is_aligned):
        super().__init__(dtype)
        self._pages = mmap.mmap(-1, _BYTES)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._pages)) + (0 if is_aligned else 8)

    @staticmethod
    def nbytes():
        return _BYTES - 8


def costs_of(classes):
    """By the clocks of the simulator."""
    target = classes[0].target
    if not target.warp_size:
        raise ValueError(
            f"`{classes.kernel.__name__}` has classes for {target.backend}, and clocks are those of a simulated GPU; "
            'list them for one, as by target="cuda:90", or give the grid and the arguments of a launch, which is '
            "measured here"
        )
    simulated = GPUTarget(f"sim:{target.backend.removeprefix('sim:')}", target.arch, target.warp_size)
    clocks = _Clocks(simulated)
    return {name: _worst(classes, name, clocks) for name in classes.unspecialized}


def _worst(classes, name, clocks):
    """{what is known of the parameter: the largest ratio}."""
    worst = {}
    for each in _chosen(classes, name):
        facts = each.facts[name]
        loose = each._source_for(clocks.target, name)
        if facts != facts_of(loose, each.kwargs)[name]:
            ratio = clocks.of(each, loose) / clocks.of(each, each._source_for(clocks.target))
            worst[facts] = max(worst.get(facts, 0), ratio)
    return worst


def _chosen(classes, name):
    """Classes in which the parameter is of each kind, beside others that are multiples of 16 but for one, which is 1:
    what is known of the parameter may matter only there, as with the strides of a matrix. Constants and options are
    those of the first class."""
    kernel, first = classes.kernel, classes[0]
    number = kernel.arg_names.index(name)
    others = [place for place, each in enumerate(kernel.params) if place != number and not each.is_constexpr]
    constants = [place for place, each in enumerate(kernel.params) if each.is_constexpr]
    of_kind = {}
    for each in classes:
        is_first = each.kwargs == first.kwargs and all(each.args[place] is first.args[place] for place in constants)
        if is_first and _is_small(each.args):
            of_kind.setdefault(each.facts[name], []).append(each)
    for alike in of_kind.values():
        ones = lambda each: sum(type(each.args[place]) is int and each.args[place] == 1 for place in others)
        known = lambda each: sum(_is_multiple(each.args[place]) for place in others)
        least = min(map(ones, alike))
        near = [each for each in alike if ones(each) <= least + 1]
        yield from sorted(near, key=known, reverse=True)[:_MOST_SURROUNDINGS]


def _is_small(arguments):
    return all(abs(value) <= _LARGEST for value in arguments if type(value) is int)


def _is_multiple(value):
    return value % 16 == 0 if type(value) is int else _is_array(value) and _address_of(value) % 16 == 0


def _is_array(value):
    return hasattr(value, "data_ptr") or hasattr(value, "__array_interface__")


def _address_of(array):
    return array.data_ptr() if hasattr(array, "data_ptr") else array.__array_interface__["data"][0]


class _Clocks:
    """How long one program of a class takes on the simulator."""

    def __init__(self, target):
        self.target = target
        self._found = {}

    def of(self, each, source):
        key = source._text(), str(each.args), str(each.kwargs)
        if key not in self._found:
            compiled = compile_for(self.target, source, dict(each.kwargs))
            self._found[key] = compiled._handle.clocks((1,), tuple(map(_in_memory, each.args)))
        return self._found[key]


def _in_memory(value):
    if isinstance(value, tuple):
        items = map(_in_memory, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value).__name__ == "TensorDescriptor":
        copied = copy.copy(value)
        copied.base = _in_memory(value.base)
        return copied
    return _Memory(value.dtype, _is_multiple(value)) if _is_array(value) else value


def costs_of_launch(each, names, grid):
    """By the times of a launch on the current device, with the arguments of the class."""
    if each.target != driver.active.launch_target():
        raise ValueError(
            f"`{each.kernel.__name__}` has classes for {each.target}, and launches go to "
            f"{driver.active.launch_target()}; leave `grid` out, and the simulator counts clocks"
        )
    if callable(grid):
        grid = grid({**dict(zip(each.kernel.arg_names, each.args, strict=True)), **each.kwargs})
    found = {}
    for name in names:
        loose, facts = each._source_for(each.target, name), each.facts[name]
        if facts != facts_of(loose, each.kwargs)[name]:
            found[name] = {facts: _ratio([loose, each._source], each, grid)}
    return found


def _ratio(sources, each, grid):
    handles = [compile_for(each.target, source, dict(each.kwargs))._handle for source in sources]
    arguments = tuple(each.args)
    if each.target.backend.startswith("sim:"):
        slow, fast = (handle.clocks(grid, arguments) for handle in handles)
        return slow / fast
    launches = [lambda handle=handle: handle.launch(grid, arguments, None) for handle in handles]
    times = [[do_bench(launch, warmup=5, rep=20, return_mode="median") for launch in launches] for _ in range(3)]
    return min(slow for slow, _ in times) / min(fast for _, fast in times)
