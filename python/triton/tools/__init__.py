"""Tools around kernels."""

from .._C import LinearLayout

__all__ = ["LinearLayout", "disasm"]


def __getattr__(name):
    if name == "disasm":
        import importlib

        return importlib.import_module(".disasm", __name__)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
