"""Scopes inside of kernels. They become code only where the backend `instrumentation` runs (docs/profiler.md)."""

from ..language._kernel_only import builtin, kernel_only


@builtin
def enter_scope(name):
    """Begins a scope. It ends in the same branch or loop body."""
    raise kernel_only("triton.profiler.language.enter_scope")


@builtin
def exit_scope(name):
    """Ends the innermost scope, which has this name."""
    raise kernel_only("triton.profiler.language.exit_scope")


@builtin
def scope(name):
    """``with scope("name"):`` in a kernel is a scope."""
    raise kernel_only("triton.profiler.language.scope")


@builtin
def allocate_event(name):
    """An event, which may begin and end across scopes."""
    raise kernel_only("triton.profiler.language.allocate_event")


@builtin
def start_event(event):
    """Begins an event. It ends in the same branch or loop body."""
    raise kernel_only("triton.profiler.language.start_event")


@builtin
def end_event(event):
    """Ends an event."""
    raise kernel_only("triton.profiler.language.end_event")


def enable_semantic(semantic_name):
    """Does nothing: kernels in Triton may have scopes always."""
    _check(semantic_name)


def disable_semantic(semantic_name):
    """Does nothing: without a session of the backend `instrumentation`, scopes do not become code."""
    _check(semantic_name)


def _check(semantic_name):
    if semantic_name not in ("triton", "gluon"):
        raise ValueError(f"`{semantic_name}` is not a language of kernels; it is triton or gluon")
