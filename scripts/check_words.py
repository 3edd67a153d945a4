#!/usr/bin/env python3
"""Fails when a document, a string or a comment in the code uses words that docs/glossary.md says to avoid.

The glossary's last table has them in the column "not". Those that have another meaning elsewhere, such as "since" or
"there", need a reader; PATTERNS has those that a program can find.
"""

import pathlib
import re
import subprocess
import sys

from problems import report

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLOSSARY = "docs/glossary.md"
OWN = "scripts/check_words.py"

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
# What a program's text has for people: strings and comments, each as a group.
TEXTS_OF_C = re.compile(r'"((?:\\.|[^"\\\n])*)"|//([^\n]*)|/\*(.*?)\*/', re.DOTALL)
TEXTS_OF_PYTHON = re.compile(r'"""(.*?)"""|"((?:\\.|[^"\\\n])*)"|#([^\n]*)', re.DOTALL)
TEXTS_OF_SHELL = re.compile(r"#([^\n]*)")
TEXTS = {".py": TEXTS_OF_PYTHON, ".sh": TEXTS_OF_SHELL, ".cmake": TEXTS_OF_SHELL, ".txt": TEXTS_OF_SHELL}
FILES = ("*.md", "*.cpp", "*.h", "*.def", "*.td", "*.py", "*.js", "*.sh", "*.cmake", "*CMakeLists.txt")


def document_texts(text):
    """(position, text) of each line without code and targets of links."""
    position, in_block = 0, False
    for line in text.splitlines(keepends=True):
        in_block ^= line.lstrip().startswith("```")
        if not in_block:
            yield position, CODE.sub(lambda match: " " * len(match.group()), line)
        position += len(line)


def program_texts(text, pattern):
    """(position, text) of each string and comment, without code in them."""
    for match in pattern.finditer(text):
        group = match.lastindex
        if group:
            part = match.group(group).replace("\n", " ")
            yield match.start(group), CODE.sub(lambda code: " " * len(code.group()), part)


def problems():
    glossary = (ROOT / GLOSSARY).read_text(encoding="utf-8")
    avoided = glossary[glossary.index("## Words we use") :]
    yield from (f"{GLOSSARY}: the words to avoid lack `{words}`" for words in PATTERNS if words not in avoided)
    listed = subprocess.run(["git", "ls-files", *FILES], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        if "/test/" in name or name == OWN or not (ROOT / name).exists():
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        end = text.index("## Words we use") if name == GLOSSARY else len(text)
        suffix = pathlib.Path(name).suffix
        parts = document_texts(text) if suffix == ".md" else program_texts(text, TEXTS.get(suffix, TEXTS_OF_C))
        for position, part in parts:
            for match in FOUND.finditer(part):
                start = position + match.start()
                if start < end:
                    line = text.count("\n", 0, start) + 1
                    yield f"{name}:{line}: `{match.group()}` is among the words to avoid ({GLOSSARY})"


if __name__ == "__main__":
    sys.exit(report(problems()))
