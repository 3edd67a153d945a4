"""The benchmark program runs and writes what it promises."""

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench" / "bench.py"


def test_launch_figure(tmp_path):
    output = tmp_path / "bench.json"
    result = subprocess.run(
        [sys.executable, BENCH, "--only", "launch", "--output", output], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    rows = json.loads(output.read_text())
    assert [set(row) for row in rows] == [{"name", "value", "unit", "reference", "ratio", "reach"}]
    assert rows[0]["unit"] == "us" and 0 < rows[0]["value"] < 1000 and rows[0]["reach"] == "<= 2"
    assert rows[0]["name"] in result.stdout
