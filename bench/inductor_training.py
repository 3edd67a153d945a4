"""Training of a small transformer through torch.compile on a GPU: time to the first step, time of a step, time of a
launch. Runs with whichever `triton` is on the path, so that two of them can be compared in turns:

    PYTHONPATH=build/python python bench/inductor_training.py
    python bench/inductor_training.py                           # the Triton of that environment

Every run starts without caches of compiled kernels. With TRITON_CACHE_DIR in the environment it takes those that an
earlier run has left there: what remains of the time to the first step is PyTorch's own.
"""

import argparse
import json
import os
import tempfile
import time

_folder = tempfile.TemporaryDirectory(prefix="inductor-training-")
os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(_folder.name, "triton"))
os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(_folder.name, "inductor")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import triton  # noqa: E402
from transformer import Transformer, attention_of_pytorch  # noqa: E402


def make_step(arguments):
    torch.manual_seed(0)
    model = Transformer(arguments.layers, arguments.width, arguments.width // 64, 8192, attention_of_pytorch)
    model = model.to("cuda", torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=torch.tensor(1e-3), foreach=True, capturable=True)
    tokens = torch.randint(0, 8192, (arguments.batch, arguments.length + 1), device="cuda")

    @torch.compile(fullgraph=True, mode=arguments.mode)
    def loss_of(tokens):
        return F.cross_entropy(model(tokens[:, :-1]).float().flatten(0, 1), tokens[:, 1:].flatten())

    update = torch.compile(optimizer.step)

    def step():
        optimizer.zero_grad()
        loss = loss_of(tokens)
        loss.backward()
        update()
        return loss

    return step


def milliseconds(function, repetitions):
    """The median of the times between synchronizations."""
    times = []
    for _ in range(repetitions):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        function()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
    return sorted(times)[len(times) // 2]


def microseconds_of_launch(static):
    """What the processor spends on a launch of a kernel that Inductor made, without waiting for the GPU."""
    import torch._inductor.config as inductor

    torch._dynamo.reset()
    with inductor.patch(use_static_cuda_launcher=static, fx_graph_cache=False):
        x = torch.randn(64, device="cuda")
        kernels = []
        from torch._inductor.runtime.triton_heuristics import CachingAutotuner

        run = CachingAutotuner.run

        def noting(self, *args, **kwargs):
            kernels.append((self, args, kwargs))
            return run(self, *args, **kwargs)

        CachingAutotuner.run = noting
        try:
            torch.compile(lambda x: x.sin() + 1)(x)
        finally:
            CachingAutotuner.run = run
        kernel, args, kwargs = kernels[-1]
        best = float("inf")
        for _ in range(20):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(200):
                kernel.run(*args, **kwargs)
            best = min(best, (time.perf_counter() - begin) / 200 * 1e6)
            torch.cuda.synchronize()
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--length", type=int, default=512)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--mode", default=None, help="torch.compile's mode, such as max-autotune-no-cudagraphs")
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    torch.zeros(1, device="cuda")
    begin = time.perf_counter()
    step = make_step(arguments)
    first = step().item()
    seconds = time.perf_counter() - begin
    for _ in range(5):
        step()
    figures = {
        "triton": triton.__version__,
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(),
        "seconds_to_first_step": round(seconds, 2),
        "milliseconds_of_step": round(milliseconds(step, arguments.steps), 3),
        "first_loss": round(first, 4),
        "last_loss": round(step().item(), 4),
        "microseconds_of_launch": round(microseconds_of_launch(False), 2),
        "microseconds_of_static_launch": round(microseconds_of_launch(True), 2),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
