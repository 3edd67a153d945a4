"""Files of kernels that PyTorch generates. They lie in a cache that comes and goes, so a recorded class has their text,
and the machine that builds it needs neither that cache nor the device."""

import contextlib
import functools
import importlib
import os
import tempfile
import threading

from ..tools.kernel_names import module_of_file

_STEM = 52  # `c` and the digest of the text
_importing = threading.RLock()


def is_generated(path):
    """Whether it is named as src/compiler/CacheKey.cpp has it: the key of its kernels does not say which folder
    PyTorch's cache is."""
    folder, name = os.path.split(path)
    stem, suffix = os.path.splitext(name)
    is_named = suffix == ".py" and len(stem) == _STEM and stem.isalnum() and stem.startswith("c")
    return is_named and os.path.basename(folder) == stem[1:3]


def text_of(path):
    """The text of a generated file, or None."""
    if not is_generated(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def import_generated(path, text):
    """The module of the generated file; where it is not there any more, of a file with the recorded text."""
    with _importing, _any_device():
        return module_of_file(path if os.path.isfile(path) else _restored(path, text))


@functools.cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="triton-generated-")  # until the process ends


def _restored(path, text):
    place = os.path.join(_folder().name, *path.split(os.sep)[-2:])
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)
    return place


@contextlib.contextmanager
def _any_device():
    """The files choose the driver of their device when they are imported, which is an error where there is none."""
    helpers = importlib.import_module("torch._inductor.runtime.triton_helpers")
    names = "set_driver_to_cpu", "set_driver_to_gpu"
    own = {name: getattr(helpers, name) for name in names if hasattr(helpers, name)}
    try:
        for name in own:
            setattr(helpers, name, lambda: None)
        yield
    finally:
        for name, function in own.items():
            setattr(helpers, name, function)
