#!/usr/bin/env python3
"""Writes the twenty sources that took longest to compile into docs/testing.md, and fails if one took more than 25 s.

    CCACHE_DISABLE=1 make tests && scripts/slowest_sources.py [BUILD]

Reads the log of Ninja, so that the figures are those of the last build of each source: one without ccache, on an idle
machine. Times differ between machines and with what runs beside, so that no test asks for them; `make nightly` does.
"""

import re
import sys
from pathlib import Path

from marked_section import MarkedSection, write

MOST_SECONDS = 25
SECTION = MarkedSection(
    document="docs/testing.md",
    begin="<!-- Slowest sources: written by scripts/slowest_sources.py. -->",
    end="<!-- End of the slowest sources. -->",
)


def name_of(output):
    """The source of an object file; a batch is named after its first source."""
    name = re.sub(r"CMakeFiles/[^/]+\.dir/", "", output)
    name = re.sub(r"Unity/unity_from_(.+)_cxx\.cxx\.o$", r"\1.cpp and what is compiled with it", name)
    return re.sub(r"Unity/unity_(\d+)_cxx\.cxx\.o$", r"batch \1", name).removesuffix(".o")


def compile_times(build):
    """Seconds by object file. Raises OSError where nothing was built."""
    times = {}
    for line in (Path(build) / ".ninja_log").read_text().splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        is_compiled = output.endswith((".o", ".pch")) and not output.startswith("/")
        if is_compiled and (Path(build) / output).exists():  # the log keeps what the build no longer has
            times[output] = (int(end) - int(begin)) / 1000
    return times


def main():
    times = compile_times(sys.argv[1] if len(sys.argv) > 1 else "build")
    slowest = sorted(times.items(), key=lambda item: -item[1])[:20]
    lines = ["| source | seconds |", "| --- | --- |"]
    lines += [f"| {name_of(output)} | {seconds:.1f} |" for output, seconds in slowest]
    write(SECTION.documents("\n".join(lines) + "\n"))
    too_slow = [output for output, seconds in slowest if seconds > MOST_SECONDS and not output.endswith(".pch")]
    for output in too_slow:
        print(f"{name_of(output)} took {times[output]:.1f} s, more than {MOST_SECONDS}", file=sys.stderr)
    return 1 if too_slow else 0


if __name__ == "__main__":
    sys.exit(main())
