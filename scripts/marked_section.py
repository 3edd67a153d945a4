"""The part of a document that a program writes: what stands between two lines that mark it."""

import pathlib
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class MarkedSection:
    #: The path from the root of the repository.
    document: str
    #: The lines before and after the section, without their ends.
    begin: str
    end: str

    def documents(self, section, text=None):
        """Path and content of the document, or of its changed text, with this section."""
        path = ROOT / self.document
        before, rest = (path.read_text(encoding="utf-8") if text is None else text).split(self.begin + "\n")
        after = rest.split(self.end + "\n")[1]
        return {path: f"{before}{self.begin}\n{section}{self.end}\n{after}"}


def write(documents):
    """Writes documents that are given as path and content."""
    for path, content in documents.items():
        path.write_text(content, encoding="utf-8")
