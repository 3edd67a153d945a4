"""How many configurations of autotuned kernels tests try: libraries list dozens, and the time of tests counts."""

import contextlib
from unittest import mock

import torch
import triton

configurations = 2 if torch.cuda.is_available() else 1


@contextlib.contextmanager
def few_configurations():
    """Autotuned kernels of the modules that are imported meanwhile try few configurations."""
    autotune = triton.autotune

    def autotune_few(configs, *args, **options):
        return autotune(configs[:configurations], *args, **options)

    with mock.patch.object(triton, "autotune", autotune_few):
        yield
