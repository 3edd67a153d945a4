"""Compilations that get no memory are errors, after which the process goes on."""

import os
import subprocess

import pytest
from programs import run


@pytest.mark.parametrize("room", [5, 30, 100])
def test_too_little_memory_is_an_error(tmp_path, room):
    """Megabytes that a compilation may add to the process; LLVM's own answer is to end it."""
    program = """
import resource
import numpy as np, triton, triton.language as tl
@triton.jit
def kernel(x, out, N: tl.constexpr, TURNS: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    for _ in tl.static_range(TURNS):
        a = tl.sort(a) + tl.cumsum(a) * 2
    tl.store(out + i, a)
x = np.ones(1024, np.float32)
kernel.warmup(x, x, 64, 1, grid=(1,))
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + ROOM * 2**20,) * 2)
try:
    kernel.warmup(x, x, 1024, 30, grid=(1,))
except MemoryError as error:
    print(error)
"""
    output, errors = run(tmp_path, program.replace("ROOM", str(room)), TRITON_ALWAYS_COMPILE="1")
    assert output in ("", "there is not enough memory to compile or run the kernel\n") and "LLVM ERROR" not in errors


# In place of malloc for threads that compile: counts the calls, and refuses some of them, from the first on.
MALLOC = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/prctl.h>
static void *(*next)(size_t);
static long calls, first = -1, last = -1;
__attribute__((constructor)) static void find(void) { next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc"); }
void refuse(long from, long to) { calls = 0, first = from, last = to; }
long calls_of_malloc(void) { return calls; }
static int compiles(void) {
  static __thread int answer __attribute__((tls_model("initial-exec"))); /* 0: not asked yet */
  char name[32] = "";
  if (!answer)
    answer = prctl(PR_GET_NAME, name) || strcmp(name, "triton-compile") ? 1 : 2;
  return answer == 2;
}
void *malloc(size_t size) {
  if (!next)
    find();
  if (first >= 0 && compiles() && ++calls >= first && calls <= last)
    return 0;
  return next(size);
}
"""


def test_each_allocation_may_fail(host_device, tmp_path):
    """One allocation of a compilation fails, or all from there on. Places are spread over the whole compilation."""
    source, library = tmp_path / "malloc.c", tmp_path / "malloc.so"
    source.write_text(MALLOC)
    subprocess.run(["clang-22", "-shared", "-fPIC", "-O1", source, "-o", library], check=True)
    program = """
import ctypes, sys
import numpy as np, triton, triton.language as tl
malloc = ctypes.CDLL(LIBRARY)
malloc.calls_of_malloc.restype, malloc.refuse.argtypes = ctypes.c_long, [ctypes.c_long, ctypes.c_long]
@triton.jit
def kernel(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.sort(tl.load(x + i)) + tl.cumsum(tl.load(x + i)))
x = np.ones(16, np.float32)
kernel.warmup(x, 8, grid=(1,))  # what contexts keep is there for the compilations that follow
malloc.refuse(0, 0)
triton.jit(kernel.fn).warmup(x, 8, grid=(1,))
calls = malloc.calls_of_malloc()
errors = set()
for part in range(1, 25):
    begin = calls * part // 26
    for end in (begin, 10**15):
        malloc.refuse(begin, end)
        try:
            triton.jit(kernel.fn).warmup(x, 8, grid=(1,))
            assert end == begin  # who sorts can do without memory, for example
        except MemoryError as error:
            errors.add(str(error))
malloc.refuse(-1, -1)
kernel[(1,)](x, 16)
print(calls > 1000, x[0], *errors)
"""
    environment = {**host_device.environment, "TRITON_ALWAYS_COMPILE": "1"}
    preloaded = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), str(library))))  # what sanitizers need
    output, _ = run(tmp_path, program.replace("LIBRARY", repr(str(library))), LD_PRELOAD=preloaded, **environment)
    assert output == "True 2.0 there is not enough memory to compile or run the kernel\n"
