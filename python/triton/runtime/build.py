"""Native modules from C and C++ sources. See `triton._build`."""

from .._build import (
    _find_compiler,
    compile_module_from_file,
    compile_module_from_src,
    compile_so_from_file,
    compile_so_from_src,
    platform_key,
)

__all__ = [
    "_find_compiler",
    "compile_module_from_file",
    "compile_module_from_src",
    "compile_so_from_file",
    "compile_so_from_src",
    "platform_key",
]
