"""Kernels that run by code that is generated quickly, until better code replaces it (TRITON_CPU_TIERS)."""

import os

import pytest
from programs import run

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples")

KERNELS = """
import glob, os, sys, threading, time
sys.path.insert(0, os.environ["EXAMPLES"])
import numpy as np, triton, triton.language as tl
from kernels.fused_softmax import softmax_kernel
from kernels.layer_norm import layer_norm_kernel
from kernels.matmul import matmul_kernel

random = np.random.default_rng(0)
rows, columns = 96, 700
x = random.standard_normal((rows, columns), np.float32)
w, b = random.random(columns, np.float32), random.random(columns, np.float32)
left, right = random.standard_normal((100, 90), np.float32), random.standard_normal((90, 110), np.float32)

def softmax():
    out = np.zeros_like(x)
    softmax_kernel[(rows,)](out, x, columns, columns, rows, columns, BLOCK_SIZE=1024)
    return out

def layer_norm():
    out, mean, deviation = np.zeros_like(x), np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    layer_norm_kernel[(rows,)](x, out, w, b, mean, deviation, columns, columns, 1e-5, BLOCK_SIZE=1024)
    return np.concatenate([out.ravel(), mean, deviation])

def matmul():
    out = np.zeros((100, 110), np.float32)
    matmul_kernel[(16,)](left, right, out, 100, 110, 90, 90, 1, 110, 1, 110, 1, BLOCK_SIZE_M=32, BLOCK_SIZE_N=32,
                         BLOCK_SIZE_K=32, GROUP_SIZE_M=4, ACTIVATION="leaky_relu")
    return out

@triton.jit
def half_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float16)
    tl.store(out + i, (v * 1.5 + tl.erf(v.to(tl.float32)) * tl.sin(v.to(tl.float32))).to(tl.bfloat16).to(tl.float32),
             mask=i < n)

def half():
    out = np.zeros_like(x)
    half_kernel[(triton.cdiv(x.size, 512),)](x, out, x.size, BLOCK=512)
    return out

def is_stored(kernel):
    return glob.glob(os.environ["TRITON_CACHE_DIR"] + f"/*/__grp__{kernel.__name__}_kernel.json")

def until_replaced(kernel, expected):
    end = time.monotonic() + 300
    while not is_stored(kernel):
        assert time.monotonic() < end, "the kernel was not replaced"
        assert np.array_equal(kernel(), expected, equal_nan=True)
"""


@pytest.fixture
def run_tiered(tmp_path):
    def run_kernels(text, **environment):
        folder = str(tmp_path / "cache")
        environment.update(TRITON_CPU_TIERS="1", TRITON_CACHE_DIR=folder, EXAMPLES=EXAMPLES)
        return run(tmp_path, KERNELS + text, **environment)

    return run_kernels


def test_both_codes_compute_the_same(run_tiered):
    run_tiered(
        """
for kernel in (softmax, layer_norm, matmul, half):
    first = kernel()
    until_replaced(kernel, first)
    for _ in range(20):
        assert np.array_equal(kernel(), first, equal_nan=True), kernel
"""
    )


def test_threads_launch_a_kernel_that_is_replaced(run_tiered):
    run_tiered(
        """
first, failures = matmul(), []
def work():
    try:
        until_replaced(matmul, first)
        for _ in range(50):
            assert np.array_equal(matmul(), first)
    except BaseException as error:
        failures.append(error)
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not failures, failures
"""
    )


def test_a_child_replaces_kernels_of_its_own(run_tiered):
    run_tiered(
        """
first = matmul()
for _ in range(20):
    matmul()
child = os.fork()
expected = softmax()
until_replaced(softmax, expected)
until_replaced(matmul, first)
if child:
    assert os.waitpid(child, 0)[1] == 0
else:
    os._exit(0)
"""
    )


def test_a_process_may_end_while_a_kernel_is_replaced(run_tiered):
    for repetitions in (1, 10, 200):
        output, errors = run_tiered(f"for _ in range({repetitions}): matmul(); softmax()\n")
        assert not errors


def test_debugged_kernels_have_one_code(run_tiered):
    run_tiered("matmul()\nassert is_stored(matmul)\n", TRITON_DEBUG="1")
