"""The command `proton-viewer`: prints a profile as a tree."""

import argparse
import math
import os
import re
import sys

from .._help import with_examples
from . import derived
from .profile_file import DamagedProfile, read
from .state import METADATA_NAME

FORMATS = ("full", "file_function_line", "function_line", "file_function")
_FRAME = re.compile(r"(.+):(\d+)@(.+)")


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(
        prog="proton-viewer",
        description="Print a profile as a tree.",
        **with_examples("proton-viewer -m time/ms add.hatchet", "proton-viewer --list add.hatchet"),
    )
    parser.add_argument("-l", "--list", action="store_true", help="list the metrics that can be shown")
    parser.add_argument("-m", "--metrics", help="what to show, separated by commas, such as time/ms,tflop16/s,util")
    parser.add_argument("-i", "--include", metavar="RE", help="only frames that match, with what is around them")
    parser.add_argument("-e", "--exclude", metavar="RE", help="without frames that match, and what is below them")
    parser.add_argument("-t", "--threshold", type=float, metavar="X", help="only frames whose first metric reaches X")
    parser.add_argument("-d", "--depth", type=int, default=100, metavar="N", help="of the tree")
    parser.add_argument("-f", "--format", choices=FORMATS, default="full", help="of frames of Python")
    parser.add_argument("--print-sorted", action="store_true", help="largest first, by the first metric")
    parser.add_argument("-diff", "--diff-profile", metavar="FILE", help="show by how much FILE has more")
    parser.add_argument("target", metavar="PROFILE")
    return parser.parse_args(arguments)


def format_name(name, style):
    """A frame of Python in the style of `--format`; other names as they are."""
    match = _FRAME.fullmatch(name)
    if style == "full" or not match:
        return name
    path, line, function = match.groups()
    file = os.path.basename(path)
    return {
        "file_function_line": f"{file}:{line}@{function}",
        "function_line": f"{line}@{function}",
        "file_function": f"{file}@{function}",
    }[style]


def _prune(node, keep):
    """Removes nodes below which, and at which, `keep` says no. Returns whether the node itself stays."""
    node.children = [child for child in node.children if _prune(child, keep)]
    return bool(node.children) or keep(node)


def _drop(root, is_unwanted):
    for node in derived.walk(root):
        node.children = [child for child in node.children if not is_unwanted(child)]


def select(root, include=None, exclude=None):
    """Filters frames by regular expressions on their names."""
    if include and exclude:
        raise ValueError("`--include` and `--exclude` cannot be given together")
    _drop(root, lambda node: node.name.startswith(METADATA_NAME))
    if exclude:
        _drop(root, lambda node: re.search(exclude, node.name))
    if include:
        matching = set()
        for node in derived.walk(root):
            if node is not root and (id(node) in matching or re.search(include, node.name)):
                matching.add(id(node))
                matching.update(id(child) for child in node.children)
        _prune(root, lambda node: id(node) in matching)


def subtract(root, other):
    """The metrics of `other` minus those of `root`, in place of the latter; frames of either."""
    for key in set(root.metrics) | set(other.metrics):
        if key != "device":
            root.metrics[key] = other.metrics.get(key, 0) - root.metrics.get(key, 0)
    others = {child.name: child for child in other.children}
    for child in root.children:
        subtract(child, others.pop(child.name, derived.Node(child.name, {"device": (None, None)}, [])))
    for name, child in others.items():
        added = derived.Node(name, {"device": child.metrics["device"]}, [])
        subtract(added, child)
        root.children.append(added)


def _number(value):
    return "-" if math.isnan(value) else f"{value:.3f}"


def render(root, columns, style="full", depth=100, threshold=None, is_sorted=False):
    """The lines of the tree. ``columns`` are functions of nodes."""
    lines = []

    def show(node, first, further, level):
        values = [_number(column(node)) for column in columns]
        lines.append(first + " ".join([*values, format_name(node.name, style)]))
        children = node.children if level < depth else []
        if threshold is not None:
            children = [child for child in children if columns[0](child) >= threshold]
        if is_sorted:
            children = sorted(children, key=lambda child: -columns[0](child) if columns[0](child) > -math.inf else 0)
        for index, child in enumerate(children):
            is_last = index == len(children) - 1
            show(child, further + ("└─ " if is_last else "├─ "), further + ("   " if is_last else "│  "), level + 1)

    show(root, "", "", 0)
    return lines


def load(path, include=None, exclude=None):
    """(tree, devices) of a file."""
    data, devices = read(path)
    root = derived.build(data)
    select(root, include, exclude)
    derived.add_up(root)
    return root, devices


def _usual_columns(root):
    found = derived.names(root)
    for key, column in (("time (ns)", "time/ms"), ("cpu_time (ns)", "cpu_time/ms"), ("instructions", "instructions")):
        if key in found:
            return [column]
    return found[:1]


def run(options):
    if options.include and options.exclude:
        raise ValueError("`--include` and `--exclude` cannot be given together")
    root, devices = load(options.target, options.include, options.exclude)
    if options.diff_profile:
        other, _ = load(options.diff_profile, options.include, options.exclude)
        subtract(root, other)
        derived.add_up(root)
    if options.list:
        print("\n".join(derived.available(root)))
        return
    names = [name.strip() for name in options.metrics.split(",")] if options.metrics else _usual_columns(root)
    columns = [derived.column(name, root, devices) for name in names]
    print(" ".join(names))
    print("\n".join(render(root, columns, options.format, options.depth, options.threshold, options.print_sorted)))


def main():
    options = parse_arguments()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 100_000))  # for trees as deep as the program's scopes
    try:
        run(options)
    except re.error as error:
        sys.exit(f"proton-viewer: `{error.pattern}` is not a regular expression: {error}")
    except (DamagedProfile, ValueError, OSError) as error:
        sys.exit(f"proton-viewer: {error}")
    finally:
        sys.setrecursionlimit(limit)


if __name__ == "__main__":
    main()
