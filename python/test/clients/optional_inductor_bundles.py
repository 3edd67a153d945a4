"""Kernels that PyTorch compiles, from a bundle of what TRITON_RECORD_CLASSES has recorded of them."""

import json

import triton
from programs import run
from triton.tools.build import build

PROGRAM = """
import sys
import torch
import torch._inductor.config as inductor
import triton
import triton.language as tl

inductor.cpu_backend = "triton"


@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def program(x):
    y = torch.empty_like(x)
    scale[(1,)](x, y, x.numel(), BLOCK=256)
    return torch.softmax(y, -1).sin()


if __name__ == "__main__":
    if sys.argv[0].endswith("server.py"):
        assert not triton.load_bundle("BUNDLE").problems
        triton.freeze()
    x = torch.randn(8, 32)
    torch.testing.assert_close(torch.compile(program)(x), torch.softmax(x * 2, -1).sin())
    seen = triton.monitor.snapshot()
    print(seen.compilations, seen.bundle_hits)
"""


def test_compiled_programs_are_served_from_a_bundle(tmp_path):
    """Built without PyTorch's cache and, as it seems, on a machine without the device; served with empty caches. A
    kernel of the user is among them."""
    records, bundle = tmp_path / "classes.jsonl", tmp_path / "kernels.bundle"

    def run_with_cache(name, **own):
        caches = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / name), "TORCHINDUCTOR_COMPILE_THREADS": "1"}
        text = PROGRAM.replace("BUNDLE", str(bundle))
        printed, _ = run(tmp_path, text, name=f"{name}.py", TRITON_CPU_BACKEND="1", **caches, **own)
        return tuple(map(int, printed.split()))

    compiled, _ = run_with_cache("canary", TRITON_RECORD_CLASSES=str(records))
    assert compiled >= 3
    (tmp_path / "canary").rename(tmp_path / "gone")
    text = records.read_text()
    assert "triton_helpers.set_driver_to_cpu()" in text
    records.write_text(text.replace("triton_helpers.set_driver_to_cpu()", "triton_helpers.set_driver_to_gpu()"))
    _, problems = build(records, ["cpu", "cuda:90"], bundle)
    assert not problems
    assert run_with_cache("server", TRITON_CACHE_DIR=str(tmp_path / "empty")) == (0, compiled)
    assert not [*tmp_path.glob("empty/*")]


def test_eager_loading_leaves_to_pytorch_what_it_launches(tmp_path):
    records, bundle = tmp_path / "classes.jsonl", tmp_path / "kernels.bundle"
    name = "c" + "xy" + "a" * 49
    path = tmp_path / "xy" / f"{name}.py"
    path.parent.mkdir()
    path.write_text("import triton\n@triton.jit\ndef nothing(x):\n    pass\n")
    program = f"""
import sys
sys.path.insert(0, {str(path.parent)!r})
import triton, {name} as generated
triton.compile(triton.compiler.ASTSource(generated.nothing, {{"x": "*fp32"}}))
"""
    run(tmp_path, program, TRITON_CPU_BACKEND="1", TRITON_RECORD_CLASSES=str(records))
    path.unlink()
    (line,) = records.read_text().splitlines()
    assert json.loads(line)["launched"] is False
    _, problems = build(records, ["cpu"], bundle)
    assert not problems
    loaded = triton.load_bundle(bundle, eager=True)
    assert loaded.classes == 1 and not loaded.problems
