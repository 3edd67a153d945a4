"""`python -m triton.audit replay FILE`: launches that TRITON_RECORD has written, one after another, under audit."""

import argparse
import sys
import tempfile

from .._help import HelpFormatter
from ..runtime._launch_files import LaunchFileError, Replay
from ..runtime.errors import SimulationError
from ._machines import DEFAULT, machine_of
from ._reports import summary_lines
from ._session import Session

_EPILOG = """examples:
  TRITON_RECORD=launches python serve.py
  python -m triton.audit replay launches/*.safetensors
  python -m triton.audit replay --reduce launches/scale-4711-1.launch.safetensors

exit status: 0: no findings; 1: findings, or a launch failed; 2: the command is not right, or a file cannot be read"""


def _parser():
    parser = argparse.ArgumentParser(
        "python -m triton.audit replay",
        description="Repeats launches from files in the simulator, and reports what their kernels do wrong.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--target", default=DEFAULT, metavar="GPU", help="the GPU to simulate")
    parser.add_argument("--reduce", action="store_true", help="look for the smallest grid that shows the first finding")
    parser.add_argument("files", nargs="+", metavar="FILE", help="files that TRITON_RECORD has written")
    return parser


def _findings(session, replay, grid):
    """What a run of the launch over a grid finds."""
    try:
        replay.run(grid)
    except SimulationError:
        pass
    return session.take().findings


def reduce_grid(grid, shows):
    """The smallest grid that `shows` something, found by halving and then by steps of one for each axis."""
    for axis in range(3):
        for smaller in (lambda extent: extent // 2, lambda extent: extent - 1):
            while smaller(grid[axis]) >= 1:
                tried = (*grid[:axis], smaller(grid[axis]), *grid[axis + 1 :])
                if not shows(tried):
                    break
                grid = tried
    return grid


def _reduce(session, replay, findings):
    identity = findings[0].identity
    return reduce_grid(
        replay.grid, lambda grid: any(found.identity == identity for found in _findings(session, replay, grid))
    )


def main(arguments):
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        session = Session(machine_of(options.target))
    except ValueError as error:
        parser.error(str(error))
    session.start()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for path in options.files:
            session.test = path
            try:
                replay = Replay(path, folder)
            except (OSError, LaunchFileError) as error:
                parser.error(str(error))
            try:
                replay.run()
            except SimulationError:
                pass
            except Exception as error:  # the other files are looked at all the same
                print(f"{path}: the launch failed: {error}", file=sys.stderr)
                failed = True
            happened = session.take()
            print(path, *(f"  {line}" for line in summary_lines(happened)), sep="\n")
            if options.reduce and happened.findings:
                grid = _reduce(session, replay, happened.findings)
                print(f"  the first finding needs the grid {grid}; the launch has {replay.grid}")
            failed |= bool(happened.findings)
    return 1 if failed else 0
