"""Every public name of Triton 3.9 is here, with the same parameters and defaults, except for what api_differences.py
lists. The table leaves out the profiler, the sanitizer of global memory and AMD; Gluon has one of its own."""

import importlib
import itertools

import api_table
import pytest
import triton
from api_differences import DIFFERENT, NOT_YET
from triton.experimental.gluon import _names


def listed(differences):
    return set(itertools.chain.from_iterable(differences.values()))


def test_the_lists_are_exact():
    found = dict([*api_table.problems(), *api_table.problems(_names.table())])
    wanted = listed(DIFFERENT) | listed(NOT_YET)
    new = {name: found[name] for name in found.keys() - wanted}
    assert not new, f"these are not as in Triton 3.9, and no list says so: {new}"
    gone = sorted(wanted - found.keys())
    assert not gone, f"these are as in Triton 3.9 now; take them off the lists in api_differences.py: {gone}"


def test_each_name_is_listed_once():
    names = [name for differences in (DIFFERENT, NOT_YET) for group in differences.values() for name in group]
    assert len(names) == len(set(names))


def test_the_table_is_of_3_9():
    table = api_table.table()
    assert table["version"] == "3.9.0" and len(table) > 40
    names = sum(len(facts) for module, facts in table.items() if module != "version")
    assert names > 1000


def test_the_table_of_gluon_is_of_3_9():
    """538 names, of which methods of tensors are 60."""
    table = _names.table()
    assert len(table) == 41 and sum(map(len, table.values())) - 1 + 60 == 538
    assert len(table["triton.language.core"]["tensor"]["members"]) == 60


def test_what_gluon_lacks_can_be_named():
    blackwell = importlib.import_module("triton.experimental.gluon.language.nvidia.blackwell")
    assert "tcgen05_mma" in dir(blackwell) and "tcgen05_mma" in blackwell.__all__
    rubin = importlib.import_module("triton.experimental.gluon.language.nvidia.rubin")
    with pytest.raises(triton.TritonError, match="for NVIDIA's GPUs of compute capability 10.7"):
        rubin.add4()
    with pytest.raises(triton.TritonError, match="`gluon.nvidia.hopper.TensorDescriptorIm2Col` is not implemented"):
        importlib.import_module("triton.experimental.gluon.nvidia.hopper").TensorDescriptorIm2Col()
    assert (
        blackwell.mbarrier.init
        is importlib.import_module(blackwell.__name__.replace("blackwell", "hopper")).mbarrier.init
    )


def test_names_of_gluon_in_several_modules():
    language = importlib.import_module("triton.experimental.gluon.language")
    assert language._core.bank_conflicts is language.bank_conflicts and language._core.fp4_to_fp is language.fp4_to_fp
    assert language.amd.cdna5.mbarrier.MBarrierLayout is language.nvidia.hopper.mbarrier.MBarrierLayout


def test_what_programs_take_from_modules_of_the_runtime():
    """To write a kernel's class, or a tuner's `run`, anew. The table has no names that Triton imports for itself."""
    jit, tuner = triton.runtime.jit, triton.runtime.autotuner

    class Kernel(triton.JITFunction[triton.runtime.KernelInterface[jit.T]]):
        pass

    assert issubclass(Kernel, triton.JITFunction)
    assert importlib.import_module("triton.experimental.gluon._runtime").T is jit.T
    assert tuner.builtins.min is min and tuner.hashlib.sha256 and tuner.driver is triton.runtime.driver
    assert tuner.get_cache_manager(tuner.triton_key()).put and isinstance(tuner.get_cache_invalidating_env_vars(), dict)
    with pytest.raises(AttributeError, match="`triton.runtime.autotuner` has no attribute `other`"):
        tuner.other  # noqa: B018


def test_signatures():
    """What counts as the same."""
    same = lambda text, function: api_table.signature_problem(text, function) is None
    assert same("(a, b=1, *, c=None)", lambda a, b=1, *, c=None, d=2: None)
    assert same("(self, a=0)", lambda self, a=False: None) and same("(input, axis)", lambda self, axis: None)
    assert same("(a)", lambda a=None: None) and same("(*args, **kw)", lambda *args, **kw: None)
    assert not same("(a, b=1)", lambda a, b=2: None) and not same("(a, b)", lambda b, a: None)
    assert not same("(a)", lambda a, b: None) and not same("(a)", lambda: None)
    assert not same("(a, *args)", lambda a: None) and not same("(a)", lambda *, a: None)
