"""Kernels that the explorer shows, and what it exports of them."""

import base64
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

TRITONC = Path(sys.executable).with_name("tritonc")
SOURCE = """import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    # </script><script>alert("a kernel's text is no markup")</script>
    tl.store(out + i, value * factor, mask=i < n)


@triton.jit
def product(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))
"""
SCALE = "*fp32:16,*fp32:16,i32,fp32,BLOCK=1024"
PRODUCT = "*fp16:16,*fp16:16,*fp32:16,N=64"


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE)
    return path


def page_data(text):
    """What an exported page shows."""
    data = re.search(r'id="data">([^<]*)</script>', text)[1]
    return json.loads(zlib.decompress(base64.b64decode(data)))


def exported(path, kernel, signature, target, *options):
    page = path.with_suffix(".html")
    command = [TRITONC, "explore", f"{path}:{kernel}", "--target", target, "--signature", signature, "--export", page]
    command += options
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    return text, page_data(text)


def last(data, stage):
    return [each["after"] for each in data["passes"] if each["stage"] == stage and "after" in each][-1]


SPILLING = """import triton
import triton.language as tl


@triton.jit
def wide(a, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(a + i)
    tl.store(out + i, x - tl.max(x))
"""


DISASSEMBLY = """cat <<'END'
\t.section\t.text.wide
\t//## File "{path}", line 8
        /*0000*/                   LDG.E R0, [R2] ;
        /*0010*/                   STL.64 [R1+0x8], R4 ;
\t//## File "triton.language.standard.py", line 1 inlined at "{path}", line 9
        /*0020*/              @!P0 LDL.LU R4, [R1+0x8] ;
\t//## File "triton.language.standard.py", line 2
        /*0030*/                   STL [R1], R4 ;
END
"""


def stand_in_for_nvdisasm(kernels, status=0):
    """A program that prints what nvdisasm prints for a kernel which spills."""
    program = kernels.with_name("nvdisasm")
    program.write_text("#!/bin/sh\n" + DISASSEMBLY.format(path=kernels) + f"echo 'no cubin' >&2; exit {status}\n")
    program.chmod(0o755)
    return program


SPECIALIZED = """import triton
import triton.language as tl


@triton.jit
def product(x, y, out, n, B: tl.constexpr, D: tl.constexpr):
    left = tl.make_tensor_descriptor(x, [n, n], [n, 1], [B, D])
    right = tl.make_tensor_descriptor(y, [n, n], [n, 1], [D, B])
    total = tl.zeros((B, B), tl.float32)
    for k in range(0, n, D):
        total = tl.dot(left.load([0, k]), right.load([k, 0]), total)
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(out + at, total)
"""
SPECIALIZED_SIGNATURE = "*fp16:16,*fp16:16,*fp32:16,i32:16,B=128,D=64"


WRONG = """import triton
import triton.language as tl


@triton.jit
def shift(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i + 1, value, mask=i < n)
    tl.store(out + 3, tl.sum(value))
"""
ARGUMENTS = ["x=rand:f32[200]", "out=zeros:f32[200]", "n=200", "BLOCK=64"]
LAUNCH = ["--grid", "4", *(word for argument in ARGUMENTS for word in ("--arg", argument))]


def cells_of(memory, name):
    (area,) = [area for area in memory["areas"] if area["name"] == name]
    return area, {run["first"] + i: run for run in area["cells"] for i in range(run["count"])}
