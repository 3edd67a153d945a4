"""Operators of flash-linear-attention, forward and backward, against their recurrences in float64."""

import math
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from agreement import assert_agreement, random_tensors
from tuning import few_configurations

with few_configurations():
    import fla.ops as fla_ops
    from fla.modules import activations
    from fla.modules.causal_conv1d.ops import causal_conv1d
    from fla.modules.fused_cross_entropy.ops import cross_entropy_loss
    from fla.modules.norm.fused_norm_gate import layer_norm_gated, rms_norm_gated
    from fla.modules.norm.l2norm import l2norm
    from fla.modules.norm.layernorm import layer_norm, rms_norm
    from fla.modules.rotary.ops import rotary_embedding
    from fla.modules.token_shift import token_shift

SIZES = {
    "cpu": SimpleNamespace(batch=1, tokens=70, heads=2, keys=32, values=32, rows=24, columns=200),
    "cuda": SimpleNamespace(batch=2, tokens=300, heads=4, keys=64, values=128, rows=512, columns=3000),
}
# Products take bfloat16 operands on GPUs, and tf32 ones where the tensors are f32.
CHUNKED = 2e-2


@pytest.fixture
def size(client_device):
    return SIZES[client_device]


@pytest.fixture
def make(client_device):
    return random_tensors(client_device, seed=3)


def recurrence(q, k, v, decay=None, beta=None, scale=None, bonus=None):
    """S ← exp(decay) S + k (beta (v - k S))ᵀ, or + k vᵀ without beta; o = scale q S.

    Shapes are (batch, tokens, heads, …). A decay is for each head or for each of its keys. A bonus u adds u k vᵀ to
    what the token itself sees of a state that does not hold it yet, as in RWKV-6.
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    state = q.new_zeros(*q.shape[:1], *q.shape[2:], v.shape[-1])
    results = []
    for t in range(q.shape[1]):
        key, value = k[:, t], v[:, t]
        product = key[..., None] * value[..., None, :]
        if bonus is not None:
            results.append(torch.einsum("bhk,bhkv->bhv", q[:, t] * scale, state + bonus[..., None] * product))
        if decay is not None:
            rate = decay[:, t].exp()
            state = state * (rate[..., None] if rate.dim() == 3 else rate[..., None, None])
        if beta is not None:
            rest = value - torch.einsum("bhk,bhkv->bhv", key, state)
            product = key[..., None] * (beta[:, t, :, None] * rest)[..., None, :]
        state = state + product
        if bonus is None:
            results.append(torch.einsum("bhk,bhkv->bhv", q[:, t] * scale, state))
    return torch.stack(results, 1)


def queries_keys_values(make, size, dtype=torch.float32):
    shape = (size.batch, size.tokens, size.heads)
    keys = F.normalize(make(*shape, size.keys), dim=-1)
    return {"q": make(*shape, size.keys, dtype=dtype), "k": keys.to(dtype), "v": make(*shape, size.values, dtype=dtype)}


def decays(make, *shape):
    """Logarithms of factors between about 0.6 and 1."""
    return F.logsigmoid(make(*shape) + 3)


def gates(make, *shape):
    return make(*shape).sigmoid()


def agree(name, reference, inputs, *, tolerance=None, **options):
    """Chunked operators in bfloat16, recurrent ones in float32."""
    operator = getattr(fla_ops, name)
    recurrent = name.startswith("fused_recurrent")
    if not recurrent:
        inputs = {key: value if key in ("g", "gk", "w") else value.bfloat16() for key, value in inputs.items()}

    def results(**arguments):
        found = operator(**arguments, **options)
        return found[0] if isinstance(found, tuple) else found

    assert_agreement(results, reference, inputs, tolerance or (1e-3 if recurrent else CHUNKED))


@pytest.mark.parametrize("name", ["fused_recurrent_linear_attn", "chunk_linear_attn", "fused_chunk_linear_attn"])
def test_linear_attention(make, size, name):
    agree(name, recurrence, queries_keys_values(make, size), normalize=False)


@pytest.mark.parametrize("name", ["fused_recurrent_retention", "chunk_retention", "parallel_retention"])
def test_retention(make, size, name):
    heads = torch.arange(size.heads, dtype=torch.float64, device=make(1).device)
    decay = torch.log(1 - 2.0 ** (-5 - heads)).expand(size.batch, size.tokens, size.heads)
    agree(name, lambda q, k, v: recurrence(q, k, v, decay), queries_keys_values(make, size))


@pytest.mark.parametrize("name", ["fused_recurrent_simple_gla", "chunk_simple_gla", "parallel_simple_gla"])
def test_simple_gated_linear_attention(make, size, name):
    inputs = {**queries_keys_values(make, size), "g": decays(make, size.batch, size.tokens, size.heads)}
    agree(name, lambda q, k, v, g: recurrence(q, k, v, g), inputs)


@pytest.mark.parametrize("name", ["fused_recurrent_gla", "chunk_gla"])
def test_gated_linear_attention(make, size, name):
    gate = "gk" if name.startswith("fused_recurrent") else "g"
    inputs = {**queries_keys_values(make, size), gate: decays(make, size.batch, size.tokens, size.heads, size.keys)}
    agree(name, lambda q, k, v, **gates: recurrence(q, k, v, gates[gate]), inputs, tolerance=3e-2)


@pytest.mark.parametrize("name", ["fused_recurrent_delta_rule", "chunk_delta_rule"])
def test_delta_rule(make, size, name):
    inputs = {**queries_keys_values(make, size), "beta": gates(make, size.batch, size.tokens, size.heads)}
    agree(name, lambda q, k, v, beta: recurrence(q, k, v, None, beta), inputs, tolerance=3e-2)


@pytest.mark.parametrize("name", ["chunk_gated_delta_rule"])
def test_gated_delta_rule(make, size, name):
    shape = (size.batch, size.tokens, size.heads)
    inputs = {**queries_keys_values(make, size), "g": decays(make, *shape), "beta": gates(make, *shape)}
    agree(name, lambda q, k, v, g, beta: recurrence(q, k, v, g, beta), inputs, tolerance=3e-2)


def test_gated_delta_rule_step(make, size):
    """This one has no backward."""
    shape = (size.batch, size.tokens, size.heads)
    inputs = {**queries_keys_values(make, size), "g": decays(make, *shape), "beta": gates(make, *shape)}
    assert_agreement(
        lambda **arguments: fla_ops.fused_recurrent_gated_delta_rule(**arguments)[0],
        lambda q, k, v, g, beta: recurrence(q, k, v, g, beta),
        inputs,
        1e-3,
        backward=False,
    )


def test_kimi_delta_attention(make, size):
    shape = (size.batch, size.tokens, size.heads)
    inputs = {**queries_keys_values(make, size), "g": decays(make, *shape, size.keys), "beta": gates(make, *shape)}
    agree("chunk_kda", lambda q, k, v, g, beta: recurrence(q, k, v, g, beta), inputs, tolerance=3e-2)


@pytest.mark.parametrize("name", ["fused_recurrent_rwkv6", "chunk_rwkv6"])
def test_rwkv6(make, size, name):
    values = queries_keys_values(make, size)
    inputs = {
        "r": values["q"],
        "k": values["k"],
        "v": values["v"],
        "w": decays(make, size.batch, size.tokens, size.heads, size.keys),
        "u": make(size.heads, size.keys),
    }
    agree(name, lambda r, k, v, w, u: recurrence(r, k, v, w, bonus=u, scale=1.0), inputs, scale=1.0, tolerance=3e-2)


def test_hgrn(make, size):
    def reference(x, g):
        state, results = x.new_zeros(x.shape[0], x.shape[2]), []
        for t in range(x.shape[1]):
            state = g[:, t].exp() * state + x[:, t]
            results.append(state)
        return torch.stack(results, 1)

    shape = (size.batch, size.tokens, size.columns)
    inputs = {"x": make(*shape), "g": decays(make, *shape)}
    agree("fused_recurrent_hgrn", reference, inputs)


def softmax_attention(q, k, v, gates=None, window=None):
    tokens, groups = q.shape[1], q.shape[2] // k.shape[2]
    k, v = (x.repeat_interleave(groups, 2) for x in (k, v))
    scores = torch.einsum("bqhk,bshk->bhqs", q, k) / math.sqrt(q.shape[-1])
    if gates is not None:
        sums = gates.cumsum(1).transpose(1, 2)
        scores = scores + sums[..., :, None] - sums[..., None, :]
    t = torch.arange(tokens, device=q.device)
    hidden = t[None, :] > t[:, None]
    if window:
        hidden |= t[:, None] - t[None, :] >= window
    return torch.einsum("bhqs,bshv->bqhv", scores.masked_fill(hidden, float("-inf")).softmax(-1), v)


@pytest.mark.parametrize("window", [None, 16])
def test_attention(make, size, window):
    inputs = queries_keys_values(make, size)
    inputs["q"] = make(size.batch, size.tokens, 2 * size.heads, size.keys)
    agree("parallel_attn", lambda q, k, v: softmax_attention(q, k, v, window=window), inputs, window_size=window)


def test_forgetting_attention(make, size):
    inputs = {**queries_keys_values(make, size), "g": decays(make, size.batch, size.tokens, size.heads)}
    agree("parallel_forgetting_attn", softmax_attention_with_gates, inputs, tolerance=3e-2)


def softmax_attention_with_gates(q, k, v, g):
    return softmax_attention(q, k, v, g)


def test_l2norm(make, size):
    assert_agreement(
        lambda x: l2norm(x),
        lambda x: x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6),
        {"x": make(size.rows, size.columns)},
    )


@pytest.mark.parametrize("which", ["layer", "rms"])
@pytest.mark.parametrize("gated", [False, True])
def test_norms(make, size, which, gated):
    def reference(x, weight, bias, g=None):
        centred = x - x.mean(-1, keepdim=True) if which == "layer" else x
        normalized = centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + 1e-5) * weight + bias
        return normalized if g is None else normalized * F.silu(g)

    inputs = {"x": make(size.rows, size.columns), "weight": make(size.columns), "bias": make(size.columns)}
    if gated:
        inputs["g"] = make(size.rows, size.columns)
        function = layer_norm_gated if which == "layer" else rms_norm_gated
        operator = lambda x, weight, bias, g: function(x, g, weight, bias, "swish", eps=1e-5)  # noqa: E731
    else:
        function = layer_norm if which == "layer" else rms_norm
        operator = lambda x, weight, bias: function(x, weight, bias, eps=1e-5)  # noqa: E731
    assert_agreement(operator, reference, inputs, 1e-4)


@pytest.mark.parametrize(
    "name, reference",
    [
        ("sigmoid", torch.sigmoid),
        ("logsigmoid", F.logsigmoid),
        ("swish", F.silu),
        ("sqrelu", lambda x: F.relu(x).square()),
    ],
)
def test_activations(make, size, name, reference):
    operator = getattr(activations, name)
    assert_agreement(
        lambda x: operator(x), lambda x: reference(x), {"x": make(size.rows, size.columns)}, tolerance=1e-4
    )


def test_swiglu(make, size):
    assert_agreement(
        lambda x, y: activations.swiglu(x, y),
        lambda x, y: F.silu(x) * y,
        {name: make(size.rows, size.columns) for name in "xy"},
        tolerance=1e-4,
    )


@pytest.mark.parametrize("activation", [None, "swish"])
def test_causal_convolution(make, size, activation):
    width = 4

    def reference(x, weight, bias):
        padded = F.pad(x.transpose(1, 2), (width - 1, 0))
        result = F.conv1d(padded, weight[:, None], bias, groups=weight.shape[0]).transpose(1, 2)
        return F.silu(result) if activation else result

    assert_agreement(
        lambda x, weight, bias: causal_conv1d(x, weight, bias, activation=activation)[0],
        reference,
        {"x": make(2, size.tokens, 96), "weight": make(96, width), "bias": make(96)},
        tolerance=1e-4,
    )


def test_cross_entropy(make, size):
    targets = make.integers(size.columns, size.rows)
    assert_agreement(
        lambda logits: cross_entropy_loss(logits, targets)[0],
        lambda logits: F.cross_entropy(logits, targets, reduction="none"),
        {"logits": make(size.rows, size.columns)},
    )


def test_rotary_embedding(make, size):
    angles = make(size.tokens, size.keys // 2)
    cosine, sine = angles.cos(), angles.sin()

    def reference(x):
        first, second = x.chunk(2, -1)
        c, s = cosine.double()[None, :, None], sine.double()[None, :, None]
        return torch.cat([first * c - second * s, second * c + first * s], -1)

    assert_agreement(
        lambda x: rotary_embedding(x, cosine, sine),
        reference,
        {"x": make(size.batch, size.tokens, size.heads, size.keys)},
    )


def test_token_shift(make, size):
    assert_agreement(
        lambda x: token_shift(x),
        lambda x: F.pad(x, (0, 0, 1, -1)) - x,
        {"x": make(2, size.tokens, 96)},
    )
