"""`triton.tools.build_extern`: a module for the functions of a device library."""

import ast
import importlib.util
import pathlib
import re
import shutil

import pytest
from aot_programs import run_tool
from triton import _C
from triton.tools import build_extern

TABLE = pathlib.Path(__file__).parents[3] / "src/frontend/lowering/builtins/Libdevice.def"


@pytest.fixture
def library():
    try:
        return _C.find_tool("libdevice")
    except RuntimeError as error:
        pytest.skip(str(error))


@pytest.fixture
def llvm_dis():
    return shutil.which("llvm-dis-22") or shutil.which("llvm-dis") or pytest.skip("there is no llvm-dis")


def known_functions():
    """Symbol → operation, types of operands: those that kernels know."""
    functions = {}
    spelled = {"i32": "int32", "i64": "int64", "u32": "uint32", "u64": "uint64"}
    rows = re.findall(r'TRITON_LIBDEVICE\("(\w+)",[^"]*"[^"]*",((?:\s*"[^"]*")+)\)', TABLE.read_text())
    for name, overloads in rows:
        for symbol, operands in re.findall(r"(__nv_\w+)\(([^)]*)\)", overloads):
            functions[symbol] = name, [spelled.get(operand, operand) for operand in operands.split(",")]
    return functions


def test_functions_are_those_of_kernels(tmp_path, library, llvm_dis):
    path = build_extern.build(llvm_dis, library, "libdevice", str(tmp_path))
    disassembler = build_extern.LLVMDisassembler(llvm_dis)
    disassembler.disasm(library)
    read = build_extern.Libdevice(library)
    read.parse_symbols(disassembler.ll_file)
    known = known_functions()
    assert len(known) > 250 and len(read.symbols) > 300
    assert not known.keys() - read.symbols.keys()
    for symbol, (name, operands) in known.items():
        found = read.symbols[symbol]
        unsigned = [build_extern.to_unsigned(type) for type in operands]
        assert found.op_name == name
        assert [build_extern.to_unsigned(type) for type in found.arg_types] == unsigned
    tree = ast.parse(pathlib.Path(path).read_text())
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(defined) == len(set(defined)) and set(defined) >= {name for name, _ in known.values()}


def test_the_module_is_imported(tmp_path, library, llvm_dis):
    done = run_tool(
        "build_extern", "--llvm-dis", llvm_dis, "--lib-path", library, "--lib-name", "libdevice", "--output", tmp_path
    )
    assert done.returncode == 0, done.stderr
    spec = importlib.util.spec_from_file_location("generated", tmp_path / "libdevice.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert callable(module.isinf) and callable(module.sad) and not hasattr(module, "isinff")


def test_without_grouping(tmp_path):
    text = (
        "define float @__nv_sinf(float noundef %a) local_unnamed_addr #0 {\n"
        "define noundef double @__nv_sin(double %a) #0 {\n"
        "define internal float @__internal(float %a) {\n"
        "define float @__nv_sincosf(float %a, ptr %s) {\n"
        "define i32 @__nv_sad(i32 %a, i32 %b, i32 %c) {\n"
        "declare float @__nv_cosf(float)\n"
    )
    (tmp_path / "x.ll").write_text(text)
    library = build_extern.Libdevice("x.bc")
    library.parse_symbols(tmp_path / "x.ll")
    assert [symbol.op_name for symbol in library.symbols.values()] == ["sin", "sin", "sad"]
    assert library.symbols["__nv_sad"].arg_types == ["int32", "int32", "uint32"]
    assert (library.name, library.path, library.grouping) == ("libdevice", "x.bc", True)


def test_mistakes(tmp_path, llvm_dis):
    (tmp_path / "x.bc").write_text("this is no bitcode")
    for arguments, message in (
        ([llvm_dis, "x.bc", "libdevice"], "cannot read `x.bc`"),
        ([llvm_dis, "missing.bc", "libdevice"], "cannot read `missing.bc`"),
        (["/nowhere/llvm-dis", "x.bc", "libdevice"], "cannot run `/nowhere/llvm-dis`: No such file or directory"),
        ([llvm_dis, "x.bc", "ocml"], "there is no library `ocml`; the libraries are libdevice"),
    ):
        program, library, name = arguments
        flags = ["--llvm-dis", program, "--lib-path", library, "--lib-name", name, "--output", "."]
        done = run_tool("build_extern", *flags, cwd=tmp_path)
        assert done.returncode == 1
        assert message in done.stderr and "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["x.bc"]
