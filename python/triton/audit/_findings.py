"""What the simulator found, as data, and the collection of it over a program or a test suite."""

import re
from collections import Counter
from dataclasses import asdict, dataclass, field

#: A finding as `SimulationError` has it: place, kind, program and thread, what was found; then the source line, a mark
#: and help.
_FIRST_LINE = re.compile(
    r"^(?:(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): )?error: (?P<kind>[^:]*?) "
    r"in program \((?P<program>[\d, ]+)\), thread (?P<thread>\d+): (?P<detail>.*)$"
)
_ARGUMENT = re.compile(r"`([^`]+)`")
_OTHER_SIDE = re.compile(r"; thread \d+ of program \([\d, ]+\) (?:writes|reads) it in line (\d+)$")


@dataclass(frozen=True)
class Finding:
    """An error of a kernel. Two are the same if kind and place are, whichever program and launch they were seen in."""

    kind: str
    detail: str  # with the argument and the values
    file: str = ""
    line: int = 0  # 0: unknown
    column: int = 0
    program: tuple = ()
    thread: int | None = 0  # None: of the whole program
    argument: str = ""  # the name, if the finding is about one
    other_line: int = 0  # of the access that a race is with; 0: unknown
    kernel: str = ""
    test: str = ""  # the test, or the program, that launched the kernel
    config: str = ""  # of a tuned kernel, where all are tried
    text: str = ""  # all that the simulator said

    @property
    def place(self):
        return f"{self.file}:{self.line}:{self.column}" if self.line else "an unknown place"

    @property
    def identity(self):
        return self.kind, self.file, self.line, self.column

    def as_dict(self):
        return {**asdict(self), "program": list(self.program)}

    @classmethod
    def from_dict(cls, facts):
        return cls(**{**facts, "program": tuple(facts["program"])})


def parse_finding(text, kernel="", test="", config=""):
    """The finding that a text of `SimulationError.findings` describes."""
    first = next((line for line in text.splitlines() if "error: " in line), text)
    match = _FIRST_LINE.match(first)
    about = {"kernel": kernel, "test": test, "config": config, "text": text}
    if match is None:
        return Finding("error in the simulator", first.partition("error: ")[2] or first, **about)
    argument, other = _ARGUMENT.search(match["detail"]), _OTHER_SIDE.search(match["detail"])
    return Finding(
        match["kind"],
        match["detail"],
        match["file"] or "",
        int(match["line"] or 0),
        int(match["column"] or 0),
        tuple(int(number) for number in match["program"].split(",")),
        int(match["thread"]),
        argument[1] if argument else "",
        int(other[1]) if other else 0,
        **about,
    )


def definition_of(kernel):
    """The place of a kernel's definition."""
    while hasattr(kernel, "fn"):
        kernel = kernel.fn
    return kernel.__code__.co_filename, kernel.__code__.co_firstlineno, 0, 0


def launch_finding(session, kind, detail, kernel, place, remedy, program=()):
    """A finding that does not come from the simulator, about a program of a launch or about all of it."""
    file, line, column, _ = place
    where = f"{file}:{line}:{column}" if column else f"{file}:{line}"
    in_program = f" in program {program}" if program else ""
    text = f"{where}: error: {kind}{in_program}: {detail}\nhelp: {remedy}"
    about = {"kernel": kernel, "test": session.test, "config": session.config, "text": text}
    return Finding(kind, detail, file, line, column, program, None, **about)


@dataclass
class Collection:
    """What happened in one test, or in a whole run."""

    findings: list = field(default_factory=list)
    launches: Counter = field(default_factory=Counter)  # by the names of kernels
    unsupported: list = field(default_factory=list)  # (test, sentence)
    coverage: Counter = field(default_factory=Counter)  # by (file, line, column, what), zeros included
    errors: Counter = field(default_factory=Counter)  # of rounding, by (file, line, column, what, exponent or None)
    incomplete: Counter = field(default_factory=Counter)  # by sentence
    differences: Counter = field(default_factory=Counter)  # of two compilations, as `errors`

    def add(self, other):
        self.coverage.update(other.coverage)
        self.errors.update(other.errors)
        self.differences.update(other.differences)
        self.incomplete += other.incomplete
        self.findings += other.findings
        self.launches += other.launches
        self.unsupported += other.unsupported

    def distinct(self):
        """[(first finding, number of times)] of the findings that differ in kind or place."""
        counts, first = Counter(), {}
        for finding in self.findings:
            counts[finding.identity] += 1
            first.setdefault(finding.identity, finding)
        return [(finding, counts[identity]) for identity, finding in first.items()]

    def as_dict(self):
        """For another process, as JSON."""
        return {
            "findings": [finding.as_dict() for finding in self.findings],
            "launches": dict(self.launches),
            "unsupported": [list(entry) for entry in self.unsupported],
            "incomplete": dict(self.incomplete),
            "coverage": [[*key, count] for key, count in self.coverage.items()],
            "errors": [[*key, count] for key, count in self.errors.items()],
            "differences": [[*key, count] for key, count in self.differences.items()],
        }

    @classmethod
    def from_dict(cls, facts):
        return cls(
            [Finding.from_dict(finding) for finding in facts["findings"]],
            Counter(facts["launches"]),
            [tuple(entry) for entry in facts["unsupported"]],
            *(Counter({tuple(key): count for *key, count in facts[name]}) for name in ("coverage", "errors")),
            Counter(facts["incomplete"]),
            Counter({tuple(key): count for *key, count in facts["differences"]}),
        )
