"""`tritonc lsp` as an editor uses it, through the client of pygls."""

import time
from pathlib import Path
from urllib.parse import unquote

import pytest
from editor_client import ADD, HEADER, Editor
from lsprotocol import types
from programs import PATIENCE
from pygls.exceptions import JsonRpcException

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def editor():
    session = Editor()
    yield session
    assert session.end() == 0


def place(text, marker):
    """The position of the `^` that the marker contains, in the text without it."""
    before = text[: text.index(marker.replace("^", ""))] + marker.partition("^")[0]
    line = before.count("\n")
    return line, len(before.rpartition("\n")[2].encode("utf-16-le")) // 2


def errors(diagnostics):
    return [d for d in diagnostics if d.severity == types.DiagnosticSeverity.Error]


# ---- Diagnostics ----


def test_correct_kernel(editor, tmp_path):
    assert editor.diagnostics(editor.open(tmp_path / "add.py", ADD)) == []


@pytest.mark.parametrize(
    "old, new, message, fix",
    [
        ("mask=mask)\n    tl.store", "mask=mack)\n    tl.store", "`mack` is not defined", "mask"),
        ("x_ptr + offsets, mask", "x_ptr + offsets, msk", "`tl.load` has no parameter `msk`", "mask"),
        ("tl.load", "tl.laod", "has no attribute `laod`", "load"),
        ("    mask = offsets < n\n", "    mask = offsets < n\n    import os\n", "`import` is not supported", None),
        ("tl.arange(0, BLOCK)", "tl.arange(0, 100)", "100", None),
        ("x + 1.0", "tl.sum(x, axis=3)", "axis", None),
    ],
)
def test_errors_do_not_depend_on_the_guess(editor, tmp_path, old, new, message, fix):
    text = ADD.replace(old, new)
    uri = editor.open(tmp_path / "add.py", text)
    found = errors(editor.diagnostics(uri))
    assert len(found) == 1 and message in found[0].message, found
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), found[0].range, types.CodeActionContext([]))
    actions = editor.run(editor.client.text_document_code_action_async(params))
    assert [a.edit.changes[uri][0].new_text for a in actions] == ([fix] if fix else [])
    if fix:
        assert actions[0].edit.changes[uri][0].range == found[0].range


def actions_at(editor, uri, range):
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), range, types.CodeActionContext([]))
    return editor.run(editor.client.text_document_code_action_async(params))


def changed_by(action, text):
    (edits,) = action.edit.changes.values()
    return applied(text, edits)


@pytest.mark.parametrize(
    "old, new, title, fixed",
    [
        (
            "x + 1.0",
            "tl.exp(offsets + 1)",
            "Change to `(offsets + 1).to(tl.float32)`",
            "tl.exp((offsets + 1).to(tl.float32))",
        ),
        ("x + 1.0", "int(x)", "Change to `x.to(tl.int32)`", "x.to(tl.int32)"),
        ("x + 1.0", "tl.float16(x)", "Change to `x.to(tl.float16)`", "x.to(tl.float16)"),
        ("offsets, mask=mask", "offsets, other=0.0", "Add `mask=mask`", "offsets, mask=mask, other=0.0"),
        ("x + 1.0, mask=mask", "x + 1.0, mask=offsets", "Change to `offsets != 0`", "x + 1.0, mask=offsets != 0"),
    ],
)
def test_remedies_as_quick_fixes(editor, tmp_path, old, new, title, fixed):
    text = ADD.replace(old, new)
    uri = editor.open(tmp_path / "add.py", text)
    found = editor.diagnostics(uri)
    assert len(found) == 1, found
    actions = actions_at(editor, uri, found[0].range)
    (action,) = [each for each in actions if each.kind == types.CodeActionKind.QuickFix]
    assert action.title == title
    changed = changed_by(action, text)
    assert changed == ADD.replace(old, fixed)
    editor.change(uri, changed)
    assert editor.diagnostics(uri) == []


def test_a_parameter_can_become_a_constant(editor, tmp_path):
    helper = "\n\n@triton.jit\ndef count(n):\n    return tl.arange(0, n)\n"
    text = ADD.replace("x + 1.0", "x + count(tl.load(y_ptr).to(tl.int32))") + helper
    uri = editor.open(tmp_path / "add.py", text)
    (found,) = editor.diagnostics(uri)
    (action,) = actions_at(editor, uri, found.range)
    assert action.title == "Declare `n` as `tl.constexpr`"
    assert changed_by(action, text) == text.replace("count(n)", "count(n: tl.constexpr)")


def test_a_mask_can_be_added(editor, tmp_path):
    for old, call in [(", mask=mask)\n    tl.store", "tl.load"), ("x + 1.0, mask=mask", "tl.store")]:
        text = ADD.replace(old, old.replace(", mask=mask", "")).replace("x + 1.0", "x")
        uri = editor.open(tmp_path / f"{call}.py", text)
        assert editor.diagnostics(uri) == []
        at = types.Position(*place(text, f"{call[:5]}^{call[5:]}"))
        (action,) = actions_at(editor, uri, types.Range(at, at))
        assert action.title == "Add `mask=mask`" and action.kind == types.CodeActionKind.Refactor
        assert changed_by(action, text) == ADD.replace("x + 1.0", "x")
    uri = editor.open(tmp_path / "add.py", ADD)
    editor.diagnostics(uri)
    at = types.Position(*place(ADD, "tl.lo^ad"))
    assert not actions_at(editor, uri, types.Range(at, at)), "it has a mask"


def test_semantic_tokens(editor, tmp_path):
    uri = editor.open(tmp_path / "add.py", ADD)
    editor.diagnostics(uri)
    params = types.SemanticTokensParams(types.TextDocumentIdentifier(uri))
    data = editor.run(editor.client.text_document_semantic_tokens_full_async(params)).data
    legend = editor.server.capabilities.semantic_tokens_provider.legend
    lines, line, column, shown = ADD.splitlines(), 0, 0, set()
    for index in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[index : index + 5]
        line, column = line + down, right if down else column + right
        names = [name for bit, name in enumerate(legend.token_modifiers) if modifiers >> bit & 1]
        shown.add((lines[line][column : column + length], legend.token_types[kind], *names))
    assert {("add", "function", "declaration"), ("tl", "namespace"), ("load", "function", "defaultLibrary")} <= shown
    assert {("x", "variable", "declaration"), ("x", "variable"), ("n", "parameter")} <= shown
    assert {("BLOCK", "parameter", "declaration", "readonly"), ("BLOCK", "parameter", "readonly")} <= shown


def test_several_errors(editor, tmp_path):
    text = ADD.replace("offsets < n", "offsets < undefined").replace("x + 1.0", "y")
    messages = [d.message for d in errors(editor.diagnostics(editor.open(tmp_path / "a.py", text)))]
    assert len(messages) == 2 and "`undefined` is not defined" in messages[0] and "`y` is not defined" in messages[1]


def test_what_holds_for_a_guess_only_is_a_hint(editor, tmp_path):
    text = HEADER + (
        "\n@triton.jit\ndef f(x, y, M: tl.constexpr, N: tl.constexpr):\n"
        "    tl.static_assert(M == 3 * N)\n    tl.store(x + tl.arange(0, 64), tl.load(y))\n"
    )
    found = editor.diagnostics(editor.open(tmp_path / "a.py", text))
    assert [d.severity for d in found] == [types.DiagnosticSeverity.Hint]
    assert "which is a guess" in found[0].message and ("`M`" in found[0].message or "`N`" in found[0].message)


def test_guesses_follow_the_use(editor, tmp_path):
    """Each line is an error for another guess than the one that is found."""
    text = HEADER + (
        "\n@triton.jit\n"
        "def f(x, indices, flags, n, scale, MODE: tl.constexpr, DTYPE: tl.constexpr, HALF: tl.constexpr):\n"
        "    i = tl.load(indices + tl.arange(0, 64))\n"
        "    value = tl.load(x + i * n).to(DTYPE) * scale\n"
        '    if MODE == "relu":\n        value = tl.maximum(value, 0.0)\n    else:\n'
        '        tl.static_assert(MODE == "none")\n'
        "    value = tl.where(tl.load(flags + i) & 1 == 0, value, 0.0)\n"
        "    tl.store(x + tl.arange(0, HALF * 2), tl.exp(value), mask=i < n)\n"
    )
    assert editor.diagnostics(editor.open(tmp_path / "a.py", text)) == []


def test_related_places_are_the_calls(editor, tmp_path):
    text = HEADER + (
        "\n@triton.jit\ndef inner(v):\n    return v.undefined_name\n\n"
        "@triton.jit\ndef outer(x):\n    tl.store(x, inner(tl.load(x)))\n"
    )
    uri = editor.open(tmp_path / "a.py", text)
    (found,) = editor.diagnostics(uri)
    assert found.range.start.line == 6
    (related,) = found.related_information
    assert related.location.uri == uri and related.location.range.start.line == 10
    assert "in the call of `inner`" in related.message


def test_error_in_an_imported_file(editor, tmp_path):
    helper = HEADER + "\n@triton.jit\ndef twice(v):\n    return v * undefined\n"
    (tmp_path / "helper.py").write_text(helper)
    text = ADD.replace("import triton\n", "import triton\nfrom helper import twice\n").replace("x + 1.0", "twice(x)")
    uri = editor.open(tmp_path / "a.py", text)
    (found,) = errors(editor.diagnostics(uri))
    assert "`undefined` is not defined" in found.message and found.range.start.line == 10
    assert found.related_information[0].location.uri == (tmp_path / "helper.py").as_uri()
    # The other file is repaired in the editor, before it is saved.
    editor.versions[uri] = 1
    editor.published.pop(uri)
    editor.open(tmp_path / "helper.py", helper.replace("undefined", "2"))
    assert editor.diagnostics(uri) == []
    # Its definition is there.
    line, column = place(text, "^twice(x)")
    (target,) = editor.ask("definition", uri, line, column)
    assert target.uri == (tmp_path / "helper.py").as_uri() and target.range.start == types.Position(5, 4)


def test_imported_files_that_are_wrong(editor, tmp_path):
    """Files that import each other, that are no UTF-8, have syntax errors, or are folders."""
    (tmp_path / "circle.py").write_text(HEADER + "from a import add\nfrom broken import helper\n")
    (tmp_path / "broken.py").write_text(HEADER + "\n@triton.jit\ndef helper(v):\n    return v + (\n")
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.py").mkdir()
    imports = (
        "from circle import add as again, helper\nfrom bytes import b\nfrom folder import c\nfrom .gone import d\n"
    )
    text = imports + ADD.replace("x + 1.0", "x + helper(b(c(d(x))))")
    uri = editor.open(tmp_path / "a.py", text)
    assert editor.diagnostics(uri) == []
    other = editor.open(tmp_path / "circle.py", (tmp_path / "circle.py").read_text())
    assert editor.diagnostics(other) == [] and editor.diagnostics(uri) == []
    editor.ask("definition", uri, *place(text, "hel^per(b"))


def test_names_that_only_python_knows(editor, tmp_path):
    text = ADD.replace("import triton\n", "import os\nimport triton\nfrom nowhere import gelu\n").replace(
        "x + 1.0", "gelu(x) + os.getpid()"
    )
    assert editor.diagnostics(editor.open(tmp_path / "a.py", text)) == []


@pytest.mark.parametrize(
    "imports, decorator",
    [
        ("import triton.language as lang\nfrom triton import jit", "@jit"),
        ("import triton as t\nimport triton.language as lang", "@t.jit"),
        (
            "import triton\nfrom triton import language as lang",
            "@triton.autotune([triton.Config({'B': 8})], [])\n@triton.jit",
        ),
        ("import triton\nimport triton.language as lang", "@triton.heuristics({'B': lambda args: 32})\n@triton.jit()"),
    ],
)
def test_ways_to_write_a_kernel(editor, tmp_path, imports, decorator):
    body = "    v = lang.arange(0, B)\n    lang.store(x + v, v + missing)\n"
    text = f"{imports}\n\n{decorator}\ndef f(x, B: lang.constexpr):\n{body}"
    uri = editor.open(tmp_path / "a.py", text)
    (found,) = editor.diagnostics(uri)
    assert "`missing` is not defined" in found.message
    assert any(": int32[" in hint.label for hint in editor.hints(uri))


@pytest.mark.parametrize("folder", ["examples", "bench", "python/test/whole_kernels/comparison.py"])
def test_no_false_errors(editor, folder):
    path = ROOT / folder
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        uri = editor.open(file, file.read_text())
        assert errors(editor.diagnostics(uri)) == [], file
        editor.close(uri)


# ---- Types and documentation ----


def test_hover(editor, tmp_path):
    uri = editor.open(tmp_path / "add.py", ADD)
    shown = editor.ask("hover", uri, *place(ADD, "tl.lo^ad")).contents.value
    assert "tl.load(pointer" in shown and "mask" in shown
    shown = editor.ask("hover", uri, *place(ADD, "^x + 1.0")).contents.value
    assert "x: fp32[64]" in shown and "x_ptr: *fp32" in shown
    assert "BLOCK = 64" in editor.ask("hover", uri, *place(ADD, "* BLO^CK")).contents.value
    assert "triton.language" in editor.ask("hover", uri, *place(ADD, "^tl.store")).contents.value
    assert editor.ask("hover", uri, 2, 0) is None


def layout_at(editor, uri, line, column):
    """The part of a hover about the layout, once the kernel is compiled."""
    end = time.monotonic() + PATIENCE
    while "being compiled" in (shown := editor.ask("hover", uri, line, column).contents.value):
        assert time.monotonic() < end, shown
    return shown.partition("Layout on ")[2]


def test_layouts(editor, tmp_path):
    uri = editor.open(tmp_path / "add.py", ADD)
    editor.diagnostics(uri)
    shown = layout_at(editor, uri, *place(ADD, "^x + 1.0"))
    assert shown.startswith("`cuda:90` with 4 warps:") and "#ttg.blocked<{sizePerThread = [" in shown
    assert "32 lanes: 32 side by side" in shown
    assert layout_at(editor, uri, *place(ADD, "x_^ptr + offsets")) == "", "a scalar has none"
    # Where names stand may change, and what is wrong has no layout.
    editor.change(uri, ((0, 0), (0, 0), "# above\n"))
    editor.diagnostics(uri)
    assert layout_at(editor, uri, *place("# above\n" + ADD, "^x + 1.0")) == shown
    wrong = ADD.replace("mask=mask)", "mask=missing)", 1)
    editor.change(uri, wrong)
    editor.diagnostics(uri)
    assert layout_at(editor, uri, *place(wrong, "off^sets < n")) == ""


PRODUCT = (
    HEADER
    + """
@triton.jit
def twice(v):
    w = v * 2
    return w

@triton.jit
def product(a, b, out, steps, N: tl.constexpr):
    tl.static_print("nothing of this may reach the editor")
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    total = tl.zeros((N, N), tl.float32)
    for step in range(steps):
        x = tl.load(a + at + step * N).to(tl.float16)
        y = tl.load(b + at + step).to(tl.float16)
        total = tl.dot(x, y, total)
    tl.store(out + at, twice(total))
"""
)


def test_layouts_of_products_and_called_functions(editor, tmp_path):
    uri = editor.open(tmp_path / "product.py", PRODUCT)
    editor.diagnostics(uri)
    assert "#ttg.nvidia_mma<" in layout_at(editor, uri, *place(PRODUCT, "^total = tl.dot"))
    assert "#ttg.nvidia_mma<" in layout_at(editor, uri, *place(PRODUCT, "^total = tl.zeros")), "as its other values"
    assert "#ttg.dot_op<" in layout_at(editor, uri, *place(PRODUCT, "^x = tl.load"))
    shared = layout_at(editor, uri, *place(PRODUCT, "^y = tl.load"))
    assert "in shared memory, `#ttg.nvmma_shared<" in shared and "lie side by side" in shared
    assert "a thread holds" in layout_at(editor, uri, *place(PRODUCT, "^w = v"))


def test_inlay_hints(editor, tmp_path):
    uri = editor.open(tmp_path / "add.py", ADD)
    lines = ADD.split("\n")
    shown = [lines[h.position.line][: h.position.character].split()[-1] + h.label for h in editor.hints(uri)]
    assert "offsets: int32[64]" in shown and "mask: int1[64]" in shown and "x: fp32[64]" in shown
    assert editor.hints(uri, lines=3) == []


def test_hints_of_called_functions_are_those_of_the_calls(editor, tmp_path):
    text = HEADER + (
        "\n@triton.jit\ndef twice(v):\n    w = v * 2\n    return w\n\n"
        "@triton.jit\ndef f(x):\n    tl.store(x, twice(tl.load(x)))\n"
        "    tl.store(x + tl.arange(0, 8), twice(tl.arange(0, 8)))\n"
    )
    uri = editor.open(tmp_path / "a.py", text)
    labels = {h.label for h in editor.hints(uri)}
    assert ": fp32 | int32[8]" in labels


def test_hints_behind_flags(editor, tmp_path):
    """What is called for some bits of a constant only, or when a flag is not set."""
    text = HEADER + (
        "\n@triton.jit\ndef first(v):\n    one = v * 2\n    return one\n\n"
        "@triton.jit\ndef second(v):\n    two = v * 2\n    return two\n\n"
        "@triton.jit\ndef third(v):\n    three = v * 2\n    return three\n\n"
        "@triton.jit\ndef f(x, STAGE: tl.constexpr, MODE: tl.constexpr, IS_PLAIN: tl.constexpr):\n"
        "    if STAGE & 1:\n        tl.store(x, first(tl.load(x)))\n"
        "    if MODE == 5:\n        tl.store(x + 1, second(tl.load(x)))\n"
        "    if not IS_PLAIN:\n        if (STAGE & 4) != 0:\n            tl.store(x, third(tl.load(x)))\n"
    )
    uri = editor.open(tmp_path / "a.py", text)
    lines = text.split("\n")
    named = {lines[h.position.line][: h.position.character].split()[-1] for h in editor.hints(uri)}
    assert {"one", "two", "three"} <= named


# ---- Completion and signatures ----


def labels(completion):
    return [item.label for item in completion.items]


@pytest.mark.parametrize(
    "typed, expected, unexpected",
    [
        ("    z = tl.ma^", ["max", "maximum", "make_block_ptr"], ["load"]),
        ("    z = x.^", ["to", "sum", "shape", "dtype"], ["load"]),
        ("    z = tl.load(x_ptr, ^", ["mask=", "other=", "offsets", "tl", "range"], ["pointer="]),
        ("    z = tl.load(x_ptr, mask=ma^", ["mask", "max"], ["mask="]),
        ("    z = off^", ["offsets"], []),
        ("    z = tl.zeros([B^", ["BLOCK"], ["BaseException"]),
        ("    z = tl.math.e^", ["exp", "erf"], ["load"]),
        ("    # tl.^", [], ["load"]),
        ("    z = 'tl.^", [], ["load"]),
    ],
)
def test_completion(editor, tmp_path, typed, expected, unexpected):
    uri = editor.open(tmp_path / "add.py", ADD)
    editor.diagnostics(uri)
    text = ADD + typed.replace("^", "") + "\n"
    editor.change(uri, text)
    line = text.count("\n") - 1
    found = labels(editor.ask("completion", uri, line, typed.index("^")))
    assert set(expected) <= set(found) and not set(unexpected) & set(found), found


def test_signature_help(editor, tmp_path):
    text = ADD + "    z = tl.load(x_ptr + tl.arange(0, 4), mask=None, \n"
    uri = editor.open(tmp_path / "add.py", text)
    line = text.count("\n") - 1
    shown = editor.ask("signature_help", uri, line, len("    z = tl.load(x_ptr + tl.arange(0, 4), mask=None, "))
    assert shown.signatures[0].label.startswith("tl.load(pointer, ") and shown.active_parameter == 2
    shown = editor.ask("signature_help", uri, line, len("    z = tl.load(x_ptr + tl.arange(0, "))
    assert shown.signatures[0].label.startswith("tl.arange(start") and shown.active_parameter == 1
    assert editor.ask("signature_help", uri, line, 4) is None


# ---- Definitions, symbols, names ----


def test_definition(editor, tmp_path):
    text = ADD.replace("x + 1.0", "tl.cdiv(x.to(tl.int32), 2)")
    uri = editor.open(tmp_path / "add.py", text)
    (target,) = editor.ask("definition", uri, *place(text, "mask=m^ask)\n    tl.store"))
    assert (target.uri, target.range.start) == (uri, types.Position(7, 4))
    (target,) = editor.ask("definition", uri, *place(text, "* BL^OCK"))
    assert target.range.start == types.Position(5, 25)
    (target,) = editor.ask("definition", uri, *place(text, "tl.cd^iv"))
    prelude = Path(unquote(target.uri.removeprefix("file://")))
    assert prelude.read_text().split("\n")[target.range.start.line].startswith("def cdiv(")
    (target,) = editor.ask("definition", uri, *place(text, "^tl.load"))
    assert target.range.start.line == 1


def test_symbols(editor, tmp_path):
    text = ADD + "\nWIDTH = tl.constexpr(4)\n\nclass Host:\n    def launch(self):\n        pass\n"
    uri = editor.open(tmp_path / "add.py", text)
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    found = editor.run(editor.client.text_document_document_symbol_async(params))
    assert [s.name for s in found] == ["add", "WIDTH", "Host"]
    assert found[0].detail == "kernel" and [c.name for c in found[0].children] == ["x_ptr", "y_ptr", "n", "BLOCK"]
    assert [c.name for c in found[2].children] == ["launch"]


def applied(text, edits):
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        start, end = edit.range.start, edit.range.end
        line = lines[start.line].encode("utf-16-le")
        changed = line[: 2 * start.character] + edit.new_text.encode("utf-16-le") + line[2 * end.character :]
        lines[start.line] = changed.decode("utf-16-le")
    return "\n".join(lines)


def test_rename(editor, tmp_path):
    text = ADD.replace("x + 1.0", "[mask for mask in (x, 1.0)][0] + len('𝄞') + mask.to(tl.float32)")
    uri = editor.open(tmp_path / "add.py", text)
    line, column = place(text, "^mask = offsets")
    assert editor.ask("prepare_rename", uri, line, column).start == types.Position(line, column)
    edit = editor.ask("rename", uri, line, column, new_name="inside")
    changed = applied(text, edit.changes[uri])
    expected = text.replace("mask = offsets", "inside = offsets").replace("mask=mask", "mask=inside")
    expected = expected.replace("+ mask.to", "+ inside.to")
    assert changed == expected
    assert len(editor.ask("references", uri, line, column, context=types.ReferenceContext(True))) == 4


@pytest.mark.parametrize(
    "marker, name, reason",
    [
        ("^mask = offsets", "x", "already has a name"),
        ("^mask = offsets", "tl", "would hide"),
        ("^mask = offsets", "2x", "is not a name"),
        ("^mask = offsets", "for", "is not a name"),
        ("^tl.load", "language", "outside of the kernel"),
        ("BL^OCK: tl", "SIZE", "also given by its name"),
        ("^import triton\n", "other", "inside of kernels"),
    ],
)
def test_refused_renames(editor, tmp_path, marker, name, reason):
    text = ADD + "\nadd[(1,)](None, None, 4, BLOCK=16)\n"
    uri = editor.open(tmp_path / "add.py", text)
    with pytest.raises(JsonRpcException, match=reason):
        editor.ask("rename", uri, *place(text, marker), new_name=name)


# ---- Texts that are being typed ----


def test_syntax_errors_leave_other_kernels_alone(editor, tmp_path):
    second = ADD.partition("\n\n")[2].replace("def add", "def second")
    text = ADD.replace("mask = offsets < n", "mask = (offsets <") + second
    uri = editor.open(tmp_path / "a.py", text)
    assert "never closed" in editor.diagnostics(uri)[0].message
    hints = editor.hints(uri)
    first = text.index("def second")
    assert any(h.position.line > text[:first].count("\n") and h.label == ": fp32[64]" for h in hints)
    assert any(h.position.line == 6 and h.label == ": int32[64]" for h in hints)


def test_typing(editor, tmp_path):
    """Every prefix of a line, character by character, and back."""
    uri = editor.open(tmp_path / "a.py", ADD)
    line = ADD.count("\n")
    typed = "    tl.store(y_ptr + offsets, tl.where(mask, x, 'ä𝄞'[0:"
    for column, character in enumerate(typed):
        units = len(typed[:column].encode("utf-16-le")) // 2
        editor.change(uri, ((line, units), (line, units), character))
    assert editor.diagnostics(uri)
    editor.change(uri, ((line, 0), (line, 1000), ""))
    assert editor.diagnostics(uri) == []


def test_hints_after_an_edit_are_at_their_places(editor, tmp_path):
    uri = editor.open(tmp_path / "a.py", ADD)
    before = [(h.position.line, h.position.character, h.label) for h in editor.hints(uri)]
    editor.change(uri, ((3, 0), (3, 0), "# 𝄞\n\n"))
    after = [(h.position.line - 2, h.position.character, h.label) for h in editor.hints(uri)]
    assert before == after


def test_positions_in_units_of_utf16(editor, tmp_path):
    text = ADD.replace("x + 1.0", "x + len('𝄞𝄞') + missing")
    (found,) = editor.diagnostics(editor.open(tmp_path / "a.py", text))
    line, column = place(text, "^missing")
    assert (found.range.start.line, found.range.start.character) == (line, column)


OTHER_TEXTS = ["", "x = 1\n", "# nothing", "\ufeff" + ADD, ADD.replace("\n", "\r\n"), "def f(:\n", "@triton.jit\ndef"]


@pytest.mark.parametrize("text", OTHER_TEXTS)
def test_other_files(editor, tmp_path, text):
    uri = editor.open(tmp_path / "a.py", text)
    assert bool(editor.diagnostics(uri)) == text.startswith(("def", "@"))
    editor.hints(uri)
    for line in range(8):
        for column in range(0, 60, 7):
            editor.ask("hover", uri, line, column)
            editor.ask("completion", uri, line, column)


def test_texts_that_end_anywhere(editor, tmp_path):
    """A text that stops in the middle, and then goes on with other kernels."""
    whole = (ROOT / "examples/serving/kernels.py").read_text()
    uri = editor.open(tmp_path / "a.py", whole)
    for end in range(0, len(whole), 97):
        editor.change(uri, whole[:end], whole[:end] + "\n" + whole[-end:])
        editor.ask("completion", uri, *divmod(end % 4000, 60))
    editor.diagnostics(uri)


def test_long_file(editor, tmp_path):
    kernel = ADD.partition("\n\n")[2]
    text = HEADER + "".join(kernel.replace("def add", f"def add_{i}") for i in range(1500))
    assert text.count("\n") > 10_000
    uri = editor.open(tmp_path / "a.py", text)
    assert editor.diagnostics(uri) == []
    editor.change(uri, ((text.count("\n") - 2, 4), (text.count("\n") - 2, 4), "q = missing\n    "))
    assert len(editor.diagnostics(uri)) == 1


def test_a_kernel_that_takes_long_does_not_block(editor, tmp_path):
    text = (
        ADD
        + HEADER
        + (
            "\n@triton.jit\ndef slow(x):\n    for i in tl.static_range(200):\n        for j in tl.static_range(200):\n"
            "            tl.store(x + i * j, tl.sqrt(tl.load(x + i) * j + i * 2.0) * 3.0 - j)\n"
        )
    )
    uri = editor.open(tmp_path / "a.py", text)
    for lines in range(1, 4):
        editor.change(uri, ((0, 0), (0, 0), "\n"))
        assert "load" in labels(editor.ask("completion", uri, *place("\n" * lines + text, "tl.lo^ad")))
    editor.diagnostics(uri)


# ---- Messages that are wrong ----


def test_closed_document(editor, tmp_path):
    uri = editor.open(tmp_path / "a.py", ADD + "    missing\n")
    assert editor.diagnostics(uri)
    editor.close(uri)
    with pytest.raises(JsonRpcException, match="not open"):
        editor.ask("hover", uri, 0, 0)
    assert editor.published[uri][1] == []
    editor.change(uri, "x")
    editor.close(uri)
    with pytest.raises(JsonRpcException, match="not open"):
        editor.ask("hover", uri, 0, 0)
    assert any("that is not open was changed" in message for message in editor.messages)


# ---- Settings ----

SET = ADD.replace("@triton.jit", '# tritonc: signature = "*fp16:16, *fp64, BLOCK=32"\n@triton.jit')


def test_settings_of_a_comment(editor, tmp_path):
    uri = editor.open(tmp_path / "add.py", SET)
    assert editor.diagnostics(uri) == []
    assert ": fp16[32]" in [hint.label for hint in editor.hints(uri)]
    text = editor.ask("hover", uri, *place(SET, "^x_ptr, y")).contents.value
    assert "Arguments of the settings, others guessed: `x_ptr: *fp16, y_ptr: *fp64, n: i32, BLOCK = 32`" in text
    editor.change(uri, SET.replace("fp64", "fp65"))
    (wrong,) = editor.diagnostics(uri)
    assert "argument `y_ptr`: `*fp65` is not a type" in wrong.message and wrong.range.start.line == 4
    editor.change(uri, SET.replace("BLOCK=32", "BLOCK=48"))
    (wrong,) = errors(editor.diagnostics(uri))
    assert "48" in wrong.message, "it does not come from a guess"
    editor.change(uri, SET.replace("@triton.jit", "\n@triton.jit"))
    (stray,) = editor.diagnostics(uri)
    assert "stands above no kernel" in stray.message


def test_settings_of_a_file(editor, tmp_path):
    settings = tmp_path / ".triton.toml"
    settings.write_text('target = "hip:gfx942"\nnum-warps = 2\n')
    uri = editor.open(tmp_path / "add.py", ADD)
    assert editor.diagnostics(uri) == []
    at = place(ADD, "^x = tl.load")

    def hover(text):
        end = time.monotonic() + PATIENCE
        while text not in (found := editor.ask("hover", uri, *at).contents.value):  # until the kernel is compiled
            assert time.monotonic() < end, found
        return found

    assert "Layout on `hip:gfx942` with 2 warps" in hover("threadsPerWarp = [64]")
    settings.write_text('target = "cpu"\n')
    hover("The settings name a processor, on which tensors have no layouts")
    settings.write_text("num-warps = 0\n")
    hover("Layout on `cuda:90` with 4 warps")
    (wrong,) = editor.diagnostics(uri, len)  # published beside the answers
    assert "`num-warps` takes a power of two from 1 to 64, not `0`" in wrong.message
    (related,) = wrong.related_information
    assert unquote(related.location.uri) == settings.as_uri() and related.location.range.start.character == 12
