"""Backends of other packages: entry points of the group `triton.backends`. `plugin_backend` is such a package; each
test installs it, or a wrong one, into a folder of its own and runs a program there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from programs import PATIENCE

PACKAGE = Path(__file__).parent / "plugin_backend" / "slate_backend"

KERNEL = """
import numpy as np, triton, triton.language as tl
from triton import knobs

@triton.jit
def twice(x):
    return x + x

@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, twice(tl.load(x + i, mask=i < n)), mask=i < n)

x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
"""


@pytest.fixture
def install(tmp_path):
    """Installs a distribution whose entry point `name` is the package; ``files`` replace files of the package."""

    def install(name="slate", package="slate_backend", distribution="slate-for-triton", value=None, **files):
        shutil.copytree(PACKAGE, tmp_path / package, dirs_exist_ok=True)
        for module, text in files.items():
            (tmp_path / package / f"{module}.py").write_text(text)
        facts = tmp_path / f"{distribution.replace('-', '_')}-1.2.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
        (facts / "entry_points.txt").write_text(f"[triton.backends]\n{name} = {value or package}\n")

    return install


def run(tmp_path, text, **environment):
    """(exit status, output, errors) of a program that finds the installed packages. The slate is active."""
    (tmp_path / "program.py").write_text(text)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    variables = {"SLATE": "1", "PYTHONPATH": path, "TRITON_CACHE_DIR": str(tmp_path / "cache"), **environment}
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **variables})
    return done.returncode, done.stdout, done.stderr


def succeeds(tmp_path, text, **environment):
    status, output, errors = run(tmp_path, text, **environment)
    assert status == 0, errors
    return output


LAUNCH = """
from slate_backend.driver import LAUNCHES
kernel = scale[(4,)](x, out, 100, BLOCK=32, factor=3)
np.testing.assert_array_equal(out, x * 6)
assert LAUNCHES == [(4, 1, 1, 42, (1, 3))], LAUNCHES
"""


def test_launches(install, tmp_path):
    install()
    output = succeeds(
        tmp_path,
        KERNEL
        + LAUNCH
        + """
assert type(triton.runtime.driver.active).__name__ == "SlateDriver" and "slate" in triton.backends.backends
assert list(kernel.asm) == ["source", "ttir", "slate"] and "tt.func public @scale" in kernel.asm["ttir"]
assert "tt.call" in kernel.asm["source"] and "tt.call" not in kernel.asm["ttir"]
assert kernel.kernel == kernel.asm["slate"] and kernel.kernel.startswith(b"def scale(program, ")
assert (kernel.n_regs, kernel.n_spills, kernel.n_max_threads) == (7, 0, 64)
assert kernel.metadata.factor == 3 and kernel.metadata.target == triton.runtime.driver.active.get_current_target()
assert sorted(kernel.metadata_group) == ["scale.json", "scale.slate", "scale.source", "scale.ttir"]
# Another factor and another size are variants of their own; a launch that repeats one is not compiled again.
assert scale[(4,)](x, out, 100, BLOCK=32, factor=3) is kernel
assert scale[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, out, 100, BLOCK=32, factor=1) is not kernel
np.testing.assert_array_equal(out, x * 2)
scale[(0,)](x, out, 100, BLOCK=32, factor=7)
np.testing.assert_array_equal(out, x * 2)
# As other programs launch.
kernel._init_handles()
kernel.run(4, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, out, 100, 32)
np.testing.assert_array_equal(out, x * 6)
scale.warmup(x, out, 100, BLOCK=64, grid=(1,)).asm["slate"]
print("done")
""",
    )
    assert output == "done\n"


def test_cache_and_hooks(install, tmp_path):
    install()
    text = (
        KERNEL
        + """
told = []
knobs.runtime.launch_enter_hook.add(lambda metadata: told.append(("enter", metadata.get()["name"])))
knobs.runtime.launch_exit_hook.add(lambda metadata: told.append(("exit", metadata.get()["name"])))
import slate_backend.compiler as made
def make(text, metadata, make=made.SlateBackend.make_slate):
    print("compiled")
    return make(text, metadata)
made.SlateBackend.make_slate = staticmethod(make)
scale[(4,)](x, out, 100, BLOCK=32)
assert (out == x * 2).all() and told == [("enter", "scale"), ("exit", "scale")]
"""
    )
    assert succeeds(tmp_path, text) == "compiled\n"
    assert succeeds(tmp_path, text) == ""
    assert succeeds(tmp_path, text, TRITON_ALWAYS_COMPILE="1") == "compiled\n"


def test_explicit_target(install, tmp_path):
    """Another device is active; TTIR from a file goes the same way."""
    install()
    text = (
        KERNEL
        + """
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
scale[(4,)](x, out, 100, BLOCK=32)
assert type(triton.runtime.driver.active).__name__ == "CPUDriver" and (out == x * 2).all()
source = ASTSource(scale, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 32})
kernel = triton.compile(source, target=GPUTarget("slate", "a1", 1), options={"factor": 2})
assert kernel.kernel.startswith(b"def scale") and kernel.metadata.factor == 2
try:
    kernel[(1,)](x, out, 100, 32)
except RuntimeError as error:
    print(error)
open("kernel.ttir", "w").write(kernel.asm["ttir"])
assert triton.compile("kernel.ttir", target=GPUTarget("slate", "a1", 1)).kernel == kernel.kernel
from slate_backend.driver import SlateDriver
triton.runtime.driver.set_active(SlateDriver())
kernel[(1,)](x, out, 10, 32)
assert (out[:10] == x[:10] * 4).all() and (out[10:] == x[10:] * 2).all()
"""
    )
    output = succeeds(tmp_path, f"import os; os.chdir({str(tmp_path)!r})\n" + text, SLATE="0", TRITON_CPU_BACKEND="1")
    assert output == "`scale` was compiled for `slate` and cannot run on the active device, which is `cpu`\n"


def test_the_import_looks_for_nothing(install, tmp_path):
    install(compiler="raise RuntimeError('imported')")
    text = (
        KERNEL
        + """
import sys
assert "triton.backends.plugins" not in sys.modules and "importlib.metadata" not in sys.modules
scale[(4,)](x, out, 100, BLOCK=32)
"""
    )
    succeeds(tmp_path, text, TRITON_CPU_BACKEND="1")
    succeeds(tmp_path, text, TRITON_BACKENDS_IN_TREE="1", TRITON_DEFAULT_BACKEND="cpu")


WRONG = {
    "no package": (dict(value="nowhere"), "the import of `nowhere.compiler` ended in ModuleNotFoundError"),
    "an error at import": (dict(driver="1 / 0"), "the import of `slate_backend.driver` ended in ZeroDivisionError"),
    "no class": (dict(driver="x = 1"), "`slate_backend.driver` has no subclass of DriverBase that can be used;"),
    "an abstract class": (
        dict(compiler="from triton.backends import BaseBackend\nclass Rough(BaseBackend): pass"),
        "`Rough` lacks hash, supports_target",
    ),
    "two classes": (
        dict(driver=f"{(PACKAGE / 'driver.py').read_text()}\nclass Other(SlateDriver): pass"),
        "has several subclasses of DriverBase: Other, SlateDriver",
    ),
    "no options": (
        dict(compiler=(PACKAGE / "compiler.py").read_text().replace("def parse_options", "def options_of")),
        "its class `SlateBackend` lacks `parse_options`",
    ),
    "a name that is taken": (dict(name="cpu"), "this package has a backend of that name"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_packages(install, tmp_path, case):
    given, problem = WRONG[case]
    install(**given)
    status, _, errors = run(tmp_path, KERNEL + "scale[(4,)](x, out, 100, BLOCK=32)")
    last = [line for line in errors.splitlines() if line.startswith("RuntimeError")][-1]
    name = given.get("name", "slate")
    assert status == 1 and f"the backend `{name}` of slate-for-triton 1.2 (entry point `" in last
    assert problem in last and "TRITON_BACKENDS_IN_TREE=1" in last
    succeeds(tmp_path, KERNEL + "scale[(4,)](x, out, 100, BLOCK=32)", TRITON_BACKENDS_IN_TREE="1")


def test_two_active_drivers(install, tmp_path):
    install()
    install(name="chalk", package="chalk_backend", distribution="chalk")
    text = KERNEL + "scale[(4,)](x, out, 100, BLOCK=32)\nassert (out == x * 2).all()"
    status, _, errors = run(tmp_path, text)
    assert status == 1 and "2 drivers are active: " in errors
    assert "`slate` of slate-for-triton 1.2" in errors and "`chalk` of chalk 1.2" in errors
    succeeds(tmp_path, text, SLATE="0")
    # Both compile for the same targets.
    status, _, errors = run(tmp_path, text, TRITON_DEFAULT_BACKEND="slate")
    assert status == 1 and "2 backends compile for GPUTarget(backend='slate'" in errors


def test_a_driver_that_does_not_answer(install, tmp_path):
    install(driver=(PACKAGE / "driver.py").read_text().replace('os.environ.get("SLATE") == "1"', "1 / 0"))
    status, _, errors = run(tmp_path, KERNEL + "scale[(4,)](x, out, 100, BLOCK=32)")
    assert status == 1 and "the driver of the backend `slate` of slate-for-triton 1.2 does not say whether" in errors


@pytest.mark.parametrize(
    "old, new, problem",
    [
        ('binary_ext = "slate"', 'binary_ext = "chalk"', "are ttir, slate; its `binary_ext` `chalk` is none of them"),
        ('return "\\n".join(code) + "\\n"', "return code", "stage `slate` returned a `list`; it must return a text"),
        ('"tt.addptr": "+",', "", "NotImplementedError: the slate has no `tt.addptr"),
    ],
)
def test_wrong_stages(install, tmp_path, old, new, problem):
    text = (PACKAGE / "compiler.py").read_text()
    assert old in text
    install(compiler=text.replace(old, new))
    status, _, errors = run(tmp_path, KERNEL + "scale[(4,)](x, out, 100, BLOCK=32)")
    assert status == 1 and problem in errors


def test_unknown_options(install, tmp_path):
    install()
    status, _, errors = run(tmp_path, KERNEL + "scale[(4,)](x, out, 100, BLOCK=32, facter=2)")
    assert status == 1 and "did you mean `factor`?" in errors
