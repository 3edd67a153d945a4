"""A client of the Debug Adapter Protocol, as an editor has one."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading

from programs import PATIENCE


class Refused(Exception):
    """A request that the adapter has refused, with its sentence."""


class Client:
    """Starts the adapter in a folder. ``events`` are those that nobody has waited for yet."""

    def __init__(self, folder, *options):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "triton.debug", *options],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if options else None,
        )
        self.source, self.sink = self.process.stdout, self.process.stdin
        if options:
            port = int(self.process.stderr.readline().split()[-1])
            connection = socket.create_connection(("127.0.0.1", port))
            self.source, self.sink = connection.makefile("rb"), connection.makefile("wb")
        self._watch = threading.Timer(PATIENCE, self.process.kill)
        self._watch.start()
        self._number, self.events, self.output = 0, [], ""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._watch.cancel()
        self.process.kill()
        self.process.wait()
        pipes = (self.process.stdin, self.process.stdout, self.process.stderr)
        for stream in (self.source, self.sink, *pipes):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was written last may have no reader any more
                    stream.close()

    def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.sink.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.sink.flush()

    def receive(self):
        size = None
        while line := self.source.readline().strip():
            size = int(line.removeprefix(b"Content-Length: "))
        assert size is not None, f"the adapter has ended with {self.process.wait()}"
        return json.loads(self.source.read(size))

    def _take(self, message):
        if message["event"] == "output":
            self.output += message["body"]["output"]
        else:
            self.events.append(message)

    def ask(self, command, **arguments):
        """The body of the response."""
        self._number += 1
        self.send({"seq": self._number, "type": "request", "command": command, "arguments": arguments})
        while (message := self.receive())["type"] == "event":
            self._take(message)
        assert message["request_seq"] == self._number and message["command"] == command
        if not message["success"]:
            raise Refused(message["message"])
        return message["body"]

    def wait_for(self, event):
        """The body of the next event of this kind; those before it are dropped."""
        while True:
            while self.events:
                message = self.events.pop(0)
                if message["event"] == event:
                    return message["body"]
            self._take(self.receive())

    def start(self, program, breakpoints=(), **arguments):
        """Launches a program; what became of the breakpoints, which are dictionaries or lines of it."""
        self.ask("initialize", adapterID="triton")
        self.wait_for("initialized")
        self.ask("launch", program=str(program), **arguments)
        asked = [{"line": each} if isinstance(each, int) else each for each in breakpoints]
        answer = self.ask("setBreakpoints", source={"path": str(program)}, breakpoints=asked)
        self.ask("setExceptionBreakpoints", filters=["errors"])
        self.ask("configurationDone")
        return answer["breakpoints"]

    def go(self, command):
        """Goes on by a request until the program stops again: (reason, line)."""
        self.ask(command, threadId=1)
        return self.stopped()

    def stopped(self):
        event = self.wait_for("stopped")
        return event["reason"], self.stack()[0]["line"]

    def stack(self):
        return self.ask("stackTrace", threadId=1)["stackFrames"]

    def scope(self, name, frame=1):
        scopes = {scope["name"]: scope["variablesReference"] for scope in self.ask("scopes", frameId=frame)["scopes"]}
        return self.parts(scopes[name])

    def parts(self, reference, **page):
        return {part["name"]: part for part in self.ask("variables", variablesReference=reference, **page)["variables"]}

    def evaluate(self, expression, **arguments):
        return self.ask("evaluate", expression=expression, **arguments)["result"]

    def finish(self):
        """Lets the program run to its end: its exit status."""
        self.ask("continue", threadId=1)
        return self.ended()

    def ended(self):
        status = self.wait_for("exited")["exitCode"]
        self.wait_for("terminated")
        self.ask("disconnect")
        assert self.process.wait(PATIENCE) == 0
        return status
