"""The machine code of compiled kernels as text, with what each instruction waits for.

A line is ``waits:read:write:yield:stall<tab>instruction``: the barriers that it waits for as a mask, the barrier that
it sets when its operands are read and the one when its result is there, whether the warp may yield, and the cycles
until the next instruction. ``-`` is none.
"""

import os
import re
import subprocess
import tempfile

from .. import knobs

_INSTRUCTION = re.compile(r"^\s*/\*(?P<address>[0-9a-f]{4,})\*/\s+(?P<text>.*?;)\s*/\* 0x[0-9a-f]+ \*/")
_CONTROL = re.compile(r"/\* (0x[0-9a-f]{16}) \*/")
_FUNCTION = re.compile(r"^\s*Function : (\S+)")
_TARGET = re.compile(r"\b(BRA|BRX|CALL|BSSY)\b.*?\b(0x[0-9a-f]+)\s*;$")


def path_to_cuobjdump():
    """The path of the program. RuntimeError says where it was looked for when it is not installed."""
    return knobs.nvidia.cuobjdump.path


def parseCtrl(sline):
    """The control part of an instruction, from the second line of its listing."""
    bits = int(_CONTROL.search(sline).group(1), 16)
    stall, no_yield = bits >> 41 & 0xF, bits >> 45 & 1
    write, read, waits = bits >> 46 & 7, bits >> 49 & 7, bits >> 52 & 0x3F
    return ":".join(
        [
            f"{waits:02d}" if waits else "--",
            "-" if read == 7 else str(read),
            "-" if write == 7 else str(write),
            "-" if no_yield else "Y",
            f"{stall:x}",
        ]
    )


def processSassLines(fline, sline, labels):
    """(control part, instruction) of the two lines of a listing. ``labels`` gets the address that a branch goes to."""
    text = re.sub(r"\s*;$", ";", _INSTRUCTION.match(fline).group("text"))
    if branch := _TARGET.search(text):
        labels.setdefault(int(branch.group(2), 16), 0)
    return parseCtrl(sline), text


def _show_function(name, pairs):
    labels = {}
    rows = []
    for first, second in pairs:
        address = int(_INSTRUCTION.match(first).group("address"), 16)
        rows.append((address, *processSassLines(first, second, labels)))
    for number, address in enumerate(labels):
        labels[address] = number
    lines = [f"Function:{name}"]
    for address, control, text in rows:
        if address in labels:
            lines.append(f"LBB{labels[address]}:")
        target = _branch_target(text)
        if target is not None:
            text = re.sub(r"0x[0-9a-f]+\s*;$", f"LBB{labels[target]};", text)
        lines.append(f"{control}\t{text}")
    return "\n".join(lines)


def _branch_target(text):
    found = _TARGET.search(text)
    return int(found.group(2), 16) if found else None


def extract(file_path, fun=None):
    """The text for the functions in a file of machine code, or for the one named ``fun``; None if there is none."""
    command = [path_to_cuobjdump(), "-sass", *(["-fun", fun] if fun else []), os.fspath(file_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"`{' '.join(command)}` failed: {done.stderr or done.stdout}")
    functions, current, first = {}, None, None
    for line in done.stdout.splitlines():
        if found := _FUNCTION.match(line):
            current = functions.setdefault(found.group(1), [])
        elif _INSTRUCTION.match(line):
            first = line
        elif first is not None and _CONTROL.search(line):
            current.append((first, line))
            first = None
    if not functions:
        return None
    return "\n".join(_show_function(name, pairs) + "\n" for name, pairs in functions.items()) + "\n"


def get_sass(cubin_asm, fun=None):
    """The same for machine code in memory, ``kernel.asm["cubin"]``."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin_asm)
        file.flush()
        return extract(file.name, fun)
