"""Kernels in a Redis server that processes share, each with a disk cache of its own."""

import json
import socket
import subprocess
import time

import programs
import pytest
import redis

PROGRAM = """
import sys, warnings
import numpy as np, triton, triton.language as tl
from triton import knobs
hits = []
knobs.compilation.listener = lambda *, src, metadata, metadata_group, times, cache_hit: hits.append(cache_hit)
@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 3, mask=i < n)
x = np.ones(100, np.float32)
scale[(4,)](x, 100, BLOCK=32)
assert (x == 3).all()
print("from the cache:", hits)
"""
BACKEND = "triton.runtime.cache:RedisRemoteCacheBackend"


@pytest.fixture(scope="module")
def server():
    """The port of a server that ends with the tests."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    client = redis.Redis(port=port)
    for _ in range(200):
        try:
            client.ping()
            break
        except redis.ConnectionError:
            time.sleep(0.05)
    yield port
    process.terminate()
    process.wait()


@pytest.fixture
def run(server, tmp_path, device):
    """Runs the program with a disk cache of its own; its output."""
    client = redis.Redis(port=server)
    client.flushall()

    def run(cache, **environment):
        settings = {
            "TRITON_CACHE_DIR": str(tmp_path / cache),
            "TRITON_REMOTE_CACHE_BACKEND": BACKEND,
            "TRITON_REDIS_HOST": "127.0.0.1",
            "TRITON_REDIS_PORT": str(server),
            **device.environment,
            **environment,
        }
        process = programs.start(tmp_path, PROGRAM, **settings)
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        return output + errors

    return run


def test_processes_share_kernels(run, server, tmp_path):
    assert "from the cache: [False]" in run("first")
    keys = sorted(key.decode() for key in redis.Redis(port=server).keys())
    folder = next(path.name for path in (tmp_path / "first").iterdir() if len(path.name) == 52)
    assert f"triton:{folder}:__grp__scale.json" in keys and f"triton:{folder}:scale.json" in keys
    assert all(key.startswith(f"triton:{folder}:") for key in keys)
    group = json.loads(redis.Redis(port=server).get(f"triton:{folder}:__grp__scale.json"))
    assert sorted(f"triton:{folder}:{name}" for name in group["child_paths"]) == [k for k in keys if "__grp__" not in k]
    assert "from the cache: [True]" in run("second")
    redis.Redis(port=server).flushall()
    assert "from the cache: [True]" in run("second"), "the kernel was kept on disk"
    assert "from the cache: [False]" in run("third")


def test_damaged_and_missing_files_are_misses(run, server):
    run("first")
    client = redis.Redis(port=server)
    binary = next(key for key in client.keys() if key.endswith((b".o", b".llir")))
    client.set(binary, b"damaged")
    assert "from the cache: [False]" in run("second")
    assert "from the cache: [True]" in run("third"), "the second one stored it again"
    client.delete(binary)
    assert "from the cache: [False]" in run("fourth")


def test_the_format_of_keys(run, server):
    run("first", TRITON_REDIS_KEY_FORMAT="kernels/{filename}/of/{key}")
    assert all(key.startswith(b"kernels/") and b"/of/" in key for key in redis.Redis(port=server).keys())


def test_no_server_costs_a_compilation(run):
    output = run("first", TRITON_REDIS_PORT="1")
    assert "from the cache: [False]" in output and output.count("RuntimeWarning") == 1 and "ConnectionError" in output
