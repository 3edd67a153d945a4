#!/usr/bin/env python3
"""Fails when a header of the C++ sources declares a name that nothing else mentions.

It also fails when a source does not use what it gives a shorter name, by `using` or as an alias of a namespace.

A name counts as used when it appears, outside of comments, at more places than its declaration and its definition. This
finds what is left behind after a change, and not what only its own family uses.
"""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Headers whose names are for others: the public API, and what nanobind asks of Python.
PUBLIC = ("include/", "python/bindings/LimitedApi312.h")
#: What generated code or a library calls by a rule of names.
CALLED_ELSEWHERE = re.compile(r"(?:parse|print|verifyTrait$)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
# A function, a constant, a type: at the beginning of a line or indented as a member.
FUNCTION = re.compile(
    r"^(?:  )?(?! |return\b|else\b|if\b|for\b|while\b|using\b|case\b)[\w:<>,&*\[\] ]*[\w>&*\]] [&*]?(\w+)\(", re.M
)
CONSTANT = re.compile(r"^ {0,2}(?:inline |static )*constexpr [\w:<> ]+ (\w+)(?:\[\])?\s*[={]", re.M)
TYPE = re.compile(r"^(?:  )?(?:class|struct) (\w+)\b[^;]*\{", re.M)
#: What a source gives a shorter name for itself.
SHORTHAND = re.compile(r"^(?:using (?!namespace\b)[\w:]*::(\w+)| *namespace (\w+) = [\w:]+);", re.M)
DEFINITION = r"^(?! )[^\n;=]*\b{name}\("


def unused_shorthands(name, text):
    words = collections.Counter(WORD.findall(text))
    for match in SHORTHAND.finditer(text):
        word = match.group(1) or match.group(2)
        # The last part of what it stands for may be the same word.
        if words[word] <= WORD.findall(match.group()).count(word):
            yield f"{name}: nothing uses `{word}`"


def main():
    listed = subprocess.run(
        ["git", "ls-files", "src", "tools", "python", "bench", "examples", "include"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    texts = {}
    for name in listed:
        path = ROOT / name
        if path.suffix in (".h", ".cpp", ".def", ".td", ".inc", ".in") and path.exists():
            texts[name] = COMMENT.sub("", path.read_text(encoding="utf-8"))
    uses = collections.Counter()
    for name, text in texts.items():
        uses.update(WORD.findall(text if name.endswith((".td", ".def")) else STRING.sub('""', text)))
    found = [line for name in texts if name.endswith(".cpp") for line in unused_shorthands(name, texts[name])]
    for name, text in texts.items():
        if not name.endswith(".h") or name.startswith(PUBLIC) or "/test/" in name:
            continue
        declared = [
            (match.start(1), match.group(1)) for kind in (FUNCTION, CONSTANT, TYPE) for match in kind.finditer(text)
        ]
        for position, word in declared:
            if (
                uses[word] > 2
                or CALLED_ELSEWHERE.match(word)
                or " override" in text[position : text.find("\n", position)]
            ):
                continue
            definition = re.compile(DEFINITION.format(name=word), re.M)
            defined = sum(bool(definition.search(other)) for path, other in texts.items() if path.endswith(".cpp"))
            if uses[word] - defined <= 1:
                found.append(f"{name}: nothing uses `{word}`")
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
