"""The settings of docs/editors.md in editors: a wrong kernel's error is shown."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import triton

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/editors.md"
WRONG = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f(x):\n    tl.store(x, tl.lod(x))\n"
MESSAGE = "7: the module `triton.language` has no attribute `lod`"

NEOVIM = """
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end)
for _, found in ipairs(vim.diagnostic.get(0)) do print((found.lnum + 1) .. ": " .. found.message) end
vim.cmd("qa!")
"""
EMACS = """
(setq lsp-warn-no-matched-clients nil lsp-enable-file-watchers nil)
(find-file "wrong.py")
(python-mode)
(lsp-workspace-folders-add default-directory)
(lsp)
(let ((end (+ (float-time) 20)))
  (while (and (< (float-time) end) (= 0 (hash-table-count (lsp-diagnostics t))))
    (accept-process-output nil 0.1)))
(maphash (lambda (file found)
           (dolist (each found)
             (let ((start (gethash "start" (gethash "range" each))))
               (message "%d: %s" (1+ (gethash "line" start)) (gethash "message" each)))))
         (lsp-diagnostics t))
"""


def settings(language, word):
    """The block of the document that has the word."""
    (found,) = [block for block in re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(), re.S) if word in block]
    return found


def shown(folder, command):
    (folder / "wrong.py").write_text(WRONG)
    tools = Path(triton.__file__).parents[2] / "tools/tritonc"
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def test_neovim(tmp_path):
    (tmp_path / "init.lua").write_text(settings("lua", "start_client"))
    (tmp_path / "drive.lua").write_text(NEOVIM)
    drive = ["-c", "filetype on", "-c", "set filetype=python", "-c", "luafile drive.lua"]
    assert MESSAGE in shown(tmp_path, ["nvim", "--headless", "-u", "init.lua", "wrong.py", *drive])


def test_emacs(tmp_path):
    start = "(require 'package)\n(package-initialize)\n(require 'lsp-mode)\n"
    (tmp_path / "drive.el").write_text(start + settings("elisp", "lsp-register-client") + EMACS)
    assert MESSAGE in shown(tmp_path, ["emacs", "--batch", "-l", "drive.el"])


def documented_commands():
    """The command that each editor starts by the settings of the document, for editors that are in no package."""
    zed = json.loads(settings("json", '"pylsp"'))["lsp"]["pylsp"]["binary"]
    helix = settings("toml", "language-server").partition("[[")[0]
    words = re.compile(r'"([^"]*)"')
    neovim = re.search(r"cmd = \{(.*?)\}", settings("lua", "vim.lsp.config"))[1]
    eglot = re.search(r"\. \((.*?)\)", settings("elisp", "eglot-server-programs"))[1]
    return {
        "jetbrains": settings("sh", "tritonc lsp").split(),
        "zed": [zed["path"], *zed["arguments"]],
        "helix": words.findall(helix),
        "neovim": words.findall(neovim),
        "eglot": words.findall(eglot),
    }


@pytest.mark.parametrize("editor", documented_commands())
def test_documented_commands(editor, tmp_path):
    """The command is that of a language server: a client of a few lines gets the error of a wrong kernel."""
    file = tmp_path / "wrong.py"
    document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": WRONG}
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
    ]
    tools = Path(triton.__file__).parents[2] / "tools/tritonc"
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    with subprocess.Popen(
        documented_commands()[editor], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as server:
        for message in messages:
            send(server, message)
        while (message := receive(server)).get("method") != "textDocument/publishDiagnostics":
            pass
        (wrong,) = message["params"]["diagnostics"]
        assert "no attribute `lod`" in wrong["message"] and wrong["range"]["start"]["line"] == 6
        send(server, {"id": 2, "method": "shutdown"})
        while receive(server).get("id") != 2:
            pass
        send(server, {"method": "exit"})
    assert server.returncode == 0


def send(server, message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def receive(server):
    header = server.stdout.readline()
    assert server.stdout.readline() == b"\r\n"
    return json.loads(server.stdout.read(int(header.removeprefix(b"Content-Length: "))))


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    """The extension for Visual Studio Code, unpacked from its package."""
    folder = tmp_path_factory.mktemp("vscode")
    package = folder / "kernels.vsix"
    pack = DOCUMENT.parents[1] / "scripts/pack_vscode.py"
    subprocess.run([sys.executable, pack, package], check=True, capture_output=True)
    zipfile.ZipFile(package).extractall(folder)
    return folder / "extension"


def in_vscode(extension, tritonc, file, line, character):
    stub = Path(__file__).with_name("vscode_stub.js")
    command = ["node", stub, extension, tritonc, file, str(line), str(character)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_visual_studio_code(extension, tmp_path):
    """What the extension does, in an editor of a few lines: the program itself is in no package."""
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    tritonc = Path(triton.__file__).parents[2] / "tools/tritonc/tritonc"
    at = WRONG.splitlines()[6].index("lod") + 1
    given = in_vscode(extension, tritonc, file, 6, at)
    (wrong,) = given["diagnostics"]
    assert "no attribute `lod`" in wrong["message"] and wrong["severity"] == 0
    assert wrong["range"]["start"] == {"line": 6, "character": at - 1}
    (action,) = given["actions"]
    assert action["title"] == "Change to `load`" and action["edit"]["edits"][0]["text"] == "load"
    assert "load" in given["names"] and given["symbols"] == ["f"] and given["after"] == [] and not given["problems"]
    debugger = given["debugger"]
    assert (debugger["command"], debugger["args"]) == ("python3", ["-m", "triton.debug"]) and debugger["options"]["cwd"]


def test_visual_studio_code_without_the_compiler(extension, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    given = in_vscode(extension, "/nowhere/tritonc", file, 6, 0)
    (problem,) = given["problems"]
    assert "/nowhere/tritonc lsp does not run" in problem and "triton.tritonc" in problem
