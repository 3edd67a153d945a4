#!/usr/bin/env python3
"""Fails when a class of the C++ sources has more methods than a class may have.

A reader must hold a class in mind as a whole. Functions that only share a state take it as an argument instead, each in
the file of its construct. CEILINGS lists the classes that are larger with the reason, and how many methods they have
today: it may only fall.
"""

import pathlib
import re
import subprocess
import sys

from problems import report

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 40

# {class: (methods, why it is not in parts)}
CEILINGS = {
    "src/frontend/AST.cpp: ChildVisitor": (62, "an overload for each kind of node"),
    "src/frontend/Dump.cpp: Dumper": (73, "an overload for each kind of node"),
    "src/frontend/LexerState.h: LexerState": (
        43,
        "a lexer reads one text from one place; no part of it has a state of its own",
    ),
    "src/frontend/ParserState.h: ParserState": (123, "recursive descent: a method for each rule of the grammar"),
    "src/gpu/lowering/Emitter.h: Emitter": (
        77,
        "the vocabulary of all lowerings: constants, arithmetic, control flow, the thread",
    ),
    "src/gpu/lowering/TargetEmitter.h: TargetEmitter": (
        47,
        "an interface: what a machine writes itself, most of it with a default",
    ),
    "src/passes/ptx/PtxTranslator.h: PtxTranslator": (61, "a method for each group of instructions of PTX"),
    "src/simulator/core/Decoder.h: Decoder": (61, "a method for each group of instructions of LLVM IR"),
    "src/simulator/core/Warp.h: Warp": (
        52,
        "small accessors of lanes and registers, which the loop over instructions inlines",
    ),
}

TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"\((?:.*?)\)\"|\"(?:\\.|[^\"\\])*\"|(?<!\w)'(?:\\.|[^'\\])*'|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
CLASS = re.compile(
    r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s+)?(?:\w+\s+)*?([\w:]+)\s*(?:final\s*)?(?::[^;{}()]*(?:\([^)]*\)[^;{}()]*)?)?$"
)
NOT_METHODS = re.compile(r"^\s*(?:using|typedef|friend|static_assert|enum|TRITON_\w+|MLIR_\w+|template\s*$)\b")
NAME = re.compile(r"(?:\boperator\s*[^\s\w(]+|\boperator\s*\(\s*\)|\boperator\s+[\w:]+|~?\b\w+)\s*\(")


def without_arguments(text):
    """The text without what is between < and >, as far as these are brackets."""
    text = re.sub(r"operator\s*(?:<=>|<<|>>|<=|>=|<|>|->)", "operator~", text)
    before = None
    while before != text:
        before, text = text, re.sub(r"<[^<>]*>", "", text)
    return text


def is_method(member):
    """Whether a member, up to its body or semicolon, declares a function."""
    head = re.sub(r"^(?:\s*(?:public|private|protected)\s*:)+", "", without_arguments(member)).strip()
    if not head or NOT_METHODS.match(head):
        return False
    declared = NAME.search(head)
    return bool(declared) and "=" not in head[: declared.start()]


def classes(text):
    """(name, number of methods) of each class in a source, those in classes and functions too."""
    text = TOKEN.sub(lambda match: "\n" * match.group().count("\n"), text)
    stack, start = [], 0  # of open braces: [class name or None, methods]
    parentheses = 0
    for position, letter in enumerate(text):
        if letter in "()":
            parentheses += 1 if letter == "(" else -1
        if letter not in "{};" or (parentheses > 0 and letter == ";"):
            continue
        if parentheses > 0:  # braces of an argument
            stack.append([None, 0]) if letter == "{" else stack.pop()
            continue
        member = text[start:position]
        if letter in "{;" and stack and stack[-1][0] and is_method(member):
            stack[-1][1] += 1
        if letter == "{":
            opened = CLASS.search(without_arguments(member).strip())
            stack.append([opened.group(1) if opened else None, 0])
        elif letter == "}" and stack:
            name, methods = stack.pop()
            if name:
                yield name, methods
        start = position + 1


def problems():
    listed = subprocess.run(
        ["git", "ls-files", "include", "src", "tools", "python"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    found = {}
    for name in listed:
        path = ROOT / name
        if path.suffix in (".h", ".cpp") and path.exists() and "/test/" not in name:
            for declared, methods in classes(path.read_text(encoding="utf-8")):
                if methods > MOST:
                    found[f"{name}: {declared}"] = methods
    for place, methods in sorted(found.items()):
        most = CEILINGS.get(place, (MOST, ""))[0]
        if methods > most:
            yield f"{place} has {methods} methods, and may have {most}: make free functions of some"
    for place, (most, _) in sorted(CEILINGS.items()):
        if found.get(place, 0) < most:
            yield f"{place} has {found.get(place, 0)} methods: lower its ceiling of {most} in scripts/check_classes.py"


if __name__ == "__main__":
    sys.exit(report(problems()))
