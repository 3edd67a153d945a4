"""Replaces the kernels of a server again and again while clients ask, and checks that every request is answered, and
answered right.

    python soak.py OUT [--other OUT2] [--reloads 200] [--clients 8] [--device cuda]

OUT is the folder that make wrote. The libraries of OUT and OUT2, which has other blocks, take turns."""

import argparse
import itertools
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path

import running

#: Libraries with other blocks add in another order.
TOLERANCE = 1e-5


def prompts(count):
    draw = random.Random(0)
    return [[draw.randrange(1024) for _ in range(draw.randrange(1, 129))] for _ in range(count)]


class Load:
    """Clients that ask one request after the other, each over a connection of its own."""

    def __init__(self, server, expected, clients):
        self.server, self.expected = server, expected
        self.ending = threading.Event()
        self.sent, self.right, self.failures, self.generations = 0, 0, [], set()
        self.access = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(seed,)) for seed in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self, seed):
        draw, connection = random.Random(seed), self.server.connect()
        while not self.ending.is_set():
            prompt, distribution = draw.choice(self.expected)
            with self.access:
                self.sent += 1
            try:
                answer = connection.predict(prompt)
                wrong = [entry for entry in answer["next"] if not self.is_right(entry, distribution)]
                failure = f"{prompt}: {wrong}" if wrong or len(answer["next"]) != 5 else None
            except Exception as error:  # whatever happened, the request is lost
                failure, connection = repr(error), self.server.connect()
            with self.access:
                if failure is None:
                    self.right += 1
                    self.generations.add(answer["generation"])
                else:
                    self.failures.append(failure)

    @staticmethod
    def is_right(entry, distribution):
        return abs(entry["probability"] - distribution[entry["token"]]) < TOLERANCE

    def end(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()


def replace(library, served):
    """Puts a copy in place of the served file at once, as an installation should."""
    shutil.copy(library, f"{served}.new")
    os.replace(f"{served}.new", served)


def reload(server, connection, generation, by_signal):
    """Returns when the server answers with the library of that generation."""
    if by_signal:
        server.process.send_signal(signal.SIGHUP)
    else:
        status, answer = connection.ask("POST", "/reload", "")
        if (status, answer) != (200, {"generation": generation}):
            raise SystemExit(f"reload {generation} failed: {status} {answer}")
    deadline = time.monotonic() + 60
    while connection.ask("GET", "/metrics")[1]["generation"] != generation:
        if time.monotonic() > deadline:
            raise SystemExit(f"generation {generation} did not come")
        time.sleep(0.005)


def loaded_libraries(server):
    """The copies of libraries that the process has mapped."""
    maps = Path(f"/proc/{server.process.pid}/maps").read_text()
    return {line.split()[5] for line in maps.splitlines() if "/libkernels." in line}


def soak(folder, other, reloads, clients, *options):
    """The load, with its counts, and the number of libraries that are loaded at the end. `options` are the server's."""
    with tempfile.TemporaryDirectory() as temporary:
        served = f"{temporary}/libkernels.so"
        libraries = [f"{folder}/libkernels.so", f"{other or folder}/libkernels.so"]
        replace(libraries[0], served)
        with running.Server(folder, "--kernels", served, "--workers", "2", *options) as server:
            connection = server.connect()
            expected = [(prompt, connection.distribution(prompt)) for prompt in prompts(40)]
            load = Load(server, expected, clients)
            try:
                for count, library in zip(range(1, reloads + 1), itertools.cycle(reversed(libraries))):
                    replace(library, served)
                    reload(server, connection, count + 1, by_signal=count % 2 == 0)
            finally:
                load.end()
            # The last batch may still hold a library for a moment after its answers are out.
            time.sleep(0.2)
            mapped = len(loaded_libraries(server))
            status, output = server.stop()
            if status != 0:
                raise SystemExit(f"the server ended with status {status}: {output}")
    return load, mapped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--other")
    parser.add_argument("--reloads", type=int, default=200)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    start = time.monotonic()
    device = ("--device", arguments.device)
    load, mapped = soak(arguments.folder, arguments.other, arguments.reloads, arguments.clients, *device)
    print(f"{arguments.reloads} reloads in {time.monotonic() - start:.0f} s under {arguments.clients} clients")
    print(f"{load.sent} requests: {load.right} answered right, {len(load.failures)} lost or wrong")
    print(f"{len(load.generations)} generations of kernels gave answers; {mapped} library is loaded at the end")
    for failure in load.failures[:5]:
        print(failure)
    raise SystemExit(1 if load.failures or mapped != 1 else 0)


if __name__ == "__main__":
    main()
