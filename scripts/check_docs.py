"""Fails when a document links to a file or names a folder of the project that does not exist, when one about the code
names a function that is not there, when the map in docs/rooms.md lacks a room of src, or when nothing leads from the
README to a document."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Not `kernel[grid](...)`, which is code.
LINK = re.compile(r"(?<!\w)\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:src|include|tools|python|examples|bench|docs|test|scripts|cmake)/[\w./-]*\w)`")

#: Documents about the code; the names in them that are invented for an example.
ABOUT_CODE = (
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/cpu-implementation.md",
    "docs/gpu-implementation.md",
    "docs/rules.md",
)
INVENTED = {"createTritonDropRotations"}
FUNCTION = re.compile(r"`(?:[\w:]+(?:::|\.))?([a-z]+[A-Z]\w*)(?:\([^`]*\))?`")


def missing_targets(document: Path):
    text = document.read_text(encoding="utf-8")
    for match in LINK.finditer(text):
        target = match.group(1)
        if "://" not in target and not (document.parent / target).exists():
            yield text.count("\n", 0, match.start()) + 1, target
    for match in PATH.finditer(text):
        if not (ROOT / match.group(1)).exists():
            yield text.count("\n", 0, match.start()) + 1, match.group(1)


def missing_functions():
    listed = subprocess.run(
        ["git", "grep", "-hoE", r"\b[a-z]+[A-Z]\w*", "--", "src", "include", "tools", "python", "scripts"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    known = set(listed.stdout.split()) | INVENTED
    for name in ABOUT_CODE:
        text = (ROOT / name).read_text(encoding="utf-8")
        for match in FUNCTION.finditer(text):
            if match.group(1) not in known:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: nothing in the code is called `{match.group(1)}`; say what it is called now"


def links(document: Path):
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        if "://" not in target:
            yield (document.parent / target).resolve()


def missing_rooms():
    linked = set(links(ROOT / "docs/rooms.md"))
    for recipe in sorted(ROOT.glob("src/*/CMakeLists.txt")):
        if recipe.parent not in linked and not any(recipe.parent in path.parents for path in linked if path.is_dir()):
            yield recipe.parent.relative_to(ROOT)


def unreached(documents):
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        document = waiting.pop()
        if document not in reached and document.suffix == ".md" and document.exists():
            reached.add(document)
            waiting.extend(links(document))
    return [name for name in documents if ROOT / name not in reached]


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    documents = listed.stdout.split()
    problems = [
        f"{name}:{line}: `{target}` does not exist"
        for name in documents
        for line, target in missing_targets(ROOT / name)
    ]
    problems += missing_functions()
    problems += [f"docs/rooms.md: the room `{room}` is missing" for room in missing_rooms()]
    problems += [f"{name}: no document that the README leads to links to it" for name in unreached(documents)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
