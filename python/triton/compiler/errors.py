"""Exceptions of compilations."""

from ..errors import TritonError


class CompilationError(TritonError):
    """An error in a kernel. Its text is the complete diagnostic: position, source line, the rule, and how to fix it.

    ``error_message`` is the first line alone, ``line`` and ``column`` where it is (1-based; 0: nowhere).
    """

    #: How many lines of the source a text shows before the line at fault, at most.
    source_line_count_max_in_message = 12

    def __init__(self, src, node=None, error_message=None, *, line=0, column=0):
        self.src, self.node = src, node
        self.error_message = error_message if error_message is not None else src
        self.line, self.column = line, column
        super().__init__(src)

    @classmethod
    def _of_compiler(cls, rendered, message, line, column):
        return cls(rendered, None, message, line=line, column=column)

    def __str__(self):
        return self.args[0] if isinstance(self.args[0], str) else str(self.error_message)

    def __reduce__(self):
        return _rebuild, (type(self), self.src, self.error_message, self.line, self.column)


def _rebuild(cls, src, message, line, column):
    return cls(src, None, message, line=line, column=column)


class CompileTimeAssertionFailure(CompilationError):
    """A `tl.static_assert` that did not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """A construct of Python that kernels cannot use."""


class InternalError(TritonError):
    """A defect of the compiler, not of the kernel. The text says where it occurred and how to reproduce it."""

    @classmethod
    def _of_compiler(cls, rendered, message, line, column):
        return cls(rendered)
