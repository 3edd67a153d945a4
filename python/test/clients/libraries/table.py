"""Counts what survey.py found, as a table in Markdown, and names what failed.

    python table.py FOLDER

FOLDER has `NAME.search` and `NAME.compiled` for each library, the RESULTS and OUT of survey.py. `NAME.PART.search` and
`NAME.PART.compiled` are counted with them. A kernel counts where all its variants compile that Triton compiles for
cuda:90.
"""

import argparse
import collections
import json
import pathlib

TARGETS = ["ttir", "cpu", "cuda:90", "gfx942", "gfx1100"]


def read(folder, name, kind):
    for path in sorted(folder.glob(f"{name}.*{kind}")):
        yield from map(json.loads, path.open(encoding="utf-8"))


def key(kernel, variant):
    return kernel, json.dumps(variant, sort_keys=True)


def count(folder, name):
    """(kernels, variants, kernels that compile by target, failures, seconds of Triton and here)."""
    accepted = {}
    for entry in read(folder, name, "search"):
        for attempt in entry["tries"]:
            if attempt.get("accepted"):
                accepted[key(entry["kernel"], attempt["variant"])] = attempt.get("seconds")
    results = collections.defaultdict(dict)
    for entry in read(folder, name, "compiled"):
        results[entry["target"]][key(entry["kernel"], entry["variant"])] = entry
    kernels = {kernel for kernel, _ in accepted}
    failures, compiled, seconds = {}, {}, [0.0, 0.0]
    for target in TARGETS:
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
    folder = parser.parse_args().folder
    print("| library | kernels | variants |", " | ".join(TARGETS), "| seconds of Triton | here |")
    print("| --- | --- | --- |", " | ".join("---" for _ in TARGETS), "| --- | --- |")
    totals, problems = collections.Counter(), []
    for name in sorted({path.name.split(".")[0] for path in folder.glob("*.search")}):
        kernels, variants, compiled, failures, seconds = count(folder, name)
        columns = [kernels, variants, *compiled.values(), *(round(number) for number in seconds)]
        print(f"| {name} |", " | ".join(map(str, columns)), "|")
        totals.update(dict(enumerate(columns)))
        problems += [
            f"{name}: {kernel}: {sorted(set(targets))}: {error}" for (kernel, error), targets in failures.items()
        ]
    print("| all |", " | ".join(str(totals[number]) for number in sorted(totals)), "|")
    print(*problems, sep="\n")


if __name__ == "__main__":
    main()
