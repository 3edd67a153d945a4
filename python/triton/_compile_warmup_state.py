"""Whether launches only compile now. Tests may ask, to leave out what needs the results of kernels."""

_depth = 0


def is_compile_warmup():
    """Whether a `triton._compile_warmup.compile_warmup_only` context is active in this process."""
    return _depth > 0


def enter():
    global _depth
    _depth += 1


def leave():
    global _depth
    _depth -= 1
