"""What only improves code, as the program names it. Conversions of layouts, places in shared memory and barriers are
required."""

import subprocess
from pathlib import Path

import triton

#: The package lies in the build folder, as the tools do.
BUILD = Path(triton.__file__).parents[2]


def optional_passes(target):
    command = [BUILD / "tools/tritonc/tritonc", "show", "--passes", "--target", target]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (names,) = (line for line in listing.splitlines() if line.startswith("optional: "))
    return names.removeprefix("optional: ").split(", ")
