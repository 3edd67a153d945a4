"""Every test gets a cache directory of its worker's own; tests of the language take the device as a parameter."""

import gc
import os
import tempfile
import zlib

import device_copies
import interpreted
import numpy as np
import pytest
import suite_devices
from triton.backends import backends
from triton.backends.amd.driver import SimulatedHIPDriver
from triton.backends.nvidia.driver import SimulatedDriver
from triton.runtime.driver import driver

_cache = tempfile.TemporaryDirectory(prefix="triton-test-cache-")
os.environ["TRITON_CACHE_DIR"] = _cache.name


class HostDevice:
    """The processor, or a simulated GPU: kernels work on NumPy arrays in place."""

    def __init__(self, name):
        self.name = name

    @property
    def is_simulated(self):
        return self.name.startswith("sim:")

    @property
    def environment(self):
        """What makes this the device of another process."""
        if self.is_simulated:
            return {"TRITON_SIMULATE": self.name}
        return {"TRITON_CPU_BACKEND": "1"} if self.name == "cpu" else {}

    def knows(self, dtype):
        """Whether the device has the type: GPUs before compute capability 8.9 have no float8e4nv."""
        target = self.driver().get_current_target()
        return dtype not in ("float8e4nv", "float8_e4m3fn") or "cuda" not in target.backend or target.arch >= 89

    def saturates(self, dtype):
        """Whether conversions to a type with infinities give its largest number instead: instructions of NVIDIA's GPUs
        do so with float8e5."""
        target = self.driver().get_current_target()
        return dtype == "float8e5" and "cuda" in target.backend and target.arch >= 89

    @property
    def lanes(self):
        """Threads of a warp, as many as on NVIDIA's GPUs where there are no warps."""
        return self.driver().get_current_target().warp_size or 32

    def driver(self):
        if self.name == "cpu":
            return backends["cpu"].driver()
        _, kind, arch = self.name.split(":")
        return SimulatedHIPDriver(arch) if kind == "hip" else SimulatedDriver(int(arch))

    def counterparts(self):
        """The names of the devices that must agree with this one, each active in its turn: the processor, for a GPU its
        simulator, and this one last."""
        driver.set_active_to_cpu()
        yield "cpu"
        target = self.driver().get_current_target()
        if self.is_simulated:
            driver.set_active(self.driver())
            yield self.name
        elif target.backend == "cuda":
            driver.set_active(SimulatedDriver(target.arch))
            yield f"sim:cuda:{target.arch}"
            driver.set_active(self.driver())
            yield self.name

    def put(self, array):
        return array

    def get(self, array):
        return array


class InterpretedDevice(HostDevice):
    """Kernels run as Python functions. It is chosen alone: a kernel is interpreted when it was decorated so."""

    environment = {"TRITON_INTERPRET": "1"}

    def knows(self, dtype):
        return True

    def driver(self):
        return backends["cpu"].driver()


class CudaDevice(HostDevice):
    """A real GPU: launches work on copies of the host's arrays."""

    def driver(self):
        return backends["nvidia"].driver()


def pytest_addoption(parser):
    parser.addoption(
        "--device",
        default="cpu",
        help="what the language tests run on, comma-separated: cpu, sim:cuda:80, sim:cuda:90, sim:hip:gfx942, cuda; "
        "suite: what suite_devices.py chooses for each test; full: all of its devices",
    )
    parser.addoption(
        "--one-in",
        type=int,
        default=1,
        help="run one in so many of the variants of each test on each device, at least one of them",
    )
    parser.addoption("--whole", default="", help="the files to which --one-in does not apply, separated by spaces")
    parser.addoption("--times-to", help="appends a line for each test to this file: its seconds and its name")


_times_file = None


def pytest_configure(config):
    global _times_file
    _times_file = config.getoption("--times-to")
    config.addinivalue_line("markers", "cuda_only(reason): the client library itself runs this on GPUs alone")
    devices = config.getoption("--device").split(",")
    if "interpret" in devices:
        if devices != ["interpret"]:
            raise pytest.UsageError("--device interpret goes alone")
        os.environ["TRITON_INTERPRET"] = "1"


def devices_of(config, path):
    """What the tests of a file run on."""
    option = config.getoption("--device")
    return suite_devices.devices_of(path.name) if option in ("suite", "full") else option.split(",")


def pytest_runtest_logreport(report):
    """Under xdist, the process that hands out the tests hears of all of them."""
    if report.when == "call" and _times_file and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(_times_file, "a", encoding="utf-8") as times:
            times.write(f"{report.duration:.2f} {report.nodeid}\n")


def pytest_generate_tests(metafunc):
    devices = devices_of(metafunc.config, metafunc.definition.path)
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", devices, indirect=True)
    if "host_device" in metafunc.fixturenames:
        metafunc.parametrize("host_device", [name for name in devices if name != "cuda"], indirect=True)


def pytest_collection_modifyitems(config, items):
    keep_devices(config, items)
    if config.getoption("--one-in") > 1:
        keep_one_in(config.getoption("--one-in"), config.getoption("--whole").split(), config, items)


def keep_one_in(number, whole, config, items):
    """Those whose names say so: the same ones in every process."""
    variants = {}
    for item in items:
        parameters = getattr(item, "callspec", None)
        device = parameters and (parameters.params.get("device") or parameters.params.get("host_device"))
        variants.setdefault((item.path, getattr(item, "originalname", item.name), device), []).append(item)
    kept = set()
    for (path, _, _), group in variants.items():
        chosen = [item for item in group if zlib.crc32(suite_devices.name_of(item).encode()) % number == 0]
        is_whole = str(path.relative_to(config.rootpath)) in whole
        kept.update(group if is_whole else chosen or group[:1])
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def keep_devices(config, items):
    """Tests without a device run where the processor is one of the devices; those of clients choose for themselves."""
    if config.getoption("--device") != "cuda":
        items[:] = [item for item in items if not item.get_closest_marker("cuda_only")]
    option = config.getoption("--device")
    if option == "suite":
        left_out = {item for item in items if suite_devices.leaves_out(item)}
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    devices = option.split(",")
    if "cpu" in devices or option in ("suite", "full"):
        return
    chosen = [
        item
        for item in items
        if {"device", "host_device"} & set(item.fixturenames) or item.path.parent.name == "clients"
    ]
    if "interpret" in devices:
        chosen = [item for item in chosen if interpreted.reason(item) is None]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def pytest_collection_finish():
    """Thousands of tests live until the end: no collection of garbage has to look at them."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def device(request, monkeypatch):
    kinds = {"cuda": CudaDevice, "interpret": InterpretedDevice}
    chosen = kinds.get(request.param, HostDevice)(request.param)
    if request.param == "cuda":
        device_copies.install(monkeypatch, device_copies.CudaMemory())
    if chosen.is_simulated:
        monkeypatch.setenv("TRITON_VERIFY_PASSES", "1")  # The rules of TTGIR hold after every pass.
    driver.set_active(chosen.driver())
    yield chosen
    driver.set_active_to_cpu()


@pytest.fixture
def host_device(request):
    """A device that works on arrays of the host in place."""
    chosen = (InterpretedDevice if request.param == "interpret" else HostDevice)(request.param)
    driver.set_active(chosen.driver())
    yield chosen
    driver.set_active_to_cpu()


@pytest.fixture(autouse=True, scope="session")
def processor():
    """Tests that do not ask for a device run on the processor, also where there is a GPU."""
    driver.set_active_to_cpu()


@pytest.fixture
def client_device(request):
    """The device of a client library's tensors as PyTorch names it: `cpu`, or `cuda` with --device cuda."""
    if request.config.getoption("--device") != "cuda":
        yield "cpu"
        return
    driver.set_active(backends["nvidia"].driver())
    yield "cuda"
    driver.set_active_to_cpu()


@pytest.fixture
def rng(request):
    """Random numbers that differ between tests but not between runs."""
    return np.random.default_rng(list(suite_devices.name_of(request.node).encode()))


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """A cache directory that only this test uses."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"
