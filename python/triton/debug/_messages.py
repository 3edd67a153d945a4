"""Messages of the Debug Adapter Protocol on two streams of bytes."""

import json
import threading


class RequestError(Exception):
    """A request that cannot be answered, with the sentence for the user."""


def why_unreadable(error):
    """What keeps a file from being read, in words for the user."""
    reason = getattr(error, "strerror", None) or str(error)
    return reason[:1].lower() + reason[1:]


def _read_size(source):
    """The number of bytes that the headers of the next message give, or None at the end of the stream."""
    size = None
    while line := source.readline():
        line = line.strip()
        if not line and size is not None:
            return size
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            if not value.strip().isdigit():
                raise RequestError(f"the header `{line.decode(errors='replace')}` does not have a number of bytes")
            size = int(value)
    return None


def read_message(source):
    """The next message of a stream of bytes, or None at its end. Raises RequestError for what is not JSON."""
    size = _read_size(source)
    data = source.read(size) if size is not None else b""
    if size is None or len(data) < size:
        return None
    try:
        return json.loads(data)
    except ValueError as error:
        raise RequestError(f"a message is not JSON: {error}") from None


def write_message(sink, message):
    data = json.dumps(message).encode()
    sink.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    sink.flush()


class Channel:
    """Reads requests from one stream and writes responses and events to the other, from any thread."""

    def __init__(self, source, sink):
        self._source, self._sink, self._lock, self._number = source, sink, threading.Lock(), 0

    def read(self):
        """The next request, or None at the end of the stream. Raises RequestError for anything else."""
        message = read_message(self._source)
        if message is not None and not (isinstance(message, dict) and isinstance(message.get("command"), str)):
            raise RequestError("a message is not a request: an object with a `command` is expected")
        return message

    def _write(self, message):
        with self._lock:
            self._number += 1
            try:
                write_message(self._sink, {"seq": self._number, **message})
            except (OSError, ValueError):  # nobody listens any more
                pass

    def event(self, name, **body):
        self._write({"type": "event", "event": name, "body": body})

    def respond(self, request, body):
        answer = {"type": "response", "request_seq": request.get("seq", 0), "command": request["command"]}
        self._write({**answer, "success": True, "body": body or {}})

    def refuse(self, request, sentence):
        answer = {"type": "response", "request_seq": request.get("seq", 0), "command": request.get("command", "")}
        shown = {"id": 1, "format": "{sentence}", "variables": {"sentence": sentence}, "showUser": True}
        self._write({**answer, "success": False, "message": sentence, "body": {"error": shown}})
