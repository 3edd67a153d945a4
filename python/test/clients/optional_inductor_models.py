"""What users bring to torch.compile: kernels of their own, operators made of them, models that train, and programs that
are compiled ahead of time."""

import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from agreement import random_tensors
from compiled import assert_agree, check, kernels_of, settings
from shared_kernels import compiled_product
from torch._inductor.utils import run_and_get_code

sys.path.append(str(Path(__file__).resolve().parents[3] / "bench"))
from transformer import Block, Transformer  # noqa: E402


@pytest.fixture
def make(client_device):
    return random_tensors(client_device, seed=17)


@triton.jit
def scaled(value, factor: tl.constexpr):
    return value * factor


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + scaled(tl.load(y + i, mask=i < n), 2.0), mask=i < n)


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), BLOCK=128)
    return out


def exactly_added(x, y):
    return x.double() + 2 * y.double()


def compiled(program, *inputs, **changes):
    """What the compiled program returns; only kernels of Triton may have run."""
    torch._dynamo.reset()
    with settings(**changes):
        found, codes = run_and_get_code(torch.compile(program, fullgraph=True), *inputs)
    assert kernels_of(codes)
    return found, codes


def test_kernel(make):
    x, y = make(1000), make(1000)
    found, _ = compiled(lambda x, y: add(x.sin(), y) * 3, x, y)
    assert_agree(found, exactly_added(x.double().sin(), y) * 3, 1e-5)


def test_kernel_changes_only_what_it_stores(make):
    """The analysis of what a kernel changes finds the one argument that it stores through."""
    from torch._higher_order_ops import triton_kernel_wrap

    x = make(100)
    arguments = {"x": x, "y": x, "out": x, "n": 100, "BLOCK": 128}
    if hasattr(triton_kernel_wrap, "identify_mutated_tensors"):  # before PyTorch 2.12
        assert triton_kernel_wrap.identify_mutated_tensors(add_kernel, arguments, {}) == ["out"]
        return
    accessed = triton_kernel_wrap.identify_accessed_tensors(add_kernel, arguments, {}).read_writes
    assert [dependency.name for dependency in accessed.writes] == ["out"]
    assert sorted(dependency.name for dependency in accessed.reads) == ["x", "y"]


@triton.jit
def store_in_loop_kernel(x, counts, out, n, BLOCK: tl.constexpr):
    place = out
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < n, other=0.0)
        if start > BLOCK:
            tl.store(place + i, value * 2, mask=i < n)
        else:
            tl.store(place + i, value, mask=i < n)
        tl.atomic_add(counts, tl.sum((value > 0).to(tl.int32)))


def test_kernel_with_loops_and_atomics(make):
    def program(x):
        out, counts = torch.empty_like(x), torch.zeros(1, dtype=torch.int32, device=x.device)
        store_in_loop_kernel[(1,)](x, counts, out, x.numel(), BLOCK=64)
        return out + 1, counts

    x = make(300)
    expected = torch.where(torch.arange(300, device=x.device) < 128, x.double(), x.double() * 2) + 1
    assert_agree(compiled(program, x)[0], (expected, (x > 0).sum()[None].int()), 1e-5)


def test_kernel_that_changes_its_input(make):
    @triton.jit
    def kernel(x, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

    def program(x):
        before = x + 1
        kernel[(triton.cdiv(x.numel(), 64),)](x, x.numel(), BLOCK=64)
        return before, x + 1

    x = make(100)
    exact = x.double()
    found, _ = compiled(program, x)
    assert_agree((*found, x), (exact + 1, exact * 2 + 1, exact * 2), 1e-5)


def test_tuned_kernel(make):
    @triton.autotune([triton.Config({"BLOCK": size}, num_warps=4) for size in (64, 256)], key=["n"])
    @triton.heuristics({"EVEN": lambda arguments: arguments["n"] % 64 == 0})
    @triton.jit
    def kernel(x, out, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 3, mask=i < n)

    def program(x):
        out = torch.empty_like(x)
        kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
        return out - 1

    x = make(1000)
    assert_agree(compiled(program, x)[0], x.double() * 3 - 1, 1e-5)


def test_tuned_kernel_with_restored_values(make):
    @triton.autotune(
        [triton.Config({"BLOCK": size}) for size in (64, 128)], key=["n"], restore_value=["x"], reset_to_zero=["out"]
    )
    @triton.jit
    def kernel(x, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < n, other=0.0)
        tl.store(x + i, value + 1, mask=i < n)
        tl.atomic_add(out, tl.sum(value))

    def program(x):
        out = torch.zeros(1, device=x.device)
        kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
        return out * 1

    x = make(500)
    exact = x.double()
    found, _ = compiled(program, x)
    assert_agree((found, x), (exact.sum()[None], exact + 1), 1e-4)


def test_kernel_of_two_dimensions_with_dynamic_sizes(make):
    @triton.jit
    def kernel(x, out, rows, columns, stride, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        i = tl.arange(0, BLOCK)
        value = tl.load(x + row * stride + i, mask=i < columns, other=float("-inf"))
        value = tl.exp(value - tl.max(value))
        tl.store(out + row * columns + i, value / tl.sum(value), mask=i < columns)

    def program(x):
        out = torch.empty(x.shape, device=x.device)
        kernel[(x.shape[0],)](x, out, *x.shape, x.stride(0), BLOCK=triton.next_power_of_2(x.shape[1]))
        return out

    torch._dynamo.reset()
    with settings():
        function = torch.compile(program, fullgraph=True, dynamic=True)
        for rows, columns in ((5, 60), (9, 60), (7, 33)):
            x = make(rows, columns + 3)[:, :columns]
            assert_agree(function(x), x.double().softmax(-1), 1e-5)


@pytest.mark.cuda_only("PyTorch makes descriptors for kernels on GPUs alone")
def test_kernel_with_descriptors(make):
    from triton.tools.tensor_descriptor import TensorDescriptor

    @triton.jit
    def kernel(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
        row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
        target.store([row, column], source.load([row, column]) * 2)

    def program(x):
        out = torch.empty_like(x)
        source, target = (TensorDescriptor.from_tensor(value, [32, 64]) for value in (x, out))
        kernel[(4, 2)](source, target, ROWS=32, COLUMNS=64)
        return out + 1

    x = make(128, 128)
    assert_agree(compiled(program, x)[0], x.double() * 2 + 1, 1e-5)


@pytest.mark.parametrize("by_maps", [False, True])
def test_static_launcher_leaves_kernels_with_tensor_maps(by_maps, monkeypatch):
    """Their launch passes more than the arguments. Nothing runs here."""
    from torch._inductor.runtime.static_triton_launcher import StaticallyLaunchedCudaKernel

    if not by_maps:
        monkeypatch.setenv("TRITON_DISABLE_WARP_SPECIALIZATION", "1")
    kernel = compiled_product()
    kernel._cubin_path = "unused"
    if not by_maps:
        assert StaticallyLaunchedCudaKernel(kernel).arg_tys == "OOOii"
        return
    with pytest.raises(NotImplementedError):
        StaticallyLaunchedCudaKernel(kernel)


@torch.library.triton_op("nereid_test::add_twice", mutates_args={})
def add_twice(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    torch.library.wrap_triton(add_kernel)[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out


add_twice.register_autograd(lambda context, gradient: (gradient, gradient * 2))


def test_operator(make):
    x, y = make(500), make(500)
    found, _ = compiled(lambda x, y: add_twice(x.cos(), y) + 1, x, y)
    assert_agree(found, exactly_added(x.double().cos(), y) + 1, 1e-5)


def test_operator_with_gradients(make):
    x, y = make(500).requires_grad_(), make(500).requires_grad_()
    with settings():
        torch._dynamo.reset()
        gradients = torch.autograd.grad(torch.compile(lambda x, y: add_twice(x.exp(), y).sum())(x, y), (x, y))
    assert_agree(gradients, (x.detach().double().exp(), torch.full((500,), 2.0, dtype=torch.float64)), 1e-5)


def test_operator_of_an_opaque_kernel(make):
    @torch.library.custom_op("nereid_test::opaque_add", mutates_args={})
    def opaque(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return add(x, y)

    opaque.register_fake(lambda x, y: torch.empty_like(x))
    x, y = make(300), make(300)
    assert_agree(compiled(lambda x, y: opaque(x * 2, y).relu(), x, y)[0], exactly_added(x * 2, y).relu(), 1e-5)


def trained(model, tokens, steps, compile):
    """The losses of some steps with AdamW; model and optimizer are compiled when `compile` is true."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1, foreach=True)
    wrap = torch.compile if compile else lambda function, **_: function

    def loss_of(tokens):
        logits = model(tokens[:, :-1])
        return F.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten())

    forward, update = wrap(loss_of, fullgraph=True), wrap(optimizer.step)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = forward(tokens)
        loss.backward()
        update()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
def test_training(client_device, dtype):
    sizes = dict(layers=4 if client_device == "cuda" else 2, width=64, heads=4, words=120)
    torch.manual_seed(3)
    reference = Transformer(**sizes).to(client_device)
    tokens = torch.randint(0, 120, (4, 33), device=client_device)
    model = Transformer(**sizes).to(client_device)
    model.load_state_dict(reference.state_dict())
    model.to(dtype)
    reference.double()
    expected = trained(reference, tokens, 6, compile=False)
    torch._dynamo.reset()
    with settings():
        found = trained(model, tokens, 6, compile=True)
    error = 1e-4 if dtype == torch.float32 else 3e-2
    assert found == pytest.approx(expected, rel=error)
    assert expected[-1] < expected[0] - 0.1, "the model did not learn"


def test_transformer_block(make):
    torch.manual_seed(4)
    block = Block(64, 4).to(make(1).device)
    exact = Block(64, 4).double().to(make(1).device)
    exact.load_state_dict(block.state_dict())
    x = make(2, 40, 64)
    with torch.no_grad():
        assert_agree(compiled(block, x)[0], exact(x.double()), 1e-4)


def packaged(program, inputs, folder, **changes):
    """The program after it was compiled ahead of time to a package and loaded again."""
    exported = torch.export.export(program, inputs)
    with settings(**changes):
        path = torch._inductor.aoti_compile_and_package(exported, package_path=str(folder / "program.pt2"))
    return torch._inductor.aoti_load_package(path)


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(48, 32)

    def forward(self, x, y):
        return self.linear(x).relu().softmax(-1), (y.sin() + 1).sum(0), y.cumsum(1)


@pytest.mark.cuda_only("on the processor PyTorch's own kernels fail in an assertion of its wrapper in C++")
def test_program_compiled_ahead_of_time(make, tmp_path):
    torch.manual_seed(5)
    model = Small().to(make(1).device)
    inputs = (make(20, 48), make(30, 40))
    with torch.no_grad():
        found = packaged(model, inputs, tmp_path)(*inputs)
        expected = model.double()(*(value.double() for value in inputs))
    assert_agree(tuple(found), expected, 2e-3)


def test_kernel_compiled_ahead_of_time(make, tmp_path, client_device):
    class Program(torch.nn.Module):
        def forward(self, x, y):
            return add_twice(x.sin(), y) * 3

    inputs = (make(1000), make(1000))
    # On the processor, PyTorch packs kernels of users alone.
    changes = {"cpu_backend": "cpp"} if client_device == "cpu" else {}
    found = packaged(Program(), inputs, tmp_path, **changes)(*inputs)
    assert_agree(found, exactly_added(inputs[0].double().sin(), inputs[1]) * 3, 1e-5)


def test_compiled_checkpoint(make):
    """Activations that are computed again in the backward pass."""

    def program(x, w):
        inner = lambda x: (x @ w).sin().exp()
        return torch.utils.checkpoint.checkpoint(inner, x, use_reentrant=False).sum(0)

    check(program, make(20, 30), make(30, 10), backward=True, tolerance=2e-3)
