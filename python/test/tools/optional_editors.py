"""The settings of docs/editors.md in editors: a wrong kernel's error is shown."""

import os
import re
import shutil
import subprocess
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
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
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
