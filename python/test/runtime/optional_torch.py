"""PyTorch tensors as arguments. scripts/run_optional_tests.sh runs these in an environment that has PyTorch."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import is_refused

pytestmark = pytest.mark.usefixtures("host_device")


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@pytest.mark.parametrize(
    "dtype",
    [
        "float32",
        "float64",
        "float16",
        "bfloat16",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ],
)
def test_element_types(dtype):
    x = torch.arange(100).to(getattr(torch, dtype))
    out = torch.zeros_like(x)
    add_kernel[(2,)](x, x, out, 100, BLOCK=64)
    expected = (torch.arange(100) * 2).to(getattr(torch, dtype))
    assert torch.equal(out.to(torch.float64), expected.to(torch.float64))


@triton.jit
def copy_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.float32))


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn", "bool"])
def test_small_types(host_device, dtype):
    values = torch.tensor([0.0, 1.0, 1.5, -2.0, 0.25, 96.0, -0.5, 3.0])
    x = values.to(getattr(torch, dtype))
    out = torch.full((8,), float("nan"))
    if is_refused(host_device, dtype, lambda: copy_kernel[(1,)](x, out, N=8)):
        return
    copy_kernel[(1,)](x, out, N=8)
    assert torch.equal(out, x.to(torch.float32))


def test_kinds_of_tensors():
    base = torch.rand(10, 20)
    out = torch.full((20,), float("nan"))
    add_kernel[(1,)](base[3], torch.nn.Parameter(base[4].clone()), out, 20, BLOCK=32)
    assert torch.equal(out, base[3] + base[4])
    needs_gradient = torch.rand(20, requires_grad=True)
    add_kernel[(1,)](needs_gradient, base[1], out, 20, BLOCK=32)
    assert torch.equal(out, needs_gradient.detach() + base[1])
    add_kernel[(1,)](base.view(-1)[5:], np.zeros(20, np.float32), out, 20, BLOCK=32)
    assert torch.equal(out, base.view(-1)[5:25])


class Labelled(torch.Tensor):
    """A class of its own, which PyTorch's C functions are not asked about."""


def test_classes_and_views_of_tensors():
    base = torch.arange(48, dtype=torch.float32)
    parameter = torch.nn.Parameter(base)
    for x in (base[16:32], parameter[16:], torch.nn.Parameter(base[16:].clone()), base[16:].as_subclass(Labelled)):
        out = torch.full((16,), float("nan"))
        copy_kernel[(1,)](x, out, N=16)
        assert torch.equal(out, base[16:32])


def test_a_tensor_that_gets_other_memory():
    x, out = torch.zeros(16), torch.zeros(16)
    copy_kernel[(1,)](x, out, N=16)
    x.data = torch.arange(16, dtype=torch.float32)
    copy_kernel[(1,)](x, out, N=16)
    assert torch.equal(out, torch.arange(16, dtype=torch.float32))


class Wrapper(torch.Tensor):
    """A tensor whose elements only its own functions know."""

    @staticmethod
    def __new__(cls, like):
        return torch.Tensor._make_wrapper_subclass(cls, like.shape, dtype=like.dtype)

    @classmethod
    def __torch_dispatch__(cls, function, types, arguments=(), options=None):
        raise NotImplementedError  # PyTorch asks for this function when it makes the class, and no test calls it


def fake():
    with torch._subclasses.FakeTensorMode():
        return torch.zeros(16)


@pytest.mark.parametrize(
    "make", [fake, lambda: Wrapper(torch.zeros(16)), lambda: torch._to_functional_tensor(torch.zeros(16))]
)
def test_tensors_without_memory(make):
    out = torch.zeros(16)
    copy_kernel.warmup(make(), out, N=16, grid=(1,))
    with pytest.raises(ValueError, match="argument `x`: the tensor has elements but no memory"):
        copy_kernel[(1,)](make(), out, N=16)


def test_tensors_without_storage():
    out = torch.zeros(16)

    def squared(x):
        copy_kernel[(1,)](x, out, N=16)
        return (x * x).sum()

    for launch in (lambda: torch.func.grad(squared)(torch.zeros(16)), lambda: squared(torch.zeros(16).to_sparse())):
        with pytest.raises(RuntimeError, match="argument `x`.*storage"):
            launch()


def test_tensors_without_elements():
    x = torch.zeros(0)
    add_kernel[(1,)](x, x, x, 0, BLOCK=16)


def test_tensors_of_other_devices_are_refused():
    x, out = torch.rand(4), torch.zeros(4)
    with pytest.raises((ValueError, TypeError), match="`x`"):
        add_kernel[(1,)](torch.rand(4, device="meta"), x, out, 4, BLOCK=4)
    with pytest.raises(TypeError, match="`y`"):
        add_kernel[(1,)](x, torch.zeros(4, dtype=torch.complex64), out, 4, BLOCK=4)


def test_reinterpreted_tensor():
    x = torch.tensor([1.0, 2.0]).to(torch.bfloat16)
    out = torch.zeros(2)
    copy_kernel[(1,)](triton.reinterpret(x.view(torch.int16), tl.bfloat16), out, N=2)
    assert out.tolist() == [1.0, 2.0]


def test_warmup_with_dtypes():
    kernel = add_kernel.warmup(torch.float32, torch.float32, torch.float32, 64, BLOCK=64, grid=(1,))
    assert "!tt.ptr<f32>" in kernel.asm["ttir"]


def test_torch_arguments_to_closeness():
    triton.testing.assert_close(torch.ones(3, dtype=torch.bfloat16), torch.ones(3))


def test_tuning_with_tensors():
    @triton.autotune(
        configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})],
        key=["n"],
        restore_value=["out"],
        do_bench=lambda call, quantiles: (call(), [1.0] * 3)[1],
    )
    @triton.jit
    def kernel(out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(out + i, mask=i < n) + 1, mask=i < n)

    out = torch.zeros(100)
    kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](out, 100)
    assert torch.equal(out, torch.ones(100))


def test_products_by_the_vendor():
    from triton.testing import cublas

    a, b = torch.randn(16, 32), torch.randn(24, 32)
    c = torch.full((16, 24), float("nan"))
    cublas().matmul(a, b, c)
    torch.testing.assert_close(c, a @ b.T)
    d = torch.full_like(c, float("nan"))
    cublas().gemm(a, b, c, d, 2.0, 0.5)
    torch.testing.assert_close(d, 2.5 * (a @ b.T))


def test_memory_for_profilers():
    from triton.runtime.driver import driver

    memory = driver.active.allocate_default_profile_scratch(100, 16, None)
    assert memory.numel() == 100 and memory.dtype == torch.uint8 and memory.device.type == "cpu"


@triton.jit
def limits_kernel(out):
    tl.store(out + 0, -torch.finfo(torch.float32).max)
    tl.store(out + 1, torch.finfo(torch.bfloat16).eps)
    tl.store(out + 2, torch.iinfo(torch.int16).min)


def test_limits_of_types_in_kernels(host_device):
    out = torch.zeros(3)
    limits_kernel[(1,)](out)
    assert out.tolist() == [-torch.finfo(torch.float32).max, torch.finfo(torch.bfloat16).eps, -32768]
