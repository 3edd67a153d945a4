"""PyTorch tensors in the simulator, which knows how far their memory reaches."""

import pytest
import torch
import triton
import triton.language as tl
from triton.backends.nvidia.driver import SimulatedDriver
from triton.runtime.driver import driver
from triton.runtime.errors import SimulationError


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n), mask=i < n)


@pytest.mark.parametrize("capability", [80, 90])
def test_tensors_and_their_views(capability):
    driver.set_active(SimulatedDriver(capability))
    x = torch.rand(100)
    out = torch.zeros(100)
    add_kernel[(1,)](x[:3], x, out, 100, BLOCK=128)
    assert torch.equal(out, x + x)
    with pytest.raises(SimulationError, match="of `x_ptr`, which has 400 bytes"):
        add_kernel[(1,)](x, x, out, 101, BLOCK=128)
    driver.set_active_to_cpu()
