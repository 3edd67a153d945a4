"""`tritonc explore`: the data of its page, and the exported file."""

import base64
import hashlib
import re
import subprocess

import pytest
from explorer_kernels import (  # noqa: F401  `kernels` is a fixture
    LAUNCH,
    PRODUCT,
    SCALE,
    SOURCE,
    SPECIALIZED,
    SPECIALIZED_SIGNATURE,
    SPILLING,
    TRITONC,
    WRONG,
    cells_of,
    exported,
    kernels,
    last,
    stand_in_for_nvdisasm,
)


def lines_with(linked, word):
    """The kernel's lines of the lines of the text that have the word."""
    return {line for text, line in zip(linked["text"].splitlines(), linked["lines"], strict=True) if word in text}


@pytest.mark.parametrize("target, assembly", [("cpu", "asm"), ("cuda:90", "ptx"), ("hip:gfx942", "amdgcn")])
def test_lines_of_all_stages(kernels, target, assembly):
    _, data = exported(kernels, "scale", SCALE, target)
    load, store = (
        1 + SOURCE.splitlines().index(line)
        for line in SOURCE.splitlines()
        if "tl.load(x" in line or "value * f" in line
    )
    ttir = last(data, "ttir")
    assert lines_with(ttir, "tt.load") == {load} and lines_with(ttir, "tt.store") == {store}
    llir = last(data, "llir")
    assert {load, store} <= set(llir["lines"])
    assert "!dbg" not in llir["text"]
    (texts,) = [each for each in data["assembly"] if each["name"] == assembly]
    assert {load, store} <= set(texts["lines"])
    assert ".loc" not in texts["text"]
    instruction = {"ptx": "st.global", "amdgcn": "store"}.get(assembly)
    if instruction:
        assert store in lines_with(texts, instruction)
    assert data["source"] == SOURCE and data["kernel"] == "scale" and data["kernels"] == ["scale", "product"]
    assert all(each["seconds"] >= 0 for each in data["passes"])
    purposes = {each["name"]: each.get("purpose") for each in data["passes"]}
    assert purposes["canonicalize"] == "Canonicalize operations"
    assert purposes["triton-combine"] == "merge operations into cheaper ones"
    for each in data["passes"]:
        if "after" in each:
            assert len(each["after"]["text"].splitlines()) == len(each["after"]["lines"])


def element_of(layout, values):
    place = [0] * len(layout["shape"])
    for part, value in zip(layout["inputs"], values, strict=True):
        for bit, basis in enumerate(part["bases"]):
            if value >> bit & 1:
                place = [coordinate ^ component for coordinate, component in zip(place, basis, strict=True)]
    return tuple(place)


def test_layouts_and_facts(kernels):
    _, data = exported(kernels, "product", PRODUCT, "cuda:80")
    tensors = [layout for layout in data["layouts"] if not layout["is_shared"]]
    assert any("nvidia_mma" in layout["encoding"] for layout in tensors)
    assert any(layout["is_shared"] for layout in data["layouts"])
    for layout in tensors:
        sizes = [1 << len(part["bases"]) for part in layout["inputs"]]
        points = [()]
        for size in sizes:
            points = [(*point, value) for point in points for value in range(size)]
        elements = {element_of(layout, point) for point in points}
        expected = 1
        for extent in layout["shape"]:
            expected *= extent
        assert len(elements) == expected
    (product,) = data["explain"]["products"]
    assert (product["m"], product["n"], product["k"]) == (64, 64, 64)


def test_an_exported_page_runs_its_own_script_alone(kernels):
    page, data = exported(kernels, "scale", SCALE, "cuda:80")
    assert "alert(" in data["source"]
    script = re.search(r"<script>(.*?)</script>", page, re.S)[1]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert page.count("<script") == 2 and "alert(" not in page
    assert not re.search(r"^((import|export) |} from )", script, re.M)
    names = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", script, re.M)
    assert len(names) > 100 and len(names) == len(set(names)), "all scripts are one, in which a name means one thing"
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)


def test_spills_have_lines(kernels):
    """What the page counts: instructions of the assembly, each with a line of the kernel where it has one."""
    kernels.write_text(SPILLING)
    _, data = exported(kernels, "wide", "*fp32:16,*fp32:16,32768", "hip:gfx942", "--num-warps", "1")
    (assembly,) = data["assembly"]
    spilled = {"Spill": {}, "Reload": {}}
    for text, line in zip(assembly["text"].splitlines(), assembly["lines"], strict=True):
        if found := re.search(r"scratch_(?:store|load)_.*; (\d+)-byte Folded (Spill|Reload)", text):
            bytes_of_line = spilled[found[2]]
            bytes_of_line[line] = bytes_of_line.get(line, 0) + int(found[1])
    load, store = 8, 9
    assert spilled["Spill"][load] > 0 and spilled["Reload"][store] > 0
    assert set(spilled["Spill"]) | set(spilled["Reload"]) <= {0, load, store}
    assert 0 < sum(spilled["Spill"].values()) <= data["explain"]["resources"]["spill_bytes"]


def test_machine_code_has_lines(kernels, monkeypatch):
    kernels.write_text(SPILLING)
    monkeypatch.setenv("TRITON_NVDISASM_PATH", str(stand_in_for_nvdisasm(kernels)))
    _, data = exported(kernels, "wide", "*fp32:16,*fp32:16,1024", "cuda:90")
    ptx, sass = data["assembly"]
    assert (ptx["name"], sass["name"]) == ("ptx", "sass") and "//##" not in sass["text"]
    assert sass["lines"] == [0, 8, 8, 9, 0]
    monkeypatch.setenv("TRITON_NVDISASM_PATH", str(stand_in_for_nvdisasm(kernels, status=3)))
    _, data = exported(kernels, "wide", "*fp32:16,*fp32:16,1024", "cuda:90")
    assert len(data["assembly"]) == 1 and re.search("failed .exit code 3.*no cubin", data["no_machine_code"], re.S)
    monkeypatch.setenv("TRITON_NVDISASM_PATH", "/nowhere/nvdisasm")
    _, data = exported(kernels, "wide", "*fp32:16,*fp32:16,1024", "cuda:90")
    assert "/nowhere/nvdisasm" in data["no_machine_code"]


def test_waits_of_warp_groups(kernels):
    kernels.write_text(SPECIALIZED)
    _, data = exported(kernels, "product", SPECIALIZED_SIGNATURE, "sim:cuda:90", "--num-warps", "8")
    loops = {loop["role"]: loop for loop in data["waits"]}
    assert sorted(loops) == ["consumers", "mover"]
    assert {loop["line"] for loop in data["waits"]} == {10}
    assert (loops["mover"]["warps"], loops["consumers"]["warps"]) == (1, 8)
    assert [wait["kind"] for wait in loops["mover"]["waits"]] == ["mbarrier"]
    full, products = loops["consumers"]["waits"]
    assert full["kind"] == "mbarrier" and "pending" not in full
    assert (products["kind"], products["line"], products["pending"]) == ("wgmma", 11, 1)


def test_waits_for_copies(kernels):
    text = """import triton
import triton.language as tl

@triton.jit
def product(x, y, out, n, B: tl.constexpr, D: tl.constexpr):
    i, d = tl.arange(0, B), tl.arange(0, D)
    total = tl.zeros((B, B), tl.float32)
    for k in range(0, n, D):
        left = tl.load(x + i[:, None] * n + k + d[None, :])
        total = tl.dot(left, tl.load(y + (k + d[:, None]) * B + i[None, :]), total)
    tl.store(out + i[:, None] * B + i[None, :], total)
"""
    kernels.write_text(text)
    _, data = exported(kernels, "product", "*fp16:16,*fp16:16,*fp32:16,i32:16,B=64,D=32", "sim:cuda:80")
    (loop,) = data["waits"]
    assert (loop["role"], loop["warps"], loop["line"]) == ("all", 4, 8)
    assert [wait["kind"] for wait in loop["waits"]] == ["copies"]


def test_files_beside_the_kernel(kernels):
    other = kernels.with_name("other.ttir")
    other.write_text("module { </script> }\n")
    page, data = exported(kernels, "scale", SCALE, "cpu", "--beside", other, "--beside", kernels)
    assert data["beside"] == [
        {"name": "other.ttir", "text": "module { </script> }\n"},
        {"name": "kernels.py", "text": SOURCE},
    ]
    assert page.count("</script>") == 2


def test_a_page_for_a_pipe(kernels):
    """A device keeps its name: the page goes into it."""
    command = [TRITONC, "explore", f"{kernels}:scale", "--signature", SCALE, "--export", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("target", ["cuda:90", "sim:cuda:80", "hip:gfx942"])
def test_a_map_of_a_launch(kernels, target):
    kernels.write_text(WRONG)
    _, data = exported(kernels, "shift", "*fp32:16,*fp32:16,i32,BLOCK=64", target, *LAUNCH)
    memory = data["memory"]
    assert memory["grid"] == "4" and memory["target"] == "sim:" + target.removeprefix("sim:")
    area, read = cells_of(memory, "x")
    assert (area["bytes"], area["cell_bytes"]) == (800, 4)
    assert sorted(read) == list(range(200))
    assert all(run["reads"] >= 1 and run["writes"] == 0 and not run["errors"] for run in read.values())
    assert all(run["programs"] == [index // 64, index // 64] for index, run in read.items())
    _, written = cells_of(memory, "out")
    assert sorted(written) == list(range(1, 201))
    assert [index for index, run in written.items() if "access out of bounds" in run["errors"]] == [200]
    assert [index for index, run in written.items() if "race on global memory" in run["errors"]] == [3]
    assert written[3]["programs"] == [0, 3]
    lines = {memory["places"][place]["line"] for place in written[3]["places"]}
    assert lines == {9, 10}
    found = {(finding["line"], finding["kind"]) for finding in memory["findings"]}
    assert found == {(9, "access out of bounds"), (10, "race on global memory")}
    assert all(finding["remedy"] for finding in memory["findings"])
    loaded = sum(each["global_load_bytes"] for each in memory["by_place"])
    assert loaded >= 800
    assert {memory["places"][each["place"]]["line"] for each in memory["by_place"] if each["global_load_bytes"]} == {8}
