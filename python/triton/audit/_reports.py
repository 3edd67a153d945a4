"""How an audit reports what it found: text for people, SARIF for code scanning, annotations for GitHub."""

import json
import os

from .. import __version__
from ._lcov import never_lines
from ._shadow_report import report_lines

_INFORMATION = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def check_file(option, path):
    """Says before a long run what could not be written after it, by a ValueError."""
    if path and os.path.isdir(path):
        raise ValueError(f"`{option}` is `{path}`, which is a folder; name a file in it")
    if path and not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise ValueError(f"`{option}` is `{path}`, whose folder is not there; make it, or name another one")


def _number(count, noun):
    return f"{count} {noun}{'' if count == 1 else noun.endswith('ch') * 'e' + 's'}"


def summary_lines(collection, tests=None):
    """The findings and the counts of a run; ``tests`` is the number of tests that ran."""
    lines = []
    for finding, times in collection.distinct():
        lines.append(f"{finding.kind}: {finding.place}" + (f" ({times} times)" if times > 1 else ""))
        where = [f"kernel `{finding.kernel}`"]
        if finding.program:
            thread = "" if finding.thread is None else f", thread {finding.thread}"
            where.append(f"program {finding.program}{thread}")
        if finding.config:
            where.append(f"configuration {finding.config}")
        lines.append(f"  {finding.detail}")
        lines.append(f"  {', '.join(where)}; {finding.test}")
    unsupported = list(dict.fromkeys(collection.unsupported))  # each worker of pytest collects all files
    for sentence in dict.fromkeys(sentence for _, sentence in unsupported):
        where = [test for test, text in unsupported if text == sentence]
        lines.append(f"not audited: {sentence} ({where[0]}" + f" and {len(where) - 1} more" * (len(where) > 1) + ")")
    lines += never_lines(collection.coverage)
    lines += report_lines(collection.differences, "those of the other compilation")
    lines += collection.incomplete
    counts = [] if tests is None else [_number(tests, "test")]
    counts.append(_number(sum(collection.launches.values()), "launch"))
    counts.append(_number(len(collection.launches), "kernel"))
    counts.append(_number(len(collection.distinct()), "finding"))
    if unsupported:
        counts.append(f"{len(unsupported)} not audited")
    return [*lines, ", ".join(counts)]


def _rule(kind):
    return kind.replace(" ", "-")


def _path(file):
    """A path relative to the folder of the run, where the file is below it: so that reports find it in a repository."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative


def sarif(collection):
    """The findings as a SARIF 2.1.0 log."""
    results, rules = [], {}
    for finding, times in collection.distinct():
        rules.setdefault(finding.kind, {"id": _rule(finding.kind), "shortDescription": {"text": finding.kind}})
        result = {
            "ruleId": _rule(finding.kind),
            "level": "error",
            "message": {"text": f"{finding.kind} in kernel `{finding.kernel}`: {finding.detail}"},
            "occurrenceCount": times,
            "properties": {
                "kernel": finding.kernel,
                "program": list(finding.program),
                "thread": finding.thread,
                "argument": finding.argument,
                "test": finding.test,
            },
        }
        if finding.line:
            region = {"startLine": finding.line, "startColumn": max(finding.column, 1)}
            artifact = {"uri": _path(finding.file).replace(os.sep, "/")}
            result["locations"] = [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
            if finding.other_line:
                place = {"artifactLocation": artifact, "region": {"startLine": finding.other_line}}
                words = {"text": "the access that it races with"}
                result["relatedLocations"] = [{"physicalLocation": place, "message": words}]
        results.append(result)
    tool = {"name": "triton.audit", "version": __version__, "rules": list(rules.values())}
    run = {"tool": {"driver": tool}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _INFORMATION, "version": "2.1.0", "runs": [run]}


def write_sarif(collection, path):
    with open(path, "w") as file:
        json.dump(sarif(collection), file, indent=1)
        file.write("\n")


def _escaped(text, also=""):
    for character in "%\r\n" + also:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def github_lines(collection):
    """The findings as workflow commands, which GitHub shows beside the lines of a change."""
    for finding, _ in collection.distinct():
        place = f"file={_escaped(_path(finding.file), ':,')},line={finding.line},col={finding.column}," * bool(
            finding.line
        )
        message = f"{finding.detail} (kernel {finding.kernel}, {finding.test})"
        yield f"::error {place}title={_escaped(finding.kind, ':,')}::{_escaped(message)}"
