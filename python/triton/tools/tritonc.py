"""The command `tritonc`, which the wheel installs: `python -m triton.tools.tritonc`. docs/tritonc.md describes it.

The program of the same name, which a build and the Debian package have, needs no Python. It also serves the page of
`tritonc explore`, which this one only writes.
"""

import signal
import sys

from .. import _C
from .._toolkit import add_wheels


def main():
    for ending in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(ending, signal.SIG_DFL)
    add_wheels()
    return _C.run_tritonc(["tritonc", *sys.argv[1:]], sys.executable)


if __name__ == "__main__":
    sys.exit(main())
