"""Compiles the classes that a program has launched, for any targets, before another process needs them.

    TRITON_RECORD_CLASSES=classes.jsonl python serve.py
    python -m triton.tools.build classes.jsonl --target cuda:90,hip:gfx942 -o kernels
    TRITON_CACHE_DIR=kernels python serve.py

The folder is a disk cache. It also holds the classes, which `triton.load_classes` loads when a program starts.
"""

import os
import sys
from argparse import ArgumentParser
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import knobs
from .._help import with_examples
from ..runtime import _manifest
from ..runtime._inspection import target_named
from ..runtime._recording import FILE_NAME, compile_class, read_records


def build(path, targets, output, jobs=1, key=None):
    """Compiles all classes of the file ``path`` for the targets, texts such as ``"cuda:90"``, into the folder
    ``output``, on ``jobs`` threads, with a list of its files, which ``key``, bytes, signs. Returns ({target: a Counter
    of where the kernels came from: "compiled", "disk" or "remote"}, a sentence for each class that is not there).
    ValueError for a target that there is not or an empty key, OSError for a file that cannot be read or written."""
    if key is not None:
        _manifest.check_key(key)
    named = {text: target_named(text) for text in targets}
    classes, choices, problems = read_records(path)
    origins = {text: Counter() for text in targets}

    def compile_one(task):
        text, recorded = task
        try:
            return text, compile_class(recorded, named[text])[3]._origin
        except ValueError as error:
            return text, error

    with knobs.cache.scope():
        knobs.cache.dir = os.path.abspath(output)
        os.makedirs(output, mode=0o700, exist_ok=True)
        with ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(compile_one, [(text, recorded) for text in targets for recorded in classes]))
    for text, result in results:
        if isinstance(result, ValueError):
            problems.append(str(result))
        else:
            origins[text][result] += 1
    _write(os.path.join(output, FILE_NAME), classes + choices)
    _manifest.write(output, named.values(), key)
    return origins, list(dict.fromkeys(problems))


def _write(path, classes):
    import json

    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(recorded.facts) + "\n" for recorded in classes)
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def main():
    parser = ArgumentParser(
        prog="python -m triton.tools.build",
        description=__doc__.partition("\n")[0],
        **with_examples(f"python -m triton.tools.build {FILE_NAME} --target cuda:90,hip:gfx942 --output kernels"),
    )
    parser.add_argument(
        "path", help="a file that TRITON_RECORD_CLASSES has written; the files of its kernels are executed"
    )
    parser.add_argument("--target", "-t", required=True, help="such as cuda:90,hip:gfx942,cpu, with commas in between")
    parser.add_argument("--output", "-o", required=True, help="folder of the kernels, for TRITON_CACHE_DIR")
    parser.add_argument("--jobs", "-j", type=int, default=1, metavar="N", help="threads that compile")
    parser.add_argument("--key", metavar="FILE", help="sign the list of files by the bytes of this file")
    args = parser.parse_args()
    if args.jobs < 1:
        parser.error(f"--jobs is {args.jobs}; it must be at least 1")
    try:
        key = None if args.key is None else Path(args.key).read_bytes()
        origins, problems = build(args.path, args.target.split(","), args.output, args.jobs, key)
    except (ValueError, OSError) as error:
        parser.exit(1, f"error: {error}\n")
    for text, numbers in origins.items():
        print(f"{text}: {numbers['compiled']} classes compiled, {numbers.total() - numbers['compiled']} were there")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
