"""`python -m triton.audit pytest` on a suite for GPUs, which runs unmodified on PyTorch for processors."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree

import pytest

SUITE = """
import pytest
import torch
import triton
import triton.language as tl

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2, mask=i < n)  # BUG: no mask


@triton.jit
def total(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out, tl.load(out) + tl.sum(tl.load(x + i)))  # BUG: a race


@triton.jit
def weighted(p, v, out, n, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < (n if MASKED else BLOCK)  # BUG, unless MASKED: zero times what nobody has written
    tl.store(out, tl.sum(tl.load(p + i) * tl.load(v + i, mask=mask, other=0)))


@triton.jit
def copy(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))


def launch_without_mask():
    x = torch.randn(1000, device="cuda")
    scale[(4,)](x, torch.empty_like(x), 1000, BLOCK=256)


def test_missing_mask():
    launch_without_mask()


def test_caught():
    with pytest.raises(RuntimeError):
        launch_without_mask()


def test_compiled():
    torch._dynamo.reset()
    torch.compile(launch_without_mask)()


def test_race():
    total[(8,)](torch.ones(1024).cuda(), torch.zeros(1, device="cuda"), BLOCK=128)


def weigh(masked):
    p, v = torch.zeros(64, device="cuda"), torch.empty(64, dtype=torch.float16, device="cuda")
    p[:40], v[:40] = 1, 2
    out = torch.empty(1, device="cuda")
    weighted[(1,)](p, v, out, 40, BLOCK=64, MASKED=masked)
    assert out.item() == 80


def test_uninitialized():
    weigh(masked=False)


def test_initialized():
    weigh(masked=True)
    x = torch.empty(64, device="cuda")
    copy[(1,)](x, torch.empty_like(x), BLOCK=64)
    x = torch.randn(1024, device="cuda")
    x.view(torch.int32)[3] = 0x7A5C7A5C  # what stands for unwritten memory, by chance
    scale[(4,)](x, torch.empty_like(x), 1024, BLOCK=256)


def test_graph():
    torch.cuda.CUDAGraph()


def test_extension():
    from torch.utils.cpp_extension import load_inline

    load_inline("kernels", "", cuda_sources="")


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        assert x.is_cuda
        out = torch.empty_like(x)
        scale[(4,)](x.view(-1), out, 1024, BLOCK=256)
        return out

    @staticmethod
    def backward(ctx, gradient):
        assert gradient.device == torch.device("cuda", 0)
        return Scale.apply(gradient.contiguous())


def test_gradients():
    x = torch.randn(1024, device="cuda", requires_grad=True)
    (Scale.apply(x) * 3).sum().backward()
    torch.testing.assert_close(x.grad, torch.full_like(x, 6))


@torch.library.custom_op("audit_test::twice", mutates_args=(), device_types="cuda")
def twice(x: torch.Tensor) -> torch.Tensor:
    assert x.is_cuda
    return Scale.apply(x)


def test_operators():
    x = torch.randn(1024, device="cuda")
    torch.testing.assert_close(torch.ops.audit_test.twice(x), x * 2)


def test_places():
    here = torch.ones(3)
    there = (here * 2).half().cuda()
    there.zero_()
    assert [here.device.type, (here + 1).device.type, there.device.type] == ["cpu", "cpu", "cuda"]
    assert there.to("cuda") is there and there.cpu().device.type == "cpu" and there.get_device() == 0
    assert torch.equal(here, torch.ones(3)) and (here.to(there) + there).is_cuda
    assert torch.empty(3, device="meta").device.type == "meta"
    with torch._subclasses.fake_tensor.FakeTensorMode():
        assert torch.empty_strided((3,), (1,)).shape == (3,)
    assert torch.nn.Linear(3, 4).cuda()(torch.randn(2, 3, device="cuda")).is_cuda
    assert there.type() == "torch.cuda.HalfTensor" and repr(there).endswith("device='cuda:0', dtype=torch.float16)")
    with torch.device("cuda"):
        assert torch.ones(3).is_cuda
    generator = torch.Generator(device="cuda").manual_seed(3)
    assert torch.randn(3, generator=generator, device="cuda").device == generator.device


class Window:
    # What libraries pass in place of a tensor.

    def __init__(self, base, first):
        import numpy as np

        self.kinds = {"of_memory": np.float32, "of_tensors": torch.Tensor}
        self.__dict__.update(self.kinds)  # classes have the methods of arrays, and no memory
        self.base, self.first, self.dtype, self.device = base, first, base.dtype, base.device

    def data_ptr(self):
        return self.base[self.first :].data_ptr()


def test_objects_that_say_that_they_are_on_a_gpu():
    x, out = torch.randn(80, device="cuda"), torch.empty(64, device="cuda")
    copy[(1,)](Window(x, 16), out, BLOCK=64)
    assert torch.equal(out, x[16:])


def test_programs_may_replace_operators():
    def replaced(*args):
        raise AssertionError("the audit calls what the program has replaced")

    with torch.library._scoped_library("aten", "IMPL") as library:
        for name in ("any", "eq.Scalar", "clone", "fill_.Scalar", "copy_"):
            library.impl(name, replaced, "CUDA")
        x, numbers = torch.empty(64, device="cuda"), torch.arange(128, device="cuda")[::2]
        assert x.data_ptr()  # numbers are searched for it
        copy[(1,)](x, torch.empty_like(x), BLOCK=64)
        copy[(1,)](numbers, torch.empty_like(numbers), BLOCK=1)


def test_kernels_for_the_gpu_get_tensors():
    seen = []

    def to_copy(x, **options):
        seen.append(type(x))
        return torch.tensor(x.tolist(), dtype=options.get("dtype") or x.dtype)

    with torch.library._scoped_library("aten", "IMPL") as library:
        library.impl("_to_copy", to_copy, "CUDA")
        torch.deg2rad(torch.ones(3, dtype=torch.bool, device="cuda"))  # makes a tensor of a number
    assert seen and set(seen) == {torch.Tensor}


def test_generators():
    generator = torch.cuda.default_generators[0]
    torch.manual_seed(5)
    state = generator.get_state()
    assert state.view(torch.int64).tolist() == [5, 0] and not state.is_cuda
    numbers = torch.randn(3, device="cuda")
    assert generator.get_state().view(torch.int64).tolist() == [5, 4]
    generator.set_state(state)
    assert torch.equal(torch.randn(3, device="cuda"), numbers)
    further = torch.tensor([5, 400]).view(torch.uint8)
    generator.set_state(further)
    assert torch.equal(generator.get_state(), further)
    own = torch.Generator(device="cuda").manual_seed(5)
    assert torch.equal(own.get_state(), state)
    assert torch.equal(torch.randn(3, generator=own, device="cuda"), numbers)
    assert torch.Generator().manual_seed(5).get_state().numel() > 16


def test_states_of_the_default_generator():
    generator = torch.cuda.default_generators[0]
    torch.cuda.manual_seed(5)
    state = torch.cuda.get_rng_state()
    assert torch.equal(state, generator.get_state()) and not state.is_cuda
    numbers = torch.randn(3, device="cuda")
    after, further = torch.cuda.get_rng_state_all(), torch.randn(3, device="cuda")
    torch.cuda.set_rng_state(state)
    torch.randn(300, device="cuda")  # more than before, so that this state is another one than `after`
    assert generator.get_offset() != 0 and not torch.equal(generator.get_state(), after[0])
    torch.cuda.set_rng_state_all(after)
    assert torch.equal(torch.randn(3, device="cuda"), further)
    generator.set_offset(0)
    assert torch.equal(torch.randn(3, device="cuda"), numbers)
    assert generator.seed() == generator.initial_seed() == torch.initial_seed() and generator.get_offset() == 0


class OwnTuner(triton.runtime.Autotuner):
    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        times = {config: self._bench(*args, config=config, **kwargs)[0] for config in self.prune_configs(kwargs)}
        self.fn.run(*args, **kwargs, **min(times, key=times.get).all_kwargs())
        return times


def test_tuners_with_a_way_of_their_own():
    x, calls = torch.randn(64, device="cuda"), []
    configs = [triton.Config({"BLOCK": 64}, num_warps=w, pre_hook=lambda nargs, w=w: calls.append(w)) for w in (2, 4)]
    tuner = OwnTuner(copy, copy.arg_names, configs, [], None, None)
    for _ in range(2):
        assert list(tuner.run(x, torch.empty_like(x), grid=(1,)).values()) == [1.0, float("inf")]
    assert calls == [2, 2]


def test_the_module_cuda():
    stream = torch.cuda.Stream()
    with torch.cuda.device(0), torch.cuda.stream(stream):
        assert torch.cuda.current_stream() is stream
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        last.record()
    stream.wait_stream(torch.cuda.current_stream())
    weight = torch.nn.Parameter(torch.ones(3, device="cuda"))
    weight.grad = torch.ones_like(weight)
    torch.optim.Adam([weight]).step()  # asks the stream whether it is capturing
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    assert first.elapsed_time(last) > 0 and torch.cuda.max_memory_allocated() == 0
    assert torch.cuda.get_device_capability() == (9, 0) and torch.cuda.get_device_properties(0).major == 9
    assert triton.runtime.driver.active.get_current_target().backend == "cuda"
    assert torch.get_device_module() is torch.cuda is torch.get_device_module("cuda")
    with torch.accelerator.device_index(torch.ones(1, device="cuda").device.index):
        assert torch.accelerator.current_device_index() == 0
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert (torch.ones(3, 3, device="cuda") @ torch.ones(3, 3, device="cuda")).dtype == torch.bfloat16


@triton.jit
def sum_each(table, sizes, out, BLOCK: tl.constexpr):
    first = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    values = tl.load(first + i, mask=i < tl.load(sizes + tl.program_id(0)), other=0)
    tl.store(out + tl.program_id(0), tl.sum(values))


def sums(tensors, sizes):
    addresses = [each.data_ptr() for each in tensors]
    tensors.clear()
    return sums_at(addresses, sizes)


def sums_at(addresses, sizes):
    out, table = torch.zeros(len(sizes), device="cuda"), torch.tensor(addresses, device="cuda")
    sum_each[(len(sizes),)](table, torch.tensor(sizes, device="cuda"), out, BLOCK=64)
    return out.tolist()


def test_tables_of_addresses():
    rows = torch.ones(3, 100, device="cuda")
    assert sums([rows[0, :40], rows[1], rows[2, 60:]], [40, 64, 40]) == [40, 64, 40]


def test_computed_addresses():
    rows = torch.ones(3, 100, device="cuda")
    rows[1, :40].data_ptr()
    assert sums_at([rows.data_ptr() + 4 * 160], [64]) == [64]


def test_a_table_of_memory_that_was_used_before():
    memory = bytearray(4 * 300)
    torch.frombuffer(memory, dtype=torch.float32, offset=4 * 100, count=50).data_ptr()
    rows = torch.frombuffer(memory, dtype=torch.float32)
    assert sums_at([rows.data_ptr() + 4 * 100], [64]) == [0]


def test_a_table_of_parts():
    rows = torch.ones(3, 100, device="cuda")
    sums([rows[0, :40]], [41])


def test_a_table_of_freed_memory():
    sums([torch.ones(1 << 20, device="cuda")], [64])


def test_no_elements():
    copy[(1,)](torch.empty(0, device="cuda"), torch.empty(64, device="cuda"), BLOCK=64)


def test_paddings():
    padded = torch.zeros(64, device="cuda")[:40]
    copy[(1,)](torch.ones(64, device="cuda"), padded, BLOCK=64)
    assert padded.sum() == 40


def test_what_others_refer_to():
    both = torch.zeros(64, device="cuda")
    copy[(1,)](torch.ones(64, device="cuda"), both[:40], BLOCK=64)


def test_products_with_types_of_their_own():
    a, b = torch.ones(2, 16, device="cuda").half(), torch.ones(16, 4, device="cuda").half()
    out = torch.mm(a * 100, b * 100, out_dtype=torch.float32)
    assert out.is_cuda and (out == 160000).all()
    torch.addmm(out, a, b, out_dtype=torch.float32, beta=0, out=out)
    assert (out == 16).all() and torch.bmm(a[None], b[None], out_dtype=torch.float32).shape == (1, 2, 4)


def test_a_histogram_of_integers():
    counts = torch.histc(torch.tensor([0, 2, 2, -1], device="cuda", dtype=torch.int32), bins=3, max=2)
    assert counts.is_cuda and counts.dtype == torch.int32 and counts.tolist() == [1, 0, 2]
"""


def line_of(text):
    return SUITE[: SUITE.index(text)].count("\n") + 1


FINDINGS = {
    "test_missing_mask": {("access-out-of-bounds", 13)},
    "test_race": {("race-on-global-memory", 19)},
    "test_uninitialized": {("use-of-uninitialized-memory", 26)},
    "test_a_table_of_parts": {("access-out-of-bounds", line_of("tl.load(first"))},
    "test_a_table_of_freed_memory": {("use-after-free", line_of("tl.load(first"))},
    "test_what_others_refer_to": {("access-out-of-bounds", line_of("tl.load(x + i))\n\n\ndef launch"))},
    "test_no_elements": {("access-out-of-bounds", line_of("tl.load(x + i))\n\n\ndef launch"))},
}


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """The folder of a suite that was audited, with the process."""
    folder = tmp_path_factory.mktemp("audit")
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "test_other.py").write_text("import flash_attn_2_cuda\n")
    options = ["--sarif", "out.sarif", "--shadow", "out.txt"]
    options += ["pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "--junit-xml", "out.xml"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "triton.audit", *options, "."]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    return folder, done.stdout


def outcomes(folder):
    """{name of a test: "passed", "failure" or "skipped"}, from the report for continuous integration."""
    cases = xml.etree.ElementTree.parse(folder / "out.xml").iter("testcase")
    return {case.get("name"): next((each.tag for each in case if each.tag != "properties"), "passed") for case in cases}


def test_a_finding_fails_its_test_and_no_other(audited):
    folder, output = audited
    failed = {"test_caught", "test_compiled", *FINDINGS}
    skipped = {"test_graph", "test_extension"}
    expected = {
        name: "failure" if name in failed else "skipped" if name in skipped else "passed"
        for name in (line[4:-3] for line in SUITE.splitlines() if line.startswith("def test_"))
    }
    assert outcomes(folder) == {**expected, "test_other": "skipped"}, output


def test_findings_have_their_places(audited):
    folder, _ = audited
    found = {}
    for result in json.loads((folder / "out.sarif").read_text())["runs"][0]["results"]:
        line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
        found.setdefault(result["properties"]["test"].rpartition("::")[2], set()).add((result["ruleId"], line))
    first = found.pop(next(name for name in ("test_missing_mask", "test_caught", "test_compiled") if name in found))
    assert {"test_missing_mask": first, **found} == FINDINGS


def test_distances_of_all_workers(audited):
    folder, _ = audited
    assert "test_suite.py:13:23 `*` in fp32: exact: " in (folder / "out.txt").read_text()


def test_the_summary_counts(audited):
    _, output = audited
    assert "not audited: `torch.cuda.CUDAGraph` is not supported" in output
    assert "not audited: `torch.utils.cpp_extension.load_inline` is not supported" in output
    assert "not audited: `flash_attn_2_cuda` is not supported" in output
    assert "28 tests, 26 launches, 5 kernels, 8 findings, 3 not audited" in output


ROWS = """
import numpy as np
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def add_rows(x, out, n, BLOCK: tl.constexpr):
    row, total = tl.program_id(0), 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x + row * n + i, mask=i < n, other=0))
    tl.store(out + row, total)


def sums(x, block):
    out = torch.empty(len(x), device="cuda")
    add_rows[(len(x),)](x, out, x.shape[1], BLOCK=block)
    return out


class Sums(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, block):
        return sums(x, block or (64 if len(x) <= 8 else 256)), x.amax().reshape(1)  # one row for the whole batch


class Counted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, caches, counter):
        out = sums(x, 256)
        if counter is not None:
            counter.calls += 1
            assert counter.calls == 1
        caches["sums"][0] += 1
        return out + caches["sums"][0]


class Counter:
    calls = 0


class Extents(tuple):
    calls = 0

    def __new__(cls, rows, columns):
        return super().__new__(cls, (rows, columns))


@torch.library.custom_op("audited::centered", mutates_args=())
def centered(x: torch.Tensor) -> torch.Tensor:
    return sums(x - x.mean(0), 256)


@pytest.mark.parametrize("block", [0, 128])
def test_rows(block):
    Sums.apply(torch.rand(16, 512, generator=torch.Generator().manual_seed(1)).cuda(), block)


@pytest.mark.parametrize("counter", [None, Counter(), Extents(6, 512)])
def test_calls_that_write(counter):
    cache = torch.zeros(1, device="cuda")
    Counted.apply(torch.rand(6, 512, device="cuda"), {"sums": [cache]}, counter)
    assert cache.item() == 1


def test_rows_that_depend_on_one_another():
    centered(torch.rand(6, 512, device="cuda"))
"""


def test_rows_that_depend_on_their_batch(tmp_path):
    (tmp_path / "test_rows.py").write_text(ROWS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "triton.audit", "--invariant", "batch", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, "."], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "1 failed, 5 passed" in done.stdout, done.stdout + done.stderr
    assert "results that depend on the batch: " in done.stdout and "test_rows.py:14:18" in done.stdout
    assert "`Sums`: row " in done.stdout
    assert "than among 16: in launch 1, of `add_rows`, `BLOCK` is 64" in done.stdout
    assert "`sum` in line 14 adds up 64 values at a time in place of 256" in done.stdout
    assert "rows of `Counted` were not compared: they have a `Counter` among their arguments, which a " in done.stdout
    assert "rows of `Counted` were not compared: they have a `Extents` among their arguments" in done.stdout
    assert done.stdout.count("rows of `Counted` were not compared") == 2
    assert "rows of `audited::centered` were not compared: they depend on one another" in done.stdout


MEMORY = """
import torch
import triton
import triton.language as tl


@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))


def launch():
    double[(len(x) // 1024,)](x, torch.empty_like(x), len(x), BLOCK=1024)


x = torch.randn(1 << 22, device="cuda")
for _ in range(4):
    launch()
before = resident()
for _ in range(20):
    launch()
print((resident() - before) / x.nbytes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="how much memory is in use is not known")
def test_launches_keep_no_memory(tmp_path):
    (tmp_path / "program.py").write_text(MEMORY)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "triton.audit", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 8  # half of an array for each launch
