"""Launches on a GPU with arrays of the host: each launch works on copies there, and what it stored comes back. So the
tests of the language, which are written for arrays in place, run unchanged on the device."""

import ctypes
import dataclasses
from types import SimpleNamespace

import numpy as np
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction, TensorWrapper
from triton.tools.tensor_descriptor import TensorDescriptor


class CudaMemory:
    """Copies through PyTorch."""

    backend = "cuda"

    def upload(self, data):
        import torch

        return torch.from_numpy(data.copy()).cuda()

    def download(self, copy):
        return copy.cpu().numpy()


class DeviceView:
    """What the launcher sees of an array: an address on the device and an element type."""

    device = SimpleNamespace(type="cuda")

    def __init__(self, address, dtype):
        self.address, self.dtype = address, dtype

    def data_ptr(self):
        return self.address

    def element_size(self):
        return self.dtype.itemsize


def _bytes_at(address, count):
    return np.ctypeslib.as_array((ctypes.c_uint8 * count).from_address(address))


class LaunchCopies:
    """The copies of one launch: one for each piece of memory, so that views of one array stay views of one."""

    def __init__(self, memory):
        self.memory = memory
        self.copies = {}  # address of the memory → (its bytes on the host, the copy)

    def convert(self, value):
        if isinstance(value, tuple):
            converted = [self.convert(item) for item in value]
            return type(value)(*converted) if hasattr(value, "_fields") else tuple(converted)
        if isinstance(value, TensorDescriptor):
            return dataclasses.replace(value, base=self.convert(value.base))
        if isinstance(value, TensorWrapper) and isinstance(value.base, np.ndarray):
            return self._view(value.base, value.dtype)
        if isinstance(value, np.ndarray):
            return self._view(value, value.dtype)
        if type(value).__module__ == "torch" and getattr(getattr(value, "device", None), "type", "") == "cpu":
            storage = value.untyped_storage()
            raw = _bytes_at(storage.data_ptr(), storage.nbytes())
            return DeviceView(self._copy_of(raw) + value.data_ptr() - raw.ctypes.data, value.dtype)
        return value

    def _view(self, array, dtype):
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        low, high = np.lib.array_utils.byte_bounds(owner) if owner.size else (owner.ctypes.data,) * 2
        raw = _bytes_at(low, high - low)
        return DeviceView(self._copy_of(raw) + array.ctypes.data - low, dtype)

    def _copy_of(self, raw):
        key = raw.ctypes.data
        if key not in self.copies:
            self.copies[key] = (raw, self.memory.upload(raw))
        return self.copies[key][1].data_ptr()

    def bring_back(self):
        for raw, copy in self.copies.values():
            result = self.memory.download(copy)
            if not np.array_equal(result, raw):
                raw[:] = result


def run_on_copies(memory):
    """A stand-in for `JITFunction.run` that launches on copies where the backend of `memory` is active."""
    original = JITFunction.run

    def run(self, *args, grid, warmup=False, **kwargs):
        if driver.active.get_current_target().backend != memory.backend:
            return original(self, *args, grid=grid, warmup=warmup, **kwargs)
        copies = LaunchCopies(memory)
        converted = [copies.convert(value) for value in args]
        named = {name: copies.convert(value) for name, value in kwargs.items()}
        result = original(self, *converted, grid=grid, warmup=warmup, **named)
        copies.bring_back()
        return result

    return run


def install(monkeypatch, memory):
    """Makes every launch of this test on the backend of `memory` work on copies there."""
    run = run_on_copies(memory)
    monkeypatch.setattr(JITFunction, "run", run, raising=False)
    monkeypatch.setattr(
        JITFunction, "__getitem__", lambda self, grid: lambda *args, **kwargs: run(self, *args, grid=grid, **kwargs)
    )
