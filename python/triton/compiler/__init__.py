"""Compilation of kernels: `compile`, its sources and its result."""

from .compiler import ASTSource, CompiledKernel, IRSource, LazyDict, compile, make_backend
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
    "make_backend",
]
