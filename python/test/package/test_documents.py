"""Every command line that the documents show runs as it stands, beside the examples and the README's first kernel."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import triton
from programs import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
#: The package lies in the build folder, as the tools do.
BUILD = Path(triton.__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Commands that are run, and those that others run: the gate the README's, generate_layout_docs.py those of layouts.md.
RUN = {"tritonc", "python"}
OTHERS = {"make"}
#: What an editor sends that only starts the language server and ends it.
LANGUAGE_SERVER_ENDS = "".join(
    f"Content-Length: {len(message)}\r\n\r\n{message}"
    for message in (
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}',
        '{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}',
        '{"jsonrpc": "2.0", "method": "exit"}',
    )
)
ASSIGNMENT = re.compile(r"^(?:[A-Z_]+=\S+ )*")


def program_of(line):
    words = ASSIGNMENT.sub("", line).split()
    return words[0] if words else ""


def commands(document):
    for language, block in BLOCK.findall(document.read_text(encoding="utf-8")):
        if language not in ("", "sh"):
            continue
        lines = block.replace("\\\n", " ").splitlines()
        if lines and program_of(lines[0]) in RUN | OTHERS:
            yield from (line for line in lines if line.strip())


def documents():
    found = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("examples/*/README.md"))]
    return [path for path in found if path.name != "layouts.md" and any(commands(path))]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    kernel = re.search(
        r"^```python\n(import numpy.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    (tmp_path / "add.py").write_text(kernel.group(1))
    return tmp_path


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_run_as_they_stand(document, folder):
    path = [str(BUILD / "tools/tritonc"), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(path), "PYTHONPATH": str(BUILD / "python")}
    assert shutil.which("tritonc", path=environment["PATH"])
    for line in commands(document):
        program = program_of(line)
        if program in OTHERS or "--device cuda" in line:  # the gate, a GPU
            continue
        assert program in RUN, f"`{line}`: say in this test who runs `{program}`"
        if line.startswith("tritonc explore") and "--export" not in line:
            check_server(line, folder, environment)
            continue
        asked = LANGUAGE_SERVER_ENDS if line == "tritonc lsp" else None
        done = subprocess.run(
            ["bash", "-c", line], input=asked, cwd=folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}{done.stderr}"


def test_the_site_is_made_without_drawing_tracked_pictures():
    said = subprocess.run(["make", "-n", "docs"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "mkdocs build" in said and "draw_tour" not in said


def check_server(line, folder, environment):
    """Until it says that it serves."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {line}"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline().startswith("open http://"), line
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 0, line


PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("guide", sorted(ROOT.glob("docs/guides/*.md")), ids=lambda path: path.stem)
def test_programs_of_the_guides_run(guide, tmp_path):
    """The blocks of a guide are one program, in their order."""
    program = tmp_path / f"{guide.stem.replace('-', '_')}.py"
    program.write_text("\n\n".join(PROGRAM.findall(guide.read_text(encoding="utf-8"))))
    environment = os.environ | {"PYTHONPATH": str(BUILD / "python")}
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
