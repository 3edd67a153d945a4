"""Programs of PyTorch that torch.compile turns into kernels of Triton: on the processor, with --device cuda on a GPU.

What each program computes is compared with eager mode in float64. Templates, user's kernels and whole models are in
optional_inductor_templates.py and optional_inductor_models.py.
"""

import pytest
import torch
import torch.nn.functional as F
from agreement import random_tensors
from compiled import assert_agree, check, settings


@pytest.fixture
def make(client_device):
    return random_tensors(client_device, seed=5)


POINTWISE = {
    "arithmetic": lambda x, y: (x + y) * x - y / (x.abs() + 1),
    "transcendental": lambda x, y: x.sin() * y.cos() + x.exp().log1p() + y.tanh() * x.sigmoid() + x.erf(),
    "roots": lambda x, y: x.abs().sqrt() + (y.square() + 1).rsqrt() + (x.abs() + 1).pow(1.7) + (y * y + 1).reciprocal(),
    "rounding": lambda x, y: (x * 3).floor() + (y * 3).ceil() + (x * 5).round() + y.trunc() + x.frac(),
    "activations": lambda x, y: F.gelu(x) + F.silu(y) + F.leaky_relu(x) + F.softplus(y) + F.hardswish(x) + F.elu(y),
    "selection": lambda x, y: torch.where(x > y, x, y.clamp(-1, 1)) + torch.minimum(x, y) + torch.maximum(x, y * 2),
    "trigonometry": lambda x, y: x.atan() + torch.atan2(x, y) + y.sinh() + x.tan() * 0.01 + y.asinh(),
    "expm1": lambda x, y: x.expm1() + y.exp2() + torch.xlogy(x.abs(), y.abs() + 1) + torch.hypot(x, y),
    "lgamma": lambda x, y: torch.lgamma(x.abs() + 1) + torch.erfc(y) + torch.digamma(x.abs() + 1),
    "comparisons": lambda x, y: (x < y) & (x.abs() >= 0.1) | ~(y == x),
    "signs": lambda x, y: (
        x.sign() + torch.copysign(x, y) + torch.signbit(y) + x.abs().neg() + torch.fmod(x, y.abs() + 1)
    ),
    "remainders": lambda x, y: torch.remainder(x, 0.75) + torch.fmod(y, 0.3) + torch.div(x, 0.3, rounding_mode="floor"),
}


@pytest.mark.parametrize("name", POINTWISE)
def test_pointwise(make, name):
    tolerance = 1e-3 if name in ("remainders", "rounding") else 2e-5
    check(POINTWISE[name], make(37, 129), make(37, 129), tolerance=tolerance)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_pointwise_of_other_floats(make, dtype):
    check(lambda x, y: F.gelu(x * y) + torch.exp(-x.abs()) - y, make(33, 65, dtype=dtype), make(33, 65, dtype=dtype))


def test_integers(make):
    def program(x, y, small):
        return x // y + x % y, (x << 2) ^ (y >> 1) & ~x, torch.div(x, y, rounding_mode="trunc"), small.long() * x, x**2

    dtype = torch.int64
    x, y = make(500, dtype=dtype, low=-1000, high=1000), make(500, dtype=dtype, low=1, high=30)
    check(program, x, y, make(500, dtype=torch.int8, low=-128, high=127))


@pytest.mark.cuda_only("the processor's library of functions has no Bessel functions")
def test_bessel_functions(make):
    check(lambda x: torch.special.i0(x) + torch.special.i1(x) + torch.special.bessel_j0(x), make(1000), tolerance=1e-4)


def test_conversions(make):
    x = make(1000)

    def program(x):
        return x.to(torch.bfloat16), (x * 2).half(), (x * 9).to(torch.int32), (x > 0).to(torch.uint8), x.bool()

    with settings():
        torch._dynamo.reset()
        found = torch.compile(program, fullgraph=True)(x)
    for one, other in zip(found, program(x), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("dtype", [torch.float8_e5m2, torch.float8_e4m3fn])
def test_float8(make, dtype):
    x = make(512)
    stored = x.to(dtype)
    check(lambda x: x.float() * 2 + 1, stored, tolerance=1e-6)
    with settings():
        torch._dynamo.reset()
        found = torch.compile(lambda x: (x * 1.5).to(dtype))(x)
    assert torch.equal(found.float(), (x * 1.5).to(dtype).float())


def test_broadcasts(make):
    check(lambda x, y, z: x[:, None] * y + z[:, :, None], make(5, 17), make(9, 17), make(5, 9))


REDUCTIONS = {
    "sum": lambda x: x.sum(-1),
    "mean": lambda x: x.mean(-1),
    "outer sum": lambda x: x.sum(0),
    "whole": lambda x: (x.sum(), x.mean(), x.amax()),
    "product": lambda x: (1 + x * 0.01).prod(-1),
    "extremes": lambda x: (x.amax(-1), x.amin(0)),
    "places": lambda x: (x.argmax(-1), x.argmin(0), x.max(-1).values, x.min(-1).indices),
    "truth": lambda x: ((x > 3).any(-1), (x > -3).all(0)),
    "counts": lambda x: (x > 0).sum(-1),
    "norms": lambda x: (x.norm(dim=-1), x.abs().sum(-1), torch.linalg.vector_norm(x, 3, dim=0)),
    "log sum": lambda x: x.logsumexp(-1),
    "variance": lambda x: (x.var(-1), x.std(0), torch.var_mean(x, 1, correction=0)[1]),
    "softmax": lambda x: (x.softmax(-1), x.log_softmax(-1), x.softmax(0)),
    "several": lambda x: (x.sin().sum(-1), x.cos().amax(-1), (x * x).mean(-1)),
    "then pointwise": lambda x: (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt(),
}


@pytest.mark.parametrize("shape", [(37, 100), (5, 5000)], ids=["persistent", "looped"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction(make, name, shape):
    check(REDUCTIONS[name], make(*shape), tolerance=1e-4)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_reduction_of_each_dimension(make, dim):
    check(lambda x: (x.sum(dim), x.amax(dim)), make(7, 33, 65), tolerance=1e-4)


def test_reduction_of_low_precision(make):
    check(lambda x: (x.sum(-1), x.mean(0), x.amax(-1)), make(64, 513, dtype=torch.bfloat16))


def test_reduction_of_integers(make):
    x = make(40, 300, dtype=torch.int32, low=-1000, high=1000)
    check(lambda x: (x.sum(-1), x.amax(0), x.argmin(-1), x.prod(-1)), x)


def test_layer_norm_backward(make):
    check(lambda x, w, b: F.layer_norm(x, (96,), w, b), make(20, 96), make(96), make(96), backward=True, tolerance=1e-4)


def test_group_norm_backward(make):
    program = lambda x, w, b: F.group_norm(x, 4, w, b)
    check(program, make(3, 8, 9, 9), make(8), make(8), backward=True, tolerance=1e-4)


def test_batch_norm_backward(make):
    program = lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True)
    check(program, make(6, 5, 7, 7), make(5), make(5), backward=True, tolerance=1e-4)


def test_cross_entropy_backward(make):
    target = make(31, dtype=torch.int64, low=0, high=200)
    check(lambda x: F.cross_entropy(x, target, label_smoothing=0.1), make(31, 200), backward=True, tolerance=1e-4)


SCANS = {
    "cumsum": lambda x: x.cumsum(-1),
    "cumsum of rows": lambda x: x.cumsum(0),
    "cumprod": lambda x: (1 + x * 0.01).cumprod(-1),
    "logcumsumexp": lambda x: x.logcumsumexp(-1),
    "extremes": lambda x: (x.cummax(-1).values, x.cummin(-1).values),
}


@pytest.mark.parametrize("size", [100, 3000])
@pytest.mark.parametrize("name", SCANS)
def test_scan(make, name, size):
    check(SCANS[name], make(9, size), tolerance=1e-4, needs_kernel=name != "extremes" or size < 1000)


def test_sort(make):
    check(lambda x: x.sort(-1), make(30, 60))
    integers = make(30, 60, dtype=torch.int32, low=0, high=9)
    check(lambda x: x.sort(dim=-1, descending=True, stable=True).indices, integers)


INDEXING = {
    "embedding": lambda x, i: F.embedding(i, x) * 2,
    "gather": lambda x, i: x.gather(0, i[:, None].expand(-1, 16)) + 1,
    "advanced": lambda x, i: x[i, i % 16] - x[-1, 0],
    "select": lambda x, i: x.index_select(0, i).sin(),
    "scatter add": lambda x, i: torch.zeros_like(x).scatter_add(0, i[:, None].expand(-1, 16), x[: i.numel()].cos()),
    "index add": lambda x, i: x.index_add(0, i, x[: i.numel()] * 2),
    "index put": lambda x, i: torch.zeros_like(x).index_put((i,), x[: i.numel()] + 1, accumulate=True),
    "scatter": lambda x, i: x.scatter(1, (i % 16)[: x.shape[0], None], 7.0),
    "mask": lambda x, i: x.masked_fill(x > 0.5, -1.0),
    "one hot": lambda x, i: F.one_hot(i, 60).to(x.dtype) @ x.sin(),
    "bucketize": lambda x, i: torch.bucketize(x, torch.linspace(-1, 1, 9, device=x.device)),
}


@pytest.mark.parametrize("name", INDEXING)
def test_indexing(make, name):
    check(INDEXING[name], make(60, 16), make(60, dtype=torch.int64, low=0, high=60), tolerance=1e-4)


def test_scatter_with_many_collisions(make):
    index = make(4000, dtype=torch.int64, low=0, high=3)
    check(
        lambda x: torch.zeros(3, device=x.device, dtype=x.dtype).scatter_add(0, index, x.sin()),
        make(4000),
        tolerance=1e-4,
    )


def test_embedding_backward(make):
    index = make(200, dtype=torch.int64, low=0, high=20)
    check(lambda w: F.embedding(index, w).tanh(), make(20, 32), backward=True, tolerance=1e-4)


def test_index_outside_of_the_array(make, client_device):
    if client_device == "cuda":
        return test_index_inside_of_the_array(make)  # a failed assertion would end the process's use of the GPU
    index = torch.tensor([0, 9])
    with settings(), pytest.raises(RuntimeError, match="index out of bounds"):
        torch._dynamo.reset()
        torch.compile(lambda x, i: x[i] + 1)(make(5), index)


def test_index_inside_of_the_array(make):
    check(lambda x, i: x[i] + 1, make(5), make(7, dtype=torch.int64, low=-5, high=5))


VIEWS = {
    "transposed": lambda x: x.transpose(0, 2).contiguous() + 1,
    "permuted sum": lambda x: x.permute(2, 0, 1).sum(1),
    "flipped": lambda x: x.flip(1) * x,
    "rolled": lambda x: x.roll((1, -2), (0, 2)) - x,
    "concatenated": lambda x: torch.cat([x, x.sin(), x[:2]], 0),
    "stacked": lambda x: torch.stack([x, x * 2], 1).flatten(0, 1),
    "padded": lambda x: F.pad(x, (1, 2, 0, 3), value=2.5).cos(),
    "reflected": lambda x: F.pad(x, (2, 1), mode="reflect") + 1,
    "sliced": lambda x: x[:, 1::2, ::3] * 2,
    "unfolded": lambda x: x.unfold(2, 4, 2).sum(-1),
    "strided": lambda x: torch.as_strided(x, (5, 6), (3, 7), 2) + 1,
    "triangles": lambda x: x.tril(1) + x.triu(-1),
    "reshaped": lambda x: x.reshape(-1, 6).amax(1).view(2, -1),
    "repeated": lambda x: x.repeat(2, 1, 3) + x.repeat_interleave(2, 0).repeat(1, 1, 3),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views(make, name):
    check(VIEWS[name], make(6, 10, 12))


def test_strided_inputs(make):
    check(lambda x, y: (x + y).sum(1), make(24, 40).t(), make(80, 48)[::2, ::2])


def test_changes_in_place(make):
    def program(x, y):
        x = x.clone()
        x[:, 1:5] = y[:, 1:5] * 2
        x.add_(1).mul_(y)
        x[0] += 5
        return x

    check(program, make(8, 9), make(8, 9))


def test_changed_input(make):
    def program(x):
        x.mul_(2).add_(1)
        return x.sum()

    x = make(50, 20)
    expected = x.double() * 2 + 1
    with settings():
        torch._dynamo.reset()
        found = torch.compile(program)(x)
    assert_agree((x, found), (expected, expected.sum()), 1e-4)


IMAGES = {
    "max pool": lambda x: F.max_pool2d(x, 3, 2, 1),
    "average pool": lambda x: F.avg_pool2d(x, 2) + F.adaptive_avg_pool2d(x, 2).repeat(1, 1, 6, 6)[:, :, :6, :6],
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False),
    "nearest": lambda x: F.interpolate(x, size=(7, 19), mode="nearest"),
    "pixel shuffle": lambda x: F.pixel_shuffle(x, 2).sin(),
}


@pytest.mark.parametrize("name", IMAGES)
def test_images(make, name):
    check(IMAGES[name], make(2, 4, 12, 12), tolerance=1e-4)


def test_random_numbers(make, client_device):
    def program(x):
        return torch.rand_like(x), torch.randn_like(x), torch.randint(0, 10, x.shape, device=x.device)

    with settings():
        torch._dynamo.reset()
        compiled = torch.compile(program)
        torch.manual_seed(1)
        first = compiled(make(200, 100))
        again = compiled(make(200, 100))
        torch.manual_seed(1)
        repeated = compiled(make(200, 100))
    uniform, normal, integers = first
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.01
    assert abs(normal.mean()) < 0.03 and abs(normal.std() - 1) < 0.03
    assert integers.min() == 0 and integers.max() == 9 and integers.float().mean().sub(4.5).abs() < 0.1
    assert all(torch.equal(one, other) for one, other in zip(first, repeated, strict=True))
    assert not any(torch.equal(one, other) for one, other in zip(first, again, strict=True))


def test_dropout(make):
    x = make(100, 200).abs() + 1
    x.requires_grad_()
    with settings():
        torch._dynamo.reset()
        result = torch.compile(lambda x: F.dropout(x, 0.25) * 2)(x)
        (gradient,) = torch.autograd.grad(result.sum(), x)
    kept = result != 0
    assert abs(kept.float().mean() - 0.75) < 0.02
    assert_agree(result[kept], (x.detach().double() * 2 / 0.75)[kept], 1e-5)
    assert_agree(gradient, kept.double() * 2 / 0.75, 1e-5)


def test_dynamic_shapes(make):
    def program(x, y):
        return (x.sin() + y).softmax(-1).sum(0), x.shape[0] * y

    torch._dynamo.reset()
    counter = torch._dynamo.testing.CompileCounterWithBackend("inductor")
    with settings():
        compiled = torch.compile(program, dynamic=True, backend=counter)
        for rows, columns in ((5, 40), (70, 41), (33, 1000), (2, 129)):
            x, y = make(rows, columns), make(rows, columns)
            assert_agree(compiled(x, y), program(x.double(), y.double()), 1e-4)
    assert counter.frame_count == 1


def test_dynamic_sizes_that_data_decides(make):
    with settings(), torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: x[x > 0].cos() * 2, fullgraph=True)
        for size in (50, 300):
            x = make(size)
            assert_agree(compiled(x), x.double()[x > 0].cos() * 2, 1e-5)


MODES = {
    "looped reductions": dict(triton__persistent_reductions=False),
    "whole reductions in one kernel": dict(split_reductions=False),
    "block pointers": dict(triton__use_block_ptr=True),
    "three-dimensional tiles": dict(triton__prefer_nd_tiling=True, triton__max_tiles=3),
    "combo kernels": dict(combo_kernels=True, benchmark_combo_kernel=False),
    "deterministic": dict(deterministic=True),
    "coordinate descent": dict(coordinate_descent_tuning=True),
    "pointwise tuning": dict(max_autotune_pointwise=True),
    "casts as in eager mode": dict(emulate_precision_casts=True),
    "no fusion": dict(epilogue_fusion=False, max_fusion_size=1),
    "unique names of kernels": dict(triton__unique_kernel_names=True, triton__descriptive_names="original_aten"),
}


@pytest.mark.parametrize("name", MODES)
def test_mode(make, name):
    def program(x, y, z):
        total = (x.transpose(0, 1) * y).sum(-1)
        return total, (y - y.mean(-1, keepdim=True)).relu(), z.exp() + 1, z.cumsum(0), x.amax((0, 1))

    check(program, make(20, 30, 64), make(30, 20, 64), make(400), tolerance=1e-4, **MODES[name])


def test_foreach_in_combo_kernels(make):
    def program(x, y, z):
        return tuple(torch._foreach_add([x, y, z], [x * 2, y * 3, z * 4]))

    check(program, make(100), make(30, 7), make(5, 6, 7), combo_kernels=True)


def test_deterministic_scatter(make):
    index = make(300, dtype=torch.int64, low=0, high=20)
    torch.use_deterministic_algorithms(True)
    try:
        check(lambda x: torch.zeros(20, device=x.device, dtype=x.dtype).index_add(0, index, x.sin()), make(300),
              tolerance=1e-4, needs_kernel=False)  # fmt: skip
    finally:
        torch.use_deterministic_algorithms(False)


def test_associative_scan(make, client_device):
    from torch._higher_order_ops.associative_scan import associative_scan

    x, decay = make(70, 16), make(70, 16, low=0.1, high=0.9)
    combine = lambda left, right: (left[0] * right[0], left[1] * right[0] + right[1])
    expected, state = [], torch.zeros(16, dtype=torch.float64, device=client_device)
    for step in range(70):
        state = state * decay[step].double() + x[step].double()
        expected.append(state)
    mode = "pointwise" if client_device == "cuda" else "generic"
    with settings():
        torch._dynamo.reset()
        scan = torch.compile(lambda d, x: associative_scan(combine, (d, x), 0, combine_mode=mode)[1], fullgraph=True)
        assert_agree(scan(decay, x), torch.stack(expected), 1e-4)
