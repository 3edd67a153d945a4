"""What programs for Triton 3.9 say without effect here is named once, and `python -m triton.compatibility` lists it."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import _differences, knobs
from triton._utils import warn_once
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

SETTINGS = [(occasion, setting) for occasion, settings in _differences.SETTINGS.items() for setting in settings]


@pytest.fixture(autouse=True)
def nothing_was_told(monkeypatch):
    warn_once.cache_clear()
    monkeypatch.setattr(_differences, "given", {})


def messages(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
        call()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("occasion, setting", SETTINGS, ids=[setting.variable for _, setting in SETTINGS])
def test_variables_without_effect_are_named_once(occasion, setting, monkeypatch):
    assert messages(lambda: _differences.tell_of_settings(occasion)) == []
    monkeypatch.setenv(setting.variable, "names" if setting.taken else "1")
    (message,) = messages(lambda: _differences.tell_of_settings(occasion))
    assert setting.variable in message and message.endswith(f"which has no effect: {setting.reason}")
    assert not setting.knob or f"`knobs.{setting.knob}`" in message
    monkeypatch.setenv(setting.variable, "0")
    said = messages(lambda: _differences.tell_of_settings(occasion))
    group, _, name = setting.knob.partition(".")
    is_text = setting.knob and isinstance(getattr(knobs, group).knob_descriptors[name], knobs.env_str)
    assert len(said) == (setting.matters_off and not is_text)


def test_settings_are_named_without_the_environment(monkeypatch):
    monkeypatch.setattr(knobs, "propagate_env", False)
    with knobs.amd.scope():
        knobs.amd.dump_mir = "folder"
        (message,) = messages(lambda: _differences.tell_of_settings("hip"))
    assert "`knobs.amd.dump_mir` (TRITON_DUMP_MIR) is 'folder'" in message


def test_settings_that_nobody_knows():
    with knobs.amd.scope(), pytest.warns(UserWarning, match="`knobs.amd` has no setting `dump_mirr`") as caught:
        knobs.amd.dump_mirr = knobs.amd.dump_mirr = "folder"
        knobs.amd.dump_mir = "folder"
    assert len(caught) == 1 and not hasattr(knobs.amd, "dump_mirr")


def test_every_setting_has_its_effect_or_is_listed():
    text = (Path(__file__).resolve().parents[3] / "docs/options.md").read_text()
    listed = {setting.variable for _, setting in SETTINGS} | {setting.variable for setting in _differences.REFUSED}
    groups = [value for value in vars(knobs).values() if isinstance(value, knobs.base_knobs)]
    variables = {setting.key for group in groups for setting in group.knob_descriptors.values()}
    assert len(variables) > 60
    assert [variable for variable in sorted(variables - listed) if f"`{variable}" not in text] == []


@triton.jit
def fill(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 1.0)


@pytest.mark.parametrize(
    "option, value, is_named",
    [
        ("clc", True, True),
        ("clc", False, False),
        ("waves_per_eu", 2, True),
        ("waves_per_eu", None, False),
        ("launch_cooperative_grid", True, True),
        ("num_warps", 8, False),
    ],
)
def test_launches_take_options_of_gpus_on_the_processor(option, value, is_named):
    backend = triton.compiler.make_backend(GPUTarget("cpu", None, 0))
    said = messages(lambda: backend.parse_options({option: value}, fill.arg_names))
    assert [f"`{option}`" in message for message in said] == [True] * is_named


@pytest.mark.parametrize(
    "target", [GPUTarget("cpu", None, 0), GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)]
)
def test_what_the_target_decides(target):
    backend = triton.compiler.make_backend(target)
    usual = backend.parse_options({})
    named = [name for name in _differences.OPTIONS[backend.kind] if hasattr(usual, name)]
    assert messages(lambda: backend.parse_options({name: getattr(usual, name) for name in named})) == []
    (message,) = messages(lambda: backend.parse_options({"supported_fp8_dtypes": ("fp8e5", "fp7")}))
    assert "`supported_fp8_dtypes`" in message and "the target decides it" in message
    told = messages(lambda: backend.parse_options({"extern_libs": {"mine": "/mine.bc"}}))
    assert told == [] if target.backend == "cuda" else "/mine.bc" in told[0]


def test_unknown_options_of_a_compilation():
    """A launch refuses them: they may be misspelled parameters. Triton ignores those of `triton.compile`."""
    source = ASTSource(fill, {"x": "*fp32", "N": "constexpr"}, {"N": 16})
    with pytest.warns(UserWarning, match="`optimize_epilogue` is not an option of this compiler"):
        triton.compile(source, options={"optimize_epilogue": False})
    with pytest.raises(KeyError, match="`optimize_epilogue` is neither"):
        fill[(1,)](np.zeros(16, np.float32), N=16, optimize_epilogue=False)


PROGRAM = """
import sys
import numpy as np
import triton, triton.language as tl
from triton.tools import mxfp
from triton.runtime.jit import no_such_function
"""
CAUGHT = """
import sys
import numpy as np
import triton, triton.language as tl
from triton.tools import mxfp
assert not hasattr(tl, "no_such_function") and hasattr(tl, "extra")
try:
    import triton.no_such_module
except ImportError:
    pass

@triton.jit
def fill(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 1.0)

@triton.jit
def wrong(x):
    tl.store(x, nothing)

x = np.zeros(16, np.float32)
fill[(1,)](x, N=16, sched4reg=True)
try:
    wrong[(1,)](x)
except triton.CompilationError:
    print("caught", sys.argv[1:])
"""
EMPTY = """
import sys
import triton
sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else None)
"""


def run(tmp_path, text, *words, **variables):
    """The exit status, standard output and standard error of the command."""
    (tmp_path / "program.py").write_text(text)
    options = [word for word in words if word.startswith("--")]
    arguments = [word for word in words if word not in options]
    command = [sys.executable, "-m", "triton.compatibility", *options, "program.py", *arguments]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"TRITON_CPU_BACKEND": "1"} | variables, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command_lists_what_is_different(tmp_path):
    report = tmp_path / "report.json"
    variables = {"TRITON_DUMP_MIR": "folder", "TRITON_ENABLE_NVTX": "1"}
    status, output, errors = run(tmp_path, CAUGHT, "--json", f"--output={report}", "an argument", **variables)
    assert (status, output) == (3, "caught ['an argument']\n"), errors
    found = {(entry["kind"], entry["name"]): entry for entry in json.loads(report.read_text())["differences"]}
    names = [name for kind, name in found if kind != "refused"]
    assert names == [
        "TRITON_DUMP_MIR",
        "TRITON_ENABLE_NVTX",
        "sched4reg",
        "triton.language.no_such_function",
        "triton.no_such_module",
    ]
    assert found["attribute", "triton.language.no_such_function"]["place"].endswith("program.py:6")
    (refused,) = (entry for (kind, _), entry in found.items() if kind == "refused")
    assert "program.py:18:17: error: `nothing` is not defined" in refused["message"]


def test_the_command_as_text_and_its_status(tmp_path):
    status, _, errors = run(tmp_path, EMPTY)
    assert status == 0 and errors == "triton.compatibility: nothing that the program used is different here\n"
    status, _, errors = run(tmp_path, EMPTY, "5", TRITON_PLUGIN_PATHS="/plugin.so")
    assert status == 5 and "settings and variables without effect:\n- `TRITON_PLUGIN_PATHS` is '/plugin.so'" in errors
    assert run(tmp_path, EMPTY, TRITON_PLUGIN_PATHS="/plugin.so")[0] == 3
    status, _, errors = run(tmp_path, PROGRAM)
    assert status == 1 and "ImportError: cannot import name 'no_such_function'" in errors
    assert "- `triton.runtime.jit.no_such_function` is not here" in errors
