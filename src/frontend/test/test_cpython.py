"""The parser against CPython's own: the same trees, the same ranges, the same decision on what is Python."""

import ast
import pathlib
import random
import sys
import sysconfig
import tokenize
import unicodedata
import warnings

import cpython_dump
import pytest

STANDARD_LIBRARY = pathlib.Path(sysconfig.get_paths()["stdlib"])
CHUNK = 64


def is_utf8(data):
    try:
        data.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def parse(data):
    """CPython's tree, or None when it refuses the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def declares_encoding(path):
    """Text that is not UTF-8 is refused here whatever its first lines declare."""
    try:
        with path.open("rb") as file:
            return tokenize.detect_encoding(file.readline)[0] not in ("utf-8", "utf-8-sig")
    except SyntaxError:
        return True


def library_files():
    files = (path for path in STANDARD_LIBRARY.rglob("*.py") if "site-packages" not in path.parts)
    return sorted(path for path in files if is_utf8(path.read_bytes()) and not declares_encoding(path))


def chunks(files):
    return [files[start : start + CHUNK] for start in range(0, len(files), CHUNK)]


def first_difference(got, want):
    for line, (ours, theirs) in enumerate(zip(got.splitlines(), want.splitlines()), 1):
        if ours != theirs:
            return f"line {line}:\n  ours   {ours[:400]}\n  theirs {theirs[:400]}"
    return f"{len(got.splitlines())} lines against {len(want.splitlines())}"


def has_composed_names(tree, data):
    """CPython normalizes names to NFKC; here they stand as written."""
    if data.isascii():
        return False
    names = (
        getattr(node, field)
        for node in ast.walk(tree)
        for field in ("id", "name", "arg", "attr", "asname")
        if isinstance(getattr(node, field, None), str)
    )
    return any(not name.isascii() for name in names)


@pytest.mark.parametrize("files", chunks(library_files()), ids=lambda files: files[0].stem)
def test_standard_library_trees(frontend_dump, files):
    for path, got in zip(files, frontend_dump.run(files, "ast")):
        data = path.read_bytes()
        tree = parse(data)
        if tree is None:
            assert ": error: " in got, f"{path} is accepted here only"
        elif not has_composed_names(tree, data):
            want = cpython_dump.dump_tree(tree)
            assert got == want, f"{path}: {first_difference(got, want)}"


def test_ranges(frontend_dump):
    files = random.Random(5).sample(library_files(), 150)
    compared = 0
    for path, output in zip(files, frontend_dump.run(files, "ranges")):
        data = path.read_bytes()
        tree = parse(data)
        if tree is None or b"\f" in data or b"\r" in data:
            continue
        compared += 1
        theirs = cpython_dump.ranges(tree, data)
        ours = {(kind, int(begin), int(end)) for kind, begin, end in map(str.split, output.splitlines())}
        # CPython counts a semicolon after the last statement of a block to the block.
        missing = [entry for entry in theirs if entry not in ours and data[entry[2] - 1 : entry[2]] != b";"]
        assert not missing, f"{path}: {missing[0]} is {data[missing[0][1] : missing[0][2]][:100]!r}"
    assert compared > 100


def mutate(text, rng):
    """Changes a few tokens or characters."""
    pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        "=",
        "==",
        "*",
        "**",
        ".",
        ";",
        "\n",
        "    ",
        " if ",
        " else ",
        " for ",
        " in ",
        " not ",
        " lambda ",
        "@",
        "->",
        ":=",
        "1",
        "0x",
        "'",
        '"',
        "f'",
        "#",
        "\\",
        "\t",
        " as ",
        " import ",
    ]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        action = rng.randrange(3)
        if action == 0:
            text = text[:at] + rng.choice(pieces) + text[at:]
        elif action == 1:
            text = text[:at] + text[at + rng.randint(1, 4) :]
        else:
            other = rng.randrange(len(text) + 1)
            text = text[:at] + text[other : other + rng.randint(1, 12)] + text[at:]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files(frontend_dump, tmp_path, seed):
    """Accepting and refusing agree with CPython on broken files; where newer grammars differ, only mostly."""
    rng = random.Random(seed)
    small = [path for path in library_files() if 200 < path.stat().st_size < 6000]
    cases = []
    for index in range(400):
        path = tmp_path / f"mutated{index}.py"
        path.write_text(mutate(rng.choice(small).read_text("utf-8"), rng), "utf-8")
        cases.append(path)
    disagreements = []
    for path, got in zip(cases, frontend_dump.run(cases, "diagnostics")):
        if (parse(path.read_bytes()) is None) != (": error: " in got):
            disagreements.append((path, got))
    assert len(disagreements) <= len(cases) // 100, [
        (got.splitlines()[:3] or "accepted", path.read_text("utf-8")[:300]) for path, got in disagreements
    ]


def test_names_follow_unicode():
    """The table of name characters is that of the running Python, or of an older Unicode."""
    table = (pathlib.Path(__file__).parent.parent / "IdentifierRanges.inc").read_text()
    version = table.split("Unicode ")[1].split("\n")[0].rstrip(".")
    if version == unicodedata.unidata_version:
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
        import generate_identifier_ranges as generator

        assert generator.table("identifierStartRanges", str.isidentifier) in table
