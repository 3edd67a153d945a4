"""Native modules from C and C++ sources, kept in the disk cache. Compiling kernels needs none of this."""

import functools
import importlib.util
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile

from . import knobs
from ._cache import get_cache_manager
from ._utils import digest

_SUFFIXES = {"c": ".c", "c++": ".cpp"}


def platform_key():
    """A text that is different for machines that cannot share binaries."""
    return ",".join([platform.machine(), platform.system(), *platform.architecture()])


def _find_compiler(language):
    variable, names = (
        ("CXX", ("clang++", "g++", "clang++-22")) if language == "c++" else ("CC", ("gcc", "clang", "clang-22"))
    )
    named = knobs.build.cc if language == "c" else os.environ.get("CXX")
    if named:
        return named
    for name in names:
        if found := shutil.which(name):
            return found
    raise RuntimeError(f"no compiler for {language.upper()}: install one of {', '.join(names)}, or set {variable}")


def _compile(source, name, folder, library_dirs, include_dirs, libraries, ccflags, language):
    """The path of the shared library."""
    if knobs.build.impl:
        return knobs.build.impl(name, source, folder, library_dirs, include_dirs, libraries)
    output = os.path.join(folder, name + sysconfig.get_config_var("EXT_SUFFIX"))
    includes = [folder, sysconfig.get_path("include"), *sorted(knobs.build.backend_dirs), *include_dirs]
    command = [_find_compiler(language), source, "-O3", "-shared", "-fPIC", "-Wno-psabi", "-o", output]
    command += [f"-l{library}" for library in libraries] + [f"-L{path}" for path in library_dirs]
    command += [f"-I{path}" for path in includes] + list(ccflags)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"cannot build `{name}`: {' '.join(command)}\n{done.stderr or done.stdout}")
    return output


def compile_so_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None, language="c"):
    """The path, in the cache, of the shared library that the text becomes."""
    if language not in _SUFFIXES:
        raise ValueError(f"the language is {language!r}; it must be one of {', '.join(map(repr, _SUFFIXES))}")
    lists = [list(given or ()) for given in (library_dirs, include_dirs, libraries, ccflags)]
    text = "\0".join([src, name, language, platform_key(), _find_compiler(language), *map(repr, lists)])
    manager = get_cache_manager(digest(text))
    file_name = name + sysconfig.get_config_var("EXT_SUFFIX")
    path = manager.get_file(file_name)
    if path is None:
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, name + _SUFFIXES[language])
            with open(source, "w") as file:
                file.write(src)
            with open(_compile(source, name, folder, *lists, language), "rb") as file:
                path = manager.put(file.read(), file_name, binary=True)
    return path


def _language_of(path):
    return "c" if path.endswith(".c") else "c++"


def compile_so_from_file(src_path, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The same for a file; its suffix names the language. It may include what lies in its folder."""
    with open(src_path) as file:
        src = file.read()
    includes = [os.path.dirname(os.path.abspath(src_path)), *(include_dirs or ())]
    return compile_so_from_src(src, name, library_dirs, includes, libraries, ccflags, _language_of(str(src_path)))


@functools.lru_cache
def _load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise RuntimeError(f"`{path}` is not a module of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_module_from_src(
    src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None, language="c"
):
    """The module of Python that the text defines (``PyInit_<name>``)."""
    return _load(compile_so_from_src(src, name, library_dirs, include_dirs, libraries, ccflags, language), name)


def compile_module_from_file(src_path, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    return _load(compile_so_from_file(src_path, name, library_dirs, include_dirs, libraries, ccflags), name)
