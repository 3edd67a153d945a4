"""`python -m triton.tools.build_extern`: writes a Python module with a function for each function of a device library.

The module is in the form of Triton 3.9's own `triton.language.extra.cuda.libdevice`. Kernels here call
`tl.extra.libdevice`, which has the same functions.
"""

import os
import re
import subprocess
import tempfile
from abc import ABC, abstractmethod
from argparse import ArgumentParser

extern_libs = ["libdevice"]

_TYPES = {"i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "float": "fp32", "double": "fp64"}


def convert_type(type_str):
    """The language's name of a type of LLVM; None for one that functions of elements do not have."""
    return _TYPES.get(type_str)


def to_unsigned(type_str):
    return {"int32": "uint32", "int64": "uint64"}.get(type_str, type_str)


class Symbol:
    """A function of a library, which is an overload of the operation ``op_name``."""

    def __init__(self, name, op_name, ret_type, arg_names, arg_types):
        self._name, self._op_name, self._ret_type = name, op_name, ret_type
        self._arg_names, self._arg_types = list(arg_names), list(arg_types)

    @property
    def name(self):
        return self._name

    @property
    def op_name(self):
        return self._op_name

    @property
    def ret_type(self):
        return self._ret_type

    @property
    def arg_names(self):
        return self._arg_names

    @property
    def arg_types(self):
        return self._arg_types


class ExternLibrary(ABC):
    """A library of functions on elements. ``format`` is taken for the sake of programs that give it: what is written is
    formatted."""

    def __init__(self, name, path, format=True, grouping=True):
        self._name, self._path, self._grouping = name, path, grouping
        self._symbols = {}

    @property
    def name(self):
        return self._name

    @property
    def path(self):
        return self._path

    @property
    def symbols(self):
        """Name → Symbol."""
        return self._symbols

    @property
    def grouping(self):
        """Whether overloads become one function."""
        return self._grouping

    @abstractmethod
    def parse_symbols(self, input_file):
        """Reads the functions from a file of LLVM IR."""

    @abstractmethod
    def _output_stubs(self):
        """The text of the module."""

    def generate_stub_file(self, output_dir):
        """Writes the module, which has the library's name, and returns its path."""
        text = self._output_stubs()
        if not text:
            raise ValueError(f"`{self._path}` has no functions on elements")
        path = os.path.join(output_dir, f"{self._name}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


_DEFINITION = re.compile(r"^define\s+([^@]*?)(\S+)\s+@(\w+)\(([^)]*)\)", re.MULTILINE)
_ROUNDED = re.compile(r"[fd](\w+_r[nduz])")
_INTEGER_PREFIX = re.compile(r"(?:u|ll|ull)(abs|min|max|hadd|rhadd|mul24|mulhi|mul64hi|sad)")
_RENAMED = {
    "fabs": "abs",
    "fmax": "max",
    "fmin": "min",
    "powi": "pow",
    "mul64hi": "mulhi",
    "fast_fdividef": "fast_dividef",
}


def _operation(name, names):
    """The name that the overloads of a function share. ``names`` are those of all functions, without the prefix."""
    single = re.sub(r"f(?=_r[nduz]$|$)", "", name)
    if single != name and single in names:  # sinf, fmaf_rn: f32
        return _operation(single, names)
    if name[-1] in "fd" and {name[:-1] + "f", name[:-1] + "d"} <= names:  # isinff and isinfd
        return name[:-1]
    rounded = _ROUNDED.fullmatch(name)
    if rounded and (name == "frsqrt_rn" or {"f" + rounded[1], "d" + rounded[1]} <= names):
        return rounded[1]
    if name.endswith("ll") and name[:-2] in names:  # clzll: 64 bits
        return name[:-2]
    integer = _INTEGER_PREFIX.fullmatch(name)
    name = integer[1] if integer else name
    return _RENAMED.get(name, name)


class Libdevice(ExternLibrary):
    """NVIDIA's library of mathematical functions."""

    def __init__(self, path):
        super().__init__("libdevice", path)

    @staticmethod
    def _extract_symbol(linkage, result, name, parameters):
        """The function that a definition makes known; None for one that is not on elements."""
        types = [parameter.split()[0] for parameter in parameters.split(",") if parameter.strip()]
        converted = [convert_type(type) for type in (result, *types)]
        if {"internal", "private"} & set(linkage.split()) or None in converted or "ieee" in name:
            return None
        short = name.removeprefix("__nv_")
        if short.startswith("u"):  # LLVM's types have no sign
            converted = [to_unsigned(type) for type in converted]
        elif short == "sad":
            converted[-1] = to_unsigned(converted[-1])
        return Symbol(name, short, converted[0], [f"arg{index}" for index in range(len(types))], converted[1:])

    def parse_symbols(self, input_file):
        if self._symbols:
            return
        with open(input_file, encoding="utf-8", errors="replace") as file:
            found = [self._extract_symbol(*match.groups()) for match in _DEFINITION.finditer(file.read())]
        symbols = [symbol for symbol in found if symbol is not None]
        names = {symbol.op_name for symbol in symbols}
        for symbol in symbols:
            symbol._op_name = _operation(symbol.op_name, names) if self._grouping else symbol.op_name
            self._symbols[symbol.name] = symbol

    def _output_stubs(self):
        groups = {}
        for symbol in self._symbols.values():
            groups.setdefault(symbol.op_name, []).append(symbol)
        if not groups:
            return ""
        functions = [_stub(self._name, symbols) for symbols in groups.values()]
        return "from triton.language import core\n" + "".join(functions)


def _stub(library, symbols):
    """The function for overloads of one operation."""
    names = symbols[0].arg_names
    lines = ["", "", "@core.extern", f"def {symbols[0].op_name}({', '.join([*names, '_semantic=None'])}):"]
    lines += ["    return core.extern_elementwise(", f'        "{library}",', '        "",']
    lines += [f"        [{', '.join(names)}],", "        {"]
    for symbol in symbols:
        types = ", ".join(f'core.dtype("{type}")' for type in symbol.arg_types)
        types += "," if len(symbol.arg_types) == 1 else ""
        lines.append(f'            ({types}): ("{symbol.name}", core.dtype("{symbol.ret_type}")),')
    lines += ["        },", "        is_pure=True,", "        _semantic=_semantic,", "    )"]
    return "\n".join(lines) + "\n"


class LLVMDisassembler:
    """The program `llvm-dis`, which makes text of a library's bitcode in ``ll_file``."""

    def __init__(self, path):
        self._path = path
        self._folder = tempfile.TemporaryDirectory(prefix="triton-extern-")

    @property
    def path(self):
        return self._path

    @property
    def ll_file(self):
        return os.path.join(self._folder.name, "extern_lib.ll")

    def disasm(self, lib_path):
        try:
            done = subprocess.run([self._path, lib_path, "-o", self.ll_file], capture_output=True, text=True)
        except OSError as error:
            raise RuntimeError(f"cannot run `{self._path}`: {error.strerror}; give the path of llvm-dis") from None
        if done.returncode != 0:
            raise RuntimeError(f"`{self._path}` cannot read `{lib_path}`: {done.stderr.strip()}")


def build(llvm_dis_path, lib_path, lib_name, output_dir):
    """Writes the module for the library and returns its path."""
    if lib_name not in extern_libs:
        raise ValueError(f"there is no library `{lib_name}`; the libraries are {', '.join(extern_libs)}")
    library = Libdevice(lib_path)
    disassembler = LLVMDisassembler(llvm_dis_path)
    disassembler.disasm(lib_path)
    library.parse_symbols(disassembler.ll_file)
    return library.generate_stub_file(output_dir)


def main():
    parser = ArgumentParser(
        prog="python -m triton.tools.build_extern",
        description="Writes a Python module with a function for each function of a device library.",
    )
    parser.add_argument("--llvm-dis", dest="llvm_dis_path", default="llvm-dis", help="the program llvm-dis")
    parser.add_argument("--lib-path", required=True, help="the library's file of bitcode")
    parser.add_argument("--lib-name", required=True, help="libdevice")
    parser.add_argument("--output", dest="output_dir", default="/tmp/", help="folder of the module")
    args = parser.parse_args()
    try:
        build(**vars(args))
    except (ValueError, RuntimeError, OSError) as error:
        parser.exit(1, f"error: {error}\n")


if __name__ == "__main__":
    main()
