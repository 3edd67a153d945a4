"""The names that Gluon shares with ``triton.language``; it has no others here."""

from ... import language as _language


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_language, name)
