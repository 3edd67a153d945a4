import pytest
import triton

# How many configurations of an autotuned kernel are tried: libraries list dozens, and the time of tests counts.
CONFIGURATIONS = {"cpu": 1, "cuda": 2}


def pytest_configure(config):
    config.addinivalue_line("markers", "cuda_only(reason): the library itself runs this on GPUs alone")
    autotune, count = triton.autotune, CONFIGURATIONS.get(config.getoption("--device"), 1)
    triton.autotune = lambda configs, *args, **options: autotune(configs[:count], *args, **options)


def pytest_collection_modifyitems(config, items):
    if config.getoption("--device") != "cuda":
        items[:] = [item for item in items if not item.get_closest_marker("cuda_only")]


@pytest.fixture
def client_device(request):
    """The torch device of a client library's tensors: `cpu`, or `cuda` with --device cuda."""
    return "cuda" if request.config.getoption("--device") == "cuda" else "cpu"
