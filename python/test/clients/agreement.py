"""Holds an operator of a client library against the same mathematics by PyTorch in float64: values and gradients."""

import torch

# The largest error that is accepted, relative to the largest value of the reference.
TOLERANCES = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def random_tensors(device, seed):
    """A function that makes random tensors, the same for each seed.

    Numbers are normally distributed, and integers uniformly; `low` and `high` are bounds of both.
    """
    generator = torch.Generator().manual_seed(seed)

    def make(*shape, dtype=torch.float32, scale=1.0, positive=False, low=None, high=None):
        if not dtype.is_floating_point:
            return torch.randint(low or 0, high, shape, generator=generator, dtype=dtype).to(device)
        values = torch.randn(shape, generator=generator) * scale
        if low is not None:
            values = values.abs().clamp(max=4) / 4 * (high - low) + low
        return (values.abs() + 0.5 if positive else values).to(device, dtype)

    make.integers = lambda high, *shape: make(*shape, dtype=torch.int64, high=high)
    return make


def relative_error(found, expected):
    """The largest difference of two tensors over the largest value of the second; infinite where a NaN came out."""
    found, expected = found.detach().cpu().double(), expected.detach().cpu().double()
    assert found.shape == expected.shape, f"{tuple(found.shape)} where {tuple(expected.shape)} was expected"
    if torch.equal(found, expected):
        return 0.0
    error = ((found - expected).abs().max() / expected.abs().max().clamp(min=1e-12)).item()
    return float("inf") if error != error else error


def as_tuple(values):
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def run(function, inputs, directions):
    """The results of `function` and the gradients of its inputs for the given directions of its results."""
    inputs = {name: value.clone() if torch.is_tensor(value) else value for name, value in inputs.items()}
    parameters = [value for value in inputs.values() if torch.is_tensor(value) and value.is_floating_point()]
    for parameter in parameters:
        parameter.requires_grad_()
    # Some operators work in place, which is forbidden on leaves.
    results = as_tuple(
        function(
            **{
                name: value * 1 if torch.is_tensor(value) and value.requires_grad else value
                for name, value in inputs.items()
            }
        )
    )
    differentiable = [result for result in results if result.requires_grad]
    if not differentiable or directions is None:
        return results, ()
    if not directions:
        generator = torch.Generator().manual_seed(7)
        directions.extend(
            torch.randn(result.shape, generator=generator, dtype=torch.float64) for result in differentiable
        )
    gradients = torch.autograd.grad(
        differentiable,
        parameters,
        [direction.to(result) for direction, result in zip(directions, differentiable, strict=True)],
        allow_unused=True,
    )
    return results, gradients


def assert_agreement(operator, reference, inputs, tolerance=None, *, backward=True):
    """Runs both functions on `inputs` (tensors and other values by name), the reference in float64.

    `operator` and `reference` take the inputs by keyword and return one tensor or several. Without `backward` only the
    values are compared.
    """
    floats = [value.dtype for value in inputs.values() if torch.is_tensor(value) and value.is_floating_point()]
    tolerance = tolerance or max(TOLERANCES[dtype] for dtype in floats)
    directions = [] if backward else None
    exact = {
        name: value.double() if torch.is_tensor(value) and value.is_floating_point() else value
        for name, value in inputs.items()
    }
    expected, expected_gradients = run(reference, exact, directions)
    found, gradients = run(operator, inputs, directions)
    assert len(found) == len(expected)
    for index, (one, other) in enumerate(zip(found, expected, strict=True)):
        error = relative_error(one, other)
        assert error <= tolerance, f"result {index}: relative error {error:.2g}, {tolerance:.2g} is accepted"
    names = [name for name, value in inputs.items() if torch.is_tensor(value) and value.is_floating_point()]
    if backward:
        assert any(gradient is not None for gradient in expected_gradients), "the reference has no gradient"
    for name, one, other in zip(names, gradients, expected_gradients, strict=backward):
        if other is None:
            continue
        assert one is not None, f"no gradient of {name}"
        error = relative_error(one, other)
        assert error <= tolerance, f"gradient of {name}: relative error {error:.2g}, {tolerance:.2g} is accepted"
