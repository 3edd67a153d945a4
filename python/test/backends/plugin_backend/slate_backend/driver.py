"""The device. Its memory is the host's; a pointer is an address and the type of what is there."""

import ctypes
import os

import numpy as np
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

LAUNCHES = []  # what launchers were called with


class Pointer:
    def __init__(self, address, dtype, offset=0):
        self.address, self.dtype, self.offset = address, np.dtype(dtype), offset

    def __add__(self, offset):
        return Pointer(self.address, self.dtype, self.offset + offset)

    def at(self, index):
        memory = (ctypes.c_char * self.dtype.itemsize).from_address(self.address + int(index) * self.dtype.itemsize)
        return np.frombuffer(memory, self.dtype)


def load(pointer, mask):
    where = np.broadcast_to(mask, pointer.offset.shape)
    return np.array([pointer.at(i)[0] if m else 0 for i, m in zip(pointer.offset, where, strict=True)], pointer.dtype)


def store_with(factor):
    def store(pointer, values, mask):
        values = np.broadcast_to(values, pointer.offset.shape)
        for i, value, m in zip(pointer.offset, values, mask, strict=True):
            if m:
                pointer.at(i)[0] = value * factor

    return store


class SlateUtils:
    @staticmethod
    def get_device_properties(device):
        return {"max_shared_mem": 0, "multiprocessor_count": 1, "warpSize": 1}

    @staticmethod
    def load_binary(name, data, shared, device):
        scope = {"arange": np.arange, "load": load, "true": True, "false": False}
        exec(data.decode(), scope)
        return scope, scope[name], 7, 0, 64


class SlateLauncher:
    def __init__(self, src, metadata):
        self.types = list(src.signature.values())
        self.constants = {path[0] for path in src.constants}

    def __call__(self, x, y, z, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *args):
        LAUNCHES.append((x, y, z, stream, packed_metadata))
        function.__globals__["store"] = store_with(packed_metadata[1])
        values = [
            Pointer(value.ctypes.data, value.dtype) if type_.startswith("*") else value
            for index, (type_, value) in enumerate(zip(self.types, args, strict=True))
            if index not in self.constants
        ]
        if launch_metadata is not None:
            enter_hook(launch_metadata)
        for program in range(x):
            function(program, *values)
        if launch_metadata is not None:
            exit_hook(launch_metadata)


class SlateDriver(DriverBase):
    def __init__(self):
        self.utils, self.launcher_cls = SlateUtils(), SlateLauncher

    @staticmethod
    def is_active():
        return os.environ.get("SLATE") == "1"

    def get_current_target(self):
        return GPUTarget("slate", "a1", 1)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 42

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def map_python_to_cpp_type(self, ty):
        return "void*" if ty.startswith("*") else "int"
