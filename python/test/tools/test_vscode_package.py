"""The package of the extension for Visual Studio Code, which `scripts/pack_vscode.py` makes."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SPACES = {"vsx": "http://schemas.microsoft.com/developer/vsx-schema/2011"}


def pack(path):
    done = subprocess.run([sys.executable, ROOT / "scripts/pack_vscode.py", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(path)


def test_package(tmp_path):
    archive = pack(tmp_path / "one.vsix")
    package = json.loads(archive.read("extension/package.json"))
    assert not package.get("dependencies"), "whoever installs the package gets nothing else"
    main = f"extension/{package['main'].removeprefix('./')}"
    assert {main, "extension/client.js", "extension/LICENSE.txt", "[Content_Types].xml"} <= set(archive.namelist())
    identity = ElementTree.fromstring(archive.read("extension.vsixmanifest")).find(".//vsx:Identity", SPACES).attrib
    assert (identity["Id"], identity["Version"]) == (package["name"], package["version"])
    types = ElementTree.fromstring(archive.read("[Content_Types].xml"))
    known = {each.attrib["Extension"] for each in types}
    assert all(Path(name).suffix in known for name in archive.namelist() if name != "[Content_Types].xml")
    pack(tmp_path / "two.vsix")
    assert (tmp_path / "one.vsix").read_bytes() == (tmp_path / "two.vsix").read_bytes()
