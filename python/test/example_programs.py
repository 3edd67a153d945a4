"""The programs of examples/python, and sizes at which they run quickly."""

from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"
SMALL = {
    "vector_add": {"n_elements": 10000},
    "fused_softmax": {"n_rows": 9, "n_cols": 300},
    "matmul": {"size": 128},
    "dropout": {"n_elements": 10000},
    "layer_norm": {"n_rows": 9, "n_cols": 300},
}
