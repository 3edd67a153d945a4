#!/usr/bin/env python3
"""Runs the commands of docs/layouts.md, in docs/, and writes what they print and draw.

Blocks ```sh are run. In blocks ```console each command follows `$ ` and is followed by its output; it may go on after a
backslash. check_generated_docs.py fails when the page or a picture is out of date.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/layouts.md"
BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^\$ ((?:.*\\\n)*.*\n)", re.MULTILINE)


def documents(build):
    """Path and content of the page and its pictures, by the tool of the build folder."""
    tool = (ROOT / build / "tools/tritonc").resolve()
    environment = os.environ | {"PATH": f"{tool}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "layouts").mkdir()

        def run(commands):
            shell = ["bash", "-eo", "pipefail", "-c", commands]
            return subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout

        def renew(block):
            kind, text = block.groups()
            if kind == "sh":
                run(text)
                return block.group()
            return "```console\n" + "".join(f"$ {command}{run(command)}" for command in PROMPT.findall(text)) + "```"

        contents = {PAGE: BLOCK.sub(renew, PAGE.read_text(encoding="utf-8"))}
        for picture in sorted(folder.rglob("*.svg")):
            contents[ROOT / "docs" / picture.relative_to(folder)] = picture.read_text(encoding="utf-8")
        return contents


if __name__ == "__main__":
    for path, content in documents(sys.argv[1] if len(sys.argv) > 1 else "build").items():
        path.write_text(content, encoding="utf-8")
