"""`python -m triton.audit bisect NODE`: the first pass of the compiler after which a test fails."""

import argparse
import os
import re
import subprocess
import sys
import tempfile

from .._help import HelpFormatter
from ._machines import DEFAULT, machine_of

_EPILOG = """examples:
  python -m triton.audit bisect tests/test_norm.py::test_rows[64]
  python -m triton.audit bisect --target gfx942 tests/test_norm.py -k rows

exit status: 0: the test succeeds, or fails without the passes, too; 1: a pass was found; 2: the command is not right,
or the test cannot run"""
_LEFT_OUT = re.compile(r"^note: TRITON_STOP_AFTER_PASS: `(.+)` is the first pass that does not run$", re.MULTILINE)


class Impossible(Exception):
    """The test does not run."""


def _parser():
    parser = argparse.ArgumentParser(
        "python -m triton.audit bisect",
        description="Runs a test with some of the compiler's passes, and names the first after which it fails.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--target", default=DEFAULT, metavar="GPU", help="the GPU to simulate")
    parser.add_argument(
        "--time-limit", type=float, default=600, metavar="S", help="seconds after which a run counts as a failure"
    )
    parser.add_argument("node", help="the test, as pytest names it")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for pytest")
    return parser


def run_test(options, limit=None):
    """Runs the test with the first `limit` of the passes that can be left out, with all if it is None. Returns whether
    it succeeds, and the names of the passes that were the first to be left out, one for each pipeline."""
    command = [sys.executable, "-m", "triton.audit", f"--target={options.target}", "pytest", "-q", "-s"]
    with tempfile.TemporaryDirectory() as cache:  # what another cache has names no passes
        environment = {**os.environ, "TRITON_CACHE_DIR": cache}
        environment.pop("TRITON_STOP_AFTER_PASS", None)
        if limit is not None:
            environment["TRITON_STOP_AFTER_PASS"] = str(limit)
        try:
            done = subprocess.run(
                [*command, options.node, *options.arguments],
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=options.time_limit,
            )
        except subprocess.TimeoutExpired:
            return False, ["a pass of a run that did not end"]
    if done.returncode in (2, 3, 4, 5):
        raise Impossible(f"`{options.node}` cannot run: {(done.stdout + done.stderr).strip()}")
    return done.returncode == 0, list(dict.fromkeys(_LEFT_OUT.findall(done.stderr + done.stdout)))


def first_wrong(run, say):
    """The greatest number of passes with which `run(number)` succeeds before it fails, and the names of the passes that
    come next. `run` fails with all passes, and succeeds without any."""
    right, wrong, after_right = 0, 64, []
    while True:  # until all passes run
        succeeds, left_out = run(wrong)
        say(f"the first {wrong}: {'succeeds' if succeeds else 'fails'}")
        if not succeeds or not left_out:
            break
        right, wrong, after_right = wrong, wrong * 2, left_out
    while wrong - right > 1:
        middle = (right + wrong) // 2
        succeeds, left_out = run(middle)
        say(f"the first {middle}: {'succeeds' if succeeds else 'fails'}")
        if succeeds:
            right, after_right = middle, left_out
        else:
            wrong = middle
    return right, after_right


def main(arguments):
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        machine_of(options.target)
    except ValueError as error:
        parser.error(str(error))
    say = lambda text: print(text, flush=True)
    try:
        if run_test(options)[0]:
            say(f"`{options.node}` succeeds with all passes")
            return 0
        succeeds, names = run_test(options, 0)
        if not succeeds:
            say(
                f"`{options.node}` fails without the passes that can be left out, too: the kernel or the test is "
                "wrong, or a pass that is needed"
            )
            return 0
        right, next_names = first_wrong(lambda limit: run_test(options, limit), say)
    except Impossible as error:
        parser.error(str(error))
    named = " or ".join(f"`{name}`" for name in (next_names if right else names))
    number = f"number {right + 1} of those that can be left out"
    say(f"the first pass after which `{options.node}` fails is {named}, {number}")
    say(f"TRITON_STOP_AFTER_PASS={right} is the last number with which the test succeeds")
    return 1
