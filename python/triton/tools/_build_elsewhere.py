"""Compiling classes for a bundle on an executor, whose workers have processes and folders of their own, such as those
of a Dask cluster."""

import contextlib
import os
import tempfile
import threading

from .. import _C, knobs
from ..runtime._inspection import target_named
from ..runtime._recording import Recorded, compile_class

_settings = threading.Lock()  # which the threads of a worker share


@contextlib.contextmanager
def cluster(address):
    """The executor of the Dask cluster whose scheduler has the address. ValueError without Dask or the cluster."""
    try:
        from dask.distributed import Client
    except ImportError as error:
        raise ValueError("`--cluster` needs Dask: pip install distributed") from error
    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        raise ValueError(f"the scheduler of the cluster, `{address}`, does not answer: {error}") from error
    with client, client.get_executor() as executor:
        yield executor


def compile_elsewhere(folder, tasks, executor):
    """[(target, where the kernel came from or a ValueError)] of [(target, Recorded)]. What the workers compile comes to
    the folder, a cache. ValueError if a worker has another build of the package."""
    facts = _C.build_identity(), knobs.compilation.store_binary_only
    pending = [executor.submit(_compile, *facts, text, each.place, each.facts) for text, each in tasks]
    results = []
    try:
        for (text, _), future in zip(tasks, pending, strict=True):
            origin, files = future.result()
            results.append((text, origin))
            for place, data in files.items():
                path = os.path.join(folder, place)
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
                _C.write_whole_file(path, data)
    finally:
        for future in pending:
            future.cancel()
    return results


def _compile(build, store_binary_only, text, place, facts):
    """On a worker: (the origin or a ValueError, {place in the cache: bytes})."""
    if build != _C.build_identity():
        raise ValueError(
            f"a worker has the build {_C.build_identity()} of this package, and it must have {build}, as this process; "
            "install the same package there"
        )
    with (
        _settings,
        tempfile.TemporaryDirectory(prefix="triton-build-") as folder,
        knobs.cache.scope(),
        knobs.compilation.scope(),
    ):
        knobs.cache.dir = folder
        knobs.compilation.store_binary_only = store_binary_only
        try:
            return compile_class(Recorded(place, facts), target_named(text))[3]._origin, _files_of(folder)
        except ValueError as error:
            return ValueError(str(error)), {}  # another class may not come through a pipe


def _files_of(folder):
    """Without the lists of an entry's files, which have their paths on this machine."""
    files = {}
    for directory, _, names in os.walk(folder):
        for name in names:
            if not name.startswith("__grp__"):
                path = os.path.join(directory, name)
                with open(path, "rb") as file:
                    files[os.path.relpath(path, folder)] = file.read()
    return files
