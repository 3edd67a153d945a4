"""Compares the server with the same model, the same weights, in PyTorch's eager mode: results and throughput.

    python compare_pytorch.py OUT [--threads 2] [--device cuda]

OUT is the folder that make wrote. On a GPU, both copy tokens there and probabilities back."""

import argparse
import random
import re
import subprocess
import tempfile
import time

import numpy as np
import running
import torch
import torch.nn.functional as F

BATCHES = [(1, 64), (8, 64), (16, 64), (16, 128)]


class Model:
    """What model.cpp computes, for sequences of one length."""

    def __init__(self, path, dtype, device="cpu"):
        self.device = device
        header = np.fromfile(path, np.int32, 6, offset=8)
        self.vocabulary, positions, width, self.heads, layers, hidden = map(int, header)
        self.numbers = torch.from_numpy(np.fromfile(path, np.float32, offset=32)).to(device, dtype)
        self.tokens, self.positions = self.take(self.vocabulary, width), self.take(positions, width)
        self.layers = [
            (
                (self.take(width), self.take(width)),
                self.take_linear(width, 3 * width),
                self.take_linear(width, width),
                (self.take(width), self.take(width)),
                self.take_linear(width, hidden),
                self.take_linear(hidden, width),
            )
            for _ in range(layers)
        ]
        self.norm, self.output = (self.take(width), self.take(width)), self.take_linear(width, self.vocabulary)
        assert len(self.numbers) == 0

    def take(self, *shape):
        count = int(np.prod(shape))
        tensor, self.numbers = self.numbers[:count].reshape(shape), self.numbers[count:]
        return tensor.clone()

    def take_linear(self, inner, columns):
        """As torch.nn.Linear keeps them."""
        weight = self.take(inner, columns)
        return weight.t().contiguous(), self.take(columns)

    def attention(self, x, qkv):
        batch, length, width = x.shape
        split = F.linear(x, *qkv).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(*split, is_causal=True)
        return attended.transpose(1, 2).reshape(batch, length, width)

    def __call__(self, tokens):
        """From tokens of the CPU to probabilities there."""
        x = self.tokens[tokens.to(self.device)] + self.positions[: tokens.shape[1]]
        width = x.shape[-1:]
        for norm, qkv, projection, hidden_norm, hidden, contraction in self.layers:
            x = x + F.linear(self.attention(F.layer_norm(x, width, *norm), qkv), *projection)
            inner = F.gelu(F.linear(F.layer_norm(x, width, *hidden_norm), *hidden), approximate="tanh")
            x = x + F.linear(inner, *contraction)
        last = F.layer_norm(x[:, -1], width, *self.norm)
        return torch.softmax(F.linear(last, *self.output), dim=-1).cpu()


def compare_results(folder, weights, float32, float64, *options):
    draw = random.Random(1)
    prompts = [[draw.randrange(1024) for _ in range(length)] for length in (1, 2, 17, 32, 33, 64, 100, 128)]
    server_error, torch_error, same = 0.0, 0.0, 0
    with running.Server(folder, "--weights", weights, *options) as server:
        connection = server.connect()
        for prompt in prompts:
            tokens = torch.tensor([prompt])
            exact = float64(tokens)[0]
            ours, theirs = torch.tensor(connection.distribution(prompt), dtype=torch.float64), float32(tokens)[0]
            server_error = max(server_error, float((ours - exact).abs().max()))
            torch_error = max(torch_error, float((theirs.double() - exact).abs().max()))
            same += int(ours.argmax() == exact.argmax())
    print(f"largest error of a probability over float64: server {server_error:.1e}, PyTorch {torch_error:.1e}")
    print(f"the most probable token is that of float64 for {same} of {len(prompts)} sequences")
    return server_error, torch_error


def torch_throughput(model, sequences, length):
    tokens = torch.arange(sequences * length).reshape(sequences, length) % model.vocabulary
    best, end = 0.0, time.monotonic() + 1.5
    while time.monotonic() < end:
        start = time.perf_counter()
        model(tokens)
        best = max(best, sequences / (time.perf_counter() - start))
    return best


def server_throughput(folder, weights, sequences, length, options):
    command = [f"{folder}/server", "--weights", weights, *options]
    output = subprocess.run(
        [*command, "--benchmark", f"{sequences}x{length}"], check=True, capture_output=True, text=True
    )
    return float(re.match(r"[\d.]+", output.stdout)[0])


def compare_throughput(folder, weights, model, rounds, options):
    """The fastest pass of rounds in turn: what else runs on the machine then slows down both."""
    print("sequences a second, forward pass alone:")
    for sequences, length in BATCHES:
        ours, theirs = 0.0, 0.0
        for _ in range(rounds):
            ours = max(ours, server_throughput(folder, weights, sequences, length, options))
            theirs = max(theirs, torch_throughput(model, sequences, length))
        print(
            f"  {sequences:2} x {length:3}: {ours:7.1f}, PyTorch {theirs:7.1f}, ratio {ours / theirs:.2f}", flush=True
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    options = ["--threads", str(arguments.threads), "--device", arguments.device]
    with tempfile.TemporaryDirectory() as temporary, torch.inference_mode():
        weights = f"{temporary}/weights"
        subprocess.run([f"{arguments.folder}/server", "--write-weights", weights], check=True)
        float32, float64 = Model(weights, torch.float32, arguments.device), Model(weights, torch.float64)
        compare_results(arguments.folder, weights, float32, float64, *options)
        compare_throughput(arguments.folder, weights, float32, arguments.rounds, options)


if __name__ == "__main__":
    main()
