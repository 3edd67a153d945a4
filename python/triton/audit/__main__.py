"""The command line of `python -m triton.audit`."""

import argparse
import sys

from .._help import HelpFormatter
from .._programs import run_program, status_of
from ._compare import Other
from ._lcov import write_lcov
from ._machines import DEFAULT, MACHINES, machine_of
from ._reports import check_file, github_lines, summary_lines, write_sarif
from ._session import INVARIANT, Session, parse_invariant
from ._shadow_report import write_report
from ._unsupported import explain

_EPILOG = f"""examples:
  python -m triton.audit add.py
  python -m triton.audit --target gfx942 --sarif findings.sarif pytest tests
  python -m triton.audit replay --help
  python -m triton.audit bisect --help

targets: {", ".join(MACHINES)}

exit status: 0: no findings, and the program or all tests succeeded; 1: findings, or a test failed, or the program
ended with an exception; 2: the command is not right, or the tests were interrupted; 3: the program used what an audit
does not support, or pytest had an internal error; 4: the command line of pytest is not right; 5: there are no tests.
Without findings, a program that ends with a status of its own keeps it."""


def _parser():
    parser = argparse.ArgumentParser(
        "python -m triton.audit",
        usage="%(prog)s [options] (pytest | PROGRAM.py) [arguments]",
        description="Runs a program or a test suite for GPUs in the simulator, and reports what its kernels do wrong.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--target", default=DEFAULT, metavar="GPU", help="the GPU to simulate")
    parser.add_argument(
        "--all-configs", action="store_true", help="run each configuration of tuned kernels, not the first alone"
    )
    parser.add_argument(
        "--whole-storages", action="store_true", help="let kernels access all memory of a tensor that is a view"
    )
    parser.add_argument(
        "--orders",
        type=int,
        default=1,
        metavar="N",
        help="run each launch in N orders of its programs, and report results that differ",
    )
    parser.add_argument(
        "--invariant",
        default="",
        metavar="NAMES",
        help=f"prove by running that results depend on none of these: some of {','.join(INVARIANT)}",
    )
    parser.add_argument(
        "--compare",
        default="",
        metavar="OTHER",
        help="compare each launch with another GPU's, or with other options: gfx942, num_warps=8,num_stages=1",
    )
    parser.add_argument("--coverage", metavar="FILE", help="write which parts of kernels ran, for lcov")
    parser.add_argument(
        "--shadow", metavar="FILE", help="compare values with float64, and write how far off they are at each place"
    )
    parser.add_argument("--sarif", metavar="FILE", help="write the findings as SARIF 2.1.0")
    parser.add_argument("--github", action="store_true", help="print the findings as annotations for GitHub")
    parser.add_argument("program", help="`pytest`, or the file of a program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="for it")
    return parser


def _audit_pytest(options):
    given = ["-p", "triton.audit.plugin", f"--audit-target={options.target}"]
    given += ["--audit-all-configs"] * options.all_configs + ["--audit-github"] * options.github
    given += ["--audit-whole-storages"] * options.whole_storages + [f"--audit-orders={options.orders}"]
    given += [f"--audit-invariant={options.invariant}"] if options.invariant else []
    given += [f"--audit-compare={options.compare}"] if options.compare else []
    given += [f"--audit-sarif={options.sarif}"] if options.sarif else []
    given += [f"--audit-coverage={options.coverage}"] if options.coverage else []
    given += [f"--audit-shadow={options.shadow}"] if options.shadow else []
    return run_program("pytest", [*given, *options.arguments])


def _audit_program(options):
    looks = [name for name in ("coverage", "shadow") if getattr(options, name)]
    session = Session(
        machine_of(options.target),
        options.all_configs,
        options.whole_storages,
        options.orders,
        looks,
        parse_invariant(options.invariant) if options.invariant else (),
        Other(options.compare) if options.compare else None,
    )
    session.start()
    session.test = options.program
    status = 0
    try:
        run_program(options.program, options.arguments)
    except (Exception, SystemExit) as error:
        sentence = explain(error)
        if sentence:
            session.note_unsupported(sentence)
        status = 3 if sentence else status_of(error)
    happened = session.take()
    if options.sarif:
        write_sarif(happened, options.sarif)
    if options.coverage:
        write_lcov(happened.coverage, options.coverage)
    if options.shadow:
        write_report(happened.errors, options.shadow)
    sys.stdout.flush()
    print(f"audit of {session.machine.name}:", *summary_lines(happened), sep="\n", file=sys.stderr)
    if options.github:
        print(*github_lines(happened), sep="\n")
    return 1 if happened.findings else status


def main():
    if sys.argv[1:2] == ["replay"]:
        from ._replay import main as replay

        return replay(sys.argv[2:])
    if sys.argv[1:2] == ["bisect"]:
        from ._bisect import main as bisect

        return bisect(sys.argv[2:])
    parser = _parser()
    options = parser.parse_args()
    try:
        machine_of(options.target)
        if options.invariant:
            parse_invariant(options.invariant)
        if options.compare:
            Other(options.compare)
        for name in ("sarif", "coverage", "shadow"):
            check_file(f"--{name}", getattr(options, name))
    except ValueError as error:
        parser.error(str(error))
    if options.orders < 1:
        parser.error(f"`--orders` is {options.orders}; write a number of at least 1")
    if options.program == "pytest":
        return _audit_pytest(options)
    try:
        return _audit_program(options)
    except OSError as error:
        parser.error(f"`{options.program}` cannot be run: {error}")


if __name__ == "__main__":
    sys.exit(main())
