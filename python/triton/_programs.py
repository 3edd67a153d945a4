"""Running a program inside of a command, as `proton` does."""

import os
import runpy
import sys
import traceback


def run_program(target, arguments):
    """Runs the file of a program, or `pytest`, as Python itself does; the exit status."""
    if target == "pytest":
        import pytest

        return pytest.main(arguments)
    sys.argv = [target, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
    runpy.run_path(target, run_name="__main__")
    return 0


def status_of(error):
    """The exit status that Python has for what ended a program; says on standard error what it was."""
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    traceback.print_exception(type(error), error, error.__traceback__.tb_next)
    return 1
