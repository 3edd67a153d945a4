"""The benchmark program runs and writes what it promises."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from amd_programs import MATRICES, build, build_matmul, build_with_facts, inner_loop, matmul, running_sum
from programs import PATIENCE

FOLDER = Path(__file__).resolve().parents[3] / "bench"
BENCH = FOLDER / "bench.py"


def test_launch_figure(tmp_path):
    output = tmp_path / "bench.json"
    result = subprocess.run(
        [sys.executable, BENCH, "--only", "launch", "--output", output],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert result.returncode == 0, result.stderr
    rows = json.loads(output.read_text())
    assert [set(row) for row in rows] == [{"name", "value", "unit", "reference", "ratio", "reach"}]
    assert rows[0]["unit"] == "us" and 0 < rows[0]["value"] < 1000 and rows[0]["reach"] == "<= 2"
    assert rows[0]["name"] in result.stdout


def count_classes(*paths):
    """The exit status, and the rows of the table without the names of folders."""
    command = [sys.executable, FOLDER / "instruction_classes.py", *paths]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    lines = [line.split() for line in result.stdout.splitlines()]
    header = lines[1]
    return result.returncode, [dict(zip(header, line[1:], strict=True)) for line in lines[2:]]


@pytest.mark.parametrize("arch", ["gfx942", "gfx1201"])
def test_instructions_of_an_inner_loop_are_counted(arch, tmp_path):
    (tmp_path / "left").mkdir()
    (tmp_path / "right").mkdir()
    kernels = [build_matmul(arch, (64, 64, 32), num_warps=warps) for warps in (4, 8)]
    for folder, kernel in zip(("left", "right"), kernels, strict=True):
        (tmp_path / folder / "k.s").write_text(kernel.asm["amdgcn"])
    status, rows = count_classes(tmp_path / "left", tmp_path / "right")
    for row, kernel, warps in zip(rows, kernels, (4, 8), strict=True):
        matrix = [name for name in inner_loop(kernel.asm["amdgcn"]) if name.startswith(("v_mfma", "v_wmma"))]
        assert row["waves"] == str(warps) and row["matrix"].rstrip("*") == str(warps * len(matrix)) and matrix
    exceeds = any(cell.endswith("*") for cell in rows[0].values())
    assert status == int(exceeds) and not any(cell.endswith("*") for cell in rows[1].values())


@pytest.mark.parametrize("arch,passes", [("gfx942", 2 * 8), ("gfx950", 8)])
def test_cycles_of_a_loop_are_counted(arch, passes, tmp_path):
    """Both waves of a scheduler where they take turns."""
    tile = {"M_TILE": 256, "N_TILE": 256, "K_TILE": 64}
    kernel = build_with_facts(matmul, MATRICES, tile, arch, num_warps=8)
    (tmp_path / "k.s").write_text(kernel.asm["amdgcn"])
    command = [sys.executable, FOLDER / "amd_cycles.py", "--arch", arch, tmp_path / "k.s"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    name, waves, _, matrix, cycles, share = result.stdout.splitlines()[1].split()
    products = [name for name in inner_loop(kernel.asm["amdgcn"]) if name.startswith("v_mfma")]
    assert (name, waves, int(matrix)) == ("k", "8", passes * len(products))
    assert int(cycles) > int(matrix) and float(share) == pytest.approx(int(matrix) / int(cycles), abs=0.01)
    assert float(share) >= (0.95 if arch == "gfx942" else 0.75)


def test_kernels_for_amd_gpus_are_written(tmp_path):
    command = [sys.executable, FOLDER / "amd_kernels.py", tmp_path, "--only", "sum"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    header, *rows = [line.rsplit(maxsplit=4) for line in result.stdout.splitlines()]
    assert header == ["gfx942", "vgprs", "spills", "scratch", "ms"]
    names = {row[0]: re.sub("[^a-z0-9]+", "_", row[0]) + ".s" for row in rows}
    assert len(names) == 2 and {path.name for path in tmp_path.iterdir()} == set(names.values())
    for name, vgprs, spills, scratch, milliseconds in rows:
        text = (tmp_path / names[name]).read_text()
        assert int(re.search(r"\.vgpr_count: +(\d+)", text)[1]) == int(vgprs) > 0
        assert (spills, scratch) == ("0", "0") and float(milliseconds) > 0


def test_instructions_of_a_body_are_counted(tmp_path):
    kernel = build(running_sum, "gfx942", {"x": "*fp32", "out": "*fp32"}, {"BLOCK": 4096}, num_warps=4)
    (tmp_path / "k.s").write_text(kernel.asm["amdgcn"])
    status, [row] = count_classes(tmp_path / "k.s")
    # Of each of four waves; what loads the arguments is left out.
    assert status == 0 and (row["load"], row["store"], row["barrier"], row["lds"]) == ("16", "16", "4", "24")
