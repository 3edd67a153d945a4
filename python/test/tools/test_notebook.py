"""What notebooks show, and the page of figures over commits."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import triton
import triton.language as tl
from triton.backends.active import running_target
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.tools import LinearLayout

BENCH = Path(__file__).resolve().parents[3] / "bench"


@triton.jit
def scale(x, out, BLOCK: tl.constexpr):
    """</pre><script>alert(1)</script>"""
    at = tl.arange(0, BLOCK)
    tl.device_print("<img src=x>", at)
    tl.store(out + at, tl.load(x + at) * 2)


def compiled(target):
    source = ASTSource(scale, {"x": "*fp32", "out": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 64})
    return triton.compile(source, target=target)


@pytest.mark.parametrize(
    "target, stages",
    [
        (GPUTarget("cpu", None, 0), ["ttir", "ttcir", "llir", "asm"]),
        (GPUTarget("cuda", 90, 32), ["ttir", "ttgir", "llir", "ptx"]),
        (GPUTarget("hip", "gfx942", 64), ["ttir", "ttgir", "llir", "amdgcn"]),
    ],
)
def test_a_kernel_shows_its_stages(target, stages):
    html = compiled(target)._repr_html_()
    root = ElementTree.fromstring(html)
    assert root.find("strong").text == "scale"
    facts = {row[0].text: row[1].text for row in root.iter("tr")}
    target = running_target(target)  # a processor that is named without its architecture is this one
    assert facts["target"] == f"{target.backend}:{target.arch}"
    assert ("warps" in facts) == (target.backend != "cpu")
    summaries = [each.text.split(",")[0] for each in root.iter("summary")]
    assert summaries == ["source", *stages]
    ttir = next(root.iter("pre")).text
    assert ttir.startswith("#loc") or ttir.startswith("module")
    assert "tt.store" in ttir
    assert not list(root.iter("script")) and not list(root.iter("img"))


def test_layouts_are_pictures():
    layout = LinearLayout.from_bases(
        [("register", [[0, 1]]), ("lane", [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]), ("warp", [[8, 0]]), ("block", [])],
        ["dim0", "dim1"],
    )
    root = ElementTree.fromstring(layout._repr_svg_())
    assert root.tag.endswith("svg")
    texts = "".join(root.itertext())
    assert "elements by warp and lane" in texts
    shared = LinearLayout.from_bases([("offset", [[1], [2], [4]]), ("block", [])], ["dim0"])
    assert "places by bank" in shared._repr_svg_()


@pytest.mark.parametrize(
    "layout",
    [
        LinearLayout.identity_1d(8, "in", "out"),
        LinearLayout(),
        LinearLayout.identity_1d(1 << 15, "register", "dim0"),
    ],
)
def test_other_layouts_are_texts(layout):
    assert layout._repr_svg_() is None


def figure(name, value, reach=">= 1.0", ratio=None):
    return {"name": name, "value": value, "unit": "ms", "reference": None, "ratio": ratio, "reach": reach}


def test_figures_over_commits(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    import history

    path = tmp_path / "history.jsonl"
    history.append(path, "g1234567", "2026-01-02", [figure("a <b>", 3.0, "<= 2"), figure("other", 1.0, ratio=0.5)])
    history.append(path, "g89abcde", "2026-01-03", [figure("a <b>", 1.5, "<= 2")])
    history.write_page(path, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "<b>" not in text and "<script" not in text
    body = text[text.index("<main>") : text.index("</html>")]
    main = ElementTree.fromstring(body)
    assert [each.text for each in main.iter("figcaption")] == [
        "a <b>: 1.5 ms, reach <= 2",
        "other: 0.5 times, reach >= 1.0",
    ]
    first = main[0]
    dots = list(first.iter("circle"))
    assert [each.get("class") for each in dots] == ["missed", "reached"]
    assert float(dots[0].get("cy")) < float(dots[1].get("cy"))  # 3.0 stands above 1.5
    assert "g1234567" in dots[0][0].text
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


@pytest.mark.parametrize("line", ["{", '{"commit": "g1"}', "[]", "3"])
def test_a_broken_history(tmp_path, line):
    path = tmp_path / "history.jsonl"
    path.write_text('{"commit": "g1", "date": "", "figures": []}\n' + line + "\n")
    result = subprocess.run(
        [sys.executable, BENCH / "history.py", path, tmp_path / "page.html"], capture_output=True, text=True
    )
    assert result.returncode == 1 and not (tmp_path / "page.html").exists()
    assert f"{path}:2: this line is not a measurement" in result.stderr and "Traceback" not in result.stderr
