"""Compiles the classes that a program has launched, for any targets, before another process needs them.

    TRITON_RECORD_CLASSES=classes.jsonl python serve.py
    python -m triton.tools.build classes.jsonl --target cuda:90,hip:gfx942 -o kernels.bundle

`triton.load_bundle` loads the file when a program starts. With another suffix than .bundle or .ttb, the output is a
folder: a disk cache, which also holds the classes for `triton.load_classes`. `tritonc build` is the same.
"""

import contextlib
import json
import os
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import _C, knobs
from .._help import with_examples
from ..runtime import _bundles, _manifest
from ..runtime._inspection import target_named
from ..runtime._recording import FILE_NAME, compile_class, generic_lines, read_records
from ._build_elsewhere import cluster, compile_elsewhere
from .class_signatures import kernels_of_bundle

#: What the names of bundles end with.
BUNDLE_SUFFIXES = (".bundle", ".ttb")


def build(path, targets, output, jobs=1, key=None, refused=None, executor=None):
    """Compiles all classes of the file ``path`` for the targets, texts such as ``"cuda:90"``, on ``jobs`` threads, into
    the bundle or the folder ``output``, with a list of what is in it, which ``key``, bytes, signs. A bundle's may be
    compiled on an ``executor`` instead, as concurrent.futures has them, also that of a Dask cluster. Returns ({target:
    a Counter of where the kernels came from: "compiled", "disk" or "remote"}, a sentence for each class that is not
    there). ``refused`` gets a sentence for each kernel that a bundle has for Python alone. ValueError for a target that
    there is not, an empty key or a folder with an executor, OSError for a file that cannot be read or written."""
    if key is not None:
        _manifest.check_key(key)
    named = {text: target_named(text) for text in targets}
    classes, choices, problems = read_records(path)
    output = os.path.abspath(output)
    if executor is not None and not output.endswith(BUNDLE_SUFFIXES):
        raise ValueError(
            f"the output of a build on an executor is {output}, a folder; its name must end with "
            f"{' or '.join(BUNDLE_SUFFIXES)}"
        )
    if output.endswith(BUNDLE_SUFFIXES):
        with tempfile.TemporaryDirectory(prefix="triton-build-") as folder:
            with knobs.compilation.scope():
                knobs.compilation.store_binary_only = True
                origins = _compile_into(os.path.join(folder, "kernels"), classes, named, jobs, problems, executor)
            items = _items_of(os.path.join(folder, "kernels"), classes, choices, named.values())
            not_for_c = _write_bundle(os.path.join(folder, "c"), output, classes, named, items, key)
        if refused is not None:
            refused += not_for_c
    else:
        origins = _compile_into(output, classes, named, jobs, problems)
        _C.write_whole_file(os.path.join(output, FILE_NAME), _lines_of(classes + choices))
        _manifest.write(output, named.values(), key)
    return origins, list(dict.fromkeys(problems))


def _write_bundle(folder, output, classes, targets, items, key):
    """Compiles for programs in C, with a cache of its own, and writes all of it."""
    for_c = [text for text in targets if not text.startswith("sim:")]
    with knobs.cache.scope(), knobs.compilation.scope():
        knobs.cache.dir = folder
        knobs.compilation.store_binary_only = False  # a library is linked of more than the machine code
        kernels = kernels_of_bundle(classes) if for_c else []
        return _C.aot_bundle(output, kernels, for_c or ["cpu"], items, key or b"")


def _compile_into(folder, classes, named, jobs, problems, executor=None):
    origins = {text: Counter() for text in named}
    tasks = [(text, recorded) for text in named for recorded in classes]

    def compile_one(task):
        text, recorded = task
        try:
            return text, compile_class(recorded, named[text])[3]._origin
        except ValueError as error:
            return text, error

    with knobs.cache.scope():
        knobs.cache.dir = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if executor is not None:
            results = compile_elsewhere(folder, tasks, executor)
        else:
            with ThreadPoolExecutor(jobs) as pool:
                results = list(pool.map(compile_one, tasks))
    for text, result in results:
        if isinstance(result, ValueError):
            problems.append(str(result))
        else:
            origins[text][result] += 1
    return origins


def _items_of(folder, classes, choices, targets):
    """What a bundle holds of a folder: {name: bytes}."""
    items = {
        FILE_NAME: _lines_of(classes),
        _bundles.GENERIC_NAME: _generic_lines_of(classes, targets),
        _bundles.CHOICES_NAME: _lines_of(choices),
        _manifest.FILE_NAME: json.dumps({**_manifest.facts_of(targets), "classes": len(classes)}).encode(),
    }
    kernels = defaultdict(dict)
    for place in sorted(Path(folder).rglob("*")):
        if place.is_file() and place.parent != Path(folder) and not place.name.startswith("__grp__"):
            name = f"{_bundles.KERNELS}{place.relative_to(folder)}"
            stem, _, extension = name.rpartition(".")
            items[name] = kernels[stem][extension] = place.read_bytes()
    for stem, files in kernels.items():
        if hash := _hash_of(files):
            items.update({f"{stem}.{name}": data for name, data in _C.loading_forms(hash, files).items()})
    return items


def _hash_of(files):
    """The hash of a kernel's entry in the cache; None if the files are others."""
    try:
        return json.loads(files["json"])["hash"]
    except (KeyError, TypeError, ValueError):
        return None


def _generic_lines_of(classes, targets):
    lines = [line for target in targets for recorded in classes for line in generic_lines(recorded, target)]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines)).encode()


def _lines_of(records):
    return "".join(json.dumps(recorded.facts) + "\n" for recorded in records).encode()


def main(prog="python -m triton.tools.build"):
    parser = ArgumentParser(
        prog=prog,
        description=__doc__.partition("\n")[0],
        **with_examples(f"{prog} {FILE_NAME} --target cuda:90,hip:gfx942 --output kernels.bundle"),
    )
    parser.add_argument(
        "path", help="a file that TRITON_RECORD_CLASSES has written; the files of its kernels are executed"
    )
    parser.add_argument("--target", "-t", required=True, help="such as cuda:90,hip:gfx942,cpu, with commas in between")
    parser.add_argument(
        "--output", "-o", required=True, help="the bundle, kernels.bundle, or a folder, for TRITON_CACHE_DIR"
    )
    parser.add_argument("--jobs", "-j", type=int, default=1, metavar="N", help="threads that compile")
    parser.add_argument("--cluster", metavar="HOST:PORT", help="the scheduler of a Dask cluster that compiles a bundle")
    parser.add_argument("--key", metavar="FILE", help="sign the output by the bytes of this file")
    args = parser.parse_args()
    if args.jobs < 1:
        parser.error(f"--jobs is {args.jobs}; it must be at least 1")
    try:
        key = None if args.key is None else Path(args.key).read_bytes()
        refused = []
        with contextlib.nullcontext() if args.cluster is None else cluster(args.cluster) as executor:
            targets = args.target.split(",")
            origins, problems = build(args.path, targets, args.output, args.jobs, key, refused, executor)
    except (ValueError, OSError) as error:
        parser.exit(1, f"error: {error}\n")
    for text, numbers in origins.items():
        print(f"{text}: {numbers['compiled']} classes compiled, {numbers.total() - numbers['compiled']} were there")
    for sentence in refused:
        print(f"note: not for programs in C: {sentence}")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
