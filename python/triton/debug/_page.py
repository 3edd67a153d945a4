"""The explorer's page as a client of the debugger: a server for this machine alone (docs/debugger.md#in-a-browser)."""

import hmac
import json
import os
import secrets
import signal
import threading
import time
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from .. import _C
from ..runtime._launch_files import LaunchFileError, read_file
from ._breakpoints import kernels_of
from ._messages import RequestError, why_unreadable
from ._session import Session

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_JSON = "application/json; charset=utf-8"
#: Seconds after which a page asks again for events, and after which one that no longer asks has been closed.
_POLL, _PATIENCE = 10, 60
_LARGEST_REQUEST = 4 << 20


def describe_program(program, arguments):
    """What a page shows before its program runs. Raises RequestError where there is nothing to run."""
    path = os.path.abspath(program)
    if program == "pytest":
        return {"program": program, "arguments": arguments, "path": "", "source": "", "kernels": [], "kernel": ""}
    try:
        if program.endswith(".safetensors"):
            _, launch = read_file(path)
            path, source, kernel = launch["file"], launch["source"], launch["kernel"]
        else:
            with open(path, encoding="utf-8") as file:
                source, kernel = file.read(), ""
    except (OSError, ValueError, LaunchFileError) as error:
        raise RequestError(
            f"`{program}` cannot be read: {why_unreadable(error)}; the program is a Python file, `pytest`, or launches "
            "that TRITON_RECORD has written"
        ) from None
    facts = {"path": path, "source": source, "kernels": kernels_of(source), "kernel": kernel}
    return {"program": program, "arguments": arguments, **facts}


class _Sessions:
    """One for each page, by the name that the page has given itself. ``launches`` are those of the programs."""

    def __init__(self, launches):
        self._launches, self._of_page, self._lock = launches, {}, threading.Lock()

    def start(self, page, number):
        if type(number) is not int or not 0 <= number < len(self._launches):
            raise RequestError(f"`program` is {number!r}; there are the programs 0 to {len(self._launches) - 1}")
        now = time.monotonic()
        with self._lock:
            old = [name for name, each in self._of_page.items() if now - each.last_asked > _PATIENCE or name == page]
            for name in old:
                self._of_page.pop(name).end()
            self._of_page[page] = Session(self._launches[number])

    def of(self, page):
        found = self._of_page.get(page)
        if found is None:
            raise RequestError("there is no session; start one")
        return found

    def end(self):
        with self._lock:
            for each in self._of_page.values():
                each.end()
            self._of_page.clear()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if not self._is_own():
            return
        path = urlsplit(self.path).path
        if path == "/question":
            return self._send(200, _JSON, json.dumps({"stepped": self.server.programs}))
        kind, text = _C.explorer_page().get(path, (None, None))
        if text is None:
            return self._send(404, "text/plain", "there is no such file\n")
        return self._send(200, kind, text)

    def do_POST(self):
        if not self._is_own():
            return
        try:
            answer = {"body": self._answer(self._read())}
        except RequestError as error:
            answer = {"error": {"text": str(error)}}
        self._send(200, _JSON, json.dumps(answer))

    def _is_own(self):
        """A page of another origin must not step through programs here, nor one that names this machine otherwise, nor
        another user of this machine: sessions read files and run expressions."""
        own = [f"{host}:{self.server.server_address[1]}" for host in ("127.0.0.1", "localhost")]
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in own or (origin is not None and origin not in [f"http://{e}" for e in own]):
            problem = "the request comes from another page or names another host"
        elif not self._has_key():
            problem = "the request has no key; open the whole address that the server has printed"
        else:
            return True
        self.close_connection = True  # what it has sent is not read
        self._send(403, "text/plain", f"{problem}\n")
        return False

    def _has_key(self):
        """The address that is printed has the key. The page that it opens gets it as a cookie for its requests."""
        address = urlsplit(self.path)
        given = parse_qs(address.query).get("key", []) if address.path == "/" else []
        try:
            cookie = SimpleCookie(self.headers.get("Cookie")).get(self.server.cookie)
        except CookieError:
            cookie = None
        given += [cookie.value] if cookie else []
        return any(hmac.compare_digest(each.encode(), self.server.key.encode()) for each in given)

    def _read(self):
        size = self.headers.get("Content-Length", "")
        if not size.isdigit() or int(size) > _LARGEST_REQUEST:
            self.close_connection = True
            raise RequestError("the request has no size, or is too large")
        try:
            request = json.loads(self.rfile.read(int(size)))
        except ValueError:
            request = None
        if self.path != "/debug" or not isinstance(request, dict):
            raise RequestError("an object of JSON for `/debug` is expected")
        return request

    def _answer(self, request):
        page, command, arguments = (request.get(name) for name in ("page", "command", "arguments"))
        if not isinstance(page, str) or not isinstance(command, str) or not isinstance(arguments or {}, dict):
            raise RequestError("`page` and `command` are texts, and `arguments` is an object")
        sessions, arguments = self.server.sessions, arguments or {}
        if command == "start":
            return sessions.start(page, arguments.get("program", 0))
        session = sessions.of(page)
        if command != "events":
            return session.ask(command, arguments)
        after = arguments.get("after")
        return session.events(after if type(after) is int and after >= 0 else 0, _POLL)

    def _send(self, status, kind, text):
        data = text.encode()
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        if status == 200 and urlsplit(self.path).path == "/":
            self.send_header("Set-Cookie", f"{self.server.cookie}={self.server.key}; HttpOnly; SameSite=Strict; Path=/")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words):
        """Says nothing of each request."""

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # a page that is closed waits for no answer
            pass


def serve(port, programs, launches):
    """Until SIGINT or SIGTERM. ``programs`` are as ``describe_program`` makes them, each with the arguments of its
    ``launch`` request."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    server.daemon_threads = True
    server.programs, server.sessions = programs, _Sessions(launches)
    # Browsers send the cookies of all ports of a host.
    server.key, server.cookie = secrets.token_urlsafe(24), f"nereid-{server.server_address[1]}"

    def end(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    try:
        print(f"open http://127.0.0.1:{server.server_address[1]}/?key={server.key}\nCtrl-C ends it", flush=True)
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.sessions.end()
        server.server_close()
