"""Libraries to link against in place of glibc's: with its functions, in the versions that an older glibc has.

    old_glibc.py VERSION FOLDER

glibc keeps the versions that its functions had earlier, so that old programs run: the newest of them that is not newer
than VERSION is what a linker would have found there. Functions that were added later are left out; the linker names
those that are needed. The libraries hold no code. For x86-64.
"""

import re
import subprocess
import sys
from pathlib import Path

LIBRARIES = {"c": "libc.so.6", "m": "libm.so.6"}
# glibc 2.34 made these a part of libc.so.6. They still exist, empty, so that programs that name them start.
MERGED = ("libpthread.so.0", "libdl.so.2")
HOME = Path("/lib/x86_64-linux-gnu")


def number(version):
    return tuple(int(part) for part in version.removeprefix("GLIBC_").split("."))


def exported(library):
    """(name, version, kind) of what a library exports."""
    text = subprocess.run(["objdump", "-T", str(library)], capture_output=True, text=True, check=True).stdout
    pattern = re.compile(r"^[0-9a-f]+ .{7}\s*(\S+)\t[0-9a-f]+\s+\(?(GLIBC_[0-9.]+)\)?\s+(\S+)$", re.MULTILINE)
    for line in pattern.finditer(text):
        flags = line.group(0)[17:24]
        if line[1] not in ("*UND*", "*ABS*"):
            yield line[3], line[2], "object" if "O" in flags else "function"


def oldest_fit(library, newest):
    """The version of each name that a linker would choose where glibc is as old as `newest`."""
    chosen = {}
    for name, version, kind in exported(library):
        if number(version) <= newest and (name not in chosen or number(version) > number(chosen[name][0])):
            chosen[name] = (version, kind)
    return chosen


def write_library(soname, symbols, folder):
    source, script, output = folder / f"{soname}.s", folder / f"{soname}.map", folder / soname
    lines = []
    for name, (_, kind) in sorted(symbols.items()):
        lines += [f".globl {name}", f".type {name}, @{kind}", f"{name}: .quad 0", f".size {name}, 8"]
    source.write_text(".data\n" + "\n".join(lines) + "\n")
    nodes = {}
    for name, (version, _) in symbols.items():
        nodes.setdefault(version, []).append(name)
    script.write_text(
        "".join(f"{version} {{ global: {'; '.join(sorted(names))}; }};\n" for version, names in sorted(nodes.items()))
    )
    command = ["clang-22", "-shared", "-nostdlib", "-fuse-ld=lld-22", f"-Wl,-soname,{soname}"]
    subprocess.run([*command, f"-Wl,--version-script={script}", str(source), "-o", str(output)], check=True)


def main():
    newest, folder = number(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, soname in LIBRARIES.items():
        write_library(soname, oldest_fit(HOME / soname, newest), folder)
        names = [folder / soname]
        if name == "c":
            names += [HOME / library for library in MERGED]
            names += ["/usr/lib/x86_64-linux-gnu/libc_nonshared.a", "AS_NEEDED(/lib64/ld-linux-x86-64.so.2)"]
        (folder / f"lib{name}.so").write_text(f"GROUP({' '.join(map(str, names))})\n")


if __name__ == "__main__":
    main()
