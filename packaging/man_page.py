"""Writes the manual page of tritonc from what it says of itself.

man_page.py TRITONC OUTPUT
"""

import re
import subprocess
import sys
from pathlib import Path


def help_of(program, *command):
    return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout


def entries(text):
    """(option or command, description) of the lines `  name - description` that are special to tritonc."""
    text = re.sub(r"Generic Options:\n\n(?: .*\n)*", "", text)
    return re.findall(r"^  (\S.*?) +- (.+)$", text, re.MULTILINE)


def escaped(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def main():
    program, output = sys.argv[1:]
    overview = help_of(program)
    lines = [
        ".TH TRITONC 1",
        ".SH NAME",
        f"tritonc \\- {escaped(re.search(r'OVERVIEW: (.+)', overview)[1])}",
        ".SH SYNOPSIS",
    ]
    commands = entries(overview.partition("OPTIONS:")[0])
    helps = {name: help_of(program, name) for name, _ in commands}
    for text in helps.values():
        lines += [".PP", escaped(re.search(r"USAGE: (.+)", text)[1])]
    lines.append(".SH COMMANDS")
    for name, description in commands:
        lines += [f".SS {name}", escaped(description)]
        for option, meaning in entries(helps[name]):
            lines += [".TP", f".B {escaped(option)}", escaped(meaning)]
        if examples := helps[name].partition("EXAMPLES:")[2]:
            lines += [".PP", "Examples:", ".PP", ".nf", escaped(examples.strip("\n")), ".fi"]
    Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
