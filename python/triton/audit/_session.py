"""An audit of this process: the device, and what is kept of launches."""

import importlib.util
import os
import sys

from .. import _C, knobs
from ..runtime import autotuner
from ..runtime.driver import driver
from ..runtime.errors import SimulationError
from . import _hints, _tuning
from ._findings import Collection, parse_finding
from ._freed_memory import FreedMemory
from ._machines import driver_of

#: What results can be asked not to depend on.
INVARIANT = ("batch", "split", "order")
_LEAST_ORDERS = 3


def parse_invariant(text):
    """The names in the value of `--invariant`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    wrong = next((name for name in names if name not in INVARIANT), None if names else text)
    if wrong is not None:
        raise ValueError(f"`--invariant` names `{wrong}`; write some of {','.join(INVARIANT)}")
    return names


class Session:
    """Launches of this process go to the simulator of the machine's GPU. What happens is added to ``current``, which
    the owner takes out for each test."""

    def __init__(self, machine, all_configs=False, whole_storages=False, orders=1, looks=(), invariant=(), other=None):
        self.machine, self.all_configs, self.whole_storages = machine, all_configs, whole_storages
        self.looks = looks  # "coverage" and "shadow": what to see of launches in the interpreter
        self.invariant = invariant  # of INVARIANT
        self.other = other  # the compilation to compare with, or None
        self.orders = max(orders, _LEAST_ORDERS) if "order" in invariant else orders
        self.current, self.test, self.kernel, self.config = Collection(), "", "", ""
        self.is_probing = False  # a launch runs again, to see what decides its results
        self._freed_memory = FreedMemory()

    def start(self):
        # PyTorch reads these when it is imported: code that it compiles is not that of programs.
        os.environ.update(TORCHDYNAMO_DISABLE="1", PYTORCH_JIT="0")
        driver.set_active(driver_of(self.machine))
        _C.check_views(not self.whole_storages)
        _C.pretend_gpu(True)
        _C.set_program_orders(self.orders)
        SimulationError.listener = self._note_error
        knobs.runtime.launch_enter_hook.add(self._note_launch)
        autotuner.chooser = self._chooser()
        _tuning.replace_measurements(self.all_configs)
        if "torch" in sys.modules or importlib.util.find_spec("torch"):
            from . import _addresses, _cuda, _dispatch, _generators, _placement, _unwritten

            _placement.install()
            _generators.install()
            _cuda.install(self.machine)
            _dispatch.install()
            _addresses.install(self)
            _unwritten.install(self)
            if "batch" in self.invariant:
                from . import _rows

                _rows.install(self)
        _hints.install(self)
        if self.other is not None:
            from . import _compare

            _compare.install(self)
        if self.looks:
            self._look_beside()

    def _chooser(self):
        if "split" in self.invariant:
            from ._splits import same_bits

            return same_bits(self)
        return _tuning.each_in_turn(self) if self.all_configs else _tuning.first_that_fits

    def _look_beside(self):
        from . import _beside, _coverage, _shadow

        looks = {"coverage": _coverage.cover, "shadow": _shadow.shadow}
        for name in self.looks:
            _beside.install(self, looks[name])

    def _note_launch(self, metadata):
        self._freed_memory.look()
        if self.is_probing:
            return
        self.kernel = metadata.get()["name"]
        self.current.launches[self.kernel] += 1

    def _note_error(self, error):
        if not self.is_probing:
            self.current.findings += [
                parse_finding(text, self.kernel, self.test, self.config) for text in error.findings
            ]

    def note_unsupported(self, sentence):
        self.current.unsupported.append((self.test, sentence))

    def note_incomplete(self, sentence):
        self.current.incomplete[sentence] += 1

    def take(self):
        """What happened since the last call."""
        taken, self.current = self.current, Collection()
        return taken
