"""`python -m triton.debug`: programs of kernels, step by step in both directions."""

import io
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from debug_client import Client, Refused
from triton.debug import _memory
from triton.debug._output import WithoutThread
from triton.runtime._launch_files import describe_launch, write_file
from triton.tools.kernel_names import module_of_file

PROGRAM = """\
import atexit
import sys
import threading

import numpy as np
import triton
import triton.language as tl


@triton.jit
def product(left, right):
    doubled = left * 2
    return doubled * right


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    values = tl.load(
        x + i,
        mask=mask,
    )
    total = 0.0
    for k in range(3):
        total += k
    if tl.program_id(0) > 0:
        tl.device_print("total", total)
    values = product(values, values) + total
    tl.store(out + i, values, mask=mask)


compiled = triton.jit


@compiled
def overrun(x, COUNT: tl.constexpr):
    tl.store(x, 7.0)
    narrow = x.to(tl.pointer_type(tl.bfloat16))
    tl.store(narrow + 4, 1.5)
    last = x + COUNT
    tl.store(last, 8.0)


def main():
    x, out = np.arange(24, dtype=np.float32), np.zeros(24, np.float32)
    scale[(2,)](x, out, 20, BLOCK=16)
    print("sum", out.sum())


if __name__ == "__main__":
    if "overrun" in sys.argv:
        overrun[(1,)](np.zeros(4, np.float32), COUNT=100)
    atexit.register(print, "at exit")
    if "tuned" in sys.argv:
        times = iter([2.0, 1.0])
        configs = [triton.Config({"BLOCK": size}) for size in (8, 16)]
        tuned = triton.autotune(configs, key=[], do_bench=lambda run, quantiles: [next(times)] * 3)(scale)
        tuned[(1,)](np.ones(16, np.float32), np.zeros(16, np.float32), 16)
        print("tuned", tuned.best_config.kwargs)
    if "thread" in sys.argv:
        try:
            scale[(1,)](None, None, 0, BLOCK=16, num_wraps=8)
        except KeyError as error:
            print("refused", error)
        threading.Timer(0.1, main).start()
    else:
        main()
    while "forever" in sys.argv:
        main()
"""


def line_of(text):
    return 1 + PROGRAM[: PROGRAM.index(text)].count("\n")


LOAD, ADD, IF, PRINT = (
    line_of("values = tl.load"),
    line_of("total += k"),
    line_of("if tl.program"),
    line_of("tl.device_"),
)
CALL, STORE, INNER = line_of("values = product"), line_of("tl.store(out"), line_of("doubled = left")


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_forwards_and_backwards(program):
    with Client(program.parent) as client:
        found = client.start(program, [line_of("x + i,"), line_of("import numpy"), line_of("def main")])
        assert [each["verified"] for each in found] == [True, False, False] and found[0]["line"] == LOAD
        assert "in no kernel" in found[1]["message"] and "`main` is not a kernel" in found[2]["message"]
        assert client.stopped() == ("breakpoint", LOAD)
        assert client.ask("threads")["threads"] == [{"id": 1, "name": "scale, program (0, 0, 0)"}]
        assert [frame["name"] for frame in client.stack()] == ["scale", "main", "<module>"]
        assert client.go("next") == ("step", line_of("total = 0.0"))
        assert client.go("next") == ("step", line_of("for k"))
        assert [client.go("next")[1] for _ in range(2)] == [ADD, line_of("for k")]
        assert client.scope("Locals")["total"]["value"] == "0"
        while client.go("next")[1] != CALL:
            pass
        assert client.scope("Locals")["total"]["value"] == "3"
        assert client.go("stepIn") == ("step", INNER)
        assert [frame["name"] for frame in client.stack()] == ["product", "scale", "main", "<module>"]
        assert client.stack()[1]["column"] == 14  # of the call
        assert client.scope("Locals", 2)["k"]["value"] == "2"
        assert client.go("next")[1] == INNER + 1
        assert client.scope("Locals")["doubled"]["value"] == "fp32[16], 0 to 30"
        assert client.go("stepOut") == ("step", STORE)
        assert client.evaluate("last_write(out + 5)") == "nobody in this launch"
        assert client.go("next") == ("step", STORE)  # the end: what the program leaves is there
        stored = client.evaluate("last_write(out + 5)")
        assert re.fullmatch(rf"`program.py`:{STORE} in program \(0, 0, 0\), step \d+: 53", stored)
        assert client.scope("Arguments")["out"]["value"] == "out[0]"
        # Back: the store is undone, and with it every value.
        assert client.go("stepBack") == ("step", STORE)
        assert client.evaluate("tl.load(out + 5)") == "0"
        assert client.go("stepBack") == ("step", CALL)  # over the call
        assert client.evaluate("values") == "fp32[16], 0 to 15"
        assert client.go("reverseContinue") == ("breakpoint", LOAD)
        assert "values" not in client.scope("Locals")
        assert client.go("stepBack")[1] == LOAD - 1
        assert client.go("reverseContinue") == ("entry", line_of("i = tl.program"))
        assert client.go("stepBack")[1] == line_of("i = tl.program")
        # The same way again, to the same results, and on to the next program.
        assert client.go("continue") == ("breakpoint", LOAD)
        assert client.go("continue") == ("breakpoint", LOAD)
        assert client.evaluate("tl.program_id(0)") == "1"
        assert client.finish() == 0
        assert client.output.count("(1, 0, 0) total: 3") == 1
        assert f"sum {sum(2 * i * i + 3 for i in range(20)):.1f}\n" in client.output


def test_values(program):
    with Client(program.parent) as client:
        client.start(program, [CALL], kernel="scale", programId=1)
        assert client.stopped() == ("entry", line_of("i = tl.program"))
        assert client.go("continue") == ("breakpoint", CALL)
        values = client.scope("Locals")
        assert values["i"]["value"] == "int32[16], 16 to 31" and values["i"]["indexedVariables"] == 16
        assert values["mask"]["value"] == "int1[16], 4 of 16 true"
        assert values["values"]["value"] == "fp32[16], 16 to 19, 12 masked off"
        elements = client.parts(values["values"]["variablesReference"], filter="indexed", start=3, count=2)
        assert [(name, part["value"]) for name, part in elements.items()] == [("[3]", "19"), ("[4]", "0, masked off")]
        grid = client.parts(values["values"]["variablesReference"], filter="named")["grid"]["value"]
        assert grid == f"[16 17 18 19{'  .' * 12}]"
        arguments = client.scope("Arguments")
        assert [arguments[name]["value"] for name in ("n", "BLOCK", "x")] == ["20", "16", "x[0]"]
        assert client.parts(arguments["x"]["variablesReference"])["*x[0]"]["value"] == "0"
        assert client.scope("Program")["program_id"]["value"] == "(1, 0, 0)"
        assert client.evaluate("x + i") == "pointer<fp32>[16], x[16] to x[23], 8 outside of all arrays"
        assert client.evaluate("x + n + 10") == "x + 120 bytes, outside of its 96 bytes"
        assert client.evaluate("values[None, :] * 2 > 35 and i[:, None] > 0") == "int1[16, 16], 32 of 256 true"
        assert client.evaluate("values[1:3].to(tl.float16)") == "fp16[2], 17 to 18"
        assert client.evaluate("mask[2:6]", context="repl") == "int1[4], 2 of 4 true\n[1 1 . .]"
        assert client.evaluate("float(out.sum())", frameId=2) == "2528.0"  # the program that launches, in Python
        writers = client.ask("evaluate", expression="last_write(out + i - 15)")["variablesReference"]
        assert "program (0, 0, 0): 5" in client.parts(writers)["out[1]"]["value"]
        tl_store = "tl.store(out, 5.0)"
        assert client.evaluate(tl_store) == "None" and client.evaluate("tl.load(out)") == "3"  # it is undone
        with pytest.raises(Refused, match="NameError: name 'absent'"):
            client.evaluate("absent + 1")
        with pytest.raises(Refused, match="SystemExit: 3"):
            client.evaluate("exit(3)", frameId=2)
        with pytest.raises(Refused, match="`1 \\+` is not an expression"):
            client.evaluate("1 +")
        assert client.finish() == 0


def test_breakpoints_with_conditions(program):
    points = [
        {"line": ADD, "condition": "k == 1"},
        {"line": LOAD, "logMessage": "n is {n}, {absent}"},
        {"line": IF, "hitCondition": "2"},
        {"line": STORE, "hitCondition": "often"},
    ]
    with Client(program.parent, "--port", "0") as client:
        found = client.start(program, points, env={"TRITON_INTERPRET": "1"})
        assert "`often` is not a number of hits" in found[3]["message"]
        assert client.stopped() == ("breakpoint", ADD)
        assert client.evaluate("k") == "1"
        assert "n is 20, {NameError: name 'absent' is not defined}" in client.output
        assert client.go("next")[1] == line_of("for k")
        assert client.go("reverseContinue") == ("breakpoint", ADD) and client.evaluate("k") == "1"
        asked = [{"name": "product"}, {"name": "product", "hitCondition": "rarely"}]
        found = client.ask("setFunctionBreakpoints", breakpoints=asked)["breakpoints"]
        assert [each["verified"] for each in found] == [True, False] and "`rarely`" in found[1]["message"]
        assert client.go("continue") == ("breakpoint", INNER)
        # Who changes this element next?
        watched = client.ask("dataBreakpointInfo", name="out + 3", frameId=2)
        assert watched["description"] == "out[3]"
        assert client.ask("dataBreakpointInfo", name="mask", frameId=2)["dataId"] is None
        client.ask("setDataBreakpoints", breakpoints=[{"dataId": watched["dataId"], "accessType": "write"}])
        assert client.go("continue") == ("data breakpoint", STORE)
        client.ask("setFunctionBreakpoints", breakpoints=[])
        assert client.go("continue") == ("breakpoint", ADD) and client.evaluate("tl.program_id(0)") == "1"
        assert client.finish() == 0


def test_an_error_in_a_kernel(program):
    with Client(program.parent) as client:
        (found,) = client.start(program, [line_of("tl.store(x, 7.0)")], args=["overrun"], target="sm_90")
        assert not found["verified"] and "as far as its decorators show" in found["message"]
        assert client.wait_for("breakpoint")["breakpoint"]["verified"]  # it is one of a kernel after all
        assert client.stopped() == ("breakpoint", line_of("tl.store(x, 7.0)"))
        assert client.go("continue") == ("exception", line_of("tl.store(last"))
        assert "writes 4 bytes at byte 400 of `x`" in client.ask("exceptionInfo", threadId=1)["description"]
        frame = client.stack()[0]
        assert (frame["column"], frame["endColumn"]) == (5, 24)
        assert client.evaluate("tl.load(x)") == "7"
        assert client.evaluate("last_write(narrow + 4)").endswith("step 3: 1.5")
        assert client.evaluate("last_write(narrow + 5)") == "nobody in this launch"
        watched = client.ask("dataBreakpointInfo", name="x")
        client.ask("setDataBreakpoints", breakpoints=[{"dataId": watched["dataId"]}])
        assert client.go("reverseContinue") == ("data breakpoint", line_of("narrow = "))  # it was written just before
        assert client.go("stepBack") == ("step", line_of("tl.store(x, 7.0)"))
        client.ask("setDataBreakpoints", breakpoints=[])
        assert client.go("continue") == ("exception", line_of("tl.store(last"))
        assert client.go("stepBack") == ("step", line_of("last = "))
        assert client.go("restartFrame") == ("step", line_of("tl.store(x, 7.0)"))
        assert client.evaluate("tl.load(x)") == "0"
        assert client.go("continue") == ("exception", line_of("tl.store(last"))
        assert client.finish() == 1
        assert "mask the elements that lie outside" in client.output


def test_programs_that_run(program):
    with Client(program.parent) as client:
        client.start(program, [{"line": LOAD, "condition": "n < 0"}], args=["forever"])
        with pytest.raises(Refused, match="no program has stopped"):
            client.ask("stackTrace", threadId=1)
        client.ask("pause", threadId=1)
        assert client.stopped()[0] == "pause" and client.stack()[0]["name"] in ("scale", "product")
        client.ask("continue", threadId=1)
        client.ask("terminate")
        client.wait_for("terminated")
        assert client.process.wait() == 0
    with Client(program.parent) as client:  # its main thread ends first
        client.start(program, args=["thread"], programId=1)
        assert client.stopped() == ("entry", line_of("i = tl.program"))
        assert client.finish() == 0
        assert "refused" in client.output and "`num_wraps` is neither a parameter" in client.output
        assert re.search("sum .*\\nat exit\\n", client.output)
    with Client(program.parent) as client:
        client.start(program, [LOAD], args=["tuned"], kernel="absent", programId=[1, 0, 0])
        assert client.ended() == 0
        assert "at exit\n" in client.output and "sum " in client.output  # it has run compiled
        assert "tuned {'BLOCK': 16}" in client.output  # measured
        assert "no launch has run a program (1, 0, 0) of a kernel `absent`" in client.output


def test_wrong_requests(program):
    with Client(program.parent) as client:
        for command, arguments, sentence in (
            ("launch", {}, "`program` is None; the path"),
            ("launch", {"program": "absent.py"}, "`program` is `absent.py`, which is not a file"),
            ("launch", {"program": str(program), "programId": [1, -1]}, "`programId` is"),
            ("launch", {"program": str(program), "cwd": "/absent"}, "which is not a folder"),
            ("launch", {"program": str(program), "target": "sm_1"}, "sm_1"),
            ("launch", {"program": str(program), "cwd": [1]}, "`cwd` is [1]"),
            ("launch", {"program": str(program), "args": "forever"}, "`args` is 'forever'; a list"),
            ("launch", {"program": str(program), "env": ["A=1"]}, "`env` is ['A=1']; an object"),
            ("launch", {"program": str(program), "env": {"A=1": "2"}}, "`env` has the name 'A=1'"),
            ("launch", {"program": str(program), "env": {"A": [1]}}, "`A` in `env` is [1]; a text"),
            ("attach", {}, "`launch` starts the program"),
            ("next", {}, "no program has stopped"),
            ("variables", {"variablesReference": 3}, "no program has stopped"),
            ("setBreakpoints", {"source": {}}, "`path` is None"),
            ("frobnicate", {}, "`frobnicate` is not a request"),
        ):
            with pytest.raises(Refused, match=re.escape(sentence)):
                client.ask(command, **arguments)
        client.start(program, [LOAD], env={"PYTHONPATH": None})
        assert client.stopped() == ("breakpoint", LOAD)
        assert client.evaluate("'PYTHONPATH' in __import__('os').environ", frameId=2) == "False"
        for command, arguments, sentence in (
            ("variables", {"variablesReference": 99}, "`variablesReference` is 99"),
            ("evaluate", {"expression": "n", "frameId": 99}, "`frameId` is 99"),
            ("setDataBreakpoints", {"breakpoints": [{"dataId": "out"}]}, "`dataId` is `out`"),
            ("exceptionInfo", {}, "has not stopped because of an error"),
        ):
            with pytest.raises(Refused, match=re.escape(sentence)):
                client.ask(command, **arguments)
        client.ask("disconnect")
        assert client.process.wait() == 0
    with Client(program.parent) as client:
        client.send(b"no JSON")
        assert "a message is not JSON" in client.receive()["message"]
        assert client.process.wait() == 0
    python = [sys.executable, "-m", "triton.debug"]
    for command, sentence in (
        ([*python, "--port", "70000"], "`--port` 70000 cannot be listened to"),
        (["sh", "-c", '"$@" <&-', "sh", *python], "standard input and output, which cannot be used"),
    ):
        wrong = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
        )
        assert wrong.returncode == 2 and sentence in wrong.stderr


def test_writes_of_ended_programs(monkeypatch):
    """They are kept up to a number of bytes, and no longer than somebody may ask."""
    monkeypatch.setattr(_memory, "_MOST_BYTES", 3 * 12)
    array, memory = np.zeros(8, np.float32), _memory.JournalMemory()
    address = array.ctypes.data
    memory.add(address, array.nbytes, "array")
    for program in range(5):
        memory.begin_program((program, 0, 0))
        memory.store(np.array([address + 4 * program], np.uint64), np.ones(1, np.float32))
    assert memory.has_forgotten and memory.last_write(address, 4) is None
    assert [memory.last_write(address + 4 * each, 4)[0].program[0] for each in range(1, 5)] == [1, 2, 3, 4]
    memory.close()
    memory.store(np.array([address], np.uint64), np.full(1, 2.0, np.float32))
    assert not memory.writes and array.tolist() == [2, 1, 1, 1, 1, 0, 0, 0]


def test_a_silent_thread():
    stream = io.StringIO()
    silent = WithoutThread(stream)
    other = threading.Thread(target=print, args=["other"], kwargs={"file": silent})
    print("own", file=silent, flush=True)
    silent.writelines(["own"])
    other.start()
    other.join()
    assert stream.getvalue() == "other\n"


def test_a_launch_from_a_file(program):
    module = module_of_file(program)
    path = program.parent / "scale.launch.safetensors"
    x = np.ones(16, np.float32)
    write_file(path, *describe_launch(module.scale, (x, np.zeros_like(x), 16), {"BLOCK": 16}, (1, 1, 1)))
    with Client(program.parent) as client:
        client.ask("initialize")
        client.ask("setBreakpoints", source={"path": str(program)}, breakpoints=[{"line": STORE}])
        client.ask("launch", program=path.name)
        client.ask("configurationDone")
        assert client.stopped() == ("breakpoint", STORE)
        assert client.evaluate("values") == "fp32[16], all 5"
        with pytest.raises(Refused, match="has its program already"):
            client.ask("launch", program=path.name)
        client.ask("disconnect", terminateDebuggee=False)
        client.sink.close()
        assert client.wait_for("exited")["exitCode"] == 0 and client.process.wait() == 0


def parts_of_threads(client, value):
    """{layout: {what: text}} of a tensor in a compiled kernel."""
    threads = client.parts(value["variablesReference"])["threads"]
    layouts = client.parts(threads["variablesReference"])
    return threads["value"], {
        encoding: {name: part["value"] for name, part in client.parts(layout["variablesReference"]).items()}
        for encoding, layout in layouts.items()
    }


def test_threads_that_hold_elements(program):
    with Client(program.parent) as client:
        client.start(program, [STORE], target="gfx942", kernel="scale", stopOnEntry=False)
        client.stopped()
        client.go("continue")  # the second program, in which a mask switches elements off
        machine, layouts = parts_of_threads(client, client.scope("Locals")["mask"])
        assert machine == "on AMD Instinct MI300X"
        ((encoding, parts),) = layouts.items()
        assert encoding.startswith("#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64]")
        assert parts["warp:lane:register"].split()[1:3] == ["0:0:0+15", "0:1:0+15"]  # 16 threads hold copies
        assert parts["lanes that are masked off"].startswith("lanes 4 to 15, 20 to 31,")
        assert parts["lanes that are masked off"].endswith(" of warps 0 to 3")
        result = client.ask("evaluate", expression="values")
        assert parts_of_threads(client, result)[1].keys() == layouts.keys()


def test_values_between_operations(program):
    with Client(program.parent) as client:
        client.start(program, [LOAD, CALL, STORE])
        client.stopped()
        assert {name: part["value"] for name, part in client.scope("Statement").items()} == {
            "x + i": "pointer<fp32>[16], x[0] to x[15]",
            "tl.load(x + i, mask=mask)": "fp32[16], 0 to 15",
        }
        client.go("continue")
        between = client.scope("Statement")
        assert between["product(values, values)"]["value"] == "fp32[16], 0 to 450"
        assert between["product(values, values) + total"]["value"] == "fp32[16], 3 to 453"
        encoding = next(iter(parts_of_threads(client, between["product(values, values) + total"])[1]))
        assert encoding.startswith("#ttg.blocked<{sizePerThread = [1]")
        client.go("continue")
        assert list(client.scope("Statement")) == ["out + i"]  # the store is no value
        assert client.evaluate("last_write(out + 5)") == "nobody in this launch"
