"""Products of matrices and attention on a GPU, in the forms that kernels in use have: TFLOP/s of this Triton.

    python bench/gpu_products.py FILE.json [SECTION...]

Run it with one `triton` after the other on the path, and compare the files with `--compare A.json B.json`. Every row
is the best of a few configurations, checked against PyTorch. PyTorch's own time stands beside it where it has such an
operation.
"""

import json
import sys

if sys.argv[1] == "--compare":
    first, second = (json.load(open(name)) for name in sys.argv[2:4])
    for row, value in first.items():
        if row in second:
            other = second[row]
            ratio = value["speed"] / other["speed"] if other["speed"] else float("nan")
            vendor = f"{value['vendor']:8.1f}" if value["vendor"] else "       –"
            speeds = f"{value['speed']:8.1f} {other['speed']:8.1f} {vendor}   {ratio:5.2f}"
            print(f"{row:44} {speeds}   {value['config']}  {other['config']}")
    sys.exit()

import torch
import triton
import triton.language as tl
from configurations import fastest

rows = {}


def measure(function):
    return triton.testing.do_bench(function, warmup=25, rep=80)


def record(name, flops, configs, run, check, vendor=None):
    """`run(config)` launches; `check()` gives the relative error of what it wrote."""
    best, best_config = fastest(name, configs, run, check, 2e-2, measure)
    speed = flops / best / 1e9 if best_config else 0.0
    library = flops / measure(vendor) / 1e9 if vendor else None
    rows[name] = {"speed": speed, "vendor": library, "config": best_config}
    print(f"{name:44} {speed:8.1f}   library {library or 0:8.1f}   {best_config}", flush=True)


def relative_error(result, expected):
    return ((result.float() - expected.float()).norm() / expected.float().norm()).item()


# ------------------------------------------------------------------------------------------------------------------
# Products of every size
# ------------------------------------------------------------------------------------------------------------------


@triton.jit
def product(
    a, b, c, M, N, K, sam, sak, sbk, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr
):
    rows_of_group: tl.constexpr = 8
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = rows_of_group * tiles_n
    first = pid // in_group * rows_of_group
    size = min(tiles_m - first, rows_of_group)
    tile_m = first + (pid % in_group) % size
    tile_n = (pid % in_group) // size
    m = (tile_m * BM + tl.arange(0, BM)) % M
    n = (tile_n * BN + tl.arange(0, BN)) % N
    k = tl.program_id(1) * BK + tl.arange(0, BK)
    pa = a + m[:, None] * sam + k[None, :] * sak
    pb = b + k[:, None] * sbk + n[None, :] * sbn
    sum = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK * SPLIT)):
        left = K - step * (BK * SPLIT)
        sum = tl.dot(tl.load(pa, k[None, :] < left, 0.0), tl.load(pb, k[:, None] < left, 0.0), sum)
        pa += BK * SPLIT * sak
        pb += BK * SPLIT * sbk
    m = tile_m * BM + tl.arange(0, BM)
    n = tile_n * BN + tl.arange(0, BN)
    pc = c + m[:, None] * scm + n[None, :]
    mask = (m[:, None] < M) & (n[None, :] < N)
    if SPLIT == 1:
        tl.store(pc, sum.to(c.dtype.element_ty), mask)
    else:
        tl.atomic_add(pc, sum, mask, sem="relaxed")


# (rows, columns, depth, warps, stages, parts of K)
BIG = [
    (128, 256, 64, 8, 3, 1),
    (128, 128, 64, 4, 4, 1),
    (128, 128, 64, 8, 3, 1),
    (64, 256, 64, 4, 4, 1),
    (256, 128, 64, 8, 3, 1),
]
SMALL = [
    (16, 32, 256, 4, 4, 1),
    (16, 64, 128, 4, 5, 1),
    (16, 64, 256, 4, 3, 1),
    (16, 128, 128, 4, 4, 1),
    (64, 64, 128, 4, 4, 1),
    (64, 32, 128, 4, 5, 1),
]
SPLITS = [(128, 128, 64, 8, 3, 4), (128, 128, 64, 4, 4, 8), (64, 64, 128, 4, 3, 4), (64, 128, 64, 4, 4, 8)]


def run_product(name, M, N, K, dtype, configs):
    a = torch.randn(M, K, device="cuda").to(dtype)
    b = torch.randn(K, N, device="cuda").to(dtype)
    split = any(config[5] > 1 for config in configs)
    c = torch.empty(M, N, device="cuda", dtype=torch.float32 if split else dtype)
    expected = a @ b

    def run(config):
        BM, BN, BK, warps, stages, parts = config
        if parts > 1:
            c.zero_()
        product[(triton.cdiv(M, BM) * triton.cdiv(N, BN), parts)](
            a,
            b,
            c,
            M,
            N,
            K,
            *a.stride(),
            *b.stride(),
            c.stride(0),
            BM=BM,
            BN=BN,
            BK=BK,
            SPLIT=parts,
            num_warps=warps,
            num_stages=stages,
        )

    record(name, 2 * M * N * K, configs, run, lambda: relative_error(c, expected), lambda: torch.mm(a, b))


def sizes():
    for M in (1, 16, 64):
        run_product(f"bf16 {M} x 8192 x 8192", M, 8192, 8192, torch.bfloat16, SMALL)
    run_product("fp16 8192 x 8192 x 64", 8192, 8192, 64, torch.float16, BIG)
    for size in (4095, 8191):
        run_product(f"fp16 {size}^3", size, size, size, torch.float16, BIG)
    run_product("fp16 4096^3", 4096, 4096, 4096, torch.float16, BIG)
    run_product("fp16 512 x 512 x 16384, split K", 512, 512, 16384, torch.float16, SPLITS)
    run_product(
        "fp32 (tf32) 4096^3",
        4096,
        4096,
        4096,
        torch.float32,
        [(256, 128, 32, 8, 3, 1), (128, 128, 32, 8, 3, 1), (128, 128, 32, 4, 3, 1), (64, 128, 32, 4, 4, 1)],
    )


# ------------------------------------------------------------------------------------------------------------------
# Products of f32 in tf32, in every order of the operands
# ------------------------------------------------------------------------------------------------------------------


@triton.jit
def mapped_product(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, B_ROWS: tl.constexpr, PROGRAMS: tl.constexpr
):
    rows_of_group: tl.constexpr = 8
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = rows_of_group * tiles_n
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS):
        first = tile // in_group * rows_of_group
        size = min(tiles_m - first, rows_of_group)
        m = (first + tile % in_group % size) * BM
        n = tile % in_group // size * BN
        sum = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            if B_ROWS:
                sum = tl.dot(a.load([m, k]), b.load([k, n]), sum)
            else:
                sum = tl.dot(a.load([m, k]), b.load([n, k]).T, sum)
        c.store([m, n], sum)


# (rows, columns, depth, warps, stages)
TF32 = [
    (256, 128, 32, 8, 3),
    (256, 128, 32, 8, 4),
    (128, 256, 32, 8, 3),
    (128, 256, 32, 8, 4),
    (128, 128, 32, 8, 4),
    (128, 128, 32, 4, 3),
    (128, 128, 64, 8, 3),
]


def tf32():
    from triton.tools.tensor_descriptor import TensorDescriptor

    torch.backends.cuda.matmul.allow_tf32 = True
    S = 8192
    x, y = torch.randn(S, S, device="cuda"), torch.randn(S, S, device="cuda")
    c = torch.empty_like(x)
    programs = torch.cuda.get_device_properties(0).multi_processor_count
    for a_rows in (True, False):
        for b_rows in (True, False):
            a, b = x if a_rows else x.T, y if b_rows else y.T
            expected = a.double() @ b.double()

            def run(config, a=a, b=b):
                BM, BN, BK, warps, stages = config
                grid = (triton.cdiv(S, BM) * triton.cdiv(S, BN), 1)
                sizes = {"BM": BM, "BN": BN, "BK": BK, "SPLIT": 1}
                product[grid](
                    a, b, c, S, S, S, *a.stride(), *b.stride(), S, **sizes, num_warps=warps, num_stages=stages
                )

            def run_mapped(config, a=a, b=b, b_rows=b_rows):
                BM, BN, BK, warps, stages = config
                left = TensorDescriptor.from_tensor(a, [BM, BK])
                right = TensorDescriptor.from_tensor(*((b, [BK, BN]) if b_rows else (b.T, [BN, BK])))
                result = TensorDescriptor.from_tensor(c, [BM, BN])
                sizes = {"BM": BM, "BN": BN, "BK": BK, "B_ROWS": b_rows, "PROGRAMS": programs}
                mapped_product[(programs,)](left, right, result, S, S, S, **sizes, num_warps=warps, num_stages=stages)

            def check(expected=expected):
                return ((c.double() - expected).norm() / expected.norm()).item()

            orders = f"A in {'rows' if a_rows else 'columns'}, B in {'rows' if b_rows else 'columns'}"
            record(f"tf32 8192, {orders}", 2 * S**3, TF32, run, check, lambda a=a, b=b: torch.mm(a, b, out=c))
            if a_rows:
                record(f"tf32 8192 by descriptors, {orders}", 2 * S**3, TF32, run_mapped, check)


# ------------------------------------------------------------------------------------------------------------------
# Weights that the kernel converts
# ------------------------------------------------------------------------------------------------------------------


@triton.jit
def product_of_weights(
    a, b, scales, c, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BITS: tl.constexpr
):
    tiles_n = tl.cdiv(N, BN)
    tile_m, tile_n = tl.program_id(0) // tiles_n, tl.program_id(0) % tiles_n
    m = tile_m * BM + tl.arange(0, BM)
    n = tile_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * sam + k[None, :]
    per_word: tl.constexpr = 8 if BITS == 4 else 1
    pb = b + (k[:, None] // per_word) * sbk + n[None, :]
    sum = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, m[:, None] < M, 0.0)
        w = tl.load(pb)
        if BITS == 4:
            scale = tl.load(scales + (step * BK // 128) * N + n)
            w = (((w >> ((k % 8) * 4)[:, None]) & 15) - 8).to(tl.bfloat16) * scale[None, :]
        else:
            w = w.to(tl.bfloat16)
        sum = tl.dot(x, w, sum)
        pa += BK
        pb += BK // per_word * sbk
    if BITS == 8:
        sum *= tl.load(scales + n)[None, :].to(tl.float32)
    tl.store(c + m[:, None] * scm + n[None, :], sum.to(tl.bfloat16), m[:, None] < M)


def weights():
    N = K = 8192
    codes = torch.randint(0, 16, (K, N), device="cuda", dtype=torch.int32)
    packed = torch.zeros(K // 8, N, device="cuda", dtype=torch.int32)
    for nibble in range(8):
        packed |= codes[nibble::8] << (4 * nibble)
    group_scales = (torch.rand(K // 128, N, device="cuda") + 0.5).bfloat16()
    from_int4 = (codes - 8).bfloat16() * group_scales.repeat_interleave(128, 0)
    eight = torch.randn(K, N, device="cuda").to(torch.float8_e4m3fn)
    column_scales = (torch.rand(N, device="cuda") + 0.5).bfloat16()
    from_fp8 = eight.bfloat16() * column_scales
    for M, configs in (
        (16, [(16, 64, 128, 4, 4), (16, 128, 128, 4, 3), (16, 64, 64, 4, 5), (16, 128, 64, 8, 4), (16, 32, 128, 4, 4)]),
        (
            4096,
            [
                (128, 128, 64, 8, 3),
                (128, 128, 64, 4, 3),
                (128, 256, 64, 8, 3),
                (128, 64, 64, 4, 3),
                (64, 128, 64, 4, 3),
            ],
        ),
    ):
        a = torch.randn(M, K, device="cuda").bfloat16()
        c = torch.empty(M, N, device="cuda", dtype=torch.bfloat16)
        for name, bits, b, scales, dense in (
            ("int4", 4, packed, group_scales, from_int4),
            ("fp8", 8, eight, column_scales, from_fp8),
        ):
            expected = a @ dense

            def run(config, a=a, b=b, scales=scales, c=c, bits=bits, M=M):
                BM, BN, BK, warps, stages = config
                product_of_weights[(triton.cdiv(M, BM) * triton.cdiv(N, BN),)](
                    a,
                    b,
                    scales,
                    c,
                    M,
                    N,
                    K,
                    a.stride(0),
                    b.stride(0),
                    c.stride(0),
                    BM=BM,
                    BN=BN,
                    BK=BK,
                    BITS=bits,
                    num_warps=warps,
                    num_stages=stages,
                )

            record(
                f"bf16 {M} x {name} weights 8192^2",
                2 * M * N * K,
                configs,
                run,
                lambda c=c, expected=expected: relative_error(c, expected),
                lambda a=a, dense=dense: torch.mm(a, dense),
            )


# ------------------------------------------------------------------------------------------------------------------
# Groups
# ------------------------------------------------------------------------------------------------------------------


@triton.jit
def grouped(
    pointers_a,
    pointers_b,
    pointers_c,
    sizes,
    groups,
    PROGRAMS: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    tile = tl.program_id(0)
    end = 0
    for group in range(groups):
        M = tl.load(sizes + group * 3)
        N = tl.load(sizes + group * 3 + 1)
        K = tl.load(sizes + group * 3 + 2)
        tiles_n = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * tiles_n
        while tile >= end and tile < end + tiles:
            a = tl.load(pointers_a + group).to(tl.pointer_type(tl.float16))
            b = tl.load(pointers_b + group).to(tl.pointer_type(tl.float16))
            c = tl.load(pointers_c + group).to(tl.pointer_type(tl.float16))
            m = (tile - end) // tiles_n * BM + tl.arange(0, BM)
            n = (tile - end) % tiles_n * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            pa = a + m[:, None] * K + k[None, :]
            pb = b + k[:, None] * N + n[None, :]
            sum = tl.zeros((BM, BN), tl.float32)
            for _ in range(0, tl.cdiv(K, BK)):
                tl.multiple_of(pa, [16, 16])
                tl.multiple_of(pb, [16, 16])
                sum = tl.dot(tl.load(pa), tl.load(pb), sum)
                pa += BK
                pb += BK * N
            tl.store(c + m[:, None] * N + n[None, :], sum.to(tl.float16))
            tile += PROGRAMS
        end += tiles


def groups():
    dims = [(1024, 2048, 4096), (512, 4096, 4096), (2048, 1024, 4096), (256, 4096, 2048)] * 4
    a, b, c, expected = [], [], [], []
    for M, N, K in dims:
        a.append(torch.randn(M, K, device="cuda", dtype=torch.float16))
        b.append(torch.randn(K, N, device="cuda", dtype=torch.float16))
        c.append(torch.empty(M, N, device="cuda", dtype=torch.float16))
        expected.append(a[-1] @ b[-1])
    pointers = [torch.tensor([x.data_ptr() for x in arrays], device="cuda", dtype=torch.int64) for arrays in (a, b, c)]
    extents = torch.tensor(dims, device="cuda", dtype=torch.int32)

    def run(config):
        BM, BN, BK, warps, stages = config
        programs = torch.cuda.get_device_properties(0).multi_processor_count
        grouped[(programs,)](
            *pointers, extents, len(dims), PROGRAMS=programs, BM=BM, BN=BN, BK=BK, num_warps=warps, num_stages=stages
        )

    def library():
        for left, right in zip(a, b, strict=True):
            torch.mm(left, right)

    record(
        "fp16, 16 products of one launch",
        sum(2 * M * N * K for M, N, K in dims),
        [(128, 128, 64, 4, 4), (128, 128, 64, 8, 3), (128, 256, 64, 8, 3)],
        run,
        lambda: max(relative_error(x, y) for x, y in zip(c, expected, strict=True)),
        library,
    )


# ------------------------------------------------------------------------------------------------------------------
# Attention
# ------------------------------------------------------------------------------------------------------------------


@triton.jit
def forward(Q, K, V, O, scale, L, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """K of D columns, and V whose rows are those of its transpose: products of 8-bit floats need both."""
    base = tl.program_id(1).to(tl.int64) * L * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    d = tl.arange(0, D)
    q = tl.load(Q + base + m[:, None] * D + d[None, :])
    pk = K + base + n[None, :] * D + d[:, None]
    pv = V + base + d[None, :] * L + n[:, None]
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sum = tl.zeros((BM, D), tl.float32)
    for start in range(0, L, BN):
        scores = tl.dot(q, tl.load(pk + start * D))
        new = tl.maximum(top, tl.max(scores, 1) * scale)
        p = tl.math.exp2(scores * scale - new[:, None])
        factor = tl.math.exp2(top - new)
        total = total * factor + tl.sum(p, 1)
        sum = tl.dot(p.to(V.dtype.element_ty), tl.load(pv + start), sum * factor[:, None])
        top = new
    tl.store(O + base + m[:, None] * D + d[None, :], (sum / total[:, None]).to(O.dtype.element_ty))


@triton.jit
def sum_products(O, DO, DELTA, D: tl.constexpr, BM: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    at = m[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(DELTA + m, tl.sum(tl.load(O + at).to(tl.float32) * tl.load(DO + at).to(tl.float32), 1))


@triton.jit
def backward_keys(Q, K, V, DO, DK, DV, LSE, DELTA, scale, L, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    base = head * L * D
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    m = tl.arange(0, BM)
    d = tl.arange(0, D)
    k = tl.load(K + base + n[:, None] * D + d[None, :])
    v = tl.load(V + base + n[:, None] * D + d[None, :])
    dk = tl.zeros((BN, D), tl.float32)
    dv = tl.zeros((BN, D), tl.float32)
    for start in range(0, L, BM):
        queries = base + (start + m)[:, None] * D + d[None, :]
        q = tl.load(Q + queries)
        lse = tl.load(LSE + head * L + start + m)
        p = tl.math.exp2(tl.dot(k, tl.trans(q)) * (scale * 1.44269504) - lse[None, :])
        do = tl.load(DO + queries)
        dv = tl.dot(p.to(tl.float16), do, dv)
        delta = tl.load(DELTA + head * L + start + m)
        ds = p * (tl.dot(v, tl.trans(do)) - delta[None, :])
        dk = tl.dot(ds.to(tl.float16), q, dk)
    at = base + n[:, None] * D + d[None, :]
    tl.store(DK + at, (dk * scale).to(tl.float16))
    tl.store(DV + at, dv.to(tl.float16))


@triton.jit
def backward_queries(Q, K, V, DO, DQ, LSE, DELTA, scale, L, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    base = head * L * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    d = tl.arange(0, D)
    at = base + m[:, None] * D + d[None, :]
    q = tl.load(Q + at)
    do = tl.load(DO + at)
    lse = tl.load(LSE + head * L + m)
    delta = tl.load(DELTA + head * L + m)
    dq = tl.zeros((BM, D), tl.float32)
    for start in range(0, L, BN):
        pairs = base + (start + n)[:, None] * D + d[None, :]
        k = tl.load(K + pairs)
        v = tl.load(V + pairs)
        p = tl.math.exp2(tl.dot(q, tl.trans(k)) * (scale * 1.44269504) - lse[:, None])
        ds = p * (tl.dot(do, tl.trans(v)) - delta[:, None])
        dq = tl.dot(ds.to(tl.float16), k, dq)
    tl.store(DQ + base + m[:, None] * D + d[None, :], (dq * scale).to(tl.float16))


def attention():
    Z, H, L = 4, 16, 4096
    sdpa = torch.nn.functional.scaled_dot_product_attention
    D = 128
    q, k, v = (torch.randn(Z, H, L, D, device="cuda") for _ in range(3))
    q8, k8, v8 = (x.to(torch.float8_e4m3fn) for x in (q, k, v.transpose(2, 3).contiguous()))
    expected = sdpa(q8.half(), k8.half(), v8.half().transpose(2, 3))
    o = torch.empty(Z, H, L, D, device="cuda", dtype=torch.float16)

    def run8(config):
        BM, BN, warps, stages = config
        forward[(L // BM, Z * H)](
            q8, k8, v8, o, D**-0.5 * 1.44269504, L, D=D, BM=BM, BN=BN, num_warps=warps, num_stages=stages
        )

    # P of 8 bits has 3 bits of mantissa.
    record(
        "attention forward fp8 d128",
        4 * Z * H * L * L * D,
        [(128, 64, 8, 3), (128, 128, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3)],
        run8,
        lambda: relative_error(o, expected) / 4,
    )
    for D in (64, 128):
        q, k, v, do = (torch.randn(Z, H, L, D, device="cuda", dtype=torch.float16) for _ in range(4))
        scale = D**-0.5
        scores = torch.empty(Z, H, L, device="cuda")
        for z in range(Z):
            scores[z] = torch.logsumexp((q[z] @ k[z].transpose(1, 2)).float() * scale, -1) * 1.44269504
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        out = sdpa(*leaves)
        wanted = torch.autograd.grad(out, leaves, do, retain_graph=True)
        dq, dk, dv = (torch.empty_like(q) for _ in range(3))
        delta = torch.empty(Z, H, L, device="cuda")

        inputs, outputs = (q, k, v, do), (dq, dk, dv)

        def run(config, D=D, inputs=inputs, outputs=outputs, scores=scores, delta=delta, scale=scale, out=out):
            (dq, dk, dv), do = outputs, inputs[3]
            (km, kn, kw, ks), (qm, qn, qw, qs) = config
            sum_products[(Z * H * L // 64,)](out, do, delta, D=D, BM=64)
            backward_keys[(L // kn, Z * H)](
                *inputs, dk, dv, scores, delta, scale, L, D=D, BM=km, BN=kn, num_warps=kw, num_stages=ks
            )
            backward_queries[(L // qm, Z * H)](
                *inputs, dq, scores, delta, scale, L, D=D, BM=qm, BN=qn, num_warps=qw, num_stages=qs
            )

        configs = [
            ((64, 128, 8, 2), (128, 64, 8, 2)),
            ((64, 64, 4, 2), (64, 64, 4, 2)),
            ((32, 128, 4, 3), (128, 32, 4, 3)),
            ((64, 128, 8, 3), (128, 64, 8, 3)),
        ]
        record(
            f"attention backward fp16 d{D}",
            10 * Z * H * L * L * D,
            configs,
            run,
            lambda dq=dq, dk=dk, dv=dv, wanted=wanted: max(
                relative_error(x, y) for x, y in zip((dq, dk, dv), wanted, strict=True)
            ),
            lambda out=out, leaves=leaves, do=do: torch.autograd.grad(out, leaves, do, retain_graph=True),
        )


sections = {"sizes": sizes, "tf32": tf32, "weights": weights, "groups": groups, "attention": attention}
print("triton", triton.__version__, "torch", torch.__version__, torch.cuda.get_device_name())
for section in sys.argv[2:] or sections:
    sections[section]()
with open(sys.argv[1], "w") as file:
    json.dump(rows, file, indent=1)
