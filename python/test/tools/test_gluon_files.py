"""Files with kernels in Gluon, given to `tritonc` and to an editor: layouts are Python's, and the file is not run."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from editor_client import Editor
from explorer_kernels import TRITONC, page_data
from gluon_files import LAUNCH, PRODUCT, ROWS, SIGNATURE, line_of
from lsprotocol import types
from triton.experimental.gluon import language as ttgl
from triton.tools.kernel_names import module_of_file
from triton.tools.kernel_objects import Objects


def tritonc(*arguments):
    environment = {**os.environ, "VIRTUAL_ENV": sys.prefix}
    return subprocess.run([TRITONC, *map(str, arguments)], capture_output=True, text=True, env=environment)


@pytest.fixture
def rows(tmp_path):
    (tmp_path / "rows.py").write_text(ROWS)
    return tmp_path / "rows.py"


@pytest.fixture
def product(tmp_path):
    (tmp_path / "product.py").write_text(PRODUCT)
    return tmp_path / "product.py"


@pytest.mark.parametrize("layout", ["LAYOUT", "layout=ttgl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])"])
def test_layouts_are_constants_of_signatures(rows, layout):
    shown = tritonc("show", rows, "--target=cuda:90", "--stage=ttgir", f"--signature=*fp32:16,*fp32:16,64,32,{layout}")
    assert "sizePerThread = [1, 4], threadsPerWarp = [8, 4]" in shown.stdout, shown.stderr


def test_runs_a_kernel_with_a_layout(rows):
    values = [f"--arg={value}" for value in ("x=ones:f32[2048]", "sums=empty:f32[64]", "M=64", "N=32", "layout=LAYOUT")]
    ran = tritonc("run", rows, "--target=sim:cuda:90", *values)
    assert "sums: fp32[64], sum 2048.000000, min 32.000000, max 32.000000" in ran.stdout, ran.stderr


def test_errors_of_layouts_have_their_place(rows):
    wrong = tritonc("show", rows, "--target=cuda:90", "--signature=*fp32:16,*fp32:16,64,32,3")
    assert wrong.returncode == 1 and f"rows.py:{line_of(ROWS, 'i = ttgl.arange')}:" in wrong.stderr
    unknown = tritonc("show", rows, "--target=cuda:90", "--signature=*fp32:16,*fp32:16,64,32,ttgl.BlockedLayout(1)")
    assert unknown.returncode == 2 and "an expression over the file's names" in unknown.stderr


@pytest.mark.parametrize("value", ["tensordesc<fp16[64, 64]>", "tensordesc<fp17[64, 64]>[64, 64]"])
def test_descriptors_have_a_type_and_extents(rows, value):
    wrong = tritonc("run", f"{rows}:row_sums", "--target=sim:cuda:90", f"--arg=x=rand:{value}")
    assert wrong.returncode == 2 and f"`{value}` is not the type of a descriptor with the extents" in wrong.stderr


def test_without_python_an_error_says_what_is_missing(rows):
    environment = {**os.environ, "VIRTUAL_ENV": str(rows.parent)}
    command = [TRITONC, "show", rows, "--target=cuda:90", "--signature=*fp32:16,*fp32:16,64,32,None"]
    wrong = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert wrong.returncode == 1 and "activate an environment that has this package" in wrong.stderr


def lanes_of(time):
    return {(lane["first_warp"], lane["last_warp"]): lane for lane in time["lanes"]}


def test_time_of_groups_of_warps(product):
    """Four warps multiply, and one loads ahead of them: the second block is asked for before the first has come."""
    values = [f"--arg={value}" for value in LAUNCH]
    command = ["explain", f"{product}:product", "--target=cuda:90", f"--signature={SIGNATURE}", *values]
    explained = tritonc(*command, "--json")
    assert explained.returncode == 0, explained.stderr
    data = json.loads(explained.stdout)
    assert data["findings"] == []
    lanes = lanes_of(data["time"])
    assert set(lanes) == {(0, 3), (4, 4), (5, 7)}  # the last ones only wait for the end

    def events(lane, kind, part):
        line = line_of(PRODUCT, part)
        places = [place["line"] for place in data["places"]]
        return [e for e in lanes[lane]["events"] if e["kind"] == kind and places[e["place"]] == line]

    waits = events((0, 3), "wait", "mbarrier.wait(full")
    copies = events((4, 4), "copy", "tma.async_load(a")
    products = events((0, 3), "product", "acc = warpgroup_mma")
    assert waits and waits[0]["end"] >= 600  # a copy takes its time, and the first product needs one
    assert sum(copy["count"] for copy in copies) == 4 and copies[0]["amount"] % (64 * 64 * 2) == 0
    assert copies[1]["begin"] < copies[0]["end"] and products[0]["begin"] >= copies[0]["end"]
    assert sum(each["amount"] for each in products) == 2 * 16 * 64 * 256  # of one of the four warps
    text = tritonc(*command).stdout
    assert "warps 0 to 3, in multiply" in text and "warp 4, in load_blocks" in text
    assert f"line {line_of(PRODUCT, 'mbarrier.wait(full')}: warps 0 to 3" in text


def test_page_of_a_kernel_in_gluon(product):
    """With layouts, buffers in shared memory, and the launch over time."""
    values = [f"--arg={value}" for value in LAUNCH]
    page = product.parent / "page.html"
    options = ["--target=cuda:90", f"--signature={SIGNATURE}", "--grid=1", f"--export={page}", *values]
    made = tritonc("explore", f"{product}:product", *options)
    assert made.returncode == 0, made.stderr
    data = page_data(page.read_text())
    assert set(lanes_of(data["memory"]["time"])) == {(0, 3), (4, 4), (5, 7)}
    assert any(layout["is_shared"] for layout in data["layouts"]) and data["explain"]["accesses"]
    assert data["passes"][0]["name"] and not [each for each in data["passes"] if each["stage"] == "ttir"]


# ---- The editor ----


@pytest.fixture(scope="module")
def editor():
    os.environ["VIRTUAL_ENV"] = sys.prefix
    session = Editor()
    yield session
    assert session.end() == 0


def test_editor_accepts_kernels_in_gluon(editor, tmp_path):
    assert editor.diagnostics(editor.open(tmp_path / "rows.py", ROWS)) == []
    assert editor.diagnostics(editor.open(tmp_path / "product.py", PRODUCT)) == []


SETTINGS = '# tritonc: target = "cuda:90", signature = "*fp32:16, *fp32:16, M=64, N=32, layout=LAYOUT"\n@gluon.jit'


@pytest.mark.parametrize(
    "old, new, part, message",
    [
        ("SliceLayout(0, layout)", "SliceLayout(0, ttgl.BlockedLayout([1], [32], [4], [0]))", "j = ttgl", "layout"),
        ("ttgl.load(x", "ttgl.laod(x", "ttgl.laod", "laod"),
    ],
)
def test_editor_reports_layouts(editor, tmp_path, old, new, part, message):
    text = ROWS.replace("@gluon.jit", SETTINGS).replace(old, new)
    (found,) = editor.diagnostics(editor.open(tmp_path / "wrong.py", text))
    assert found.severity == types.DiagnosticSeverity.Error and message in found.message
    assert found.range.start.line + 1 == line_of(text, part)


BARRIER = """

# tritonc: target = "cuda:90"
@gluon.jit
def waits():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=2)
    mbarrier.arrive(bar)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
"""


def test_editor_reports_barriers(editor, tmp_path):
    """Found by a pass after the frontend: of two arrivals, one is missing."""
    text = ROWS + BARRIER
    (found,) = editor.diagnostics(editor.open(tmp_path / "barrier.py", text))
    assert found.severity == types.DiagnosticSeverity.Error and found.range.start.line + 1 == line_of(text, "wait(bar")
    assert "arriv" in found.message
    right = text.replace("count=2", "count=1")
    assert editor.diagnostics(editor.open(tmp_path / "right.py", right)) == []


# ---- From Python ----


def test_questions_about_methods_have_one_answer():
    """An editor asks again after each change of a text."""
    objects = Objects()
    layout = objects.answer({"module": ttgl.__name__, "attribute": "BlockedLayout"})
    first, again = (objects.answer({"of": layout["handle"], "attribute": "from_ir_text"}) for _ in range(2))
    assert first == again and "call" in first
    assert objects.answer({"module": ttgl.__name__, "attribute": "BlockedLayout"}) == layout


def test_page_and_explanation_of_a_launch(tmp_path):
    """The program gives the layout, the page shows the kernel's file and asks the program for the layout."""
    path = tmp_path / "launched_rows.py"
    path.write_text(ROWS.replace("raise ", "# "))
    module = module_of_file(path)
    x, sums = np.ones((64, 32), np.float32), np.empty(64, np.float32)
    layout = ttgl.BlockedLayout([1, 2], [8, 4], [4, 1], [1, 0])
    text = module.row_sums.explain(x, sums, 64, 32, layout, target="cuda:90")
    assert "8 bytes of a thread at once" in text
    page = tmp_path / "page.html"
    module.row_sums.explore(x, sums, 64, 32, layout, target="cuda:90", grid=(1,), output=page)
    data = page_data(page.read_text())
    assert "sizePerThread = [1, 2]" in data["passes"][0]["after"]["text"] and data["memory"]["findings"] == []
    assert "ttgl.BlockedLayout(" in data["signature"]
