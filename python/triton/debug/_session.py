"""A client of the debugger, which a page talks through: the adapter is a process of its own for each session."""

import contextlib
import subprocess
import sys
import threading
import time

from ._messages import RequestError, read_message, write_message


class Session:
    """One program under the debugger. ``launch`` is what the request of this name has besides what the page chooses."""

    def __init__(self, launch):
        self.launch, self.last_asked = launch, time.monotonic()
        self._events, self._answers, self._number, self._has_ended = [], {}, 0, False
        self._changed, self._writing = threading.Condition(), threading.Lock()
        # The interpreter's own options decide what the program imports, as without a debugger.
        command = [sys.executable, *subprocess._args_from_interpreter_flags(), "-m", "triton.debug"]
        self._adapter = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with contextlib.suppress(OSError, ValueError, RequestError):
            while (message := read_message(self._adapter.stdout)) is not None:
                with self._changed:
                    if message["type"] == "event":
                        self._events.append(message)
                    else:
                        self._answers[message["request_seq"]] = message
                    self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def ask(self, command, arguments):
        """The body of the response. Raises RequestError where the adapter refuses."""
        if command == "launch":
            arguments = {**arguments, **self.launch}
        with self._writing:
            self._number += 1
            number = self._number
            message = {"seq": number, "type": "request", "command": command, "arguments": arguments}
            with contextlib.suppress(OSError):  # its end is seen below
                write_message(self._adapter.stdin, message)
        with self._changed:
            self._changed.wait_for(lambda: number in self._answers or self._has_ended)
            answer = self._answers.pop(number, None)
        if answer is None:
            raise RequestError("the debugger has ended")
        if not answer["success"]:
            raise RequestError(answer["message"])
        return answer["body"]

    def events(self, after, seconds):
        """The events after the first ``after`` ones, as soon as there are some, and whether the session has ended."""
        self.last_asked = time.monotonic()
        with self._changed:
            self._changed.wait_for(lambda: len(self._events) > after or self._has_ended, seconds)
            return {"events": self._events[after:], "ended": self._has_ended}

    def end(self):
        self._adapter.kill()
        self._adapter.wait()
        with contextlib.suppress(OSError):
            self._adapter.stdin.close()
