"""Sources and what the frontend prints for them (scripts/update_goldens.py rewrites the expectations), and a check that
every diagnostic is among them."""

import re
import sys

import pytest
from frontend_tool import BUILD, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import update_goldens  # noqa: E402

SECTIONS = ["ParseDiagnostics.def", "LoweringDiagnostics.def", "BuiltinDiagnostics.def"]

#: Kinds that no golden can show, with the reason.
EXEMPT = {
    "FileTooLarge": "needs a text of more than 2 GB",
    "NotAFunction": "is an error of parseFunction, which ParserTest.cpp covers",
    "FileUnreadable": "is an error of the module loader, which ModuleLoaderTest.cpp covers",
    "NotAKernel": "is an error of the module loader, which ModuleLoaderTest.cpp covers",
    "NoKernels": "is an error of the module loader, which ModuleLoaderTest.cpp covers",
    "KernelNotFound": "is an error of the module loader, which ModuleLoaderTest.cpp covers",
} | dict.fromkeys(
    [
        *(
            "BufferContents",
            "BufferElement",
            "IntegerScalar",
            "BufferIndices",
            "CountRange",
            "CopyShape",
            "LayoutBlocks",
            "GluonTarget",
        ),
        *(
            "LayoutMissing",
            "LayoutRank",
            "LayoutThreads",
            "LayoutsDiffer",
            "MissingPart",
            "MissingUnit",
            "NoCachePolicy",
            "PolicyAlone",
            "RemovedPart",
        ),
        *("NoLayoutFollows", "NotABuffer", "NotALayout", "NotASlice", "NotAuto", "NotTrivial", "ProductLayout"),
        *("ProductOperand", "SingleBuffer", "WrongBuffer", "WrongLayout"),
        *("GroupProduct", "NotABlock", "PartitionBlock", "WrongPartition"),
        *("CopiedBuffer", "DescriptorOfBuffers", "NeedsArchitecture", "NeedsHopper", "NotABarrier", "NotADescriptor"),
        *("BufferOffsets", "BufferSubscript", "CopiedPart", "NoOtherBlocks", "OtherBlock", "PaddedStore", "ProductWidths"),
        *("ProductWithoutUnit", "ResultWithoutUse", "UnitScaleLayout", "UnitScales", "WaitedProducts"),
        *("BlocksOfRows", "DescribedLayout", "NumbersOfRows"),
        *("DescriptorMethodInGluon", "NeedsTensorMemory", "NoTransferLayout", "NotInTensorMemory"),
    ],
    "needs layouts, which are Python's objects; test_gluon.py, test_gluon_descriptors.py, test_gluon_errors.py, "
    "test_gluon_scaled.py and test_gluon_tensor_memory.py cover it",
)


@pytest.mark.parametrize("case", update_goldens.cases(), ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_golden(case):
    expected = update_goldens.expected_path(case)
    assert expected.exists(), "no expectation yet: run `make golden` and review what it writes"
    assert update_goldens.actual(case, BUILD) == expected.read_text("utf-8"), (
        "run `make golden` and review the difference"
    )


def declared():
    """The name, class and message format of every registered diagnostic."""
    entry = re.compile(r'^TRITON_DIAGNOSTIC\((\w+),\s*(\w+),\s*\((.*?)\),\s*((?:"(?:[^"\\]|\\.)*"\s*)+),', re.M | re.S)
    for section in SECTIONS:
        text = (ROOT / "src/frontend" / section).read_text("utf-8")
        found = entry.findall(text)
        assert len(found) == text.count("\nTRITON_DIAGNOSTIC("), f"a line of {section} is not understood"
        for name, kind, _, literals in found:
            message = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
            yield name, kind, message.replace('\\"', '"').replace("\\\\", "\\")


def pattern(message):
    """A regular expression for what a message format prints."""
    pieces = re.split(r"(\{\{|\{\d\})", message)
    return "".join(
        r"\{" if piece == "{{" else ".*" if re.fullmatch(r"\{\d\}", piece) else re.escape(piece) for piece in pieces
    )


def test_every_diagnostic_is_shown():
    shown = "\n".join(
        path.read_text("utf-8") for path in map(update_goldens.expected_path, update_goldens.cases()) if path.exists()
    )
    label = {"Note": "note", "Warning": "warning"}
    missing = [
        name
        for name, kind, message in declared()
        if not re.search(f"^(.*: )?{label.get(kind, 'error')}: {pattern(message)}$", shown, re.M)
    ]
    assert sorted(set(missing) - set(EXEMPT)) == [], "these kinds of diagnostics have no golden"
    assert sorted(set(EXEMPT) - set(missing)) == [], "these exemptions are not needed"
