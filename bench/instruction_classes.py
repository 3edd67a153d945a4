"""Counts the instructions of kernels in AMD's assembly by class, for one compiler or for several beside one another.

    python bench/instruction_classes.py ours/ theirs/          # kernels of the same name in both folders
    python bench/instruction_classes.py --whole softmax.s      # whole kernels rather than their inner loops

A kernel is a file `NAME.s`. What is counted is its inner loop, the one with the most instructions if there are several,
or its whole body if it has no loop, times the waves of a program, because compilers choose different numbers of them. A
class in which the first compiler has more than another is marked.
"""

import argparse
import collections
import pathlib
import re
import sys

# The first class whose pattern matches the start of a mnemonic is the instruction's.
CLASSES = [
    ("matrix", r"v_(mfma|smfmac|wmma|swmmac)"),
    ("load", r"(buffer|global|flat|scratch)_load|s_load|s_buffer_load"),
    ("store", r"(buffer|global|flat|scratch)_(store|atomic)"),
    ("lds", r"ds_"),
    ("accvgpr", r"v_accvgpr"),
    ("transcendental", r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_"),
    ("valu", r"v_"),
    ("wait", r"s_(wait|nop|delay)"),
    ("barrier", r"s_barrier"),
    ("branch", r"s_(c?branch|setpc|endpgm)"),
    ("salu", r"s_"),
]
NAMES = [name for name, _ in CLASSES]


def read_blocks(path):
    """The code of a kernel: a list of blocks, each with the innermost loop that contains it, or None, and its
    instructions. LLVM writes the loops into comments at the labels. The first block is left out where it loads the
    arguments that launches pass in registers: processors jump over it, and only old firmware does not."""
    blocks, label = [(None, [])], ""
    for line in path.read_text().splitlines():
        if line.startswith("\t.section") and any(code for _, code in blocks):
            break
        if block := re.match(r"\.L(BB\w+):|; %bb\.", line):
            blocks.append((None, []))
            label = block[1] or label
        if re.search(r"=>\s*This (Inner )?Loop Header", line):
            blocks[-1] = (label, blocks[-1][1])
        elif header := re.search(r"in Loop: Header=(BB\w+)", line):
            blocks[-1] = (header[1], blocks[-1][1])
        if re.match(r"\t[a-z]\w*(\s|$)", code := line.split(";")[0]):
            blocks[-1][1].append(code.strip())
    entry = next(code for _, code in blocks if code)
    if all(re.match("s_load|s_waitcnt|s_branch", instruction) for instruction in entry):
        entry.clear()
    return blocks


def choose_instructions(path, whole=False):
    """Those of the loop with the most instructions, or of the whole kernel if it has none."""
    blocks = read_blocks(path)
    loops = {} if whole else {name: [] for name, _ in blocks if name}
    for name, code in blocks:
        if name in loops:
            loops[name] += code
    return max(loops.values(), key=len) if loops else [instruction for _, code in blocks for instruction in code]


def choose_mnemonics(path, whole):
    return [instruction.split()[0] for instruction in choose_instructions(path, whole)]


def count_waves(path):
    """Waves of a program, from the metadata of the code object."""
    text = path.read_text()
    return int(re.search(r"\.max_flat_workgroup_size: *(\d+)", text)[1]) // int(
        re.search(r"\.wavefront_size: *(\d+)", text)[1]
    )


def classify(mnemonic):
    return next((name for name, pattern in CLASSES if re.match(pattern, mnemonic)), None)


def count_classes(mnemonics):
    counts = dict.fromkeys(NAMES, 0)
    for mnemonic in mnemonics:
        name = classify(mnemonic)
        if name:
            counts[name] += 1
    return counts


def print_table(kernel, paths, whole):
    """Prints a row for each compiler. Answers whether the first one has at most as many as the others in each class."""
    rows = []
    for path in paths:
        waves = count_waves(path)
        counts = count_classes(choose_mnemonics(path, whole))
        rows.append({name: count * waves for name, count in counts.items()} | {"waves": waves})
    print(f"{kernel}")
    print("  " + " " * 16 + "waves" + "".join(f"{name:>{len(name) + 2}}" for name in NAMES) + "  total")
    exceeds = [any(rows[0][name] > row[name] for row in rows[1:]) for name in NAMES]
    for index, (path, row) in enumerate(zip(paths, rows, strict=True)):
        cells = [f"{row[name]}{'*' if index == 0 and more else ''}" for name, more in zip(NAMES, exceeds, strict=True)]
        total = sum(row[name] for name in NAMES)
        print(
            f"  {path.parent.name or path.name:16}{row['waves']:5}"
            + "".join(f"{cell:>{len(name) + 2}}" for cell, name in zip(cells, NAMES, strict=True))
            + f"{total:7}"
        )
    return not any(exceeds)


def print_mnemonics(paths, whole):
    """Prints the mnemonics of which the compilers use different numbers, for a wave."""
    counts = [
        collections.Counter(re.sub(r"_e(32|64)$", "", name) for name in choose_mnemonics(path, whole)) for path in paths
    ]
    for mnemonic in sorted(set().union(*counts)):
        numbers = [count[mnemonic] for count in counts]
        if len(set(numbers)) > 1 or len(numbers) == 1:
            print(f"    {mnemonic:28}" + "".join(f"{number:6}" for number in numbers))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path, help="files, or folders of files, one for each compiler")
    parser.add_argument("--whole", action="store_true", help="count whole kernels rather than inner loops")
    parser.add_argument("--mnemonics", action="store_true", help="also list mnemonics whose numbers differ")
    options = parser.parse_args()
    first = options.paths[0]
    names = sorted(path.name for path in first.glob("*.s")) if first.is_dir() else [first.name]
    within = True
    for name in names:
        paths = [path / name if path.is_dir() else path for path in options.paths]
        within &= print_table(pathlib.Path(name).stem, paths, options.whole)
        if options.mnemonics:
            print_mnemonics(paths, options.whole)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
