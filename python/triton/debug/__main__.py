"""The command line of `python -m triton.debug`."""

import argparse
import atexit
import os
import socket
import sys
import threading

from .._help import with_examples
from .._programs import status_of
from ..audit._machines import machine_of
from ..audit._session import Session
from ._adapter import Adapter
from ._launches import install, run_target
from ._messages import Channel, RequestError
from ._output import Output


def _parser():
    parser = argparse.ArgumentParser(
        "python -m triton.debug",
        usage="%(prog)s [--port PORT] [--page [--target GPU] PROGRAM ...]",
        description="Lets an editor step through programs of kernels, by the Debug Adapter Protocol on standard input "
        "and output. The program to run is in the editor's `launch` request. With `--page`, a page in the browser "
        "does what an editor does.",
        **with_examples(
            "python -m triton.debug",
            "python -m triton.debug --port 5678",
            "python -m triton.debug --page train.py --steps 1",
            "python -m triton.debug --page launches/*.safetensors",
        ),
    )
    parser.add_argument(
        "--port",
        type=int,
        metavar="PORT",
        help="listen to one client, or serve the page, on this port of this machine; 0 takes and names a free one",
    )
    parser.add_argument("--page", action="store_true", help="serve a page that steps through the kernels of PROGRAM")
    parser.add_argument("--target", metavar="GPU", help="with --page: the GPU that the program sees, such as sm_90")
    parser.add_argument("program", nargs="?", metavar="PROGRAM", help="with --page: a Python file, pytest, or launches")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="with --page: those of the program")
    return parser


def _serve_page(parser, options):
    """Serves until it is interrupted."""
    from ._page import describe_program, serve  # which every debugger would wait for otherwise

    if options.program is None:
        parser.error("`--page` needs the program whose kernels it steps through, such as `--page train.py`")
    words = [options.program, *options.arguments]
    are_launches = all(word.endswith(".safetensors") for word in words)
    chosen = [(word, []) for word in words] if are_launches else [(words[0], words[1:])]
    try:
        if options.target is not None:
            machine_of(options.target)
        target = {} if options.target is None else {"target": options.target}
        programs = [describe_program(*each) for each in chosen]
    except (RequestError, ValueError) as error:
        parser.error(str(error))
    try:
        launches = [{"program": program, "args": given, "cwd": os.getcwd(), **target} for program, given in chosen]
        serve(options.port or 0, programs, launches)
    except (OSError, OverflowError) as error:
        parser.error(f"`--port` {options.port} cannot be listened to: {error}")


def _streams(port):
    """(what the client writes, what it reads)."""
    if port is None:
        source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    else:
        with socket.create_server(("127.0.0.1", port)) as server:
            print(f"waiting for a client on port {server.getsockname()[1]}", file=sys.stderr, flush=True)
            connection, _ = server.accept()
        source, sink = connection.makefile("rb"), connection.makefile("wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # the program's standard input is not the client
    os.close(nothing)
    return source, sink


def _run(launch, debugger):
    """The exit status of the program that a client has asked for."""
    try:
        os.chdir(launch["cwd"])
        for name, value in (launch.get("env") or {}).items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = str(value)
        if launch.get("target"):
            Session(machine_of(launch["target"])).start()
        if not launch.get("noDebug"):
            install(debugger)
        return run_target(launch["program"], [str(each) for each in launch.get("args") or []])
    except (Exception, SystemExit) as error:
        return status_of(error)


def main():
    parser = _parser()
    options = parser.parse_args()
    if options.page:
        return _serve_page(parser, options)
    if options.program is not None or options.target is not None:
        parser.error("a program and `--target` belong to `--page`; otherwise the client names them")
    try:
        channel = Channel(*_streams(options.port))
    except (OSError, OverflowError) as error:
        if options.port is None:
            parser.error(f"the client is on standard input and output, which cannot be used: {error}; give a `--port`")
        parser.error(f"`--port` {options.port} cannot be listened to: {error}")
    output = Output(channel.event)
    adapter = Adapter(channel)
    threading.Thread(target=adapter.serve, daemon=True).start()
    adapter.is_ready.wait()
    status = 0
    if adapter.launch is not None and not adapter.is_closed.is_set():
        status = _run(adapter.launch, adapter.debugger)
        threading._shutdown()  # waits for threads of the program, as Python does at the end
        atexit._run_exitfuncs()  # while what they print is heard
        if not adapter.launch.get("noDebug"):
            adapter.debugger.say_what_never_ran()
        output.close()
        adapter.ended(status)
        adapter.is_closed.wait()
    sys.stdout.flush()
    os._exit(0)  # threads of the program may go on


if __name__ == "__main__":
    main()
