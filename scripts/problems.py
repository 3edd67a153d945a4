"""What a check of the sources says, and its status."""

import sys


def report(problems):
    """Prints the problems; 1 if there are any, else 0."""
    found = list(problems)
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0
