"""The command `proton`: runs a program, or pytest, in a session of the profiler."""

import argparse
import os
import sys

from .. import knobs
from .._help import with_examples
from .._programs import run_program
from . import flags
from .profile import DEFAULT_PROFILE_NAME, finalize_session, start_session

BACKENDS = ("cupti", "roctracer", "rocprofiler", "cpu", "simulator", "instrumentation")


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(
        prog="proton",
        description="Profile a program with kernels. Its own calls of `start` do nothing.",
        usage="proton [options] (SCRIPT.py | pytest) [arguments]",
        **with_examples("proton -n add add.py", "proton -d trace -c python add.py", "proton pytest tests"),
    )
    parser.add_argument("-n", "--name", default=DEFAULT_PROFILE_NAME, help="the profile's file, without its end")
    parser.add_argument("-b", "--backend", choices=BACKENDS, help="what records; by default that of the active device")
    parser.add_argument(
        "-c",
        "--context",
        choices=("shadow", "python"),
        default="shadow",
        help="of times: scopes, or calls",
    )
    parser.add_argument("-m", "--mode", help="how the backend records")
    parser.add_argument("-d", "--data", choices=("tree", "trace"), default="tree", help="sums, or each event")
    parser.add_argument("-k", "--hook", choices=("triton",), help="take metrics from the metadata of launches")
    parser.add_argument("target", metavar="SCRIPT.py | pytest")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser, parser.parse_args(arguments)


def main():
    parser, options = parse_arguments()
    if options.target != "pytest" and not os.path.isfile(options.target):
        parser.error(f"there is no file `{options.target}`; give a Python program, or `pytest`")
    flags.command_line = True
    if knobs.proton.disable:
        sys.exit(run_program(options.target, options.arguments))
    try:
        session = start_session(
            options.name, options.context, options.data, options.backend, options.mode, options.hook
        )
    except (ValueError, RuntimeError) as error:
        parser.error(str(error))
    try:
        status = run_program(options.target, options.arguments)
    finally:
        finalize_session(session)
    sys.exit(status)


if __name__ == "__main__":
    main()
