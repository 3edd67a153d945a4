"""Compilation of kernels: `compile`, its sources and its result."""

from .compiler import (
    ASTSource,
    CompiledKernel,
    IRSource,
    LazyDict,
    compile,
    get_cache_key,
    make_backend,
    max_shared_mem,
)
from .errors import CompilationError, CompileTimeAssertionFailure, InternalError, UnsupportedLanguageConstruct

__all__ = [
    "ASTSource",
    "CompilationError",
    "CompileTimeAssertionFailure",
    "CompiledKernel",
    "IRSource",
    "InternalError",
    "LazyDict",
    "UnsupportedLanguageConstruct",
    "compile",
    "get_cache_key",
    "make_backend",
    "max_shared_mem",
]
