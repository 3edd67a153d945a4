#!/usr/bin/env python3
"""Packs the extension for Visual Studio Code, editors/vscode, as a file that `code --install-extension` takes.

    scripts/pack_vscode.py [FILE]     triton-kernels-VERSION.vsix in the working directory where none is named

The extension uses nothing but the editor, so that packing needs neither npm nor a network. Equal sources give equal
bytes.
"""

import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import escape, quoteattr

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "editors/vscode"
TYPES = {"json": "application/json", "js": "application/javascript", "txt": "text/plain", "vsixmanifest": "text/xml"}
SCHEMA = "http://schemas.microsoft.com/developer/vsx-schema/2011"


def manifest(package):
    """What the editor reads before it unpacks the rest."""
    identity = {
        "Language": "en-US",
        "Id": package["name"],
        "Version": package["version"],
        "Publisher": package["publisher"],
    }
    attributes = " ".join(f"{name}={quoteattr(value)}" for name, value in identity.items())
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="{SCHEMA}">
  <Metadata>
    <Identity {attributes}/>
    <DisplayName>{escape(package["displayName"])}</DisplayName>
    <Description xml:space="preserve">{escape(package["description"])}</Description>
    <Categories>{escape(",".join(package["categories"]))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(package["engines"]["vscode"])}/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets>
</PackageManifest>
"""


def content_types():
    entries = "".join(f'<Default Extension=".{ending}" ContentType="{type_}"/>' for ending, type_ in TYPES.items())
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        f'content-types">{entries}</Types>\n'
    )


def pack(path):
    package = json.loads((FOLDER / "package.json").read_text())
    files = {"extension.vsixmanifest": manifest(package), "[Content_Types].xml": content_types()}
    for file in sorted(FOLDER.glob("*.js*")):
        files[f"extension/{file.name}"] = file.read_text()
    files["extension/LICENSE.txt"] = (ROOT / "LICENSE").read_text()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] == ["--help"]:
        sys.exit(__doc__)
    version = json.loads((FOLDER / "package.json").read_text())["version"]
    path = sys.argv[1] if len(sys.argv) == 2 else f"triton-kernels-{version}.vsix"
    pack(path)
    print(f"wrote {path}; install it with: code --install-extension {path}")


if __name__ == "__main__":
    main()
