"""Writes the IR that Triton itself makes of client libraries' kernels: a file for each kernel and stage.

    PYTHONPATH=FOLDER-OF-TRITON python dump_triton_ir.py OUTPUT TESTS [pytest's options]

`triton` must be Triton's own package. It compiles for a GPU that need not be there: the operators that the tests call
get tensors of the host, and their kernels are compiled and not run. scripts/read_triton_ir.py reads the files.
"""

import contextlib
import pathlib
import sys
from unittest import mock

import agreement
import pytest
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction

TARGET = GPUTarget("cuda", 90, 32)


class Written(Exception):
    """Ends a compilation after the stages that are written."""


class AbsentGpu(DriverBase):
    """Answers what compilations ask, without a GPU."""

    def __init__(self):
        # Libraries that are imported choose their device by it, and tensors are the host's.
        self.target = GPUTarget("cpu", 0, 0)
        properties = {"multiprocessor_count": 132, "max_shared_mem": 232448, "warpSize": 32}
        self.utils = type("Utils", (), {"get_device_properties": staticmethod(lambda device: properties)})

    @classmethod
    def is_active(cls):
        return True

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0

    def get_device_capability(self, device=0):
        return 9, 0

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cpu

    def map_python_to_cpp_type(self, type):
        return type

    def get_benchmarker(self):
        return lambda call, quantiles: [1.0] * len(quantiles)


class Recorder:
    """A plugin of pytest that replaces runs of kernels by compilations whose stages are written."""

    def __init__(self, output):
        self.output = output
        self.backend = type(make_backend(TARGET))
        self.kernels = {}
        self.failures = []

    @pytest.fixture
    def client_device(self):
        return "cpu"

    def pytest_collection_finish(self):
        driver.active.target = TARGET

    @contextlib.contextmanager
    def writing(self, path):
        """Compilations write the stages ttir and ttgir and end there."""
        add_stages = self.backend.add_stages

        def add_writing_stages(backend, stages, *rest):
            add_stages(backend, stages, *rest)
            make_ttgir = stages["ttgir"]

            def write(module, metadata):
                path.with_name(path.name + ".ttir").write_text(str(module))
                path.with_name(path.name + ".ttgir").write_text(str(make_ttgir(module, metadata)))
                raise Written

            stages["ttgir"] = write

        with mock.patch.object(self.backend, "add_stages", add_writing_stages):
            yield

    def compile(self, function, key, signature, device, constants, options, attributes, warmup):
        """In place of `JITFunction._do_compile`. Without a result the kernel is not launched."""
        name = function.__name__
        kernel = (name, *map(str, (signature, constants, options, attributes)))
        if kernel in self.kernels:
            return
        path = self.output / f"{name}.{sum(other[0] == name for other in self.kernels)}"
        self.kernels[kernel] = path
        try:
            with self.writing(path):
                source = ASTSource(function, signature, constants, attributes)
                triton.compile(source, target=TARGET, options=options.__dict__)
        except Written:
            pass
        except Exception as error:
            self.failures.append(f"{name}: {type(error).__name__}: {error}".splitlines()[0])


def run_operator(operator, reference, inputs, tolerance=None, *, backward=True):
    """In place of `agreement.assert_agreement`: what kernels would compute is not there to be compared."""
    agreement.run(operator, inputs, [] if backward else None)


def main():
    output = pathlib.Path(sys.argv[1])
    output.mkdir(parents=True, exist_ok=True)
    driver.set_active(AbsentGpu())
    recorder = Recorder(output)
    with (
        mock.patch.object(JITFunction, "_do_compile", lambda *arguments: recorder.compile(*arguments)),
        mock.patch.object(agreement, "assert_agreement", run_operator),
        # What kernels would have written is zero.
        mock.patch.object(torch, "empty", torch.zeros),
        mock.patch.object(torch, "empty_like", torch.zeros_like),
    ):
        # Tests that look at results fail, and are of no interest.
        options = ["--noconftest", "-p", "no:cacheprovider", "-q", "--tb=no", "-W", "ignore"]
        pytest.main([*options, *sys.argv[2:]], plugins=[recorder])
    print(f"{len(recorder.kernels) - len(recorder.failures)} kernels of Triton {triton.__version__}")
    print("\n".join(recorder.failures))


if __name__ == "__main__":
    main()
