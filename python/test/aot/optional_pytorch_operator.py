"""examples/pytorch: an operator of PyTorch in C++ whose kernels were compiled ahead of time."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton

EXAMPLE = Path(__file__).resolve().parents[3] / "examples/pytorch"
TRITONC = Path(triton.__file__).parents[2] / "tools/tritonc/tritonc"
sys.path.insert(0, str(EXAMPLE))

import swiglu as example  # noqa: E402


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library, which all workers of the tests share."""
    folder = tmp_path_factory.getbasetemp().parent / "pytorch_operator"
    folder.mkdir(exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = folder / "triton_example.so"
        if not path.exists():
            os.environ["TRITONC"] = str(TRITONC)
            example.build(folder)
    return path


@pytest.fixture(scope="module")
def swiglu(library):
    return example.load(library)


def tensors(*shape, dtype=torch.float32, count=2):
    torch.manual_seed(0)
    return [torch.randn(shape).to(dtype) for _ in range(count)]


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-6), (torch.bfloat16, 1e-2)])
@pytest.mark.parametrize("shape", [(), (1,), (1023,), (16, 64), (3, 5, 333)])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_values_and_gradients(swiglu, shape, dtype, tolerance, is_compiled):
    torch.compiler.reset()  # Otherwise the cases of one process count as recompilations, of which torch allows eight.
    gate, value = tensors(*shape, dtype=dtype)
    function = torch.compile(swiglu, fullgraph=True) if is_compiled else swiglu
    exact = example.results(example.eager, gate.double(), value.double())
    for found, expected in zip(example.results(function, gate, value), exact, strict=True):
        assert found.dtype == dtype and found.shape == gate.shape
        torch.testing.assert_close(found.double(), expected, rtol=tolerance, atol=tolerance)


def test_what_pytorch_asks_of_an_operator(swiglu):
    """Schema, fake tensors, gradients, and shapes that torch.compile does not know."""
    gate, value = (tensor.requires_grad_() for tensor in tensors(8, 48))
    torch.library.opcheck(swiglu, (gate, value))


def test_strides_and_nothing(swiglu):
    gate, value = tensors(64, 64)
    torch.testing.assert_close(swiglu(gate.t(), value[:, ::1]), example.eager(gate.t(), value), rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(
        swiglu(gate[:, 1:], value[:, 1:]), example.eager(gate, value)[:, 1:], rtol=1e-6, atol=1e-6
    )
    assert swiglu(gate[:0], value[:0]).shape == (0, 64)


def test_wrong_tensors(swiglu):
    gate, value = tensors(16, 16)
    with pytest.raises(ValueError, match=r"`value` has the shape \[8, 16\] and `gate` the shape \[16, 16\]"):
        swiglu(gate, value[:8])
    with pytest.raises(TypeError, match="`value` has the type Double and `gate` the type Float"):
        swiglu(gate, value.double())
    with pytest.raises(TypeError, match="`gate` has the type Half; give float32 or bfloat16"):
        swiglu(gate.half(), value.half())


def test_the_library_needs_no_triton(library, tmp_path):
    program = f"""
import sys
sys.modules["triton"] = None
import torch
torch.ops.load_library({str(library)!r})
ones = torch.ones(100)
print(torch.ops.triton_example.swiglu(ones, ones)[99].item())
"""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(0.7310586)
