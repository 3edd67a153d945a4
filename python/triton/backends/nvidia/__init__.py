"""The backend for NVIDIA GPUs, and for their simulator. Its modules are imported when they are first used."""


def __getattr__(name):
    import importlib

    if name in ("compiler", "driver"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
