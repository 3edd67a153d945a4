"""Tensor memory and its products, compiled for compute capability 10.0: the tests look at instructions, whose operands
are those that Triton 3.9 writes for equal kernels. test_gluon_simulated_memory.py runs such kernels."""

import re

import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia import rubin
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout,
    TensorMemoryScalesLayout,
    allocate_tensor_memory,
    clc,
    mbarrier,
    tcgen05_commit,
    tcgen05_copy,
    tcgen05_mma,
    tcgen05_mma_scaled,
    tensor_memory_descriptor_type,
    tma,
)

ROWS = ttgl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
TILE = ttgl.NVMMASharedLayout(128, 16)


def compiled(kernel, *constants, arch=100, **types):
    names = [name for name in kernel.arg_names if name not in types]
    source = gluon.GluonASTSource(
        kernel,
        {name: types.get(name, "constexpr") for name in kernel.arg_names},
        dict(zip(names, constants, strict=True)),
    )
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": 4}).asm


def instructions(assembly, name):
    """The instructions that begin so, each with the values of its operands as far as these are constants."""
    constants = dict(re.findall(r"mov\.b(?:32|64)\s+(%rd?\d+), (-?\d+);", assembly["ptx"]))
    found = re.findall(rf"(?:tcgen05|clusterlaunchcontrol)\.{name}[^;]*", assembly["ptx"])
    return [re.sub(r"%rd?\d+", lambda register: constants.get(register[0], "%"), text) for text in found]


@gluon.jit
def product(a, b, c, M: ttgl.constexpr, N: ttgl.constexpr, VARIANT: ttgl.constexpr):
    i, k = ttgl.arange(0, M, layout=ttgl.SliceLayout(1, ROWS)), ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, ROWS))
    l, j = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, ROWS)), ttgl.arange(0, N, layout=ttgl.SliceLayout(0, ROWS))
    left = ttgl.allocate_shared_memory(ttgl.float16, [M, 64], TILE, ttgl.load(a + i[:, None] * 64 + k[None, :]))
    right = ttgl.allocate_shared_memory(ttgl.float16, [64, N], TILE, ttgl.load(b + l[:, None] * N + j[None, :]))
    acc = allocate_tensor_memory(ttgl.float32, [M, N], TensorMemoryLayout([64 if M == 64 else 128, N], 1))
    ttgl.static_assert(acc.layout.block == (64 if M == 64 else 128, N) and acc.shape == (M, N) and acc.rank == 2)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    tcgen05_mma(left, right, acc, use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    result = acc.load(acc.get_reg_layout(instr_variant=VARIANT))
    ttgl.store(c + i[:, None] * N + j[None, :], ttgl.convert_layout(result, ROWS))


@pytest.mark.parametrize(
    "rows, columns, variant, loads",
    [
        (128, 64, "32x32b", ["32x32b.x64.b32 {}, [%+0]"]),
        (64, 64, "32x32b", ["16x32bx2.x32.b32 {}, [%+0], 32"]),
        (128, 64, "16x64b", ["16x64b.x32.b32 {}, [%+0]", "16x64b.x32.b32 {}, [%+1048576]"]),
        (128, 64, "16x128b", ["16x128b.x16.b32 {}, [%+0]", "16x128b.x16.b32 {}, [%+1048576]"]),
        (128, 64, "16x256b", ["16x256b.x8.b32 {}, [%+0]", "16x256b.x8.b32 {}, [%+1048576]"]),
        (256, 64, "32x32b", ["32x32b.x64.b32 {}, [%+0]", "32x32b.x64.b32 {}, [%+64]"]),
    ],
)
def test_product(rows, columns, variant, loads):
    assembly = compiled(product, rows, columns, variant, a="*fp16", b="*fp16", c="*fp32")
    products = instructions(assembly, "mma")
    assert len(products) == max(rows // 128, 1) * 64 // 16  # each 32 bytes deep
    descriptor = {64: 0x04110010, 128: 0x08110010, 256: 0x08110010}[rows]
    assert all(
        re.fullmatch(rf"tcgen05\.mma\.cta_group::1\.kind::f16 \[%\], %, %, {descriptor}, (starts|adds)", text)
        for text in products
    ), products
    assert [text.endswith("starts") for text in products] == [index % 4 == 0 for index in range(len(products))]
    assert str(0x40004040 << 32) in assembly["ptx"]  # of both factors: 128 bytes wide, 1024 bytes for 8 rows
    found = [re.sub(r"\{.*\}", "{}", text) for text in instructions(assembly, "ld")]
    assert found == ["tcgen05.ld.sync.aligned." + text for text in loads]
    assert len(instructions(assembly, "commit")) == 1 and assembly["cubin"]
    columns_of_all = max(rows // 128, 1) * columns
    assert instructions(assembly, "alloc")[0].endswith(f", {columns_of_all}")
    assert instructions(assembly, "dealloc")[0].endswith(f", {columns_of_all}")


@gluon.jit
def from_tensor_memory(a, c):
    left = allocate_tensor_memory(ttgl.float16, [128, 64], TensorMemoryLayout([128, 64], 1))
    layout: ttgl.constexpr = left.get_reg_layout()
    i, k = (
        ttgl.arange(0, 128, layout=ttgl.SliceLayout(1, layout)),
        ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout)),
    )
    left.store(ttgl.load(a + i[:, None] * 64 + k[None, :]))
    right = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    accs = allocate_tensor_memory(ttgl.float32, [2, 128, 64], TensorMemoryLayout([128, 64], 1))
    for step in range(2):
        acc = accs.index(step)
        tcgen05_mma(left, right, acc, use_acc=step > 0)
        part = acc.slice(32, 32)
        half: ttgl.constexpr = part.get_reg_layout()
        j = ttgl.arange(0, 32, layout=ttgl.SliceLayout(0, half))
        m = ttgl.arange(0, 128, layout=ttgl.SliceLayout(1, half))
        ttgl.store(c + m[:, None] * 32 + j[None, :], part.load(half))


def test_factor_in_tensor_memory_and_parts():
    assembly = compiled(from_tensor_memory, a="*fp16", c="*fp32")
    (stored,) = instructions(assembly, "st")
    assert stored.startswith("tcgen05.st.sync.aligned.32x32b.x32.b32 [%+0]")  # two elements in a column
    assert len(instructions(assembly, "mma")) == 4 and all(
        "[%], [%], %" in text for text in instructions(assembly, "mma")
    )
    assert "tmem_place %0, 32 :" in assembly["ttgir"]  # behind the 32 columns of the factor
    assert instructions(assembly, "alloc")[0].endswith(", 256")
    # The program waits for a product without barriers, and its threads meet before.
    text = assembly["ttgir"][assembly["ttgir"].index("scf.for") :]
    assert text.index("ttg.init_barrier") < text.index("tc_gen5_mma") < text.index("ttg.wait_barrier")


@gluon.jit
def views(out):
    memory = allocate_tensor_memory(ttgl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    halves = memory.reinterpret(ttgl.float16, [128, 128], TensorMemoryLayout([128, 128], 1))
    address = ttgl.inline_asm("mov.b32 $0, $1;", "=r,r", (halves.slice(64, 64),), ttgl.int32)
    ttgl.store(out, address)


def test_views_are_addresses():
    assembly = compiled(views, out="*i32")
    assert "tmem_subslice %0 {offset = 64" in re.sub(r"%\d+ \{offset", "%0 {offset", assembly["ttgir"])
    assert re.search(r"add\.s32\s+%r\d+, %r\d+, 32;", assembly["ptx"])  # of 64 columns, two elements each


@gluon.jit
def multiply(left, right, acc, full, done, steps):
    for step in range(steps):
        mbarrier.wait(full, step & 1)
        tcgen05_mma(left, right, acc, use_acc=step > 0, mbarriers=[], pred=step < 5)
    tcgen05_commit(done, descs=[left, right])


@gluon.jit
def finish(acc, full, done, c, steps):
    for _step in range(steps):
        mbarrier.arrive(full)
    mbarrier.wait(done, 0, deps=[acc])
    layout: ttgl.constexpr = acc.get_reg_layout()
    i, j = (
        ttgl.arange(0, 128, layout=ttgl.SliceLayout(1, layout)),
        ttgl.arange(0, 64, layout=ttgl.SliceLayout(0, layout)),
    )
    ttgl.store(c + i[:, None] * 64 + j[None, :], acc.load(layout))


@gluon.jit
def in_groups(c, steps):
    left = ttgl.allocate_shared_memory(ttgl.float16, [128, 64], TILE)
    right = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    acc = allocate_tensor_memory(ttgl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    full, done = mbarrier.allocate_mbarrier(), mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    mbarrier.init(done, count=1)
    ttgl.warp_specialize(
        [(finish, (acc, full, done, c, steps)), (multiply, (left, right, acc, full, done, steps))], [1], [24]
    )


def test_groups_of_warps_share_tensor_memory():
    assembly = compiled(in_groups, c="*fp32", steps="i32")
    assert len(instructions(assembly, "alloc")) == len(instructions(assembly, "dealloc")) == 1
    assert len(instructions(assembly, "mma")) == 4 and assembly["cubin"]
    reserve, parts = assembly["ttgir"].index("tmem_reserve"), assembly["ttgir"].index("ttg.is_mover")
    assert reserve < parts  # to which all warps come
    # A function that is not inlined would take all warps for those of the program.
    assert re.findall(r"tt\.call @(\S+)\(", assembly["ttgir"]) == ["in_groups.partition0"]


@gluon.jit
def nothing():
    pass


@gluon.jit
def few_registers(c):
    acc = allocate_tensor_memory(ttgl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    full, done = mbarrier.allocate_mbarrier(), mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    mbarrier.init(done, count=1)
    mbarrier.arrive(done)
    ttgl.warp_specialize([(nothing, ()), (finish, (acc, full, done, c, 0))], [4], [40])


def test_transfers_fit_few_registers():
    loads = instructions(compiled(few_registers, c="*fp32"), "ld")
    assert len(loads) == 4 and all(".x16.b32" in text for text in loads)


@gluon.jit
def parts(h):
    left = ttgl.allocate_shared_memory(ttgl.float16, [128, 64], TILE)
    right = ttgl.allocate_shared_memory(ttgl.float16, [64, 32], ttgl.NVMMASharedLayout(64, 16))
    acc = allocate_tensor_memory(ttgl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    tcgen05_mma(left, right, acc.slice(32, 32), use_acc=False)


def test_product_in_a_part():
    products = instructions(compiled(parts, h="*fp16"), "mma")
    assert len(products) == 4 and all(f", {0x08090010}, " in text for text in products)  # 32 columns


BYTES = ttgl.NVMMASharedLayout(128, 8)
ROWS_IN_ORDER = ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0])
ALONG_K = ttgl.NVMMASharedLayout(128, 8, transposed=True)
#: The order in which a copy takes the scales of 128 rows.
PACKED = ttgl.SharedLinearLayout([[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]])


@gluon.jit
def scaled(c, FORMAT: ttgl.constexpr, ELEMENT: ttgl.constexpr, SCALE: ttgl.constexpr, COUNT: ttgl.constexpr,
           COPIES: ttgl.constexpr):  # fmt: skip
    left = ttgl.allocate_shared_memory(ELEMENT, [128, 128], BYTES)
    right = ttgl.allocate_shared_memory(ELEMENT, [128, 128], ALONG_K)
    a_scale = allocate_tensor_memory(SCALE, [128, COUNT], TensorMemoryScalesLayout())
    b_scale = allocate_tensor_memory(SCALE, [128, COUNT], TensorMemoryScalesLayout())
    acc = allocate_tensor_memory(ttgl.float32, [128, 128], TensorMemoryLayout([128, 128], 1))
    if COPIES:
        tcgen05_copy(ttgl.allocate_shared_memory(SCALE, [128, COUNT], PACKED), a_scale)
    else:
        a_scale.store(ttgl.full([128, COUNT], 1, SCALE, a_scale.get_reg_layout()))
    tcgen05_mma_scaled(left, right, acc, a_scale, b_scale, FORMAT, FORMAT, use_acc=False)
    layout: ttgl.constexpr = acc.get_reg_layout()
    i = ttgl.arange(0, 128, layout=ttgl.SliceLayout(1, layout))
    j = ttgl.arange(0, 128, layout=ttgl.SliceLayout(0, layout))
    ttgl.store(c + i[:, None] * 128 + j[None, :], acc.load(layout))


@pytest.mark.parametrize(
    "format, element, scale, count, kind, descriptors",
    [
        ("e4m3", ttgl.float8e4nv, ttgl.uint8, 4, "mxf8f6f4.block_scale.block32",
         [0x08A00000, 0x28A00010, 0x48A00020, 0x68A00030]),
        ("e2m1", ttgl.uint8, ttgl.uint8, 8, "mxf4.block_scale.block32",
         [0x08A00480, 0x48A004A0, 0x08A00480, 0x48A004A0]),
        ("e2m1", ttgl.uint8, ttgl.float8e4nv, 16, "mxf4nvf4.block_scale.block16", [0x08200480] * 4),
    ],
)  # fmt: skip
def test_products_with_scales(format, element, scale, count, kind, descriptors):
    products = instructions(compiled(scaled, format, element, scale, count, False, c="*fp32"), "mma")
    found = [
        re.fullmatch(r"tcgen05.mma.cta_group::1.kind::(.*) \[%\], %, %, (\d+), \[%\], \[%\], .*", text)
        for text in products
    ]
    assert [match[1] for match in found] == [kind] * 4 and [int(match[2]) for match in found] == descriptors


@gluon.jit
def mixed(a, b, c):
    """4-bit floats, of which a copy pads 16 to 16 bytes, beside 8-bit ones."""
    left = ttgl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    right = ttgl.allocate_shared_memory(b.dtype, b.block_shape, b.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta)
    tma.async_load(a, [0, 128], bar, left)
    tma.async_load(b, [0, 64], bar, right)
    mbarrier.wait(bar, 0)
    a_scale = allocate_tensor_memory(ttgl.uint8, [128, 4], TensorMemoryScalesLayout())
    b_scale = allocate_tensor_memory(ttgl.uint8, [128, 4], TensorMemoryScalesLayout())
    acc = allocate_tensor_memory(ttgl.float32, [128, 128], TensorMemoryLayout([128, 128], 1))
    tcgen05_mma_scaled(left, right.permute((1, 0)), acc, a_scale, b_scale, "e4m3", "e2m1", use_acc=False)
    layout: ttgl.constexpr = acc.get_reg_layout()
    i = ttgl.arange(0, 128, layout=ttgl.SliceLayout(1, layout))
    j = ttgl.arange(0, 128, layout=ttgl.SliceLayout(0, layout))
    ttgl.store(c + i[:, None] * 128 + j[None, :], acc.load(layout))


def test_products_of_padded_floats():
    wide = ttgl.NVMMASharedLayout.get_default_for([128, 128], ttgl.float8e4nv)
    padded = ttgl.NVMMASharedLayout.get_default_for([128, 64], ttgl.uint8, fp4_padded=True)
    assert padded == ttgl.NVMMASharedLayout(128, 8, fp4_padded=True)
    assembly = compiled(
        mixed, a=f"tensordesc<fp8e4nv[128, 128], {wide}>", b=f"tensordesc<u8[128, 64], {padded}>", c="*fp32"
    )
    products = instructions(assembly, "mma")
    assert len(products) == 4 and str(0x08A01400) in products[0] and assembly["cubin"]
    assert "24576" in assembly["ptx"]  # bytes: copies pad, and count what they read


def test_copies_of_scales():
    assembly = compiled(scaled, "e4m3", ttgl.float8e4nv, ttgl.uint8, 4, True, c="*fp32")
    assert instructions(assembly, "cp") == ["tcgen05.cp.cta_group::1.32x128b.warpx4 [%], %"]
    assert str(0x4008 << 32) in assembly["ptx"] and assembly["cubin"]  # 128 bytes for 8 rows of 16, not swizzled


@gluon.jit
def takes_work(out):
    answer = ttgl.allocate_shared_memory(ttgl.int64, [2], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    program, phase, goes_on = ttgl.program_id(0), 0, True
    while goes_on:
        mbarrier.expect(bar, 16)
        clc.try_cancel(answer, bar)
        ttgl.store(out + program, program)
        mbarrier.wait(bar, phase)
        result = clc.load_result(answer)
        goes_on = result.is_canceled()
        program = result.program_id(0)
        phase ^= 1


def test_programs_take_work():
    assembly = compiled(takes_work, out="*i32")
    assert len(instructions(assembly, "try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128")) == 1
    assert instructions(assembly, r"query_cancel.get_first_ctaid::x") and assembly["cubin"]


@gluon.jit
def register_layouts(M: ttgl.constexpr, N: ttgl.constexpr, WARPS: ttgl.constexpr, VARIANT: ttgl.constexpr,
                     REGISTER: ttgl.constexpr, LANE: ttgl.constexpr, WARP: ttgl.constexpr):  # fmt: skip
    memory = allocate_tensor_memory(ttgl.float32, [M, N], TensorMemoryLayout([min(M, 128), N], 1))
    layout: ttgl.constexpr = memory.get_reg_layout(WARPS, VARIANT)
    ttgl.static_assert(layout.reg_bases == REGISTER and layout.lane_bases == LANE and layout.warp_bases == WARP)


COLUMNS = ((0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 32))
LANES = ((1, 0), (2, 0), (4, 0), (8, 0), (16, 0))


@pytest.mark.parametrize(
    "shape, warps, variant, registers, lanes, groups",
    [
        ((128, 64), 4, "32x32b", COLUMNS, LANES, ((32, 0), (64, 0))),
        ((128, 64), 8, "32x32b", COLUMNS[:5], LANES, ((32, 0), (64, 0), (0, 32))),
        ((64, 64), 4, "32x32b", COLUMNS[:5], (*LANES[:4], (0, 32)), ((16, 0), (32, 0))),
        ((128, 64), 4, "16x64b", (*COLUMNS[1:], (16, 0)), ((8, 0), (0, 1), *LANES[:3]), ((32, 0), (64, 0))),
        ((128, 64), 4, "16x128b", ((8, 0), *COLUMNS[2:], (16, 0)), (*COLUMNS[:2], *LANES[:3]), ((32, 0), (64, 0))),
        (
            (128, 64), 4, "16x256b",
            ((0, 1), (8, 0), *COLUMNS[3:], (16, 0)), (*COLUMNS[1:3], *LANES[:3]), ((32, 0), (64, 0)),
        ),
    ],
)  # fmt: skip
def test_register_layouts_are_those_of_triton(shape, warps, variant, registers, lanes, groups):
    compiled(register_layouts, *shape, warps, variant, registers, lanes, groups)


def test_types_are_values():
    layout = TensorMemoryLayout([128, 64], 1)
    one = tensor_memory_descriptor_type(ttgl.float32, [128, 64], layout, [128, 64])
    assert one == tensor_memory_descriptor_type(ttgl.float32, (128, 64), layout, (128, 64)) and one.layout is layout
    with pytest.raises(ValueError, match="needs a layout of tensor memory"):
        tensor_memory_descriptor_type(ttgl.float32, [128, 64], TILE, [128, 64])
    assert rubin.tcgen05_mma is tcgen05_mma and rubin.clc is clc


@gluon.jit
def wrong(h, CASE: ttgl.constexpr):
    layout: ttgl.constexpr = TensorMemoryLayout([128, 64], 1)
    tile = ttgl.allocate_shared_memory(ttgl.float16, [64, 64], TILE)
    if CASE == "layout":
        allocate_tensor_memory(ttgl.float32, [128, 64], TILE)
    elif CASE == "shape":
        allocate_tensor_memory(ttgl.float32, [64, 64], layout)
    elif CASE == "columns":
        allocate_tensor_memory(ttgl.float32, [16, 128, 64], layout)
    elif CASE == "registers":
        allocate_tensor_memory(ttgl.float32, [128, 64], layout).store(ttgl.zeros([128, 64], ttgl.float32, ROWS))
    elif CASE == "variant":
        allocate_tensor_memory(ttgl.float32, [128, 64], layout).get_reg_layout(instr_variant="8x8b")
    elif CASE == "contents":
        allocate_tensor_memory(ttgl.float32, [128, 64], layout).store(ttgl.zeros([128, 64], ttgl.float16, ROWS))
    elif CASE == "shapes":
        tcgen05_mma(tile, tile, allocate_tensor_memory(ttgl.float32, [128, 64], layout))
    elif CASE == "acc":
        tcgen05_mma(tile, tile, tile)
    elif CASE == "b":
        acc = allocate_tensor_memory(ttgl.float32, [128, 64], layout)
        tcgen05_mma(tile, acc, acc)
    elif CASE == "packed":
        rows = ttgl.allocate_shared_memory(ttgl.float16, [128, 64], TILE)
        tcgen05_mma(rows, tile, allocate_tensor_memory(ttgl.float16, [128, 64], layout))
    elif CASE == "blocks":
        rows = ttgl.allocate_shared_memory(ttgl.float16, [128, 64], TILE)
        acc = allocate_tensor_memory(ttgl.float32, [128, 64], layout)
        tcgen05_mma(rows, tile, acc, multicast=True)
    elif CASE == "preds":
        acc = allocate_tensor_memory(ttgl.float32, [128, 64], layout)
        tcgen05_mma(tile, tile, acc, mbarrier_preds=[True])
    elif CASE == "pair":
        allocate_tensor_memory(ttgl.float32, [256, 64], TensorMemoryLayout([128, 64], 1, [[1, 0]], True))
    elif CASE == "part":
        allocate_tensor_memory(ttgl.float32, [128, 64], layout).slice(8, 32)
    elif CASE == "single":
        allocate_tensor_memory(ttgl.float32, [128, 64], layout).index(0)
    elif CASE == "block":
        ttgl.zeros([128, 64], ttgl.float32, layout)
    elif CASE == "answer":
        clc.load_result(tile)
    elif CASE == "barrier":
        bar = mbarrier.allocate_mbarrier()
        tcgen05_commit(bar)
    elif CASE == "scales":
        scales = allocate_tensor_memory(ttgl.uint8, [128, 4], TensorMemoryScalesLayout())
        tcgen05_copy(ttgl.allocate_shared_memory(ttgl.uint8, [128, 4], ROWS_IN_ORDER), scales)
    elif CASE == "rows":
        acc = allocate_tensor_memory(ttgl.float32, [128, 64], layout)
        tcgen05_mma(tile, tile, acc.slice(64, 64, dim=0))
    elif CASE == "rows of registers":
        allocate_tensor_memory(ttgl.float32, [128, 64], layout).slice(64, 64, dim=0).load()
    elif CASE == "along N":
        left = ttgl.allocate_shared_memory(ttgl.float8e5, [64, 128], BYTES)
        right = ttgl.allocate_shared_memory(ttgl.float8e5, [128, 16], ttgl.NVMMASharedLayout(0, 8))
        acc = allocate_tensor_memory(ttgl.float32, [64, 8], TensorMemoryLayout([64, 8], 1))
        tcgen05_mma(left, right.slice(0, 8, dim=1), acc)
    elif CASE == "narrow":
        part = allocate_tensor_memory(ttgl.float16, [128, 64], layout).slice(0, 1)
        part.store(ttgl.zeros([128, 1], ttgl.float16, part.get_reg_layout()))
    elif CASE == "lanes":
        left = allocate_tensor_memory(ttgl.float16, [64, 64], TensorMemoryLayout([64, 64], 1))
        acc = allocate_tensor_memory(ttgl.float32, [64, 128], TensorMemoryLayout([64, 64], 1))
        tcgen05_mma(left, tile, acc.slice(64, 64))
    elif CASE == "count":
        allocate_tensor_memory(ttgl.float32, [1 << 31, 128, 64], layout)
    elif CASE == "number":
        allocate_tensor_memory(ttgl.float32, [2, 128, 64], layout).index(2)
    elif CASE == "unsigned":
        bytes_ = ttgl.allocate_shared_memory(ttgl.uint8, [128, 128], BYTES)
        tcgen05_mma(bytes_, bytes_, allocate_tensor_memory(ttgl.int32, [128, 128], TensorMemoryLayout([128, 128], 1)))
    elif CASE == "elements" or CASE == "few":
        element: ttgl.constexpr = ttgl.float8e5 if CASE == "elements" else ttgl.uint8
        left = ttgl.allocate_shared_memory(element, [128, 128], BYTES)
        right = ttgl.allocate_shared_memory(element, [128, 32], ALONG_K)
        scales = allocate_tensor_memory(ttgl.uint8, [128, 4], TensorMemoryScalesLayout())
        b_scales = allocate_tensor_memory(ttgl.uint8, [32, 4], TensorMemoryScalesLayout())
        acc = allocate_tensor_memory(ttgl.float32, [128, 32], TensorMemoryLayout([128, 16], 1))
        tcgen05_mma_scaled(left, right, acc, scales, b_scales, "e4m3", "e4m3")
    elif CASE == "format":
        scales = allocate_tensor_memory(ttgl.uint8, [128, 4], TensorMemoryScalesLayout())
        acc = allocate_tensor_memory(ttgl.float32, [128, 64], layout)
        tcgen05_mma_scaled(tile, tile, acc, scales, scales, "e3m2", "e4m3")


@pytest.mark.parametrize(
    "case, expected",
    [
        ("layout", "a layout of tensor memory is needed here, not #ttg.nvmma_shared<.*"),
        (
            "shape",
            "a buffer of fp32.* cannot exist: .*has 64 rows of 64 elements; the encoding needs at least 128 rows",
        ),
        ("columns", "the buffers of the kernel take 1024 columns of tensor memory, and a program has 512"),
        ("registers", "no instruction moves 'tensor<128x64xf32, .*get_reg_layout"),
        ("variant", 'knows the instructions "32x32b", .*not "8x8b"'),
        ("contents", "fp16.* cannot be written to a buffer of fp32"),
        ("shapes", "cannot compute this product: it multiplies .*whose shapes do not fit"),
        ("acc", "a buffer in tensor memory is needed here, not a buffer of fp16"),
        ("b", "a buffer in shared memory is needed here, not a buffer in tensor memory of fp32"),
        ("packed", "the result has a column of 32 bits for each element, `colStride` 2"),
        ("blocks", "a program is one block"),
        ("preds", "`mbarrier_preds` are for `mbarriers`, which are not given"),
        ("pair", "twoCTAs = true"),
        ("part", "begins at a multiple of its length, 32, not at 8"),
        ("single", "128, 64"),
        ("block", "a layout over threads is needed here, not #ttng.tensor_memory_encoding"),
        ("answer", "load_result` must be a buffer of two int64 in shared memory"),
        ("barrier", "the kernel never makes this barrier"),
        ("scales", "16 bytes in shared memory have those of rows 32 apart"),
        ("rows", "the result has whole blocks of 128 rows, not a part of one"),
        ("rows of registers", "needs all rows of a block, not a part of them"),
        ("along N", "of elements of 8 bits that lie side by side along N, a multiple of 16 is multiplied"),
        ("narrow", "begins or ends inside of a column"),
        ("lanes", "give both blocks of 64 rows that are as wide as the buffer"),
        ("count", "has 1 to 512 matrices, not 2147483648"),
        ("number", "is for buffer number 2 of .*`index` must be 0 to 1"),
        ("unsigned", "integers of 8 bits are int8, and `a` is uint8"),
        ("elements", "floats of the format that is named, here e4m3 and e4m3"),
        ("few", "a block with others beside it has a multiple of 32 columns"),
        ("format", "e2m1"),
    ],
)
def test_wrong_uses(case, expected):
    with pytest.raises(triton.CompilationError, match=expected) as caught:
        compiled(wrong, case, h="*fp16")
    assert "test_gluon_tensor_memory.py:" in str(caught.value)


@gluon.jit
def bytes_product(h):
    tile = ttgl.allocate_shared_memory(ttgl.int8, [128, 128], BYTES)
    tcgen05_mma(tile, tile, allocate_tensor_memory(ttgl.int32, [128, 128], TensorMemoryLayout([128, 128], 1)))


def test_products_of_bytes():
    assert ".kind::i8 " in instructions(compiled(bytes_product, h="*i8"), "mma")[0]
    with pytest.raises(triton.CompilationError, match="compute capabilities 10.0 and 11.0 multiply int8"):
        compiled(bytes_product, arch=103, h="*i8")


def test_other_targets_are_named():
    with pytest.raises(
        triton.CompilationError, match="needs an NVIDIA GPU of compute capability 10.0 to 11.0.*cuda:90"
    ):
        compiled(in_groups, arch=90, c="*fp32", steps="i32")
