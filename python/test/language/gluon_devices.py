"""The devices of tests of Gluon, and what they need on GPUs of compute capability 9.0."""

import pytest
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.nvidia.driver import SimulatedDriver
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.runtime import driver


@pytest.fixture
def gpu(device):
    if device.name == "cpu":
        pytest.skip("kernels in Gluon run on GPUs")
    return device


@pytest.fixture
def simulated():
    """Makes the simulated GPU of AMD with this architecture active."""

    def start(arch):
        driver.set_active(SimulatedHIPDriver(arch))

    yield start
    driver.set_active_to_cpu()


@pytest.fixture
def blackwell():
    """A simulated GPU of compute capability 10.0."""
    driver.set_active(SimulatedDriver(100))
    yield
    driver.set_active_to_cpu()


@pytest.fixture
def hopper(device):
    if device.name not in ("cuda", "sim:cuda:90", "interpret"):
        pytest.skip("needs compute capability 9.0")
    return device


def described(array, block, width=None, **options):
    """A descriptor of an array, with the layout that its blocks have by default, or with pieces of `width` bytes."""
    dtype = {"float16": ttgl.float16, "float32": ttgl.float32, "int32": ttgl.int32}[str(array.dtype)]
    layout = ttgl.NVMMASharedLayout.get_default_for(block, dtype)
    if width is not None:
        layout = ttgl.NVMMASharedLayout(width, dtype.primitive_bitwidth)
    return TensorDescriptor.from_tensor(array, block, layout, **options)
