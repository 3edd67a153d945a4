"""Runs programs of PyTorch through torch.compile, with kernels of Triton, and compares with eager mode in float64."""

import torch
import torch._inductor.config as inductor
from agreement import as_tuple, relative_error
from torch._inductor.async_compile import CompiledTritonKernels
from torch._inductor.utils import run_and_get_code
from torch.utils._pytree import tree_map

TOLERANCES = {torch.float64: 1e-10, torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 2e-2}

# Each program is compiled for itself, in this process, unless a test says otherwise.
SETTINGS = {"compile_threads": 1, "fx_graph_cache": False, "autotune_local_cache": False, "cpu_backend": "triton"}


def settings(**changes):
    """A context with these settings of the compiler; names with two underscores are those of `triton`."""
    # A kernel of the same text that was compiled with other settings would be found in this process.
    CompiledTritonKernels.cache_clear()
    return inductor.patch({**SETTINGS, **{name.replace("__", "."): value for name, value in changes.items()}})


def is_float(value):
    return torch.is_tensor(value) and value.is_floating_point()


def doubled(value):
    return value.detach().double() if is_float(value) else value


def cloned(value):
    return value.detach().clone() if torch.is_tensor(value) else value


def tolerance_of(values):
    return max((TOLERANCES.get(value.dtype, 0) for value in values if is_float(value)), default=0.0)


def assert_agree(found, expected, tolerance, what="result"):
    """Floating-point tensors agree within the tolerance, all others exactly."""
    found, expected = as_tuple(found), as_tuple(expected)
    assert len(found) == len(expected)
    for index, (one, other) in enumerate(zip(found, expected, strict=True)):
        if not is_float(one):
            assert torch.equal(torch.as_tensor(one).cpu(), torch.as_tensor(other).cpu().to(one.dtype)), (
                f"{what} {index}"
            )
            continue
        same = torch.isfinite(other.cpu())
        assert torch.equal(torch.isnan(one).cpu(), torch.isnan(other).cpu()), f"{what} {index}: other elements are NaN"
        assert torch.equal(torch.isinf(one).cpu(), torch.isinf(other.to(one.dtype)).cpu()), (
            f"{what} {index}: other elements are infinite"
        )
        error = relative_error(one.cpu()[same], other.cpu()[same]) if same.any() else 0.0
        assert error <= tolerance, f"{what} {index}: relative error {error:.2g}, {tolerance:.2g} is accepted"


def kernels_of(codes):
    """How many kernels of Triton generated code launches."""
    return sum(code.count(".run(") for code in codes)


def check(
    function,
    *inputs,
    tolerance=None,
    backward=False,
    needs_kernel=True,
    options=None,
    mode=None,
    dynamic=None,
    **changes,
):
    """Compiles `function` and runs it; returns the generated code.

    `changes` are settings of the compiler. With `needs_kernel` the code must launch kernels of Triton. With `backward`
    the gradients of the floating-point inputs are compared too.
    """
    torch._dynamo.reset()
    tolerance = tolerance or tolerance_of(inputs)
    exact, given = tree_map(doubled, inputs), tree_map(cloned, inputs)
    if backward:
        for value in filter(is_float, [*exact, *given]):
            value.requires_grad_()
    expected = function(*exact)
    with settings(**changes):
        compiled = torch.compile(function, fullgraph=True, dynamic=dynamic, mode=mode, options=options)

        def run():
            found = compiled(*given)
            if not backward:
                return found, ()
            directions = [direction_of(value) for value in as_tuple(found)]
            gradients = torch.autograd.grad(as_tuple(found), list(filter(is_float, given)), directions)
            return found, gradients

        (found, gradients), codes = run_and_get_code(run)
    assert not needs_kernel or kernels_of(codes), "no kernel of Triton was launched"
    assert_agree(found, expected, tolerance)
    if backward:
        directions = [direction_of(value).double() for value in as_tuple(found)]
        wanted = torch.autograd.grad(as_tuple(expected), list(filter(is_float, exact)), directions)
        assert_agree(gradients, wanted, tolerance, "gradient")
    return codes


def direction_of(value):
    """The gradient of a result that gradients of inputs are computed for: the same for each result of this shape."""
    generator = torch.Generator().manual_seed(value.numel())
    return torch.randn(value.shape, generator=generator).to(value.device, value.dtype)
