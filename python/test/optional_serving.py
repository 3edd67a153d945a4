"""examples/serving: answers against PyTorch, reloads of kernels under load, bad input, and the end."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch
import triton

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/serving"
TRITONC = Path(triton.__file__).parents[2] / "tools/tritonc/tritonc"
sys.path.insert(0, str(EXAMPLE))

import compare_pytorch  # noqa: E402
import running  # noqa: E402
import soak  # noqa: E402

FLAGS = "-O1 -Wall -Wextra -Werror"
#: A library whose table is complete, and whose kernels all fail.
BROKEN_TABLE = """
#include "kernel_table.h"
#include <errno.h>
static int fails() { return EINVAL; }
#define KERNELS (void *)fails, (void *)fails, (void *)fails, (void *)fails, (void *)fails, (void *)fails
const struct ServingKernels servingKernels = {
    TABLE_VERSION, 64, 1024, 256, 64, KERNELS};
"""


def make(*arguments):
    command = ["make", "-C", EXAMPLE, f"TRITONC={TRITONC}", f"CFLAGS={FLAGS}", f"CXXFLAGS={FLAGS}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The server, which all workers of the tests share, and in `other` kernels with other blocks."""
    folder = tmp_path_factory.getbasetemp().parent / "serving"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(f"OUT={folder}")
        make("kernels", f"OUT={folder}/other", "MANY_ROWS=32", "BLOCK_INNER=64", "BLOCK_QUERIES=16", "BLOCK_KEYS=64")
    return folder


@pytest.fixture
def served(built, tmp_path):
    """A copy of the library that a test may replace."""
    return Path(shutil.copy(built / "libkernels.so", tmp_path / "libkernels.so"))


def broken_library(path, version="SERVING_KERNELS_VERSION"):
    source = path.with_suffix(".c")
    source.write_text(BROKEN_TABLE.replace("TABLE_VERSION", version))
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", f"-I{EXAMPLE}", source, "-o", path], check=True)


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
    '{"tokens": [1, 2': "the body is no JSON",
    "": "the body is no JSON",
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
    "[" * 100_000: "the body is no JSON",
    '{"tokens": ["\\ud800"]}': "the body is no JSON",
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
    assert "it is no shared library" in start_fails(built, "--kernels", library)
    whole = (built / "libkernels.so").read_bytes()
    library.write_bytes(whole[: len(whole) // 2])
    assert "the file is truncated" in start_fails(built, "--kernels", library)
    broken_library(library, version="77")
    assert "its table has version 77, and this server needs version 1" in start_fails(built, "--kernels", library)
    broken_library(library)
    assert "did not run: Invalid argument" in start_fails(built, "--kernels", library)


def test_start_with_bad_options(built, tmp_path):
    weights = tmp_path / "weights"
    assert f"cannot use the weights of {weights}: No such file" in start_fails(built, "--weights", weights)
    subprocess.run([built / "server", "--write-weights", weights], check=True)
    os.truncate(weights, 1000)
    assert "it has 1000 bytes, and its model" in start_fails(built, "--weights", weights)
    weights.write_bytes(b"other")
    assert "no file that --write-weights wrote" in start_fails(built, "--weights", weights)
    assert "there is no option `--prot`" in start_fails(built, "--prot", "1")
    assert "--batch takes a number from 1 to 4096, not `many`" in start_fails(built, "--batch", "many")
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


def test_full_queue_is_said(built):
    with running.Server(built, "--batch", "1", "--queue", "1") as server:
        statuses = ask_at_once(server, 32)()
        assert set(statuses) <= {200, 503} and 200 in statuses and len(statuses) == 32
        assert server.connect().predict([1])
