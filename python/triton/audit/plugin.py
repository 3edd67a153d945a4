"""The plugin of pytest: `python -m triton.audit pytest` loads it, and so does `pytest -p triton.audit.plugin`.

A finding fails the test that launched the kernel, also if the test catches the exception. Workers of pytest-xdist audit
their tests, and the report of each test carries what happened to the process that writes the summary.
"""

import pytest

from ._compare import Other
from ._findings import Collection
from ._lcov import write_lcov
from ._machines import DEFAULT, machine_of
from ._reports import check_file, github_lines, summary_lines, write_sarif
from ._session import Session, parse_invariant
from ._shadow_report import write_report
from ._unsupported import explain


def pytest_addoption(parser):
    group = parser.getgroup("audit")
    group.addoption("--audit-target", default=DEFAULT, metavar="GPU", help="the GPU to simulate, such as sm_90, gfx942")
    group.addoption("--audit-all-configs", action="store_true", help="run each configuration of tuned kernels")
    group.addoption(
        "--audit-whole-storages", action="store_true", help="let kernels access all memory of a tensor that is a view"
    )
    group.addoption(
        "--audit-orders", type=int, default=1, metavar="N", help="run each launch in N orders of its programs"
    )
    group.addoption(
        "--audit-invariant", default="", metavar="NAMES", help="results depend on none of these: batch,split,order"
    )
    group.addoption(
        "--audit-compare", default="", metavar="OTHER", help="compare launches with another GPU's, or other options"
    )
    group.addoption("--audit-coverage", metavar="FILE", help="write which parts of kernels ran, for lcov")
    group.addoption("--audit-shadow", metavar="FILE", help="compare each value with float64, and write the distances")
    group.addoption("--audit-sarif", metavar="FILE", help="write the findings as SARIF")
    group.addoption("--audit-github", action="store_true", help="print the findings as annotations for GitHub")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    """Starts before any file of the suite is imported."""
    options = parser.parse_known_args(args, namespace=early_config.known_args_namespace)
    try:
        machine = machine_of(options.audit_target)
        invariant = parse_invariant(options.audit_invariant) if options.audit_invariant else ()
        other = Other(options.audit_compare) if options.audit_compare else None
        for name in ("sarif", "coverage", "shadow"):
            check_file(f"--audit-{name}", getattr(options, f"audit_{name}"))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    if options.audit_orders < 1:
        raise pytest.UsageError(f"`--audit-orders` is {options.audit_orders}; write a number of at least 1")
    session = Session(
        machine,
        options.audit_all_configs,
        options.audit_whole_storages,
        options.audit_orders,
        [name for name in ("coverage", "shadow") if getattr(options, f"audit_{name}")],
        invariant,
        other,
    )
    session.start()
    early_config.pluginmanager.register(_Plugin(session), "triton-audit")


class _Plugin:
    def __init__(self, session):
        self.session, self.total, self.tests = session, Collection(), 0
        self.is_worker = False

    def pytest_configure(self, config):
        self.is_worker = hasattr(config, "workerinput")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.session.test = item.nodeid
        try:
            return (yield)
        finally:
            self.session.test = ""

    def _is_unsupported(self, report, call):
        """Whether a report is about what an audit has nothing for. It becomes one of something that is skipped."""
        sentence = explain(call.excinfo.value) if report.failed and call is not None and call.excinfo else None
        if sentence is None:
            return False
        self.session.note_unsupported(sentence)
        report.outcome, report.longrepr = "skipped", f"Skipped: {sentence}"
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        report = yield
        self.session.test = collector.nodeid
        if self._is_unsupported(report, getattr(report, "call", None)):
            report.longrepr = (str(collector.path), 0, report.longrepr)
        self.session.test = ""
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        happened = self.session.current
        if not happened.findings and self._is_unsupported(report, call):
            report.longrepr = (str(item.path), item.location[1] or 0, report.longrepr)
        elif happened.findings and not report.failed:
            report.outcome = "failed"
            report.longrepr = "\n".join(finding.text for finding in happened.findings)
        report.triton_audit = self.session.take().as_dict()
        return report

    def _add_rest(self):
        """What happened outside of tests, such as launches while files are imported."""
        self.total.add(self.session.take())

    def pytest_collectreport(self, report):
        if not self.is_worker:
            self._add_rest()

    def pytest_runtest_logreport(self, report):
        if hasattr(report, "triton_audit"):
            self.total.add(Collection.from_dict(report.triton_audit))
        if report.when == "call":
            self.tests += 1

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session):
        self._add_rest()
        if self.total.findings and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return (yield)

    def pytest_terminal_summary(self, terminalreporter, config):
        path = config.getoption("audit_sarif")
        if path:
            write_sarif(self.total, path)
        if config.getoption("audit_coverage"):
            write_lcov(self.total.coverage, config.getoption("audit_coverage"))
        if config.getoption("audit_shadow"):
            write_report(self.total.errors, config.getoption("audit_shadow"))
        terminalreporter.section(f"audit of {self.session.machine.name}")
        for line in summary_lines(self.total, self.tests):
            terminalreporter.line(line)
        if config.getoption("audit_github"):
            for line in github_lines(self.total):
                terminalreporter.line(line)
