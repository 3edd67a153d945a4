"""`tritonc explain`: numbers of kernels whose work is known, and the reason for each improvement that was not made; the
same reasons as remarks."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import triton
from programs import PATIENCE

BUILD = Path(triton.__file__).parents[2]
TRITONC = BUILD / "tools/tritonc/tritonc"

KERNELS = """
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, K, sa, ka, kb, nb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sa + rk[None, :] * ka
    pb = b + rk[:, None] * kb + rn[None, :] * nb
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(pa)
        y = tl.load(pb)
        acc = tl.dot(x, y, acc)
        pa += BK * ka
        pb += BK * kb
    tl.store(c + rm[:, None] * sc + rn[None, :], acc.to(tl.float16))


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * stride
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def attention(q, k, v, o, L, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, D)
    x = tl.load(q + rm[:, None] * D + rd[None, :])
    most = tl.zeros([BM], dtype=tl.float32) - float("inf")
    sums = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for s in range(0, L, BN):
        scores = tl.dot(x, tl.load(k + (s + rn)[None, :] * D + rd[:, None]))
        new = tl.maximum(most, tl.max(scores, 1))
        p = tl.math.exp2(scores - new[:, None])
        scale = tl.math.exp2(most - new)
        sums = sums * scale + tl.sum(p, 1)
        acc = acc * scale[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(v + (s + rn)[:, None] * D + rd[None, :]), acc)
        most = new
    tl.store(o + rm[:, None] * D + rd[None, :], (acc / sums[:, None]).to(tl.float16))


@triton.jit
def described(x, y, n):
    source = tl.make_tensor_descriptor(x, [n, n], [n, 1], [32, 32])
    target = tl.make_tensor_descriptor(y, [n, n], [n, 1], [32, 32])
    target.store([0, 0], source.load([0, 0]))


@triton.jit
def chained(x, y, z, out, n, D: tl.constexpr, B: tl.constexpr):
    keys = tl.make_tensor_descriptor(y, [n, D], [D, 1], [B, D])
    values = tl.make_tensor_descriptor(z, [n, D], [D, 1], [B, D])
    i, j = tl.arange(0, 64)[:, None], tl.arange(0, D)[None, :]
    left = tl.load(x + i * D + j)
    acc = tl.zeros((64, D), tl.float32)
    for k in range(0, n, B):
        scores = tl.dot(left, keys.load([k, 0]).T)
        acc = tl.dot(scores.to(tl.float16), values.load([k, 0]), acc)
    tl.store(out + i * D + j, acc)


@triton.jit
def unrolled(x, y):
    i = tl.arange(0, 512)
    for k in tl.static_range(4):
        tl.store(y + k * 512 + i, tl.load(x + k * 512 + i) + 1)
"""

MATMUL = "*fp16:16,*fp16:16,*fp16:16,{K},i32:16,{ka},i32:16,1,i32:16,BM=128,BN=128,BK=64"


HELPER = """
import triton
import triton.language as tl


@triton.jit
def helper(a, K):
    acc = tl.zeros((64, 64), dtype=tl.float32)
    rows, columns = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    for k in range(0, K, 64):
        x = tl.load(a + rows * K + columns + k)
        acc = tl.dot(x, x.T, acc)
    return acc
"""

CALLER = """import triton
import triton.language as tl
from helper import helper


@triton.jit
def caller(a, c, K):
    acc = helper(a, K)
    tl.store(c + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], acc)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain")
    (path / "kernels.py").write_text(KERNELS)
    return path


def run(folder, command, *arguments, **environment):
    """Exit code, standard output and standard error."""
    variables = os.environ | {"TRITON_CACHE_DIR": str(folder / "cache")} | environment
    command = [str(TRITONC), command, *arguments]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


def arguments_of(kernel, signature, *options, target="sim:cuda:90"):
    target = [] if "--target" in options else ["--target", target]
    return [f"kernels.py:{kernel}", "--signature", signature, *target, *options]


def explain(folder, kernel, signature, *options, target="sim:cuda:90", **environment):
    arguments = arguments_of(kernel, signature, *options, target=target)
    code, text, errors = run(folder, "explain", "--json", *arguments, **environment)
    assert code == 0, errors
    return json.loads(text)


def line_of(text):
    return KERNELS.splitlines().index(text) + 1


def reasons(entry):
    return [missed["reason"] for missed in entry.get("missed", [])]


def test_matmul(folder):
    result = explain(folder, "matmul", MATMUL.format(K="i32:16", ka=1))
    assert result["kernel"] == "matmul" and result["target"] == "sim:cuda:90"
    (product,) = result["products"]
    assert product["place"] == {"file": "kernels.py", "line": line_of("        acc = tl.dot(x, y, acc)"), "column": 15}
    assert (product["m"], product["n"], product["k"]) == (128, 128, 64)
    assert product["flops"] == 2 * 128 * 128 * 64
    assert product["instruction"] == "wgmma m64n128k16"
    # 4096 operations of f16 in a clock, of mma.sync 0.645 times as many, 256 of ordinary units.
    best, *others = product["candidates"]
    clocks = {each["instruction"]: each["clocks"] for each in reversed(product["candidates"])}
    assert clocks["wgmma m64n128k16"] == 512 and clocks["ordinary units"] == 8192
    assert clocks["mma.sync m16n8k16"] == pytest.approx(512 / 0.6445, rel=1e-3)
    # Two instructions read 64 rows and 128 columns each, of 64 elements of two bytes, from 128 bytes in a clock.
    assert (best["row_warps"], best["column_warps"], best["matrix_clocks"]) == (4, 1, 512)
    assert best["shared_clocks"] == 2 * (64 + 128) * 64 * 2 / 128 and best["exchange_clocks"] == 0
    narrow = next(each for each in others if each["instruction"] == "wgmma m64n32k16")
    assert narrow["clocks"] == narrow["shared_clocks"] == 2 * 4 * (64 + 32) * 64 * 2 / 128
    assert "missed" not in product
    (loop,) = result["loops"]
    assert loop["place"]["line"] == line_of("    for k in range(0, K, BK):")
    assert loop["pipeline"]["stages"] == 3 and "iterations" not in loop
    assert [(ring["slots"], ring["slot_bytes"]) for ring in loop["pipeline"]["rings"]] == [(3, 128 * 64 * 2)] * 2
    assert loop["loaded_bytes"] == 2 * 128 * 64 * 2 and loop["stored_bytes"] == 0
    assert loop["product_flops"] == product["flops"] and loop["matrix_clocks"] == 512
    # 4.8 TB/s over 132 multiprocessors of 1.83 GHz.
    memory = 32768 / (4.8e12 / 132 / 1.83e9)
    assert loop["bound"] == "memory" and loop["clocks"] == pytest.approx(memory, rel=1e-4)
    assert loop["bound_with_reuse"] in ("matrix units", "shared memory")
    assert loop["needed_reuse"] == pytest.approx(1 - loop["clocks_with_reuse"] / memory, rel=1e-4)
    loads = [access for access in result["accesses"] if access["kind"] == "load"]
    (store,) = [access for access in result["accesses"] if access["kind"] == "store"]
    for load in loads:
        assert (load["bytes"], load["bytes_of_thread"], load["sectors"], load["least_sectors"]) == (16384, 16, 16, 16)
        assert load["loop"]["line"] == loop["place"]["line"] and "stride of its rows is not known" in reasons(load)[0]
    assert len(loads) == 2 and store["bytes"] == 128 * 128 * 2 and "loop" not in store
    assert any(layout["shape"] == [128, 128] and "nvidia_mma" in layout["encoding"] for layout in result["layouts"])
    for layout in result["layouts"]:
        costs = {each["encoding"]: each["clocks"] for each in layout["candidates"]}
        assert costs[layout["encoding"]] == min(costs.values()) and len(costs) > 1
    resources = result["resources"]
    assert resources["shared_bytes"] == 3 * 32768 and resources["registers"] is None
    assert resources["occupancy"] == {
        "multiprocessors": 1, "programs": 2, "limit": "shared memory", "by_shared_memory": 2, "by_registers": None,
        "by_warps": 16, "by_programs": 32, "warps": 8, "most_warps": 64,
    }  # fmt: skip


def test_whole_program(folder):
    """With its sizes as constants a kernel is explained as a whole."""
    result = explain(folder, "matmul", MATMUL.format(K=4096, ka=1))
    (program,), (loop,) = result["program"], result["loops"]
    assert loop["iterations"] == 64 and not program["holds_unknown_loops"]
    assert program["product_flops"] == 2 * 128 * 128 * 4096
    assert program["loaded_bytes"] == 64 * 32768 and program["stored_bytes"] == 128 * 128 * 2
    assert program["matrix_clocks"] == 64 * 512


def test_blocks_of_a_cluster(folder):
    """What keeps the blocks of a cluster from sharing a program is said in both forms."""
    signature = "*fp16:16,*fp16:16,i32"
    result = explain(folder, "described", signature, "--num-ctas", "2")
    assert result["num_ctas"] == 2 and not reasons(result["program"][0])
    result = explain(folder, "unrolled", "*fp32,*fp32", "--num-ctas", "2")
    (reason,) = reasons(result["program"][0])
    code, text, _ = run(folder, "explain", *arguments_of("unrolled", "*fp32,*fp32", "--num-ctas", "2"))
    assert code == 0 and "num_ctas 2\n" in text and reason in text[text.index("\nprogram\n") :]


def test_registers(folder):
    resources = explain(folder, "matmul", MATMUL.format(K="i32:16", ka=1), target="cuda:90")["resources"]
    assert 64 < resources["registers"] <= 255 and resources["spill_bytes"] == 0
    occupancy = resources["occupancy"]
    per_warp = -(-resources["registers"] // 8) * 8 * 32
    assert occupancy["by_registers"] == 16384 // per_warp * 4 // 4
    assert occupancy["programs"] == min(occupancy["by_registers"], occupancy["by_shared_memory"])


@pytest.mark.parametrize("target,units", [("hip:gfx942", 1), ("hip:gfx1100", 2), ("hip:gfx1250", 1)])
def test_compute_units_that_share_memory(folder, target, units):
    """The warps of a program may be spread over both of a pair."""
    signature = "*fp32:16,*fp32:16,i32:16,i32:16,BLOCK=1024"
    resources = explain(folder, "softmax", signature, target=target)["resources"]
    occupancy = resources["occupancy"]
    most = {"hip:gfx942": 32, "hip:gfx1100": 2 * 32, "hip:gfx1250": 64}[target]
    assert occupancy["multiprocessors"] == units and occupancy["most_warps"] == most
    assert occupancy["by_warps"] == most // resources["warps"]
    _, text, _ = run(folder, "explain", *arguments_of("softmax", signature, target=target))
    place = "2 multiprocessors that share memory" if units == 2 else "a multiprocessor"
    assert f"programs on {place}: {occupancy['programs']}, " in text


def test_no_assembler(folder):
    """Without ptxas everything but registers is known."""
    signature = "*fp32:16,*fp32:16,i32:16,i32:16,BLOCK=1024"
    result = explain(folder, "softmax", signature, target="cuda:90", TRITON_PTXAS_PATH="/nowhere/ptxas")
    assert result["resources"]["registers"] is None and "ptxas" in result["resources"]["assembler_error"]
    assert result["accesses"]


def test_softmax(folder):
    result = explain(folder, "softmax", "*fp32:16,*fp32:16,i32:16,i32:16,BLOCK=4096", "--num-warps", "8")
    (program,) = result["program"]
    assert program["loaded_bytes"] == program["stored_bytes"] == 4096 * 4
    assert program["product_flops"] == 0 and program["other_flops"] == 5 * 4096
    assert program["bound"] == "memory" and "needed_reuse" not in program
    assert program["clocks"] == pytest.approx(32768 / (4.8e12 / 132 / 1.83e9), rel=1e-4)
    assert result["loops"] == result["products"] == []
    assert [access["bytes_of_thread"] for access in result["accesses"]] == [16, 16]


def test_attention(folder):
    result = explain(folder, "attention", "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,D=64,BM=64,BN=64")
    first, second = result["products"]
    assert first["flops"] == second["flops"] == 2 * 64 * 64 * 64
    assert first["instruction"] == second["instruction"] == "wgmma m64n64k16"
    assert "missed" not in first and "goes on" in second["overlap"]["text"]
    (loop,) = result["loops"]
    assert loop["pipeline"]["mover"] and all(ring["slots"] == 3 for ring in loop["pipeline"]["rings"])
    assert loop["product_flops"] == 2 * first["flops"] and loop["loaded_bytes"] == 2 * 64 * 64 * 2
    # A function takes an element of a warp in two clocks of a multiprocessor: 64 x 64 of the scores, 64 of the sums.
    assert loop["ordinary_clocks"] > (64 * 64 + 64) / 16


def test_attention_whose_registers_leave_no_warp_for_copies(folder):
    result = explain(folder, "attention", "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,D=64,BM=128,BN=64")
    (loop,) = result["loops"]
    assert "mover" not in loop["pipeline"] and result["resources"]["warps"] == 4
    loads = [access for access in result["accesses"] if "loop" in access]
    why = "a producer warp would take the registers of a second program on the multiprocessor"
    assert len(loads) == 2 and all(why in reasons(load) for load in loads)


@pytest.mark.parametrize("block, slots", [(64, [2, 3]), (128, [1, 1]), (256, None)])
def test_short_shared_memory(folder, block, slots):
    """Rings get the slots that there is room for; where one block of each load is too much, pointers load them."""
    signature = f"*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,D=256,B={block}"
    result = explain(folder, "chained", signature, "--num-stages", "4")
    resources = result["resources"]
    assert resources["shared_bytes"] <= resources["most_shared_bytes"]
    (loop,) = result["loops"]
    if slots is None:
        loads = [access for access in result["accesses"] if "loop" in access]
        assert len(loads) == 2 and "mover" not in loop.get("pipeline", {})
        assert all("shared memory does not hold one block of each such load" in reasons(load) for load in loads)
    else:
        assert [ring["slots"] for ring in loop["pipeline"]["rings"]] == slots
        assert [missed["text"] for missed in loop["missed"]] == [f"the loop has {min(slots)} of 4 stages"]


def test_compared_products(folder):
    """The text has the best ways of the chosen unit in the order of their cost, and the best one of each other unit."""
    _, text, _ = run(folder, "explain", *arguments_of("matmul", MATMUL.format(K="i32:16", ka=1), "--num-warps", "8"))
    header, *rows = re.search(r"compared, in clocks .*\n((?: {10,}  .*\d.*\n)+)", text)[0].splitlines()
    assert header.split()[-6:] == "at least matrix units operands exchange".split()
    assert [row.split() for row in rows] == [
        "wgmma m64n128k16 over 8x1 warps 512 512 384 0".split(),
        "wgmma m64n64k16 over 4x2 warps 512 512 512 0".split(),
        "wgmma m64n64k16 over 8x1 warps 512 512 512 0".split(),
        "mma.sync m16n8k16 over 2x4 warps 794 794 768 0".split(),
        "ordinary units 8192 - - -".split(),
    ]


def test_repeated_code(folder):
    """The copies of an unrolled loop are entries of their own, and one in the text."""
    result = explain(folder, "unrolled", "*fp32:16,*fp32:16")
    assert [access["kind"] for access in result["accesses"]].count("load") == 4
    _, text, _ = run(folder, "explain", *arguments_of("unrolled", "*fp32:16,*fp32:16"))
    assert text.count("load of 512 f32") == 1 and "(4 times)" in text


# ---- What was not done, and why ----

REFUSALS = {
    "narrow": ("matmul", MATMUL.format(K="i32:16", ka="i32"), [], "accesses", "not known to be neighbours in memory"),
    "alignment": ("softmax", "*fp32,*fp32:16,i32:16,i32:16,BLOCK=1024", [], "accesses", "multiples of 4 bytes"),
    "mask": ("softmax", "*fp32:16,*fp32:16,i32:16,i32,BLOCK=1024", [], "accesses", "not known to be masked alike"),
    "scattered": ("matmul", MATMUL.format(K="i32:16", ka="i32"), [], "accesses", "sectors of 32 bytes"),
    "few warps": ("matmul", MATMUL.format(K="i32:16", ka=1), ["--num-warps", "2"], "products", "groups of warps"),
    "one stage": ("matmul", MATMUL.format(K="i32:16", ka=1), ["--num-stages", "1"], "loops", "`num_stages` is 1"),
    "descriptor": ("described", "*fp16:16,*fp16:16,i32:16", [], "accesses", "not only products use the block"),
    "pointers": ("matmul", MATMUL.format(K="i32:16", ka=1), [], "accesses", "stride of its rows is not known"),
    "stored descriptor": ("described", "*fp16:16,*fp16:16,i32:16", [], "accesses", "only kernels whose loads"),
    "old target": ("described", "*fp16:16,*fp16:16,i32:16", ["--target", "cuda:80"], "accesses", "has no bulk copies"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(folder, case):
    """In JSON, in the text and as remarks, with the line of the kernel."""
    kernel, signature, options, member, reason = REFUSALS[case]
    result = explain(folder, kernel, signature, *options)
    (entry, *_) = [entry for entry in result[member] if any(reason in each for each in reasons(entry))]
    assert len(entry.keys() - {"place", "missed"}) > 3  # It also says what was done instead.
    place = "kernels.py:{line}".format(**entry["place"])
    arguments = arguments_of(kernel, signature, *options)
    _, text, _ = run(folder, "explain", *arguments)
    assert re.search(rf"^  {place}  ! .*{re.escape(reason)}", text, re.MULTILINE), text
    _, _, errors = run(folder, "show", *arguments, "--stage", "ttgir", MLIR_ENABLE_REMARK="1")
    remarks = re.findall(rf"^{place}:{entry['place']['column']}: remark: (.*)\n(.*)\n *\^", errors, re.MULTILINE)
    assert any(reason in remark for remark, _ in remarks), errors
    assert {source for _, source in remarks} == {KERNELS.splitlines()[entry["place"]["line"] - 1]}


@pytest.mark.parametrize(
    "kernel, signature, target, environment, is_said",
    [
        ("matmul", MATMUL.format(K="i32:16", ka=1), "sim:cuda:80", {"MLIR_ENABLE_REMARK": "1"}, False),
        ("matmul", MATMUL.format(K="i32:16", ka="i32"), "sim:cuda:90", {}, False),
        ("matmul", MATMUL.format(K="i32:16", ka="i32"), "sim:cuda:90", {"MLIR_ENABLE_REMARK": "1"}, True),
        ("matmul", MATMUL.format(K="i32:16", ka="i32"), "sim:cuda:90", {"MLIR_ENABLE_DIAGNOSTICS": "remarks"}, True),
        ("described", "*fp16:16,*fp16:16,i32:16", "cpu", {"MLIR_ENABLE_REMARK": "1"}, False),
    ],
)
def test_silence(folder, kernel, signature, target, environment, is_said):
    """A kernel that is as it should be gives no remarks, and nobody gets them who did not ask."""
    arguments = arguments_of(kernel, signature, "--stage", "ttir" if target == "cpu" else "ttgir", target=target)
    code, _, errors = run(folder, "show", *arguments, **environment)
    assert code == 0 and ("remark:" in errors) == is_said, errors


def test_waits_in_another_file_have_the_line_of_the_call(folder):
    (folder / "helper.py").write_text("\n" * 100 + HELPER)
    (folder / "caller.py").write_text(CALLER)
    launch = ["--grid=1", "--arg=a=zeros:f16[64,256]", "--arg=c=zeros:f32[64,64]", "--arg=K=256"]
    signature = "--signature=*fp16:16,*fp32:16,i32:16"
    code, text, errors = run(folder, "explain", "caller.py:caller", "--target=cuda:80", signature, *launch)
    assert code == 0, errors
    lines = text.split("longest waits\n")[1].splitlines()
    assert lines and all(line.startswith("    line 8: ") for line in lines), text


TTIR = """module {
  tt.func public @k(%x: !tt.ptr<f32>) {
    tt.return
  }
}
"""


def test_wrong_command_lines(folder):
    (folder / "k.ttgir").write_text("")
    (folder / "k.ttir").write_text(TTIR)
    for arguments, message in (
        (["k.ttir", "--target", "cuda:90", "--grid", "1"], "a launch needs the file of the kernel"),
        (["kernels.py:softmax"], "give a target such as cuda:90"),
        (["k.ttgir", "--target", "cuda:90"], "give a kernel or a file of TTIR"),
        (["--target", "cuda:90"], "name a kernel"),
    ):
        code, _, errors = run(folder, "explain", *arguments)
        assert code == 2 and message in errors
