"""Running a program inside of a command, as `proton` does."""

import os
import runpy
import sys


def run_program(target, arguments):
    """Runs the file of a program, or `pytest`, as Python itself does; the exit status."""
    if target == "pytest":
        import pytest

        return pytest.main(arguments)
    sys.argv = [target, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
    runpy.run_path(target, run_name="__main__")
    return 0
