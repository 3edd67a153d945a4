"""Counts what survey.py found, as a table in Markdown, and names what failed.

    python table.py FOLDER [--parts N]

FOLDER has `NAME.search` and `NAME.compiled` for each library, the RESULTS and OUT of survey.py. `NAME.PART.search` and
`NAME.PART.compiled` are counted with them. A kernel counts where all its variants compile that Triton compiles for
cuda:90. With `--parts 3` each row has the modules of one library whose names begin with the same three parts.
"""

import argparse
import collections
import json
import pathlib

TARGETS = ["ttir", "cpu", "cuda:90", "cuda:100", "gfx942", "gfx1100"]


def read(folder, name, kind):
    for path in sorted(folder.glob(f"{name}.*{kind}")):
        yield from map(json.loads, path.open(encoding="utf-8"))


def key(kernel, variant):
    return kernel, json.dumps(variant, sort_keys=True)


def part_of(kernel, parts):
    """The beginning of the module's name, or nothing."""
    return ".".join(kernel.split(":")[0].split(".")[:-1][:parts]) if parts else ""


def count(folder, name, belongs):
    """(kernels, variants, kernels that compile by target, failures, seconds of Triton and here) of the kernels that
    belong to a row. None for a target that nothing was compiled for."""
    accepted = {}
    for entry in filter(lambda entry: belongs(entry["kernel"]), read(folder, name, "search")):
        for attempt in entry["tries"]:
            if attempt.get("accepted"):
                accepted[key(entry["kernel"], attempt["variant"])] = attempt.get("seconds")
    results = collections.defaultdict(dict)
    for entry in read(folder, name, "compiled"):
        results[entry["target"]][key(entry["kernel"], entry["variant"])] = entry
    kernels = {kernel for kernel, _ in accepted}
    failures, compiled, seconds = {}, {}, [0.0, 0.0]
    for target in TARGETS:
        if target not in results:
            compiled[target] = None
            continue
        failed = set()
        for wanted in accepted:
            entry = results[target].get(wanted, {"ok": False, "error": "not tried"})
            if not entry["ok"]:
                failed.add(wanted[0])
                failures.setdefault((wanted[0], " ".join(entry["error"].split())[:200]), []).append(target)
            elif target == "cuda:90" and accepted[wanted] is not None:
                seconds[0] += accepted[wanted]
                seconds[1] += entry["seconds"]
        compiled[target] = len(kernels - failed)
    return len(kernels), len(accepted), compiled, failures, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--parts", type=int, default=0, help="parts of the names of modules that tell rows apart")
    options = parser.parse_args()
    print("| library | kernels | variants |", " | ".join(TARGETS), "| seconds of Triton | here |")
    print("| --- | --- | --- |", " | ".join("---" for _ in TARGETS), "| --- | --- |")
    totals, problems = collections.Counter(), []
    rows = {
        (path.name.split(".")[0], part_of(entry["kernel"], options.parts))
        for path in options.folder.glob("*.search")
        for entry in map(json.loads, path.open(encoding="utf-8"))
    }
    for name, part in sorted(rows):
        belongs = lambda kernel, part=part: part_of(kernel, options.parts) == part
        kernels, variants, compiled, failures, seconds = count(options.folder, name, belongs)
        if kernels == 0:  # Triton takes none.
            continue
        columns = [kernels, variants, *compiled.values(), *(round(number) for number in seconds)]
        print(f"| {part or name} |", " | ".join("" if number is None else str(number) for number in columns), "|")
        totals.update({place: number or 0 for place, number in enumerate(columns)})
        problems += [
            f"{name}: {kernel}: {sorted(set(targets))}: {error}" for (kernel, error), targets in failures.items()
        ]
    print("| all |", " | ".join(str(totals[number]) for number in sorted(totals)), "|")
    print(*problems, sep="\n")


if __name__ == "__main__":
    main()
