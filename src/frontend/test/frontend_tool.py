"""The tool triton-frontend-dump, and where the sources and the build are that are tested."""
import pathlib
import subprocess

import triton

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: The build under test: the one whose package is imported.
BUILD = pathlib.Path(triton.__file__).parents[2]
#: Seconds after which a program has hung, beside whatever else the machine does.
PATIENCE = 600


class FrontendDump:
    """The tool triton-frontend-dump."""

    def __init__(self):
        self.path = BUILD / "bin" / "triton-frontend-dump"

    def run(self, files, mode):
        """The output for each file. A crash or a hang fails the test."""
        files = [str(file) for file in files]
        command = [str(self.path), f"--mode={mode}", *files]
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE)
        assert done.returncode in (0, 1), f"exit {done.returncode} of {command}\n{done.stderr.decode(errors='replace')}"
        output = done.stdout.decode("utf-8", "surrogateescape")
        if len(files) == 1:
            return [output]
        results = [part.split("\n", 1)[1] for part in output.split("\f")[1:]]
        assert len(results) == len(files)
        return results

    def run_text(self, data, mode="diagnostics"):
        """The output for a text given as bytes."""
        done = subprocess.run([str(self.path), f"--mode={mode}", "-"], input=data, capture_output=True, timeout=PATIENCE)
        assert done.returncode in (0, 1), f"exit {done.returncode}\n{done.stderr.decode(errors='replace')}"
        return done.stdout.decode("utf-8", "replace")
