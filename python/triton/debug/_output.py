"""What a program prints, as events for the client."""

import os
import sys
import threading


class WithoutThread:
    """A stream of text for the other threads: what the one that makes this writes is dropped, and what the threads of
    its program's groups of warps write."""

    def __init__(self, stream):
        self.stream, self._thread = stream, threading.get_ident()

    def write(self, text):
        return len(text) if self.stream is None or self._is_own() else self.stream.write(text)

    def _is_own(self):
        thread = threading.current_thread()
        return self._thread in (thread.ident, getattr(getattr(thread, "parent", None), "ident", None))

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __getattr__(self, name):
        return getattr(self.stream, name)


class Output:
    """Takes what this process writes to standard output and standard error, also from outside of Python."""

    def __init__(self, send):
        self._send, self._threads = send, []
        for number, category in ((1, "stdout"), (2, "stderr")):
            source, sink = os.pipe()
            os.dup2(sink, number)
            os.close(sink)
            thread = threading.Thread(target=self._forward, args=(source, category), daemon=True)
            thread.start()
            self._threads.append(thread)
        sys.stdout.reconfigure(line_buffering=True)

    def _forward(self, source, category):
        with open(source, encoding="utf-8", errors="replace", newline="") as file:
            while text := file.readline():
                self._send("output", category=category, output=text)

    def close(self):
        """Waits until all that was written has been sent."""
        sys.stdout.flush()
        sys.stderr.flush()
        nothing = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(nothing, number)
        os.close(nothing)
        for thread in self._threads:  # a process that the program has started may keep the pipe
            thread.join(timeout=1)
