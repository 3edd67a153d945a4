"""Several simulated devices that reach each other's memory, as the GPUs of one host do."""

import threading

from .. import _C
from .driver import driver
from .errors import SimulationError


class SimulatedDevice:
    """One of the devices: what the function of ``simulate_devices`` gets."""

    def __init__(self, group, index, count):
        self._group = group
        self.index = index
        self.count = count

    def barrier(self):
        """Wait until every device has come here or has ended, and until its launches have ended, as a host does that
        synchronizes its devices. What all have done happens before what they do afterwards."""
        self._group.meet(self.index)


class _Thread(threading.Thread):
    def __init__(self, device, function):
        super().__init__(name=f"device {device.index}", daemon=True)
        self.device, self.function = device, function
        self.result = self.error = None

    def run(self):
        _C.set_device_of_thread(self.device._group, self.device.index)
        try:
            self.result = self.function(self.device)
        except BaseException as error:
            self.error = error
        finally:
            _C.set_device_of_thread(None)
            self.device._group.end(self.device.index)


def simulate_devices(count, function):
    """Call ``function(device)`` on ``count`` threads, each of which launches on a simulated device of its own, and
    return the list of the results. ``device.index`` is its number.

    The n-th launches of all devices run beside each other, and each reaches the arrays of all of them. A device runs
    its own launches in order. Only operations with ``scope="sys"`` and ``device.barrier()`` order what different
    devices do; what nothing orders is reported as a race. Name memory that several devices access with
    ``accessible_memory``: then races between different launches are found, too."""
    target = driver.active.get_current_target()
    if not target.backend.startswith("sim:"):
        raise RuntimeError(
            f"simulate_devices needs the simulator of a GPU, but launches go to `{target.backend}`; "
            "set TRITON_SIMULATE, or make a SimulatedDriver active"
        )
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"simulate_devices needs at least one device, not {count!r}")
    group = _C.make_device_group(count)
    threads = [_Thread(SimulatedDevice(group, index, count), function) for index in range(count)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:  # such as Ctrl-C
        group.give_up()
        raise
    errors = [thread.error for thread in threads if thread.error is not None]
    if errors:
        raise min(errors, key=_is_of_waiting)  # A device that has failed is one for which others wait without end.
    return [thread.result for thread in threads]


def _is_of_waiting(error):
    return isinstance(error, SimulationError) and all("error: deadlock in " in text for text in error.findings)
