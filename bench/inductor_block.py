"""A transformer block through torch.compile on the processor: kernels of Triton against PyTorch's own, which are C++.

    PYTHONPATH=build/python .venv-optional/bin/python bench/inductor_block.py [--kernels]

With --kernels it also prints how long each kernel of Triton takes. Products of matrices are the same library's in both.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

_folder = tempfile.TemporaryDirectory(prefix="inductor-block-")
os.environ["TRITON_CACHE_DIR"] = os.path.join(_folder.name, "triton")
os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(_folder.name, "inductor")

import torch  # noqa: E402
import torch._inductor.config as inductor  # noqa: E402
from transformer import Block  # noqa: E402


def milliseconds(function, seconds=2.0):
    """The shortest of the times that fit into some seconds."""
    function()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        function()
        times.append((time.perf_counter() - begin) * 1e3)
    return min(times)


def measure(block, x, backend, with_kernels=False):
    """(milliseconds, seconds to compile, result, the milliseconds of each kernel of Triton)."""
    torch._dynamo.reset()
    with inductor.patch(cpu_backend=backend, fx_graph_cache=False, compile_threads=1):
        function = torch.compile(block, fullgraph=True)
        begin = time.perf_counter()
        result = function(x)
        seconds = time.perf_counter() - begin
        kernels = time_kernels(function, x) if with_kernels else {}
        return milliseconds(lambda: function(x)), seconds, result, kernels


def time_kernels(function, x):
    """{name: milliseconds} of the kernels of Triton in one run."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    run, calls = CachingAutotuner.run, []

    def noting(self, *args, **kwargs):
        calls.append((self, args, kwargs))
        return run(self, *args, **kwargs)

    CachingAutotuner.run = noting
    try:
        function(x)
    finally:
        CachingAutotuner.run = run
    return {
        call[0].fn.__name__: milliseconds(lambda call=call: run(call[0], *call[1], **call[2]), 0.3) for call in calls
    }


def compare(arguments, threads):
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    block = Block(arguments.width, arguments.width // 64).eval()
    x = torch.randn(arguments.batch, arguments.length, arguments.width)
    with torch.no_grad():
        ours, our_seconds, result, kernels = measure(block, x, "triton", arguments.kernels)
        theirs, their_seconds, other, _ = measure(block, x, "cpp")
        assert torch.allclose(result, other, atol=1e-4)
        eager = milliseconds(lambda: block(x))
    print(
        f"{threads:7}  {ours:9.3f}  {theirs:6.3f}  {eager:8.3f}  {ours / theirs:5.2f}  "
        f"{our_seconds:17.1f}  {their_seconds:3.1f}"
    )
    for name, duration in kernels.items():
        print(f"         {duration:9.3f}  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--kernels", action="store_true")
    arguments = parser.parse_args()
    if len(arguments.threads) == 1:
        return compare(arguments, *arguments.threads)
    # The threads of kernels are the process's.
    print("threads  triton ms  c++ ms  eager ms  ratio  compile s: triton  c++", flush=True)
    for threads in map(str, arguments.threads):
        environment = {**os.environ, "TRITON_CPU_MAX_THREADS": threads, "OMP_NUM_THREADS": threads}
        subprocess.run([sys.executable, *sys.argv, "--threads", threads], env=environment, check=True)


if __name__ == "__main__":
    main()
