# ruff: noqa: F821  (lit defines `config`)
# Tests of passes and operations: every .mlir, .ttir and .ll file of src and of this folder.
import os

import lit.formats

config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir", ".ll"]
config.environment["PATH"] = os.pathsep.join([*config.tool_folders, os.environ.get("PATH", "")])
# A failing comparison shows what the tool printed.
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=error --enable-var-scope"
