"""Where programs run: the processor, simulated GPUs, the interpreter of kernels, and the GPU of this machine."""

import ctypes
import importlib.util
import pathlib
import types

import numpy as np

from . import elements

#: What must be set before triton is imported.
ENVIRONMENT = {"interpret": {"TRITON_INTERPRET": "1"}}


class Target:
    """What this process runs programs on."""

    def __init__(self, name):
        from triton.backends import backends
        from triton.runtime.driver import driver

        self.name = name
        kind, _, arch = name.rpartition(":")
        self.memory = None
        if name == "cuda":
            driver.set_active(backends["nvidia"].driver())
            self.memory = DeviceMemory()
        elif kind == "sim:cuda":
            from triton.backends.nvidia.driver import SimulatedDriver

            driver.set_active(SimulatedDriver(int(arch)))
        elif kind == "sim:hip":
            from triton.backends.amd.driver import SimulatedHIPDriver

            driver.set_active(SimulatedHIPDriver(arch))
        elif name in ("cpu", "interpret"):
            driver.set_active_to_cpu()
        else:
            raise SystemExit(f"there is no target `{name}`; use cpu, interpret, cuda, or sim:cuda:90 and the like")
        self.description = driver.active.get_current_target()

    @property
    def is_nvidia(self):
        return "cuda" in self.name

    def knows(self, dtype):
        return dtype != "float8e4nv" or not self.is_nvidia or int(self.description.arch) >= 89

    def run(self, kernel, program, arguments, only_compiles=False):
        """Launches the kernel; `arguments` are NumPy arrays, which it changes, and whatever else there is."""
        import triton
        import triton.language as tl

        passed, copies = {}, []
        for name, dtype, stored, descriptor in arguments:
            if isinstance(stored, np.ndarray):
                place = stored
                if self.memory is not None:
                    place = self.memory.upload(stored)
                    copies.append((stored, place))
                if dtype in elements.STORAGE and dtype != "int1":
                    place = triton.reinterpret(place, getattr(tl, dtype))
                passed[name] = place if descriptor is None else descriptor.made(place)
            else:
                passed[name] = stored
        # Some arguments by place, the others by name.
        by_place = program.seed % (len(passed) + 1) if program.seed % 3 == 0 else 0
        placed = [passed.pop(name) for name, *_ in arguments[:by_place]]
        if only_compiles:
            kernel.warmup(*placed, **passed, **self.options(program), grid=program.grid)
        else:
            kernel[program.grid](*placed, **passed, **self.options(program))
        for stored, place in copies:
            self.memory.download(stored, place)
        if self.memory is not None:
            self.memory.release()

    def options(self, program):
        options = dict(program.options)
        if not self.is_nvidia:
            options.pop("maxnreg", None)
        return options


class DeviceArray:
    """What the launcher sees of an array on the GPU."""

    device = types.SimpleNamespace(type="cuda")

    def __init__(self, address, array):
        self.address, self.dtype, self.shape = address, array.dtype, array.shape
        self.strides = [step // array.itemsize for step in array.strides]

    def data_ptr(self):
        return self.address

    def stride(self, axis=None):
        return self.strides if axis is None else self.strides[axis]


class DeviceMemory:
    """Memory of the GPU through its driver: nothing but NumPy need be installed."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.pointers = []
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check(self.library.cuInit(0))
        self.check(self.library.cuDeviceGet(ctypes.byref(device), 0))
        self.check(self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self.check(self.library.cuCtxSetCurrent(context))

    def check(self, status):
        if status:
            raise RuntimeError(f"the driver of the GPU says {status}")

    def upload(self, array):
        """A copy of the array, as far after a multiple of 16 bytes as itself."""
        begin = ctypes.c_uint64()
        shift = array.ctypes.data % 16
        self.check(self.library.cuMemAlloc_v2(ctypes.byref(begin), ctypes.c_size_t(array.nbytes + 16)))
        self.pointers.append(begin)
        address = ctypes.c_uint64(begin.value + shift)
        source = array.ctypes.data_as(ctypes.c_void_p)
        self.check(self.library.cuMemcpyHtoD_v2(address, source, ctypes.c_size_t(array.nbytes)))
        return DeviceArray(address.value, array)

    def download(self, array, place):
        self.check(self.library.cuCtxSynchronize())
        target = array.ctypes.data_as(ctypes.c_void_p)
        address = ctypes.c_uint64(place.address)
        self.check(self.library.cuMemcpyDtoH_v2(target, address, ctypes.c_size_t(array.nbytes)))

    def release(self):
        for address in self.pointers:
            self.library.cuMemFree_v2(address)
        self.pointers.clear()


def load(folder, name, text):
    """The module of this text, whose file is there until the next one is loaded: kernels are read from it, and it tells
    what ran last."""
    for old in pathlib.Path(folder).glob("*.py"):
        old.unlink()
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
