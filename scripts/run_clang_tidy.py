#!/usr/bin/env python3
"""Lets clang-tidy read the sources that standard input names, a path on each line.

    scripts/run_clang_tidy.py BUILD [--jobs N] < PATHS

Most of its time goes into the declarations of the precompiled header, whatever the source. So it reads sources of one
batch of the build as one file, which takes as long as one of them. clang then reads each of them alone, to find the
headers that it forgot to include. scripts/check_unused.py finds unused `using` and aliases of namespaces, which
clang-tidy looks for in the main file alone. Fails after all have been read, when one has a finding.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from source_commands import sources_of

SOURCE = Path(__file__).resolve().parent.parent
NAMES = rf"^{SOURCE}/(src|include|tools|python|examples|bench)/.*\.(h|cpp)$"
INCLUDE = '#include "{}" // NOLINT(bugprone-suspicious-include): what clang-tidy reads as one file\n'


def entries_of(build, selected):
    """For each selected source the entry of compile_commands.json that compiles it, alone or in a batch."""
    try:
        commands = json.loads((build / "compile_commands.json").read_text())
    except OSError as error:
        sys.exit(f"{sys.argv[0]}: run `make tests` first: {error}")
    entries = {}
    for entry in commands:
        for source in sources_of(entry):
            entries.setdefault(source, entry)
    unknown = [source for source in selected if source not in entries]
    if unknown:
        sys.exit(f"{sys.argv[0]}: {build} does not compile {', '.join(unknown)}; run `make tests` first")
    return {source: entries[source] for source in selected}


def write_batches(folder, entries):
    """Writes a file for the selected sources of each batch, in the batch's order, and the commands that compile these
    files. Returns the files' paths."""
    batches = defaultdict(list)
    for source, entry in entries.items():
        batches[entry["file"]].append(source)
    folder.mkdir(parents=True, exist_ok=True)
    commands, files = [], []
    for number, (batch, selected) in enumerate(sorted(batches.items())):
        file, entry = selected[0], entries[selected[0]]
        if len(selected) > 1:
            file = str(folder / f"batch{number}.cpp")
            Path(file).write_text("".join(INCLUDE.format(source) for source in sources_of(entry) if source in selected))
        commands.append({**entry, "file": file, "command": entry["command"].replace(batch, file)})
        files.append(file)
    (folder / "compile_commands.json").write_text(json.dumps(commands, indent=0))
    return files


def tidy(folder, file):
    command = ["clang-tidy-22", "-p", str(folder), "--quiet", f"-header-filter={NAMES}",
               f"--config-file={SOURCE / '.clang-tidy'}", file]  # fmt: skip
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def read_alone(source, entry):
    words = shlex.split(entry["command"].replace(entry["file"], source))
    at = words.index("-o")
    del words[at : at + 2]
    command = [*words, "-fsyntax-only"]
    return subprocess.run(command, cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    entries = entries_of(arguments.build, [str(SOURCE / line.strip()) for line in sys.stdin if line.strip()])
    folder = (arguments.build / "sources" / "batches").resolve()
    files = write_batches(folder, entries)
    failed, done = False, 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        runs = [pool.submit(tidy, folder, file) for file in files]
        runs += [pool.submit(read_alone, source, entry) for source, entry in entries.items() if source not in files]
        for run in as_completed(runs):
            result = run.result()
            done += 1
            if result.returncode != 0:
                failed = True
                print(result.stdout, end="", flush=True)
            if done % 20 == 0 or done == len(runs):
                print(f"clang-tidy and clang have read {done} of {len(runs)} files", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
