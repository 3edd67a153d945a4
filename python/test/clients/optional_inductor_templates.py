"""Inductor's templates (products of matrices, convolutions, attention), its launchers and its modes of running."""

import os
import subprocess
import sys
import textwrap

import pytest
import torch
import torch.nn.functional as F
from agreement import random_tensors
from compiled import assert_agree, check, direction_of, doubled, kernels_of, settings
from torch._inductor.utils import run_and_get_code
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

# Only kernels of Triton are candidates, and few of them, so that the choice is quick.
# Fusions are not measured: PyTorch 2.13 writes no valid program for that on the processor.
TUNED = dict(max_autotune_gemm=True, max_autotune_gemm_backends="TRITON", benchmark_epilogue_fusion=False)


@pytest.fixture(autouse=True)
def few_choices():
    """Of each template's configurations the first that suits is enough: a search would measure this machine."""
    with torch._inductor.config.patch({"test_configs.max_mm_configs": 2}):
        yield


@pytest.fixture
def make(client_device):
    return random_tensors(client_device, seed=11)


@pytest.fixture
def half(client_device):
    """The type of narrow operands: the one that the device computes with."""
    return torch.bfloat16


PRODUCTS = {
    "mm": lambda x, y, z: x @ y,
    "of transposed": lambda x, y, z: (y.t() @ x.t()).relu(),
    "addmm": lambda x, y, z: torch.addmm(z, x, y),
    "with an epilogue": lambda x, y, z: F.gelu(x @ y + z) * 2,
    "with a prologue": lambda x, y, z: (x * 2 + 1) @ y,
    "then a reduction": lambda x, y, z: (x @ y).softmax(-1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_product(make, name, dtype):
    tolerance = 2e-2 if dtype == torch.bfloat16 else 2e-3
    x, y, z = make(80, 96, dtype=dtype), make(96, 64, dtype=dtype), make(64, dtype=dtype)
    codes = check(PRODUCTS[name], x, y, z, tolerance=tolerance, **TUNED)
    assert any("triton_tem" in code or "triton_mm" in code for code in codes), "no template was chosen"


@pytest.mark.parametrize("shapes", [((3, 40, 33), (3, 33, 50)), ((1, 128, 64), (1, 64, 128))], ids=["odd", "even"])
def test_batched_product(make, half, shapes):
    left, right = (make(*shape, dtype=half) for shape in shapes)
    check(lambda x, y: torch.bmm(x, y).sigmoid(), left, right, **TUNED)


def test_product_of_dynamic_shapes(make, half):
    with settings(**TUNED):
        torch._dynamo.reset()
        compiled = torch.compile(lambda x, y: (x @ y).relu(), dynamic=True)
        for rows in (64, 100, 32):
            x, y = make(rows, 64, dtype=half), make(64, 48, dtype=half)
            assert_agree(compiled(x, y), (x.double() @ y.double()).relu(), 2e-2)


def test_product_of_integers(client_device):
    x = torch.randint(-100, 100, (64, 64), dtype=torch.int8, device=client_device)
    y = torch.randint(-100, 100, (64, 64), dtype=torch.int8, device=client_device)
    with settings(**TUNED):
        torch._dynamo.reset()
        found = torch.compile(torch._int_mm)(x, y)
    assert torch.equal(found.cpu(), x.cpu().int() @ y.cpu().int())


@pytest.mark.cuda_only("PyTorch's compiler has no choice of Triton for it on the processor")
def test_product_of_long_rows(make, half):
    check(lambda x, y: x @ y, make(32, 4096, dtype=half), make(4096, 32, dtype=half), **TUNED)


def test_native_product(make):
    check(lambda x, y: x @ y + 1, make(64, 64), make(64, 64), tolerance=2e-3, triton__native_matmul=True,
          triton__codegen_upcast_to_fp32=False)  # fmt: skip


@pytest.mark.cuda_only("the template loads by TMA")
@pytest.mark.parametrize("shape", [(256, 512, 256), (1000, 264, 520)], ids=["even", "odd"])
def test_persistent_product_by_tma(make, shape):
    rows, inner, columns = shape
    x, y = make(rows, inner, dtype=torch.bfloat16), make(inner, columns, dtype=torch.bfloat16)
    only = {"test_configs__autotune_choice_name_regex": "tma"}  # whichever is fastest
    codes = check(lambda x, y: x @ y, x, y, triton__enable_persistent_tma_matmul=True, **TUNED, **only)
    assert any("tensor_descriptor" in code for code in codes), "no template by TMA was among the choices"


@pytest.mark.cuda_only("PyTorch scales products on GPUs alone")
@pytest.mark.parametrize("by_row", [False, True], ids=["by tensor", "by row"])
@pytest.mark.parametrize("by_tma", [False, True], ids=["pointers", "TMA"])
def test_scaled_product(make, by_row, by_tma):
    x = make(128, 256).to(torch.float8_e4m3fn)
    y = make(192, 256).to(torch.float8_e4m3fn).t()
    shapes = ((128, 1), (1, 192)) if by_row else ((), ())
    scales = [make(*shape).abs() + 0.5 for shape in shapes]

    def program(x, y, one, other):
        return torch._scaled_mm(x, y, one, other, out_dtype=torch.bfloat16)

    with settings(triton__enable_persistent_tma_matmul=by_tma, **TUNED):
        torch._dynamo.reset()
        found, codes = run_and_get_code(torch.compile(program, fullgraph=True), x, y, *scales)
    assert kernels_of(codes)
    expected = (x.double() @ y.double()) * scales[0].double() * scales[1].double()
    assert_agree(found, expected, 2e-2)


@pytest.mark.cuda_only("on the processor PyTorch's compiler leaves convolutions to a library")
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
def test_convolution(make, size, last):
    x, weight = make(4, 32, 28, 28, dtype=torch.float16), make(64, 32, size, size, dtype=torch.float16)
    if last:
        x, weight = (value.to(memory_format=torch.channels_last) for value in (x, weight))
    program = lambda x, w: F.conv2d(x, w, stride=2, padding=size // 2).relu()
    check(program, x, weight, tolerance=1e-2, max_autotune=True, max_autotune_conv_backends="TRITON")


def causal(b, h, q, k):
    return q >= k


def window(b, h, q, k):
    return (q >= k) & (q - k <= 40)


SCORES = {
    "plain": None,
    "bias by distance": lambda score, b, h, q, k: score + (q - k) * 0.01,
    "soft cap": lambda score, b, h, q, k: 8 * torch.tanh(score / 8),
    "by head": lambda score, b, h, q, k: score * (h + 1) * 0.5,
}


def attention_in_double(q, k, v, score, mask):
    q, k, v = q.double(), k.double(), v.double()
    k, v = (value.repeat_interleave(q.shape[1] // value.shape[1], 1) for value in (k, v))
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    places = torch.meshgrid(*(torch.arange(size, device=q.device) for size in scores.shape), indexing="ij")
    if score is not None:
        scores = score(scores, *places)
    if mask is not None:
        scores = scores.masked_fill(~mask(*places), float("-inf"))
    return scores.softmax(-1).nan_to_num() @ v


def check_attention(make, score, mask, *, heads=(4, 4), lengths=(256, 256), size=64, backward=True, **options):
    q = make(2, heads[0], lengths[0], size, dtype=torch.bfloat16)
    k, v = (make(2, heads[1], lengths[1], size, dtype=torch.bfloat16) for _ in range(2))
    device = str(q.device)
    blocks = mask and create_block_mask(mask, 2, heads[0], *lengths, device=device, _compile=False)
    exact = [doubled(value).requires_grad_() for value in (q, k, v)]
    given = [value.clone().requires_grad_(backward) for value in (q, k, v)]
    with settings():
        torch._dynamo.reset()
        attend = torch.compile(
            lambda q, k, v: flex_attention(
                q, k, v, score, blocks, enable_gqa=heads[0] != heads[1], kernel_options=options
            )
        )
        found = attend(*given)
        expected = attention_in_double(*exact, score, mask)
        assert_agree(found, expected, 2e-2)
        if backward:
            direction = direction_of(found)
            gradients = torch.autograd.grad(found, given, direction)
            assert_agree(gradients, torch.autograd.grad(expected, exact, direction.double()), 3e-2, "gradient")


ONLY_CUDA = "on the processor PyTorch's compiler has no template of Triton for attention"


@pytest.mark.cuda_only(ONLY_CUDA)
@pytest.mark.parametrize("mask", [None, causal, window], ids=["whole", "causal", "window"])
@pytest.mark.parametrize("score", SCORES)
def test_flex_attention(make, score, mask):
    check_attention(make, SCORES[score], mask)


@pytest.mark.cuda_only(ONLY_CUDA)
def test_flex_attention_of_grouped_heads(make):
    check_attention(make, None, causal, heads=(8, 2))


@pytest.mark.cuda_only(ONLY_CUDA)
def test_flex_attention_of_odd_lengths(make):
    check_attention(make, None, None, lengths=(200, 333))


@pytest.mark.cuda_only(ONLY_CUDA)
def test_flex_decoding(make):
    check_attention(make, None, None, heads=(8, 8), lengths=(1, 1000), backward=False)


@pytest.mark.cuda_only(ONLY_CUDA)
def test_flex_attention_by_tma(make):
    check_attention(make, None, causal, size=128, USE_TMA=True, backward=False)


@pytest.mark.cuda_only(ONLY_CUDA)
def test_flex_attention_of_documents(make, client_device):
    document = torch.arange(256, device=client_device) // 100
    check_attention(make, None, lambda b, h, q, k: (document[q] == document[k]) & (q >= k))


def launches(make, **changes):
    """A program with several kernels, launched again and again with other inputs."""
    torch._dynamo.reset()
    program = lambda x, y: ((x * 2 + y).softmax(-1), (x - y).sum(0), x @ y.t())
    with settings(**changes):
        compiled = torch.compile(program, fullgraph=True)
        for _ in range(4):
            x, y = make(50, 70), make(50, 70)
            assert_agree(compiled(x, y), program(x.double(), y.double()), 2e-3)


def test_launches(make):
    launches(make)


@pytest.mark.cuda_only("the processor has one launcher")
@pytest.mark.parametrize("static", [False, True])
def test_launcher(make, static):
    launches(make, use_static_triton_launcher=static, strict_static_triton_launcher=static)


@pytest.mark.cuda_only("the processor has no CUDA graphs")
@pytest.mark.parametrize("static", [False, True])
def test_cuda_graphs(make, static):
    launches(make, triton__cudagraphs=True, use_static_triton_launcher=static)


@pytest.mark.cuda_only("programs of one launch do not run at the same time on the processor")
@pytest.mark.parametrize("persistent", [False, True])
def test_cooperative_reductions(make, persistent):
    check(
        lambda x: (x.sum(-1), x.var(-1), x.argmax(-1), x.softmax(-1).amax(-1)),
        make(3, 20000),
        tolerance=1e-4,
        triton__force_cooperative_reductions=True,
        triton__persistent_reductions=persistent,
    )


@pytest.mark.cuda_only("the wrapper in C++ launches kernels for GPUs alone")
def test_wrapper_in_cpp(make):
    launches(make, cpp_wrapper=True)


@pytest.mark.cuda_only("descriptors of PyTorch's compiler need a GPU")
def test_tensor_descriptors(make):
    check(
        lambda x, y: (x + y.t()).relu(),
        make(256, 256),
        make(256, 256),
        triton__use_tensor_descriptor=True,
        assume_aligned_inputs=True,
    )


@pytest.mark.cuda_only("several kernels for one reduction are compared on GPUs alone")
def test_multi_kernel(make):
    check(lambda x: (x.softmax(-1), x.sum(-1)), make(64, 3000), tolerance=1e-4, triton__multi_kernel=1)


@pytest.mark.cuda_only("the processor has no dependent launches")
def test_dependent_launches(make):
    check(lambda x, y: ((x + y).softmax(-1) @ y.t()).sum(0), make(64, 64), make(64, 64), tolerance=2e-3,
          triton__enable_pdl=True)  # fmt: skip


WORKERS = """
import torch
import torch._inductor.config as inductor
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.utils import run_and_get_code

if __name__ == "__main__":
    inductor.cpu_backend = "triton"
    inductor.worker_start_method = "{method}"
    device = "{device}"
    AsyncCompile.warm_pool()
    AsyncCompile.wait_pool_ready()
    assert AsyncCompile.use_process_pool(), "there are no workers"

    def program(x, y):
        return (x.sin() + y).softmax(-1), x.cumsum(0), (x * y).sum(0), x.argmax(-1)

    x, y = torch.randn(40, 50, device=device), torch.randn(40, 50, device=device)
    with inductor.patch(fx_graph_cache=False):
        found = torch.compile(program)(x, y)
    expected = program(x.double(), y.double())
    for one, other in zip(found, expected):
        assert torch.allclose(one.double(), other.double(), atol=1e-4), (one, other)
    from torch._dynamo.utils import counters
    assert counters["inductor"]["async_compile_cache_miss"] > 0, dict(counters["inductor"])
    print("agrees")
"""


@pytest.mark.parametrize("method", ["subprocess", "fork"])
def test_workers(tmp_path, client_device, method):
    """Kernels that worker processes compile run in this one."""
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(WORKERS.format(method=method, device=client_device)))
    folders = {"TRITON_CACHE_DIR": tmp_path / "triton", "TORCHINDUCTOR_CACHE_DIR": tmp_path / "inductor"}
    environment = {**os.environ, **{name: str(path) for name, path in folders.items()}}
    environment["TORCHINDUCTOR_COMPILE_THREADS"] = "2"
    result = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0 and result.stdout == "agrees\n", result.stdout + result.stderr


def test_second_process(tmp_path, client_device):
    """What one process compiled, another takes from Inductor's cache."""
    text = """
        import torch
        import torch._inductor.config as inductor
        from torch._dynamo.utils import counters

        inductor.cpu_backend = "triton"
        x = torch.arange(1000.0, device="{device}").view(10, 100)
        found = torch.compile(lambda x: (x.cos() * 3).sum(-1))(x)
        assert torch.allclose(found.double(), (x.double().cos() * 3).sum(-1), atol=1e-4)
        print(counters["inductor"]["fxgraph_cache_hit"], counters["inductor"]["fxgraph_cache_miss"])
    """
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(text.format(device=client_device)))
    folders = {"TRITON_CACHE_DIR": tmp_path / "triton", "TORCHINDUCTOR_CACHE_DIR": tmp_path / "inductor"}
    environment = {**os.environ, **{name: str(path) for name, path in folders.items()}}
    environment["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    outputs = []
    for _ in range(2):
        result = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        outputs.append(result.stdout)
    assert outputs == ["0 1\n", "1 0\n"]
