"""`triton.audit` without PyTorch: findings as data, their reports, the choice of configurations, exit statuses."""

import functools
import json
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.audit._compare import Other
from triton.audit._contents import Contents
from triton.audit._findings import Collection, Finding, parse_finding
from triton.audit._hints import states_facts
from triton.audit._lcov import lcov, never_lines
from triton.audit._machines import MACHINES, driver_of, machine_of
from triton.audit._reports import github_lines, sarif, summary_lines
from triton.audit._unsupported import UnsupportedCall, explain
from triton.backends.compiler import GPUTarget
from triton.language import max_contiguous as states

TEXT = """kernels.py:9:23: error: access out of bounds in program (3, 0, 1), thread 104: read of 4 bytes at byte 4000 \
of `x`, which has 4000 bytes
    tl.store(out + i, tl.load(x + i) * 2)
                      ^~~~~~~
help: mask the elements beyond the end of the array"""
PROGRAM = """
import sys
import numpy as np
import triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": block}) for block in (256, 1024)], key=[])
@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2, mask=i < n)

n = int(sys.argv[1])
x, out = np.ones(n, np.float32), np.zeros(n, np.float32)
try:
    scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
except RuntimeError:
    print("caught")
print(triton.runtime.driver.active.get_current_target())
sys.exit(int(sys.argv[2]))
"""


def test_a_finding_is_read_from_its_text():
    finding = parse_finding(TEXT, "scale", "test_x.py::test_y")
    assert (finding.kind, finding.place) == ("access out of bounds", "kernels.py:9:23")
    assert (finding.program, finding.thread, finding.argument) == ((3, 0, 1), 104, "x")
    assert finding.detail == "read of 4 bytes at byte 4000 of `x`, which has 4000 bytes"
    assert Finding.from_dict(json.loads(json.dumps(finding.as_dict()))) == finding
    unknown = parse_finding("error: trap in program (0, 0, 0), thread 3: the kernel ended")
    assert (unknown.kind, unknown.place, unknown.thread) == ("trap", "an unknown place", 3)


@pytest.fixture
def collection():
    first, again = (parse_finding(TEXT, "scale", f"test_x.py::test_{name}") for name in "ab")
    return Collection([first, again], Counter(scale=3, add=1), [("test_x.py::test_c", "a sentence")])


def test_equal_findings_are_one(collection):
    assert summary_lines(Collection.from_dict(collection.as_dict()), tests=3) == [
        "access out of bounds: kernels.py:9:23 (2 times)",
        "  read of 4 bytes at byte 4000 of `x`, which has 4000 bytes",
        "  kernel `scale`, program (3, 0, 1), thread 104; test_x.py::test_a",
        "not audited: a sentence (test_x.py::test_c)",
        "3 tests, 4 launches, 2 kernels, 1 finding, 1 not audited",
    ]


def test_findings_as_sarif_and_annotations(collection):
    (run,) = sarif(collection)["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][0]["id"] == result["ruleId"] == "access-out-of-bounds"
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "kernels.py"}, "region": {"startLine": 9, "startColumn": 23}}
    assert result["properties"]["argument"] == "x" and result["occurrenceCount"] == 2
    (line,) = github_lines(collection)
    assert line.startswith("::error file=kernels.py,line=9,col=23,title=access out of bounds::read of 4 bytes")
    race = "k.py:9:3: error: race on global memory in program (1, 0, 0), thread 0: write of 4 bytes at byte 0 of `x`, "
    race += "which another warp accesses without synchronization; thread 5 of program (0, 0, 0) reads it in line 7"
    (result,) = sarif(Collection([parse_finding(race)]))["runs"][0]["results"]
    assert result["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    odd = Collection([Finding("a:b", "100%\nof", "f,1.py", 1, 2, kernel="k", test="t")])
    assert next(github_lines(odd)) == "::error file=f%2C1.py,line=1,col=2,title=a%3Ab::100%25%0Aof (kernel k, t)"


@pytest.mark.parametrize("name", ["90", "sm_90", "cuda:90", "sim:cuda:90", "gfx942", "hip:gfx942"])
def test_machines_and_what_their_drivers_say(name):
    machine = machine_of(name)
    driver = driver_of(machine)
    backend = "hip" if machine.is_amd else "cuda"
    assert driver.get_current_target() == GPUTarget(backend, machine.arch, machine.lanes)
    assert driver.launch_target() == GPUTarget(f"sim:{backend}", machine.arch, machine.lanes)
    assert driver.launch_device() == (f"sim:{backend}", str(machine.arch))
    assert driver.utils.get_device_properties(0)["max_shared_mem"] == MACHINES[machine_name(machine)].shared


def machine_name(machine):
    return machine.arch if machine.is_amd else f"sm_{machine.arch}"


@pytest.mark.parametrize(
    "error, words",
    [
        (UnsupportedCall("torch.cuda.graph", "leave it out"), "`torch.cuda.graph` is not supported"),
        (ImportError("libcudart.so.12: cannot open shared object file"), "`libcudart.so.12` is not supported"),
        (AttributeError("module 'torch._C' has no attribute '_cuda_x'"), "`torch._C._cuda_x` is not supported"),
        (NotImplementedError("Could not run 'aten::addmm.x' with arguments from the 'CPU' backend"), "`aten::addmm.x`"),
        (ImportError("cannot import name '_cuda_y' from 'torch._C' (a file)"), "`torch._C._cuda_y` is not supported"),
        (ModuleNotFoundError("No module named 'flash_attn'"), "kernels of Triton alone"),
        (NotImplementedError("\"histogram_cpu\" not implemented for 'Int'"), "`histogram of Int` is not supported"),
        (ValueError("a mistake of the test"), None),
    ],
)
def test_missing_parts_are_told_in_a_sentence(error, words):
    sentence = explain(error)
    assert sentence is None if words is None else words in sentence


def audit(*arguments, cwd):
    command = [sys.executable, "-m", "triton.audit", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_programs(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    # With 1280 elements, 5 blocks of 256 fit, and 2 of 1024 do not.
    fine = audit("--target", "gfx942", "program.py", 1280, 7, cwd=tmp_path)
    assert fine.returncode == 7, fine.stderr
    assert fine.stdout == "GPUTarget(backend='hip', arch='gfx942', warp_size=64)\n"
    assert "1 launch, 1 kernel, 0 findings" in fine.stderr
    every = audit("--all-configs", "--sarif", "out.sarif", "--github", "program.py", 1280, 0, cwd=tmp_path)
    assert every.returncode == 1 and every.stdout.startswith("caught\n"), every.stderr
    assert "kernel `scale`, program (1, 0, 0)" in every.stderr and "configuration BLOCK: 1024" in every.stderr
    assert "::error file=program.py,line=11,col=23,title=access out of bounds::" in every.stdout
    assert json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "access-out-of-bounds"
    wrong = audit("--target", "sm_1", "program.py", cwd=tmp_path)
    assert wrong.returncode == 2 and "the target is `sm_1`; write one of sm_80" in wrong.stderr


COVERED = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def doubled(y, flag):
    if (flag >
            3):
        y = y * 2
    return y

@triton.jit
def scale(x, out, n, flag, BLOCK: tl.constexpr):
    '''A docstring'''
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x + i, mask=i < n)
    for j in range(2):
        if j == 1:
            y += doubled(y, flag)
    if flag == 7:
        tl.store(out, 0.0)
    tl.store(out + i, y, mask=i < n - 3)

x, out = np.ones(1024, np.float32), np.zeros(1024, np.float32)
scale[(4,)](x, out, 1024, 4, BLOCK=256)
assert out[0] == 3 and out[-1] == 0, out
scale[(4,)](x, out, 1024, 5, BLOCK=256)
"""


def test_coverage(tmp_path):
    (tmp_path / "program.py").write_text(COVERED)
    done = audit("--coverage", "out.info", "program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    never = [line for line in done.stderr.splitlines() if " never " in line]
    assert [line.partition(":")[0] for line in never] == [
        "condition that was never false",
        "mask that was never false",
        "condition that was never true",
    ]
    assert [line.split(":")[-2] for line in never] == ["8", "17", "21"]
    lines = (tmp_path / "out.info").read_text().splitlines()
    counts = dict(line[3:].split(",") for line in lines if line.startswith("DA:"))
    assert counts.keys() == {"8", "10", "11", "16", "17", "18", "19", "20", "21", "22", "23"}
    assert counts["22"] == "0" and counts["16"] == "8"  # of two launches of four programs
    assert {"BRDA:8,0,0,8", "BRDA:8,0,1,0", "BRDA:17,0,1,0", "BRDA:23,0,0,2042", "BRDA:23,0,1,6"} <= {*lines}
    assert "LF:11" in lines and "LH:10" in lines and lines[-1] == "end_of_record"


LONG_STATEMENTS = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def add(x, flag):
    if (
        flag > 3
    ):
        tl.store(
            x, tl.load(x)
            + 1)
    i = 0
    while i < flag:
        i += (
            1)

@triton.jit
def wait(x):
    tl.atomic_add(x, 1)
    if tl.program_id(0) == 0:
        while tl.atomic_add(x, 0) < 2:
            pass

x = np.zeros(1, np.int32)
add[(1,)](x, 4)
add[(1,)](x, 3)
wait[(1,)](np.ones(1, np.int32))
wait[(2,)](np.zeros(1, np.int32))
"""


def test_coverage_of_statements_over_several_lines_and_of_loops_that_wait(tmp_path):
    (tmp_path / "program.py").write_text(LONG_STATEMENTS)
    done = audit("--coverage", "out.info", "program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "out.info").read_text().splitlines()
    assert {"BRDA:9,0,0,1", "BRDA:9,0,1,1", "BRDA:15,0,0,7", "BRDA:15,0,1,2", "DA:9,2"} <= {*lines}
    (reason,) = [line for line in done.stderr.splitlines() if line.startswith("`wait` was not covered to its end: ")]
    assert reason.endswith("the loop may wait for a program that runs only later here")
    assert " never " not in done.stderr  # The other program of `wait` would have gone another way.


IN_GLUON = """
import numpy as np
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl

@gluon.jit
def half(buffer, x, n):
    i = ttgl.arange(0, 128, layout=ttgl.BlockedLayout([4], [32], [1], [0]))
    buffer.store(ttgl.load(x + i, mask=i < n, other=0.0))
    if n > 100:
        buffer.store(ttgl.zeros([128], ttgl.float32, i.layout))

@gluon.jit
def nothing():
    pass

@gluon.jit
def halves(x, n):
    buffer = ttgl.allocate_shared_memory(ttgl.float32, [128], ttgl.SwizzledSharedLayout(1, 1, 1, [0]))
    ttgl.warp_specialize([(nothing, ()), (half, (buffer, x, n))], [1])

halves[(1,)](np.zeros(128, np.float32), 64)
"""


def test_kernels_in_gluon(tmp_path):
    (tmp_path / "program.py").write_text(IN_GLUON)
    done = audit("--coverage", "out.info", "--shadow", "out.txt", "program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "condition that was never true: " in done.stderr and "program.py:10:8" in done.stderr
    assert "`halves` has no shadow: it is written in Gluon" in done.stderr
    counts = {line[3:] for line in (tmp_path / "out.info").read_text().splitlines() if line.startswith("DA:")}
    assert {"9,1", "11,0", "15,1"} <= counts


def test_coverage_of_processes_is_added():
    counts = Counter({("k.py", 3, 0, "line"): 2, ("k.py", 4, 0, "line"): 0, ("k.py", 3, 7, "if true"): 0})
    total = Collection()
    for _ in range(2):
        total.add(Collection.from_dict(json.loads(json.dumps(Collection(coverage=counts).as_dict()))))
    assert lcov(total.coverage).splitlines() == [
        "TN:", "SF:k.py", "BRDA:3,0,0,-", "BRDA:3,0,1,-", "BRF:2", "BRH:0", "DA:3,4", "DA:4,0", "LF:2", "LH:1",
        "end_of_record",
    ]  # fmt: skip
    assert not list(never_lines(total.coverage))


VARIANT = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def add_rows(x, out, scratch, n, BLOCK: tl.constexpr):
    row, total = tl.program_id(0), 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x + row * n + i, mask=i < n, other=0))
        tl.store(scratch + row * 16 + start // BLOCK, total)
    tl.store(out + row, total)


@triton.jit
def add_all(x, out, n):
    tl.atomic_add(out, tl.load(x + tl.program_id(0)))


x = np.random.default_rng(1).random((3, 512), np.float32)
out, scratch = np.zeros(3, np.float32), np.zeros(48, np.float32)
for sizes in [(256, 64), (128, 128)]:
    configs = [triton.Config({"BLOCK": size}, num_warps=warps) for size, warps in zip(sizes, (2, 1))]
    triton.autotune(configs, key=[], restore_value=["out"])(add_rows)[(3,)](x, out, scratch, 512)


def start(arguments):
    starts[arguments["BLOCK"]] += 1
    if arguments["BLOCK"] == 64 and starts[64] > 1:
        raise RuntimeError("it starts once")


starts = {256: 0, 64: 0}
configs = [triton.Config({"BLOCK": size}, pre_hook=start) for size in starts]
triton.autotune(configs, key=[])(add_rows)[(3,)](x, out, scratch, 512)
try:
    add_all[(9,)](np.array([2**24] + [1] * 8, np.float32), out, 9)
except RuntimeError:
    print("caught")
"""


def test_configurations_and_orders(tmp_path):
    (tmp_path / "program.py").write_text(VARIANT)
    run = audit("--invariant", "split,order", "program.py", cwd=tmp_path)
    assert run.returncode == 1 and "caught" in run.stdout, run.stderr
    lines = run.stderr.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("results that depend on the configuration: "))
    assert lines[at].endswith("program.py:12:18")
    assert "of `out` is " in lines[at + 1]
    assert "in launch 1, of `add_rows`, `BLOCK` is 64 in place of 256, `num_warps` is 1 in place of 2" in lines[at + 1]
    assert lines[at + 1].endswith("`sum` in line 12 adds up 64 values at a time in place of 256")
    assert any(line.startswith("results that depend on the order of programs: ") for line in lines)
    assert "after another configuration: BLOCK: 64, " in run.stderr and " (it starts once)\n" in run.stderr
    assert lines[-1].endswith("3 findings")


def test_wrong_names_of_invariant(tmp_path):
    run = audit("--invariant", "rows", "program.py", cwd=tmp_path)
    assert run.returncode == 2
    assert "`--invariant` names `rows`; write some of batch,split,order" in run.stderr


def test_a_file_in_a_folder_that_is_not_there(tmp_path):
    run = audit("--sarif", "absent/out.sarif", "pytest", cwd=tmp_path)
    assert run.returncode == 2 and "`--sarif` is `absent/out.sarif`, whose folder is not there" in run.stderr


@pytest.mark.parametrize(
    "option, problem",
    [("--audit-shadow=absent/out.json", "whose folder is not there"), ("--audit-sarif=.", "which is a folder")],
)
def test_a_file_of_the_plugin_that_cannot_be_written(option, problem, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "pytest", "-p", "triton.audit.plugin", option]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 4 and run.stderr.startswith("ERROR: `--audit-") and problem in run.stderr


STATED = """
import sys
import numpy as np
import triton
import triton.language as tl

@triton.jit
def take(x, out, step, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.where(i < n, i // 4 * 4 + i % 4 * step, 0)
    k = tl.max_contiguous(tl.multiple_of(k, 4), 4)
    tl.store(out + i, tl.load(x + k), mask=i < n)

take.add_pre_run_hook(lambda *args, **options: print("launched"))
x, out = np.arange(2048, dtype=np.float32), np.zeros(512, np.float32)
for step in map(int, sys.argv[1:]):
    take[(2,)](x, out, step, 500, BLOCK=256)
"""


def test_wrong_max_contiguous(tmp_path):
    (tmp_path / "program.py").write_text(STATED)
    run = audit("program.py", 1, cwd=tmp_path)  # what is wrong beyond the mask does no harm
    assert run.returncode == 0 and "1 launch, 1 kernel, 0 findings" in run.stderr, run.stderr
    assert run.stdout == "launched\n"
    run = audit("program.py", 2, cwd=tmp_path)
    assert run.returncode == 1, run.stderr
    assert "assumption that does not hold: program.py:11:9\n" in run.stderr.replace(f"{tmp_path}/", "")
    assert (
        "`tl.max_contiguous` states that runs of 4 elements count up by one, but element 1 is 2 after 0; `out` has "
        "other values without it\n  kernel `take`, program (0, 0, 0); program.py" in run.stderr
    )
    (tmp_path / "program.py").write_text(STATED.replace("np.zeros(512", "np.zeros(400"))
    run = audit("program.py", 1, cwd=tmp_path)  # the store is out of bounds, also in the interpreter
    assert run.returncode == 1 and "1 launch, 1 kernel, 1 finding\n" in run.stderr, run.stderr


@triton.jit
def aligned(x):
    return states(x, 4)


@triton.jit
def calls(x):
    tl.store(x, aligned(tl.arange(0, 4)))


@triton.jit
def calls_what_it_is_given(x, function: tl.constexpr):
    tl.store(x, function(tl.arange(0, 4)))


@triton.aggregate
class Inner:
    first: tl.constexpr

    @staticmethod
    @triton.jit
    def runs(x):
        return tl.max_constancy(x, 4)


@triton.aggregate
class Outer:
    inner: Inner

    @functools.cached_property
    def of_host(self):
        return None


@triton.aggregate
class Silent:
    first: tl.constexpr

    @functools.cached_property
    def of_host(self):
        return None


def test_which_kernels_state_facts():
    assert states_facts([Inner]) and states_facts([Outer(Inner(1))])
    assert states_facts([calls_what_it_is_given, tl.constexpr(aligned)])
    assert not states_facts([Silent(1), Silent])
    assert states_facts([calls]) and states_facts([calls_what_it_is_given, None, aligned])
    assert not states_facts([calls_what_it_is_given, np.zeros(4), triton, calls_what_it_is_given])


COMPARED = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def add_rows(x, out, taken, numbers, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * BLOCK + i)))
    k = tl.max_contiguous(tl.multiple_of(i // 4 * 4 + i % 4 * BLOCK // 64, 4), 4)  # BUG: steps of two
    tl.store(taken + row * BLOCK + i, tl.load(x + k))
    tl.store(numbers + row, row)

x = np.random.default_rng(1).random((32, 128), np.float32)
for kind in (np.int32, np.bool_):
    add_rows[(32,)](x, np.zeros(32, np.float32), np.zeros((32, 128), np.float32), np.zeros(32, kind), BLOCK=128)
"""


def test_two_compilations_are_compared(tmp_path):
    """A thread that has one element loads it alone; one that has four believes the statement."""
    (tmp_path / "program.py").write_text(COMPARED)
    run = audit("--compare", "gfx942,num_warps=1", "program.py", cwd=tmp_path)
    assert run.returncode == 1, run.stderr
    text = run.stderr.replace(f"{tmp_path}/", "")
    assert "results that differ between two compilations: program.py:11:5 (2 times)\n  element " in text
    assert " of `taken` is " in text and " with `--compare gfx942,num_warps=1`; the interpreter has " in text
    assert "program.py:9:5 `out` in fp32, gfx942,num_warps=1: exact: " in text
    assert "Traceback" not in text and "`numbers`" not in text  # integers are the same, or a finding


def test_compilations_of_what_the_interpreter_does_not_know(tmp_path):
    hidden = "from triton.runtime.interpreter import launching\nlaunching.rewritten = None\n"
    (tmp_path / "program.py").write_text(COMPARED.replace("x = np", f"{hidden}x = np"))
    run = audit("--compare", "gfx942,num_warps=1", "program.py", cwd=tmp_path)
    text = run.stderr.replace(f"{tmp_path}/", "")
    assert "where `add_rows` stores is not known to its end: " in text
    assert "results that differ between two compilations: program.py:6:0" in text


@pytest.mark.parametrize(
    "one, other, wrong",
    [
        (np.int64([5, 2**60]), np.int64([5, 2**60 + 1]), 1),
        (np.float32([1, np.nan, np.inf]), np.float32([1.0001, np.nan, np.inf]), None),
        (np.float32([1, 2, 3]), np.float32([1, 2.1, np.nan]), 2),
        (np.bool_([True]), np.bool_([True]), None),
    ],
)
def test_which_element_is_wrong(one, other, wrong):
    assert Contents("x", one).wrong_element(Contents("x", other)) == wrong


@pytest.mark.parametrize(
    "text, words",
    [
        ("gfx942,sm_80", "which has two GPUs"),
        ("sm_1", "the target is `sm_1`"),
        ("num_warps=x", "has `num_warps=x`; the"),
    ],
)
def test_wrong_values_of_compare(text, words):
    with pytest.raises(ValueError, match=words):
        Other(text)
