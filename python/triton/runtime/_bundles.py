"""Bundles: one file with the kernels of classes that were compiled ahead of time, for all their targets, and with the
choices of tuned kernels. The file is mapped into memory, and a launch reads what it needs."""

import contextlib
import dataclasses
import functools
import json
import os
import sys
import warnings
import weakref
from collections import namedtuple

from .. import _C
from .._utils import warn_once
from ..backends.active import driver
from ..tools.kernel_names import function_of
from . import _manifest
from ._kernel_interface import KernelInterface
from ._ladder import last_sources
from ._recording import FILE_NAME, digest_of_source, preload, records_in

#: What the items of a bundle are called that are not files of kernels.
CHOICES_NAME = "choices.jsonl"
GENERIC_NAME = "generic.jsonl"
KERNELS = "kernels/"

LoadedBundle = namedtuple("LoadedBundle", ["path", "triton", "targets", "classes", "problems"])
LoadedBundle.__doc__ = """What `load_bundle` has found: the file, the version of the package that built it, its targets
and the number of its classes, or None where it is not used; and a sentence for each problem."""

_choices = []  # of each bundle, the last one first: a function that returns what `_read_choices` does
_texts = []  # of each bundle: a function that returns {(file, kernel): digests of its text}
_sources = []  # of each bundle: a function that returns {(file, kernel, its text): the records of its classes}
_sources_of = weakref.WeakKeyDictionary()  # by kernel: (what decides them, what `sources_for` has returned)
_told = weakref.WeakSet()  # kernels whose texts were compared


def load_bundle(path, *, key=None, eager=False, progress=None):
    """Lets launches take their variants from the bundle, a file that ``python -m triton.tools.build`` or ``tritonc
    build`` wrote, before they look into the disk cache, and tuned kernels the choices that it has for this target. It
    reads the file's tables alone; each launch reads its kernel when it comes. After `freeze`, too, launches may do so.

    With ``eager``, all classes get ready now, as by `load_classes`; ``progress(done, of)`` is called after each.
    Returns `LoadedBundle`, and warns of each problem, such as a file that is damaged or was built by another version of
    the package, unless the last part of the version alone differs: launches then compile, as without it. With a
    ``key``, bytes, the bundle must be signed by it: ValueError if it is not, or has changed.
    OSError if the file cannot be read.
    """
    path = os.path.abspath(path)
    if key is not None:
        _manifest.check_key(key)
    with open(path, "rb"):  # the error of Python, where it cannot
        pass
    facts, problems = None, []
    try:
        bundle = _C.open_bundle(path, key or b"")
        facts = _facts_of(bundle, path)
        problems = _manifest.problems_of_bundle(facts, path, driver.active.launch_target())
        data = _item(bundle, FILE_NAME) + _item(bundle, CHOICES_NAME) if eager else b""
        listed = _item(bundle, GENERIC_NAME) if eager else b""
    except ValueError as error:
        if key is not None:
            raise
        facts, problems = None, [f"{error}; kernels are compiled instead"]
    if facts is not None and _manifest.is_compatible(facts):
        _C.add_bundle(bundle, facts["build"])
        _choices.insert(0, functools.lru_cache(1)(lambda: _read_choices(bundle, path)))
        _texts.append(functools.lru_cache(1)(lambda: _read_texts(bundle, path)))
        _sources.append(functools.lru_cache(1)(lambda: _read_sources(bundle, path)))
        if eager:
            classes, choices, unread = records_in(data, f"{path}/{FILE_NAME}")
            generic, _, _ = records_in(listed, f"{path}/{GENERIC_NAME}")
            problems += preload(classes, choices, unread, progress, generic).problems
    for problem in problems:
        warnings.warn(problem, RuntimeWarning, stacklevel=2)
    known = (facts["triton"], tuple(facts["targets"]), facts["classes"]) if facts else (None, (), None)
    return LoadedBundle(path, *known, tuple(problems))


def _item(bundle, name):
    """The bytes of the item; none if the bundle does not have it. ValueError if it is damaged."""
    return bundle.item(name) or b""


def _facts_of(bundle, path):
    data = bundle.item(_manifest.FILE_NAME)
    if data is None:
        raise ValueError(f"`{path}` is a bundle without classes; `tritonc build` writes those with some")
    return _manifest.read_facts(data, path)


def _read_choices(bundle, path):
    """{kernel, its text and the target: {device: {key: Measured}}}."""
    try:
        _, choices, _ = records_in(_item(bundle, CHOICES_NAME), f"{path}/{CHOICES_NAME}")
    except ValueError as error:
        warnings.warn(f"{error}; tuned kernels measure instead", RuntimeWarning, stacklevel=2)
        return {}
    found = {}
    for each in choices:
        place = _place_of_choices(each.kernel.partition(":")[2], each.facts["source"], each.facts["choice"]["target"])
        found.setdefault(place, {}).setdefault(each.device, {})[each.key] = each.measured
    return found


def _read_texts(bundle, path):
    texts = {}
    try:
        classes, _, _ = records_in(_item(bundle, FILE_NAME), f"{path}/{FILE_NAME}")
    except ValueError:  # The launch that compares compiles its kernel anyway.
        return path, texts
    for each in classes:
        texts.setdefault((each.facts["file"], each.kernel.partition(":")[2]), set()).add(each.facts["source"])
    return path, texts


def tell_of_other_texts(kernel):
    """For a launch whose variant no bundle has: warns, once, if one was built of another text of the kernel."""
    if kernel in _told:
        return
    _told.add(kernel)
    place = os.path.abspath(kernel.def_file_name), kernel.__qualname__
    for path, texts in (read() for read in _texts):
        known = texts.get(place)
        if known and digest_of_source(kernel) not in known:
            message = (
                f"the bundle `{path}` has `{kernel.__name__}` of {place[0]} with another text than it has now, so that "
                "it is not taken from there; record its classes again and build the bundle anew"
            )
            warn_once(message, RuntimeWarning)


def _read_sources(bundle, path):
    """Generic variants, which are there if the bundle was built with them, and the classes beside which they stand."""
    found = {}
    for name in (FILE_NAME, GENERIC_NAME):
        try:
            records, _, _ = records_in(_item(bundle, name), f"{path}/{name}")
        except ValueError:  # Launches compile.
            continue
        for each in records:
            place = each.facts["file"], each.kernel.partition(":")[2], each.facts["source"]
            found.setdefault(place, []).append((each, name == GENERIC_NAME))
    return found


def imported_kernels():
    """Those of the bundles whose file is imported."""
    places = {place for read in list(_sources) for place in read()}
    modules = {getattr(module, "__file__", None): module for module in list(sys.modules.values())}
    for file, name, _ in places:
        kernel = modules.get(file)
        for part in name.split("."):
            kernel = getattr(kernel, part, None)
        if isinstance(kernel, KernelInterface):
            yield function_of(kernel)


def sources_for(kernel, target):
    """(ASTSource, options) of each variant of the kernel that bundles have for launches on the target."""
    decides = len(_sources), target, kernel.cache_key
    if _sources_of.get(kernel, (None,))[0] != decides:
        _sources_of[kernel] = decides, _find_sources(kernel, target)
    return _sources_of[kernel][1]


def _find_sources(kernel, target):
    place = os.path.abspath(kernel.def_file_name), kernel.__qualname__, digest_of_source(kernel)
    sources = []
    for recorded, is_generic in [each for read in _sources for each in read().get(place, ())]:
        is_here = not is_generic or recorded.facts["variant"]["target"] == dataclasses.asdict(target)
        if is_here and recorded.is_launched:
            with contextlib.suppress(ValueError):  # A value has no text: the class is found by its own launches.
                source, options = recorded.source_for(kernel, target)
                sources.append((source, options))
                if not is_generic:  # Bundles of earlier builds have these without listing them.
                    sources += [(each, options) for each in last_sources(kernel, source)]
    return sources


def _place_of_choices(kernel, source, target):
    return kernel, source, json.dumps(target, sort_keys=True)


def choices_for(tuner):
    """For each bundle that has choices for the tuned kernel on the current target: {device: {key: Measured}}."""
    kernel = function_of(tuner)
    target = dataclasses.asdict(driver.active.launch_target())
    place = _place_of_choices(kernel.__qualname__, digest_of_source(kernel), target)
    return [found[place] for found in (read() for read in _choices) if place in found]
