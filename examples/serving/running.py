"""Starts the server for the scripts of this folder, and asks it."""

import http.client
import json
import re
import signal
import subprocess
import time


class Server:
    """A server on a port of its own, from `with` to its end."""

    def __init__(self, folder, *options):
        command = [f"{folder}/server", "--port", "0", *map(str, options)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        first = self.process.stdout.readline()
        found = re.match(r"serving at http://[\d.]+:(\d+)", first)
        if not found:
            raise SystemExit(f"the server did not start: {first}exit status {self.process.wait()}")
        self.port = int(found[1])

    def connect(self):
        return Connection(self.port)

    def stop(self):
        """Ends the server as Ctrl-C does; its exit status and the rest of its output."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        output, _ = self.process.communicate(timeout=60)
        return self.process.returncode, output

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Connection:
    """A connection that stays open over requests. Not for several threads."""

    #: Seconds without a request after which a new connection is opened: after two, the server closes the old one.
    LONGEST_PAUSE = 1

    def __init__(self, port):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.last_use = time.monotonic()

    def ask(self, method, path, body=None):
        """The status and what the JSON of the answer holds. `body` is a string, or is written as JSON."""
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        if time.monotonic() - self.last_use > self.LONGEST_PAUSE:
            self.http.close()  # The next request opens it again.
        self.http.request(method, path, text, {"Content-Type": "application/json"})
        response = self.http.getresponse()
        answer = response.status, json.loads(response.read())
        self.last_use = time.monotonic()
        return answer

    def predict(self, tokens, top=5):
        status, answer = self.ask("POST", "/predict", {"tokens": tokens, "top": top})
        if status != 200:
            raise RuntimeError(f"status {status}: {answer}")
        return answer

    def distribution(self, tokens, vocabulary=1024):
        """The probabilities of all tokens."""
        probabilities = [0.0] * vocabulary
        for entry in self.predict(tokens, vocabulary)["next"]:
            probabilities[entry["token"]] = entry["probability"]
        return probabilities
