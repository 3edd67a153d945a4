"""Liger-Kernel's operators, forward and backward, against PyTorch in float64.

They run on the processor, and with --device cuda on the GPU at the sizes that SIZES names for it.
"""

import math
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from agreement import assert_agreement, random_tensors
from tuning import few_configurations

with few_configurations():
    from liger_kernel import ops
    from liger_kernel.transformers import functional

DTYPES = [torch.float32, torch.bfloat16]
SIZES = {
    "cpu": SimpleNamespace(rows=24, columns=200, tokens=32),
    "cuda": SimpleNamespace(rows=512, columns=3000, tokens=256),
}


@pytest.fixture
def size(client_device):
    return SIZES[client_device]


@pytest.fixture
def make(client_device):
    return random_tensors(client_device, seed=3)


def rms_norm(x, weight, eps=1e-6, offset=0.0):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * (weight + offset)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("casting", ["llama", "gemma", "none"])
def test_rms_norm(make, size, dtype, casting):
    offset = 1.0 if casting == "gemma" else 0.0
    assert_agreement(
        lambda x, weight: functional.liger_rms_norm(x, weight, 1e-6, offset, casting, in_place=False),
        lambda x, weight: rms_norm(x, weight, offset=offset),
        {"x": make(size.rows, size.columns, dtype=dtype), "weight": make(size.columns, dtype=dtype)},
        5e-2 if dtype == torch.bfloat16 else None,
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_fused_add_rms_norm(make, size, dtype):
    def reference(x, residual, weight):
        total = x + residual
        return rms_norm(total, weight), total

    assert_agreement(
        lambda x, residual, weight: functional.liger_fused_add_rms_norm(x, residual, weight, 1e-6, in_place=False),
        reference,
        {
            "x": make(size.rows, size.columns, dtype=dtype),
            "residual": make(size.rows, size.columns, dtype=dtype),
            "weight": make(size.columns, dtype=dtype),
        },
        5e-2 if dtype == torch.bfloat16 else None,
    )


def test_modulated_rms_norm(make, size):
    assert_agreement(
        lambda x, weight, scale, shift: functional.liger_modulated_rms_norm(x, weight, scale, shift, in_place=False),
        lambda x, weight, scale, shift: rms_norm(x, weight) * (1 + scale[:, None]) + shift[:, None],
        {
            "x": make(4, size.rows, size.columns),
            "weight": make(size.columns),
            "scale": make(4, size.columns),
            "shift": make(4, size.columns),
        },
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_layer_norm(make, size, dtype):
    assert_agreement(
        lambda x, weight, bias: functional.liger_layer_norm(x, weight, bias, 1e-6),
        lambda x, weight, bias: F.layer_norm(x, x.shape[-1:], weight, bias, 1e-6),
        {
            "x": make(size.rows, size.columns, dtype=dtype),
            "weight": make(size.columns, dtype=dtype),
            "bias": make(size.columns, dtype=dtype),
        },
        5e-2 if dtype == torch.bfloat16 else None,
    )


def test_group_norm(make, size):
    assert_agreement(
        lambda x, weight, bias: functional.liger_group_norm(x, weight, bias, 12, 4, 1e-6),
        lambda x, weight, bias: F.group_norm(x, 4, weight, bias, 1e-6),
        {"x": make(3, 12, size.columns), "weight": make(12), "bias": make(12)},
    )


def test_poly_norm(make, size):
    def normalized(x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)

    assert_agreement(
        lambda x, weight, bias: functional.liger_poly_norm(x, weight, bias, in_place=False),
        lambda x, weight, bias: (
            weight[0] * normalized(x**3) + weight[1] * normalized(x**2) + weight[2] * normalized(x) + bias
        ),
        {"x": make(size.rows, size.columns), "weight": make(3), "bias": make()},
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "operator, activation",
    [
        (functional.liger_swiglu, F.silu),
        (functional.liger_geglu, lambda a: F.gelu(a, approximate="tanh")),
    ],
    ids=["swiglu", "geglu"],
)
def test_gated_activation(make, size, dtype, operator, activation):
    assert_agreement(
        lambda a, b: operator(a, b),
        lambda a, b: activation(a) * b,
        {name: make(size.rows, size.columns, dtype=dtype) for name in "ab"},
    )


def test_relu_squared(make, size):
    assert_agreement(
        lambda x: functional.liger_relu_squared(x),
        lambda x: F.relu(x).square(),
        {"x": make(size.rows, size.columns)},
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax(make, size, dtype):
    assert_agreement(
        lambda x: functional.liger_softmax(x),
        lambda x: x.softmax(-1),
        {"x": make(size.rows, size.columns, dtype=dtype)},
    )


def sparsemax(x):
    ordered = x.sort(-1, descending=True).values
    counts = torch.arange(1, x.shape[-1] + 1, device=x.device, dtype=x.dtype)
    sums = ordered.cumsum(-1)
    support = (1 + counts * ordered > sums).sum(-1, keepdim=True)
    threshold = (sums.gather(-1, support - 1) - 1) / support
    return (x - threshold).clamp(min=0)


def test_sparsemax(make, size):
    assert_agreement(
        lambda x: functional.liger_sparsemax(x), sparsemax, {"x": make(size.rows, size.columns)}, tolerance=1e-4
    )


@pytest.mark.cuda_only("the library counts multiprocessors")
def test_dyt(make, size):
    assert_agreement(
        lambda x, alpha, gamma, beta: functional.liger_dyt(x, alpha, gamma, beta),
        lambda x, alpha, gamma, beta: torch.tanh(alpha * x) * gamma + beta,
        {
            "x": make(size.rows, size.columns),
            "alpha": make(1, positive=True),
            "gamma": make(size.columns),
            "beta": make(size.columns),
        },
        tolerance=1e-4,
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "options",
    [{}, {"label_smoothing": 0.1}, {"softcap": 3.0}, {"lse_square_scale": 1e-2}, {"reduction": "sum"}],
    ids=lambda options: next(iter(options), "plain"),
)
def test_cross_entropy(make, size, dtype, options):
    targets = make.integers(size.columns, size.rows)
    targets[::5] = -100

    def reference(logits):
        if cap := options.get("softcap"):
            logits = cap * torch.tanh(logits / cap)
        reduction = options.get("reduction", "mean")
        smoothing = options.get("label_smoothing", 0.0)
        loss = F.cross_entropy(logits, targets, label_smoothing=smoothing, reduction=reduction)
        kept = targets != -100
        squares = logits.logsumexp(-1).square()[kept]
        return loss + options.get("lse_square_scale", 0.0) * (squares.mean() if reduction == "mean" else squares.sum())

    assert_agreement(
        lambda logits: functional.liger_cross_entropy(logits, targets, **options),
        reference,
        {"logits": make(size.rows, size.columns, dtype=dtype)},
    )


def test_cross_entropy_with_weights(make, size):
    targets = make.integers(size.columns, size.rows)
    weights = make(size.columns, positive=True)
    assert_agreement(
        lambda logits: functional.liger_cross_entropy(logits, targets, weights),
        lambda logits: F.cross_entropy(logits, targets, weights.to(logits)),
        {"logits": make(size.rows, size.columns)},
    )


def test_cross_entropy_accuracy(make, size):
    logits, targets = make(size.rows, size.columns), make.integers(size.columns, size.rows)
    found = functional.liger_cross_entropy(
        logits.clone(), targets, return_token_accuracy=True, return_predicted_tokens=True
    )
    assert torch.equal(found.predicted_tokens.long(), logits.argmax(-1))
    assert found.token_accuracy.item() == pytest.approx((logits.argmax(-1) == targets).float().mean().item())


@pytest.mark.parametrize("dtype", DTYPES)
def test_fused_linear_cross_entropy(make, size, dtype):
    targets = make.integers(size.columns, size.rows)
    assert_agreement(
        lambda x, weight, bias: functional.liger_fused_linear_cross_entropy(x, weight, targets, bias),
        lambda x, weight, bias: F.cross_entropy(x @ weight.T + bias, targets),
        {
            "x": make(size.rows, 64, dtype=dtype),
            "weight": make(size.columns, 64, dtype=dtype, scale=0.1),
            "bias": make(size.columns, dtype=dtype, scale=0.1),
        },
        5e-2 if dtype == torch.bfloat16 else None,
    )


def jensen_shannon(student, teacher, beta):
    """Of logarithms of probabilities, as liger-kernel's documentation defines it: mean over the rows."""
    if beta == 0:
        terms = teacher.exp() * (teacher - student)
    elif beta == 1:
        terms = student.exp() * (student - teacher)
    else:
        mixture = (beta * teacher.exp() + (1 - beta) * student.exp()).log()
        terms = beta * teacher.exp() * (teacher - mixture) + (1 - beta) * student.exp() * (student - mixture)
    return terms.sum() / student.shape[0]


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
def test_jsd(make, size, beta):
    teacher = make(size.rows, size.columns).log_softmax(-1)
    assert_agreement(
        lambda student: functional.liger_jsd(student, teacher, beta=beta),
        lambda student: jensen_shannon(student, teacher.double(), beta),
        {"student": make(size.rows, size.columns).log_softmax(-1)},
    )


def test_fused_linear_jsd(make, size):
    teacher_input, teacher_weight = make(size.rows, 48), make(size.columns, 48, scale=0.1)
    assert_agreement(
        lambda x, weight: functional.liger_fused_linear_jsd(x, weight, teacher_input, teacher_weight),
        lambda x, weight: jensen_shannon(
            (x @ weight.T).log_softmax(-1), (teacher_input.double() @ teacher_weight.double().T).log_softmax(-1), 0.5
        ),
        {"x": make(size.rows, 48), "weight": make(size.columns, 48, scale=0.1)},
        tolerance=1e-3 if teacher_input.is_cuda else None,
    )


@pytest.mark.parametrize("log_target", [False, True])
@pytest.mark.parametrize("reduction", ["mean", "sum", "batchmean"])
def test_kl_div(make, size, log_target, reduction):
    target = make(size.rows, size.columns).softmax(-1)
    target = target.log() if log_target else target
    assert_agreement(
        lambda x: functional.liger_kl_div(x, target, reduction=reduction, log_target=log_target),
        lambda x: F.kl_div(x, target.double(), reduction=reduction, log_target=log_target),
        {"x": make(size.rows, size.columns).log_softmax(-1)},
    )


@pytest.mark.parametrize("reduction", ["mean", "sum", "batchmean"])
def test_tvd(make, size, reduction):
    target = make(size.rows, size.columns).softmax(-1)

    def reference(x):
        total = 0.5 * (x - target.double()).abs().sum()
        return total / {"mean": x.numel(), "sum": 1, "batchmean": x.shape[0]}[reduction]

    assert_agreement(
        lambda x: functional.liger_tvd(x, target, reduction=reduction),
        reference,
        {"x": make(size.rows, size.columns).softmax(-1)},
    )


def test_fused_ce_tvd(make, size):
    teacher, targets = make(size.rows, size.columns), make.integers(size.columns, size.rows)

    def reference(student):
        entropy = F.cross_entropy(student, targets, reduction="none")
        return entropy, 0.5 * (student.softmax(-1) - teacher.double().softmax(-1)).abs().sum(-1)

    assert_agreement(
        lambda student: ops.LigerFusedCETVDFunction.apply(student, teacher, targets),
        reference,
        {"student": make(size.rows, size.columns)},
        tolerance=1e-4,
    )


def rotary_tables(make, tokens, width):
    angles = make(1, tokens, width // 2)
    angles = torch.cat([angles, angles], -1)
    return angles.cos(), angles.sin()


def rotated(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat([-second, first], -1) * sine


@pytest.mark.parametrize("dtype", DTYPES)
def test_rope(make, size, dtype):
    cosine, sine = rotary_tables(make, size.tokens, 64)
    assert_agreement(
        lambda q, k: functional.liger_rope(q, k, cosine.to(dtype), sine.to(dtype)),
        lambda q, k: (
            rotated(q, cosine.to(dtype).double(), sine.to(dtype).double()),
            rotated(k, cosine.to(dtype).double(), sine.to(dtype).double()),
        ),
        {"q": make(2, 4, size.tokens, 64, dtype=dtype), "k": make(2, 2, size.tokens, 64, dtype=dtype)},
    )


def test_llama4_rope(make, size):
    frequencies = torch.polar(torch.ones(size.tokens, 32), make(size.tokens, 32).cpu()).to(make(1).device)

    def one(x):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], 32, 2))
        return torch.view_as_real(pairs * frequencies.to(pairs.dtype)[None, :, None]).flatten(-2)

    assert_agreement(
        lambda q, k: ops.LigerLlama4RopeFunction.apply(q, k, frequencies),
        lambda q, k: (one(q), one(k)),
        {"q": make(2, size.tokens, 4, 64), "k": make(2, size.tokens, 2, 64)},
    )


def test_qwen2vl_mrope(make, size):
    sections = [8, 12, 12]
    tables = [rotary_tables(make, size.tokens, 64) for _ in range(3)]
    cosine, sine = (torch.stack([table[index] for table in tables]) for index in range(2))

    def merged(table):
        parts = table.double().split(sections * 2, -1)
        return torch.cat([part[index % 3] for index, part in enumerate(parts)], -1)[:, None]

    assert_agreement(
        lambda q, k: functional.liger_qwen2vl_mrope(q, k, cosine, sine, sections),
        lambda q, k: (rotated(q, merged(cosine), merged(sine)), rotated(k, merged(cosine), merged(sine))),
        {"q": make(1, 4, size.tokens, 64), "k": make(1, 2, size.tokens, 64)},
    )


def test_embedding(make, size):
    indices = make.integers(size.columns, 2, size.rows)
    assert_agreement(
        lambda table: ops.LigerEmbeddingFunction.apply(table, indices),
        lambda table: F.embedding(indices, table),
        {"table": make(size.columns, 96)},
    )


def test_multi_token_attention(make, size):
    tokens = size.tokens
    future = torch.ones(tokens, tokens, dtype=torch.bool, device=make(1).device).triu(1)

    def reference(scores, weight):
        scores = scores.masked_fill(future, -1e9).softmax(-1)
        return F.conv2d(scores, weight, padding=1).masked_fill(future, 0.0)

    assert_agreement(
        lambda scores, weight: functional.liger_multi_token_attention(scores, weight, None, 1, 1),
        reference,
        {"scores": make(2, 4, tokens, tokens), "weight": make(4, 4, 3, 3)},
        tolerance=2e-3 if future.is_cuda else 1e-4,
    )


def test_fused_neighborhood_attention(make, size):
    tokens, reach = size.tokens, 3
    positions = torch.arange(tokens, device=make(1).device)
    far = (positions[:, None] - positions[None, :]).abs() > reach

    def reference(q, k, v):
        scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(far, float("-inf"))
        return scores.softmax(-1) @ v

    assert_agreement(
        lambda q, k, v: functional.liger_fused_neighborhood_attention(q, k, v, 2 * reach + 1),
        reference,
        {name: make(2, 2, tokens, 32) for name in "qkv"},
        tolerance=3e-3,
    )


def test_attention_residuals(make, size):
    def reference(blocks, query, weight):
        keys = blocks * torch.rsqrt(blocks.square().mean(-1, keepdim=True) + 1e-6) * weight
        return ((keys @ query).softmax(0)[..., None] * blocks).sum(0)

    assert_agreement(
        lambda blocks, query, weight: functional.liger_attn_res(blocks, query, weight),
        reference,
        {"blocks": make(5, 2, size.rows, 96), "query": make(96, scale=0.1), "weight": make(96)},
        tolerance=1e-4,
    )


def test_mhc_post_residual(make, size):
    streams = 4
    assert_agreement(
        lambda x, f, post, res: functional.liger_mhc_post_res(x, f, post, res),
        lambda x, f, post, res: torch.einsum("bsij,bsjc->bsic", res, x) + post[..., None] * f[..., None, :],
        {
            "x": make(2, size.tokens, streams, 96, dtype=torch.bfloat16),
            "f": make(2, size.tokens, 96, dtype=torch.bfloat16),
            "post": make(2, size.tokens, streams),
            "res": make(2, size.tokens, streams, streams),
        },
    )


def test_mhc_pre(make, size):
    assert_agreement(
        lambda x, pre: functional.liger_mhc_pre(x, pre),
        lambda x, pre: (pre[..., None] * x).sum(-2),
        {"x": make(2, size.tokens, 4, 96, dtype=torch.bfloat16), "pre": make(2, size.tokens, 4)},
    )


@pytest.mark.parametrize("loss_type", ["grpo", "cispo", "sapo"])
def test_grpo_loss(make, size, loss_type):
    from liger_kernel.transformers.grpo_loss import triton_grpo_loss

    batch, tokens, temperature = 3, 12, 0.9
    ids = make.integers(size.columns, batch, tokens)
    advantages, old = make(batch), make(batch, tokens, scale=0.1) - math.log(size.columns)
    reference_logs = make(batch, tokens, scale=0.1) - math.log(size.columns)

    def reference(logits):
        logs = (logits[:, :-1] / temperature).log_softmax(-1).gather(-1, ids[..., None])[..., 0]
        ratio, advantage = (logs - old.double()).exp(), advantages.double()[:, None]
        if loss_type == "grpo":
            loss = -torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.4) * advantage)
        elif loss_type == "cispo":
            loss = -ratio.clamp(max=0.4).detach() * advantage * logs
        else:
            softness = torch.where(advantage > 0, 1.0, 1.05).double()
            loss = -(torch.sigmoid(softness * (ratio - 1)) * 4 / softness) * advantage
        difference = reference_logs.double() - logs
        divergence = difference.exp() - difference - 1
        return loss + 0.04 * divergence

    def operator(logits):
        return triton_grpo_loss(
            logits, old, reference_logs, ids, advantages, temperature=temperature, inplace=False, loss_type=loss_type
        )[0]

    assert_agreement(operator, reference, {"logits": make(batch, tokens + 1, size.columns)}, tolerance=1e-4)


@pytest.mark.cuda_only("the library asserts tensors on a GPU")
def test_fused_mlp(make, size):
    def reference(x, gate, up, down):
        return (F.silu(x @ gate.T) * (x @ up.T)) @ down.T

    assert_agreement(
        lambda x, gate, up, down: ops.LigerMLPFunction.apply(x, gate, up, down),
        reference,
        {
            "x": make(4, size.rows, 64, dtype=torch.bfloat16),
            "gate": make(128, 64, dtype=torch.bfloat16, scale=0.1),
            "up": make(128, 64, dtype=torch.bfloat16, scale=0.1),
            "down": make(64, 128, dtype=torch.bfloat16, scale=0.1),
        },
    )


def test_fused_moe(make, size):
    experts, chosen, width, inner = 4, 2, 64, 32
    indices = torch.stack([torch.randperm(experts)[:chosen] for _ in range(size.rows)]).to(make(1).device)

    def reference(x, gate_up, down, weights):
        total = torch.zeros_like(x)
        for slot in range(chosen):
            gate, up = torch.einsum("th,teh->te", x, gate_up[indices[:, slot]]).chunk(2, -1)
            result = torch.einsum("te,the->th", F.silu(gate) * up, down[indices[:, slot]])
            total = total + weights[:, slot, None] * result
        return total

    assert_agreement(
        lambda x, gate_up, down, weights: ops.LigerFusedMoEFunction.apply(
            x, gate_up, down, indices.to(torch.int32), weights
        ),
        reference,
        {
            "x": make(size.rows, width, dtype=torch.bfloat16),
            "gate_up": make(experts, 2 * inner, width, dtype=torch.bfloat16, scale=0.1),
            "down": make(experts, width, inner, dtype=torch.bfloat16, scale=0.1),
            "weights": make(size.rows, chosen, positive=True).softmax(-1).to(torch.bfloat16),
        },
    )
