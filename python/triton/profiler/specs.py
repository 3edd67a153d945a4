"""What devices can do at most, for rooflines."""

#: Operations of a multiprocessor in a clock by its matrix units, on elements of 16 bits. Elements of half the width run
#: twice as fast.
_OPERATIONS = {
    ("CUDA", "80"): 2048,
    ("CUDA", "86"): 1024,
    ("CUDA", "89"): 1024,
    ("CUDA", "90"): 4096,
    ("CUDA", "100"): 8192,
    ("CUDA", "103"): 8192,
    ("HIP", "gfx90a"): 1024,
    ("HIP", "gfx942"): 2048,
    ("HIP", "gfx950"): 4096,
}

#: Bytes a second of GPUs whose drivers do not report the width of the memory's bus.
_BANDWIDTH = {"gfx90a": 3.2e12, "gfx942": 5.3e12, "gfx950": 8e12}


def max_flops(device_type, arch, width, num_sms, clock_rate):
    """Operations a second on elements of ``width`` bits; ``clock_rate`` in kHz."""
    operations = _OPERATIONS.get((device_type, str(arch)))
    if operations is None:
        raise ValueError(f"nothing is known of the speed of a device {device_type} {arch}")
    return operations * 16 / width * num_sms * clock_rate * 1e3


def max_bps(device_type, arch, bus_width, memory_clock_rate):
    """Bytes a second of the device's memory; ``bus_width`` in bits, ``memory_clock_rate`` in kHz."""
    if device_type == "CUDA":
        return 2 * bus_width * memory_clock_rate * 1e3 / 8
    if device_type == "HIP" and arch in _BANDWIDTH:
        return _BANDWIDTH[arch]
    raise ValueError(f"nothing is known of the memory of a device {device_type} {arch}")
