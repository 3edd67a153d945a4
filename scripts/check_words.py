#!/usr/bin/env python3
"""Fails when a document or a string in the code uses words that docs/glossary.md says to avoid.

The glossary's last table has them in the column "not". Those that have another meaning elsewhere, such as "since" or
"there", need a reader; PATTERNS has those that a program can find.
"""

import ast
import pathlib
import re
import subprocess
import sys

from problems import report

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLOSSARY = "docs/glossary.md"

# {words as the glossary has them: how they appear in a text}
PATTERNS = {
    "tells": r"\b(?:tells?|told|telling)\b",
    "is no type": r"(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b)\w+",
    "has no such X": r"\b(?:has|have|had) no such\b",
    "the very same": r"\bthe very same\b",
    "under way": r"\bunder way\b",
    "one and the other": r"\bone and the other\b",
    "knows no": r"\bknows no\b",
    "what others got wrong": r"\bwhat others got wrong\b",
    "for ever": r"\bfor ever\b",
    "let go": r"\blets? go\b",
    "send off": r"\bsends? off\b",
    "simulator of GPUs": r"\bsimulators? of GPUs\b",
}
FOUND = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS.values()), re.IGNORECASE)
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)")
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"((?:\\.|[^"\\\n])*)"', re.DOTALL)


def document_texts(text):
    """(position, text) of each line without code and targets of links."""
    position, in_block = 0, False
    for line in text.splitlines(keepends=True):
        in_block ^= line.lstrip().startswith("```")
        if not in_block:
            yield position, CODE.sub(lambda match: " " * len(match.group()), line)
        position += len(line)


def string_texts(text):
    """(position, text) of each string of a C++ source."""
    for match in LITERAL.finditer(text):
        if match.group(1):
            yield match.start(1), match.group(1)


def python_texts(text):
    """(position, text) of each string of a Python source that is not a docstring."""
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    tree = ast.parse(text)
    comments = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
            yield lines[node.lineno - 1], node.value.replace("\n", " ")


TEXTS = {".md": document_texts, ".py": python_texts}


def problems():
    glossary = (ROOT / GLOSSARY).read_text(encoding="utf-8")
    avoided = glossary[glossary.index("## Words we use") :]
    yield from (f"{GLOSSARY}: the words to avoid lack `{words}`" for words in PATTERNS if words not in avoided)
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "*.md",
            "src/*.cpp",
            "src/*.h",
            "src/*.def",
            "tools/*.cpp",
            "python/bindings/*.cpp",
            "python/triton/*.py",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for name in listed:
        if "/test/" in name or not (ROOT / name).exists():
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        end = text.index("## Words we use") if name == GLOSSARY else len(text)
        for position, part in TEXTS.get(pathlib.Path(name).suffix, string_texts)(text):
            for match in FOUND.finditer(part):
                start = position + (0 if name.endswith(".py") else match.start())
                if start < end:
                    line = text.count("\n", 0, start) + 1
                    yield f"{name}:{line}: `{match.group()}` is among the words to avoid ({GLOSSARY})"


if __name__ == "__main__":
    sys.exit(report(problems()))
