import pytest
import tuning
from triton.backends import backends
from triton.runtime.driver import driver


def pytest_configure(config):
    config.addinivalue_line("markers", "cuda_only(reason): the library itself runs this on GPUs alone")
    tuning.configurations = 2 if config.getoption("--device") == "cuda" else 1


def pytest_collection_modifyitems(config, items):
    if config.getoption("--device") != "cuda":
        items[:] = [item for item in items if not item.get_closest_marker("cuda_only")]


@pytest.fixture(autouse=True, scope="session")
def gpu(request, processor):
    """With --device cuda the GPU is the active device, after the fixture that takes the processor."""
    if request.config.getoption("--device") == "cuda":
        driver.set_active(backends["nvidia"].driver())


@pytest.fixture
def client_device(request):
    """The torch device of a client library's tensors: `cpu`, or `cuda` with --device cuda."""
    return "cuda" if request.config.getoption("--device") == "cuda" else "cpu"
