"""examples/serving: answers against PyTorch, reloads of kernels under load, bad input, and the end; on GPUs, too, with
a library in the driver's place."""

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
import triton

EXAMPLE = Path(__file__).resolve().parents[3] / "examples/serving"
STAND_INS = Path(__file__).parent / "aot_stand_ins"
TRITONC = Path(triton.__file__).parents[2] / "tools/tritonc/tritonc"
sys.path.insert(0, str(EXAMPLE))

import compare_pytorch  # noqa: E402
import running  # noqa: E402
import soak  # noqa: E402

FLAGS = "-O1 -Wall -Wextra -Werror"
#: A library whose table is complete, and whose kernels all fail.
BROKEN_TABLE = """
#include "kernel_table.h"
using namespace serving;
struct Broken : Kernels {
  const KernelLimits &limits() const noexcept override {
    static constexpr KernelLimits limits = {64, 1024, 256, 256, 64};
    return limits;
  }
  const char *target() const noexcept override { return "nothing"; }
#define FAILS const noexcept override { return "it is broken"; }
  const char *embed(void *, const Sequences &, const float *, const float *, float *, int) FAILS
  const char *linear(void *, const float *, const float *, const float *, const float *, float *, int, int, int) FAILS
  const char *linearGelu(void *, const float *, const float *, const float *, float *, int, int, int) FAILS
  const char *layerNorm(void *, const float *, const float *, const float *, float *, int, int, float) FAILS
  const char *lastLayerNorm(void *, const Sequences &, const float *, const float *, const float *, float *, int,
                            float) FAILS
  const char *softmax(void *, const float *, float *, int, int) FAILS
  const char *attention(void *, const Sequences &, const float *, float *, int, float) FAILS
};
const std::uint32_t servingKernelsVersion = TABLE_VERSION;
Kernels *servingOpenKernels(const DeviceId *, char *, std::size_t) { return new Broken; }
"""


def make(*arguments):
    command = ["make", "-C", EXAMPLE, f"TRITONC={TRITONC}", f"CXXFLAGS={FLAGS}", "TARGET=cpu,cuda:90", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr


#: Of the models that the stand-in for a GPU runs: where the linear layer has this width, it has an activation.
HIDDEN = 512


def build_driver(folder):
    folder.mkdir(exist_ok=True)
    command = ["g++", "-std=c++20", "-O3", *FLAGS.split()[1:], f"-DGELU_COLUMNS={HIDDEN}", "-shared", "-fPIC"]
    subprocess.run([*command, STAND_INS / "cuda_device.cpp", "-o", folder / "libcuda.so.1"], check=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The server, which all workers of the tests share, and in `other` kernels with other blocks."""
    folder = tmp_path_factory.getbasetemp().parent / "serving"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(f"OUT={folder}")
        make("kernels", f"OUT={folder}/other", "MANY_ROWS=32", "BLOCK_INNER=64", "BLOCK_QUERIES=16", "BLOCK_KEYS=64")
        build_driver(folder / "driver")
    return folder


@pytest.fixture
def served(built, tmp_path):
    """A copy of the library that a test may replace."""
    return Path(shutil.copy(built / "libkernels.so", tmp_path / "libkernels.so"))


def broken_library(path, version="kernelsVersion"):
    source = path.with_suffix(".cpp")
    source.write_text(BROKEN_TABLE.replace("TABLE_VERSION", version))
    subprocess.run(["g++", "-std=c++20", "-shared", "-fPIC", f"-I{EXAMPLE}", source, "-o", path], check=True)


def start_fails(built, *options):
    done = subprocess.run(
        [built / "server", "--port", "0", *map(str, options)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1 and done.stdout == "", done
    return done.stderr


def test_answers_agree_with_pytorch(built, tmp_path):
    weights = tmp_path / "weights"
    subprocess.run([built / "server", "--seed", "7", "--write-weights", weights], check=True)
    with torch.inference_mode():
        models = [compare_pytorch.Model(weights, dtype) for dtype in (torch.float32, torch.float64)]
        server_error, torch_error = compare_pytorch.compare_results(built, weights, *models)
    assert server_error < max(1e-6, 4 * torch_error)


def test_reloads_lose_no_request(built):
    load, mapped = soak.soak(built, built / "other", reloads=10, clients=4)
    assert load.failures == [] and load.right == load.sent > 10
    assert len(load.generations) > 5
    assert mapped == 1


BAD_REQUESTS = {
    '{"tokens": [1, 2': "the body is not JSON",
    "": "the body is not JSON",
    "[1, 2]": "an object with an array `tokens`",
    '{"tokens": 1}': "an object with an array `tokens`",
    '{"tokens": []}': "the sequence has no tokens",
    '{"tokens": [1, 1024]}': "token 1 is 1024, and the model's tokens are 0 to 1023",
    '{"tokens": [-1]}': "token 0 is -1",
    '{"tokens": [18446744073709551615]}': "token 0 is 9223372036854775807",
    '{"tokens": [1, 1.5]}': "token 1 is not an integer: 1.5",
    '{"tokens": [null]}': "token 0 is not an integer: null",
    json.dumps({"tokens": [1] * 129}): "the sequence has 129 tokens, and the model takes 128 at most",
    '{"tokens": [1], "top": 0}': "`top` is 0, not from 1 to 1024",
    "[" * 100_000: "the body is not JSON",
    '{"tokens": ["\\ud800"]}': "the body is not JSON",
}


def test_bad_requests_are_answered_with_400(built):
    with running.Server(built) as server:
        connection = server.connect()
        for body, message in BAD_REQUESTS.items():
            status, answer = connection.ask("POST", "/predict", body)
            assert status == 400 and message in answer["error"], (body[:50], answer)
        status, answer = connection.ask("GET", "/nothing")
        assert (status, answer) == (404, {"error": "there is nothing at GET /nothing"})
        assert len(connection.predict([1, 2, 3])["next"]) == 5
        metrics = connection.ask("GET", "/metrics")[1]
        assert metrics["requests"] == 1 and 0 < metrics["latency_ms"]["p50"] <= metrics["latency_ms"]["p99"]


def test_start_with_a_bad_library(built, tmp_path):
    library = tmp_path / "library.so"
    assert f"cannot load the kernels of {library}: No such file" in start_fails(built, "--kernels", library)
    library.write_text("no library")
    assert "it is not a shared library" in start_fails(built, "--kernels", library)
    whole = (built / "libkernels.so").read_bytes()
    library.write_bytes(whole[: len(whole) // 2])
    assert "the file is truncated" in start_fails(built, "--kernels", library)
    broken_library(library, version="77")
    assert "its table has version 77, and this server needs version 2" in start_fails(built, "--kernels", library)
    broken_library(library)
    assert "did not run: it is broken" in start_fails(built, "--kernels", library)


def test_start_with_bad_options(built, tmp_path):
    weights = tmp_path / "weights"
    assert f"cannot use the weights of {weights}: No such file" in start_fails(built, "--weights", weights)
    subprocess.run([built / "server", "--write-weights", weights], check=True)
    os.truncate(weights, 1000)
    assert "it has 1000 bytes, and its model" in start_fails(built, "--weights", weights)
    weights.write_bytes(b"other")
    assert "not a file that --write-weights wrote" in start_fails(built, "--weights", weights)
    assert "there is no option `--prot`" in start_fails(built, "--prot", "1")
    assert "--batch takes a number from 1 to 4096, not `many`" in start_fails(built, "--batch", "many")
    write_weights(weights, positions=2048, width=64)
    assert "--batch must be smaller" in start_fails(built, "--batch", "4096", "--weights", weights)
    assert "--device takes cpu, cuda or cuda:<index>, not `gpu`" in start_fails(built, "--device", "gpu")
    assert "takes a number from 0 to 2147483647, not `x`" in start_fails(built, "--device", "cuda:x")
    with running.Server(built) as server:
        message = start_fails(built, "--port", server.port)
        assert f"cannot listen at 127.0.0.1:{server.port}: Address already in use" in message


def test_reload_of_a_bad_library_changes_nothing(built, served, tmp_path):
    with running.Server(built, "--kernels", served) as server:
        connection = server.connect()
        before = connection.predict([4, 5, 6])
        bad = tmp_path / "bad.so"
        broken_library(bad)
        os.replace(bad, served)
        status, answer = connection.ask("POST", "/reload", "")
        assert status == 500 and "did not run" in answer["error"]
        served.write_bytes(b"")
        server.process.send_signal(signal.SIGHUP)
        assert connection.ask("POST", "/reload", "")[0] == 500
        assert connection.predict([4, 5, 6]) == before
        shutil.copy(built / "libkernels.so", tmp_path / "good.so")
        os.replace(tmp_path / "good.so", served)
        assert connection.ask("POST", "/reload", "") == (200, {"generation": 2})


def ask_at_once(server, count):
    """The statuses of requests on connections of their own, when all are answered; begins them."""
    statuses = []

    def ask():
        statuses.append(server.connect().ask("POST", "/predict", {"tokens": [1] * 128})[0])

    threads = [threading.Thread(target=ask) for _ in range(count)]
    for thread in threads:
        thread.start()

    def finish():
        for thread in threads:
            thread.join()
        return statuses

    return finish


def test_interrupt_finishes_requests(built):
    with running.Server(built, "--batch", "1") as server:
        connection = server.connect()
        finish = ask_at_once(server, 24)
        deadline = time.monotonic() + 60
        # All are in the server, and some still wait.
        while True:
            metrics = connection.ask("GET", "/metrics")[1]
            if metrics["sequences"] + metrics["waiting"] == 24:
                break
            assert time.monotonic() < deadline
        status, output = server.stop()
        assert finish() == [200] * 24
        assert status == 0 and output.startswith("24 requests in 24 batches")


def test_connections_that_come_at_once_are_not_lost(built):
    """While the server accepts none, the system keeps those that arrive. It would drop what is beyond its list."""
    with running.Server(built) as server:
        server.process.send_signal(signal.SIGSTOP)
        try:
            waiting = [socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(100)]
        finally:
            server.process.send_signal(signal.SIGCONT)
        for connection in waiting:
            connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")
        for connection in waiting:
            connection.settimeout(60)
            assert connection.recv(12) == b"HTTP/1.1 200"
            connection.close()


def test_full_queue_is_said(built):
    with running.Server(built, "--batch", "1", "--queue", "1") as server:
        statuses = ask_at_once(server, 32)()
        assert set(statuses) <= {200, 503} and 200 in statuses and len(statuses) == 32
        assert server.connect().predict([1])


def write_weights(path, layers=2, width=256, vocabulary=1024, positions=128):
    """Random ones of a small model, in the order in which the server reads them."""
    draw, numbers = np.random.default_rng(0), []

    def add(*shape, deviation, mean=0.0):
        numbers.append((mean + deviation * draw.standard_normal(shape)).astype(np.float32).ravel())

    def add_norm():
        add(width, deviation=0.1, mean=1.0)
        add(width, deviation=0.1)

    def add_linear(inner, columns):
        add(inner, columns, deviation=inner**-0.5)
        add(columns, deviation=0.1)

    add(vocabulary, width, deviation=1.0)
    add(positions, width, deviation=0.5)
    for _ in range(layers):
        add_norm()
        add_linear(width, 3 * width)
        add_linear(width, width)
        add_norm()
        add_linear(width, HIDDEN)
        add_linear(HIDDEN, width)
    add_norm()
    add_linear(width, vocabulary)
    shape = np.array([vocabulary, positions, width, width // 64, layers, HIDDEN], np.int32)
    path.write_bytes(b"SERVING1" + shape.tobytes() + np.concatenate(numbers).tobytes())


class Gpu:
    """The stand-in for a GPU, as servers find it that start from now on."""

    def __init__(self, built, folder, monkeypatch):
        self.weights, self.failure, self.written = folder / "weights", folder / "failure", folder / "report"
        write_weights(self.weights)
        self.options = ("--device", "cuda", "--weights", str(self.weights))
        monkeypatch.setenv("TRITON_LIBCUDA_PATH", str(built / "driver"))
        monkeypatch.setenv("FAKE_CUDA_REPORT", str(self.written))
        monkeypatch.setenv("FAKE_CUDA_FAILURE", str(self.failure))

    def plant(self, function, code, calls_before=0):
        """Lets the function fail, from now on and in servers that run."""
        new = self.failure.with_suffix(".new")
        new.write_text(f"{function} {code} {calls_before}")
        os.replace(new, self.failure)

    def mend(self):
        self.failure.unlink()

    def report(self):
        """How often a server that has ended called each function. It must have broken no rule, and left nothing."""
        lines = [line.split(" ", 1) for line in self.written.read_text().splitlines()]
        assert not [line for line in lines if line[0] == "violation"]
        counts = {name: int(count) for name, count in lines}
        assert not any(counts[f"left.{what}"] for what in ("memory", "staging", "modules", "streams", "contexts"))
        return counts


@pytest.fixture
def gpu(built, tmp_path, monkeypatch):
    return Gpu(built, tmp_path, monkeypatch)


def test_gpu_answers_agree_with_pytorch(built, gpu):
    with torch.inference_mode():
        models = [compare_pytorch.Model(gpu.weights, dtype) for dtype in (torch.float32, torch.float64)]
        server_error, torch_error = compare_pytorch.compare_results(built, gpu.weights, *models, "--device", "cuda")
    assert server_error < max(1e-6, 4 * torch_error)
    counts = gpu.report()
    passes = 8 + 2  # two of them before the server serves
    assert counts["cuLaunchKernel"] == passes * (2 * 7 + 4)
    # One copy to the GPU, one back and one wait for each pass, and a copy and a wait for each tensor of the weights.
    tensors = 2 + 2 * 12 + 4
    assert counts["cuMemcpyHtoDAsync_v2"] == counts["cuStreamSynchronize"] == passes + tensors
    assert counts["cuMemcpyDtoHAsync_v2"] == passes
    assert counts["cuStreamCreate"] == 3


def test_gpu_reloads_lose_no_request(built, gpu):
    load, mapped = soak.soak(built, built / "other", 10, 4, *gpu.options)
    assert load.failures == [] and load.right == load.sent > 10
    assert len(load.generations) > 5 and mapped == 1
    counts = gpu.report()
    assert counts["cuModuleLoadData"] == counts["cuModuleUnload"] == 11 * 11
    # All memory is allocated at the start.
    assert counts["cuMemAlloc_v2"] == counts["cuMemFree_v2"] == 2 + 2 * 12 + 4 + 3 * 6


@pytest.mark.parametrize(
    "options, environment, message",
    [
        ([], {"TRITON_LIBCUDA_PATH": "/nowhere/libcuda.so"}, "cannot load the CUDA driver: /nowhere/libcuda.so"),
        ([], {"TRITON_LIBCUDA_PATH": "libm.so.6"}, "the CUDA driver is too old: it has no function `cuInit`"),
        (["--device", "cuda:3"], {}, "there is no GPU 3; this machine has 1"),
        ([], {"FAKE_CUDA_CAPABILITY": "75"}, "no code for a GPU of compute capability 7.5"),
        ([], {"FAKE_CUDA_BYTES": "1000000"}, "cuda:0: cannot allocate 1048576 bytes: CUDA's error 2, out of memory"),
        # Enough for the weights and for one worker.
        ([], {"FAKE_CUDA_BYTES": "30000000"}, "CUDA's error 2, out of memory"),
    ],
)
def test_start_with_a_gpu_that_does_not_suffice(built, gpu, monkeypatch, options, environment, message):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert message in start_fails(built, *gpu.options, *options)
    if "TRITON_LIBCUDA_PATH" not in environment:
        gpu.report()


@pytest.mark.parametrize(
    "function, message",
    [
        ("cuInit", "cannot start the driver: CUDA's error 999"),
        ("cuDevicePrimaryCtxRetain", "cannot use the GPU: CUDA's error 999"),
        ("cuMemHostAlloc", "bytes of pinned memory: CUDA's error 999"),
        ("cuStreamCreate", "cannot open a stream: CUDA's error 999"),
        ("cuModuleLoadData", "loading its code: CUDA's error 999"),
        ("cuLaunchKernel", "embedding did not run: kernel `embed`: launching: CUDA's error 999"),
        ("cuStreamSynchronize", "CUDA's error 999"),
    ],
)
def test_start_with_a_driver_that_fails(built, gpu, function, message):
    gpu.plant(function, 999)
    assert message in start_fails(built, *gpu.options)
    gpu.report()


def test_gpu_that_fails_while_it_serves(built, gpu):
    with running.Server(built, *gpu.options) as server:
        connection = server.connect()
        before = connection.predict([1, 2, 3])
        for function, calls_before, problem in [
            ("cuMemcpyHtoDAsync_v2", 0, "cannot copy to the GPU"),
            ("cuLaunchKernel", 4, "linear did not run: kernel `linear_few`: launching"),
            ("cuMemcpyDtoHAsync_v2", 0, "cannot copy from the GPU"),
            ("cuStreamSynchronize", 0, "the kernels of a batch failed"),
        ]:
            gpu.plant(function, 719, calls_before)
            status, answer = connection.ask("POST", "/predict", {"tokens": [1, 2, 3]})
            assert status == 500 and f"{problem}: CUDA's error 719, it was planted" in answer["error"]
            # A library that its GPU does not run, which is unloaded.
            status, answer = connection.ask("POST", "/reload", "")
            assert status == 500 and "CUDA's error 719" in answer["error"]
            gpu.mend()
            assert connection.predict([1, 2, 3]) == before
        gpu.plant("cuModuleLoadData", 209, calls_before=4)
        status, answer = connection.ask("POST", "/reload", "")
        assert status == 500 and "loading its code: CUDA's error 209" in answer["error"]
        gpu.mend()
        assert connection.ask("POST", "/reload", "") == (200, {"generation": 2})
        assert connection.predict([1, 2, 3])["next"] == before["next"]
        assert connection.ask("GET", "/metrics")[1]["target"] == "cuda:90"
        assert server.stop()[0] == 0
    gpu.report()
