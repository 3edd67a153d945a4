"""Copies of blocks by the functions of gfx1250 (`tdm`)."""

import numpy as np
import pytest
import triton
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.amd.cdna5 import TensorDescriptor
from triton.experimental.gluon.language.amd import AMDWMMALayout, gfx1250
from triton.experimental.gluon.language.amd.gfx1250 import tdm
from triton.runtime import driver


@pytest.fixture
def gfx1250_simulated():
    driver.set_active(SimulatedHIPDriver("gfx1250"))
    yield
    driver.set_active_to_cpu()


PLAIN = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])


def padded(shape):
    return gl.PaddedSharedLayout.with_identity_for([[32, 8]], shape, [1, 0])


@gluon.jit
def product(
    a, b, c, M, N, K,
    BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, STAGES: gl.constexpr,
    A_LAYOUT: gl.constexpr, B_LAYOUT: gl.constexpr, LAYOUT: gl.constexpr, OUT: gl.constexpr,
):  # fmt: skip
    """Tiles run ahead by all but one stage; the arrays need not be multiples of the tiles."""
    row, column = gl.program_id(0) * BM, gl.program_id(1) * BN
    a_desc = tdm.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK], A_LAYOUT)
    b_desc = tdm.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN], B_LAYOUT)
    left = gl.allocate_shared_memory(a_desc.dtype, [STAGES, BM, BK], A_LAYOUT)
    right = gl.allocate_shared_memory(b_desc.dtype, [STAGES, BK, BN], B_LAYOUT)
    for step in gl.static_range(STAGES - 1):
        tdm.async_load(a_desc, [row, step * BK], left.index(step))
        tdm.async_load(b_desc, [step * BK, column], right.index(step))
    acc = gl.zeros([BM, BN], gl.float32, LAYOUT)
    steps = gl.cdiv(K, BK)
    for step in range(steps):
        ahead = step + STAGES - 1
        if ahead < steps:
            tdm.async_load(a_desc, [row, ahead * BK], left.index(ahead % STAGES))
            tdm.async_load(b_desc, [ahead * BK, column], right.index(ahead % STAGES), pred=1)
            tdm.async_wait(2 * (STAGES - 1))
        else:
            tdm.async_wait(0)
        x = left.index(step % STAGES).load(gl.DotOperandLayout(0, LAYOUT, 8))
        y = right.index(step % STAGES).load(gl.DotOperandLayout(1, LAYOUT, 8))
        acc = gfx1250.wmma(x, y, acc)
    out = gl.allocate_shared_memory(c.dtype.element_ty, [BM, BN], OUT, acc.to(c.dtype.element_ty))
    c_desc = tdm.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN], OUT)
    tdm.async_store(c_desc, [row, column], out)
    tdm.async_wait(0)


@pytest.mark.parametrize("layout_of", [padded, lambda shape: PLAIN])
def test_product(gfx1250_simulated, layout_of):
    generator = np.random.default_rng(1)
    M, N, K = 100, 72, 136
    a, b = (generator.integers(-3, 4, shape).astype(np.float16) for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    layout = AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])
    layouts = [layout_of([64, 64]), layout_of([64, 32]), layout, layout_of([64, 32])]
    product[(2, 3)](a, b, c, M, N, K, 64, 32, 64, 3, *layouts)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@gluon.jit
def moved(x, y, n, LAYOUT: gl.constexpr, BLOCKED: gl.constexpr):
    """Blocks of three dimensions from a descriptor that moves on."""
    desc = tdm.make_tensor_descriptor(x, (5, 6, n), (6 * n, n, 1), [2, 4, 16], LAYOUT)
    buffer = gl.allocate_shared_memory(gl.float32, [2, 4, 16], LAYOUT)
    out = tdm.make_tensor_descriptor(y, (6, 8, 48), (8 * 48, 48, 1), [2, 4, 16], LAYOUT)
    gl.static_assert(desc.layout == LAYOUT and desc.dtype == gl.float32 and desc.block_shape[2] == 16)
    for plane in range(3):
        row = desc
        for column in range(3):
            tdm.async_load(row, dest=buffer)
            tdm.async_wait(0)
            tdm.async_store(out, [2 * plane, 4, 16 * column], buffer)
            row = tdm.update_tensor_descriptor(row, add_offsets=[0, 0, 16], clamp_bounds=True)
        desc = tdm.update_tensor_descriptor(desc, add_offsets=[2, 0, 0], clamp_bounds=True)
    row = tdm.update_tensor_descriptor(out, set_bounds=(1, 1, 8), pred=n == 40)
    tdm.async_store(row, src=buffer)
    tdm.async_store(tdm.update_tensor_descriptor(row, pred=0), [0, 0, 8], buffer)
    tdm.prefetch(desc, [0, 0, 0])


def test_descriptors_that_move(gfx1250_simulated):
    x = np.random.default_rng(2).standard_normal((5, 6, 40)).astype(np.float32)
    y = np.full((6, 8, 48), 7, np.float32)
    blocked = gl.BlockedLayout([1, 1, 4], [2, 4, 4], [4, 1, 1], [2, 1, 0])
    moved[(1,)](x, y, 40, gl.SwizzledSharedLayout(1, 1, 1, [2, 1, 0]), blocked)
    expected = np.full((6, 8, 48), 7, np.float32)
    expected[:, 4:] = np.pad(x[:, :4], [(0, 1), (0, 0), (0, 8)])
    expected[0, 0, :8] = expected[4, 4, 32:40]
    np.testing.assert_array_equal(y, expected)


@gluon.jit
def permuted_rows(x, order, y, LAYOUT: gl.constexpr, INDICES: gl.constexpr):
    rows = gl.load(order + gl.arange(0, 8, layout=INDICES))
    source = tdm.make_tensor_descriptor(x, [10, 40], [40, 1], [8, 32], LAYOUT)
    target = tdm.make_tensor_descriptor(y, [10, 40], [40, 1], [8, 32], LAYOUT)
    buffer = gl.allocate_shared_memory(gl.float16, [8, 32], LAYOUT)
    tdm.async_gather(tdm.update_tensor_descriptor(source, add_offsets=[0, 16], clamp_bounds=True), rows, buffer)
    tdm.async_wait(0)
    tdm.async_scatter(target, rows + 1, buffer)
    second = gl.allocate_shared_memory(gl.float16, [8, 32], LAYOUT)
    tdm.async_load_fused([(source, buffer, 1), (source, second, 2)])
    tdm.async_wait(0)
    tdm.async_store(target, [9, 0], second)


def test_rows_in_another_order(gfx1250_simulated):
    x = np.arange(400, dtype=np.float16).reshape(10, 40)
    y, order = np.zeros((10, 40), np.float16), np.array([3, 1, 12, 0, 5, 4, 8, 6], np.int32)
    permuted_rows[(1,)](x, order, y, PLAIN, gl.SliceLayout(1, gl.BlockedLayout([1, 1], [8, 4], [4, 1], [1, 0])))
    expected = np.zeros_like(y)
    for row in order[order < 9]:
        expected[row + 1, :24] = x[row, 16:]
    expected[9, :32] = x[0, :32]
    np.testing.assert_array_equal(y, expected)


@gluon.jit
def kept(x, order, y, pred, LAYOUT: gl.constexpr, INDICES: gl.constexpr):
    """Each kind of load over a buffer that is full, and each kind of store."""
    rows = gl.load(order + gl.arange(0, 8, layout=INDICES))
    source = tdm.make_tensor_descriptor(x, [8, 32], [32, 1], [8, 32], LAYOUT)
    target = tdm.make_tensor_descriptor(y, [40, 32], [32, 1], [8, 32], LAYOUT)
    for kind in gl.static_range(4):
        buffer = gl.allocate_shared_memory(gl.float16, [8, 32], LAYOUT)
        tdm.async_load(source, [0, 0], buffer)
        tdm.async_wait(0)
        chosen = tdm.update_tensor_descriptor(source, add_offsets=[2, 0], clamp_bounds=True, pred=pred)
        if kind == 0:
            tdm.async_load(source, [2, 0], buffer, pred=pred)
        elif kind == 1:
            tdm.async_load(chosen, dest=buffer)
        elif kind == 2:
            tdm.async_gather(chosen, rows, buffer)
        else:
            tdm.async_load_fused([(chosen, buffer, 1)])
        tdm.async_wait(0)
        tdm.async_store(target, [8 * kind, 0], buffer)
    last = tdm.update_tensor_descriptor(target, add_offsets=[32, 0], clamp_bounds=True, pred=pred)
    tdm.async_scatter(last, rows, buffer)


@pytest.mark.parametrize("pred", [0, 1])
def test_a_false_predicate_moves_nothing(gfx1250_simulated, pred):
    """A true one fills what lies outside of the array with zeros."""
    x = np.arange(1, 257, dtype=np.float16).reshape(8, 32)
    y, order = np.full((40, 32), -1, np.float16), np.arange(8, dtype=np.int32)[::-1].copy()
    kept[(1,)](x, order, y, pred, PLAIN, gl.SliceLayout(1, gl.BlockedLayout([1, 1], [8, 4], [4, 1], [1, 0])))
    moved_on = np.pad(x[2:], [(0, 2), (0, 0)])
    loaded = [moved_on, moved_on, moved_on[::-1], moved_on] if pred else [x] * 4
    np.testing.assert_array_equal(y[:32], np.concatenate(loaded))
    np.testing.assert_array_equal(y[32:], moved_on[::-1] if pred else np.full((8, 32), -1))


@gluon.jit
def doubled(source, target):
    buffer = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    for row in range(0, 24, 8):
        tdm.async_load(source, [row, 8], buffer)
        tdm.async_wait(0)
        layout: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
        value = buffer.load(layout)
        buffer.store(value * 2)
        tdm.async_store(target, [row, 0], buffer)


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8])
def test_descriptors_from_the_launch(gfx1250_simulated, dtype):
    x, y = np.arange(20 * 24).reshape(20, 24).astype(dtype), np.zeros((20, 16), dtype)
    source, target = (TensorDescriptor.from_tensor(array, [8, 16], PLAIN) for array in (x, y))
    doubled[(1,)](source, target)
    np.testing.assert_array_equal(y, 2 * x[:, 8:])


def test_wrong_descriptors():
    x = np.zeros((8, 8), np.float32)
    with pytest.raises(AssertionError, match="must be a PaddedSharedLayout, or"):
        TensorDescriptor.from_tensor(x, [8, 8], gl.SwizzledSharedLayout(4, 1, 4, [1, 0]))
    with pytest.raises(AssertionError, match=r"must be powers of two, not \[12, 8\]"):
        TensorDescriptor.from_tensor(x, [12, 8], PLAIN)
    with pytest.raises(AssertionError, match=r"must be that of the layout, \[8, 32\], not \[8, 16\]"):
        TensorDescriptor.from_tensor(x, [8, 16], padded([8, 32]))
    with pytest.raises(AssertionError, match="the last stride must be 1, not 8"):
        TensorDescriptor(x, [8, 8], [1, 8], [8, 8], PLAIN)
    with pytest.raises(AssertionError, match="must be 'zero', not 'nan'"):
        TensorDescriptor(x, [8, 8], [8, 1], [8, 8], PLAIN, padding="nan")


def test_code_for_the_gpu():
    """Also through LLVM's assembler and linker."""
    layout = AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])
    constants = {"BM": 64, "BN": 32, "BK": 64, "STAGES": 2, "A_LAYOUT": padded([64, 64]), "B_LAYOUT": padded([64, 32])}
    constants |= {"LAYOUT": layout, "OUT": padded([64, 32])}
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    source = gluon.GluonASTSource(product, {**types, **dict.fromkeys(constants, "constexpr")}, constants)
    kernel = triton.compile(source, target=GPUTarget("hip", "gfx1250", 32), options={"num_warps": 4})
    assert "v_wmma_f32_16x16x32_f16" in kernel.asm["amdgcn"] and len(kernel.asm["hsaco"]) > 0


@gluon.jit
def wrong(x, n, LAYOUT: gl.constexpr, RANK: gl.constexpr, CASE: gl.constexpr):
    desc = tdm.make_tensor_descriptor(x, [n, n][:RANK], [n, 1], [16, 16], LAYOUT)
    buffer = gl.allocate_shared_memory(gl.float32, [16, 16], LAYOUT)
    if CASE == "nothing":
        desc = tdm.update_tensor_descriptor(desc)
    elif CASE == "clamp":
        desc = tdm.update_tensor_descriptor(desc, set_bounds=(1, 1), clamp_bounds=True)
    elif CASE == "barrier":
        tdm.async_load(desc, [0, 0], buffer, mbarrier=buffer)
    elif CASE == "offsets":
        tdm.async_load(desc, [0], buffer)
    elif CASE == "dest":
        tdm.async_load(desc, [0, 0])
    elif CASE == "src":
        tdm.async_store(desc, [0, 0])
    elif CASE == "shape":
        tdm.async_load(desc, [0, 0], gl.allocate_shared_memory(gl.float32, [16, 32], LAYOUT))
    elif CASE == "columns":
        columns: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0, 1])
        tdm.async_store(desc, [0, 0], gl.allocate_shared_memory(gl.float32, [16, 16], columns))


@pytest.mark.parametrize(
    "changes, expected",
    [
        ({"LAYOUT": gl.SwizzledSharedLayout(4, 1, 4, [1, 0])}, "must be a PaddedSharedLayout, or"),
        ({"RANK": 1}, "must have the same length, not 1, 2 and 2"),
        ({"LAYOUT": padded([16, 32])}, r"must be that of the layout, \[16, 32\], not \[16, 16\]"),
        ({"CASE": "nothing"}, "needs `add_offsets`, `set_bounds` or `pred`"),
        ({"CASE": "clamp"}, "excludes `set_bounds`"),
        ({"CASE": "barrier"}, "a barrier is needed here, a buffer of one int64, not a buffer of fp32"),
        ({"CASE": "shape"}, r"16, 16.*16, 32"),
        ({"CASE": "columns"}, "must have the layout of the descriptor, .*allocate it with `desc.layout`"),
        ({"CASE": "offsets"}, "must be as many as the block has dimensions"),
        ({"CASE": "dest"}, "needs `dest`, the buffer that gets the block"),
        ({"CASE": "src"}, "needs `src`, the buffer that has the block"),
        ({"arch": "gfx950"}, "need AMD's gfx1250"),
    ],
)
def test_wrong_uses(changes, expected):
    constants = {"LAYOUT": PLAIN, "RANK": 2, "CASE": ""}
    constants |= {name: value for name, value in changes.items() if name in constants}
    types = {"x": "*fp32", "n": "i32", **dict.fromkeys(constants, "constexpr")}
    arch = changes.get("arch", "gfx1250")
    with pytest.raises(triton.CompilationError, match=expected):
        triton.compile(gluon.GluonASTSource(wrong, types, constants), target=GPUTarget("hip", arch, 32))


@gluon.jit
def read_early(x, y, n, waits: gl.constexpr, read: gl.constexpr, branch: gl.constexpr, LAYOUT: gl.constexpr):
    desc = tdm.make_tensor_descriptor(x, [16, n], [n, 1], [16, 32], LAYOUT)
    ring = gl.allocate_shared_memory(gl.float32, [2, 16, 32], LAYOUT)
    tdm.async_load(desc, [0, 0], ring.index(0))
    if waits:
        tdm.async_wait(0)
    if branch:
        if n > 0:
            tdm.async_wait(0)
    for _ in range(1):
        tdm.async_store(tdm.make_tensor_descriptor(y, [16, n], [n, 1], [16, 32], LAYOUT), [0, 0], ring.index(read))


def test_reads_before_a_wait_are_refused():
    """Threads move the elements, so that the simulator does not see them."""

    def compiled(*constants):
        names = ("waits", "read", "branch", "LAYOUT")
        types = {"x": "*fp32", "y": "*fp32", "n": "i32"} | dict.fromkeys(names, "constexpr")
        source = gluon.GluonASTSource(read_early, types, dict(zip(names, constants, strict=True)))
        return triton.compile(source, target=GPUTarget("hip", "gfx1250", 32), options={"num_warps": 4})

    for fine in [(True, 0, False), (False, 1, False), (False, 0, True)]:  # the last one waits perhaps
        assert compiled(*fine, PLAIN).asm["hsaco"]
    with pytest.raises(triton.CompilationError) as caught:
        compiled(False, 0, False, PLAIN)
    message = str(caught.value)
    assert "nothing waits for the copy before; write `tdm.async_wait(0)`" in message
    assert "test_gluon_tdm.py:" in message and "tdm.async_store(tdm.make" in message
