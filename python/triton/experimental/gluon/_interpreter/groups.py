"""Groups of warps that do different things: one runs at a time, until it ends or has to wait.

Each group but the first has a thread of Python, because a function of Python cannot stop in the middle. A group that
waits hands its turn to the next one that can go on, so that a program takes the same way each time.
"""

import functools
import sys
import threading

from ....runtime.interpreter.registry import current, implements_in_gluon
from ....runtime.interpreter.values import integers, plain


class _Abandoned(BaseException):
    """Ends a group of a program that has failed, or is run again."""


class _Group:
    """A function that some warps run."""

    def __init__(self, name, warps):
        self.name, self.warps, self.turn = name, warps, threading.Semaphore(0)
        self.can_go_on, self.waits_for, self.has_ended = (lambda: True), None, False

    def __str__(self):
        """What it does, in words."""
        if self.has_ended:
            return "has ended"
        return "can go on" if self.waits_for is None else f"waits {self.waits_for()}"

    def is_ready(self):
        return not self.has_ended and self.can_go_on()


class _Thread(threading.Thread):
    """The thread of a group. ``parent`` is that of the program."""

    def __init__(self, run, name):
        super().__init__(target=run, name=name, daemon=True)
        self.parent = threading.current_thread()


class Groups:
    """The groups of the program that runs; at first all warps are one."""

    def __init__(self, launch, warps):
        self.launch = launch
        self.all = [_Group("the program", warps)]
        self.running = self.all[0]
        self._error, self._is_abandoned = None, False
        self.is_aside = False  # an expression is computed that the program does not have
        self.frame = None  # where the program has parted

    @property
    def first(self):
        return self.all[0]

    def wait(self, can_go_on, waits_for):
        """Returns when the condition holds. ``waits_for`` says in words what the group waits for."""
        own = self.running
        if self.is_aside and not can_go_on():
            raise RuntimeError(f"the group would wait {waits_for()}")
        own.can_go_on, own.waits_for = can_go_on, waits_for
        if not can_go_on():
            self._let_others_run(own)
        own.can_go_on, own.waits_for = (lambda: True), None

    def _let_others_run(self, own):
        place = self.all.index(own)
        others = [*self.all[place + 1 :], *self.all[:place]]
        following = next((group for group in others if group.is_ready()), None)
        if following is None:
            raise RuntimeError(self._deadlock())
        self._give_turn(following)
        self._await_turn(own)

    def _deadlock(self):
        return f"deadlock: {'; '.join(f'{group.name} {group}' for group in self.all)}"

    def _give_turn(self, group):
        self.running = group
        group.turn.release()

    def _await_turn(self, own):
        own.turn.acquire()
        if self._is_abandoned:
            sys.settrace(None)  # a debugger need not see how the group ends
            raise _Abandoned
        if own is self.first and self._error is not None:
            raise self._error

    def run(self, calls, warps):
        """Runs the functions of ``calls`` at the same time, and gives the result of the first one, which has all warps
        of the program; ``warps`` are those of the others."""
        if self.is_aside:
            raise RuntimeError("groups of warps do not run in an expression")
        own, trace, self.frame = self.first, sys.gettrace(), sys._getframe()
        self._error, self._is_abandoned = None, False
        workers = [_Group(f"group {number}", count) for number, count in enumerate(warps, 1)]
        own.name, self.all = "group 0", [own, *workers]
        threads = []
        for group, call in zip(workers, calls[1:], strict=True):
            run = functools.partial(self._run_group, group, call, trace)
            threads.append(_Thread(run, group.name))
            threads[-1].start()
        try:
            result = calls[0]()
            self.wait(lambda: all(group.has_ended for group in workers), lambda: "for the others")
            return result
        finally:
            self._abandon(workers)
            for thread in threads:
                thread.join()
            own.name, self.all, self.running, self.frame = "the program", [own], own, None

    def _abandon(self, workers):
        self._is_abandoned = True
        for group in workers:
            group.turn.release()

    def _run_group(self, group, call, trace):
        following = self.first
        try:
            with self.launch.running():
                self._await_turn(group)
                sys.settrace(trace)
                call()
                sys.settrace(None)
                group.has_ended = True
                following = self._after_end()
        except _Abandoned:
            return
        except BaseException as error:  # which the thread of the launch raises
            sys.settrace(None)
            self._error = error
        group.has_ended = True
        self._give_turn(following)

    def _after_end(self):
        """The group that goes on when one has ended."""
        ready = next((other for other in self.all if other.is_ready()), None)
        if ready is None:
            raise RuntimeError(self._deadlock())
        return ready


@implements_in_gluon()
def warp_specialize(functions_and_args, worker_num_warps, worker_num_regs=None):
    groups, calls = current().gluon.groups, []
    if len(groups.all) > 1:
        raise ValueError("`ttgl.warp_specialize` parts the warps of a program, not those of a group")
    for entry in plain(functions_and_args):
        entry = plain(entry)
        if not isinstance(entry, (tuple, list)) or len(entry) != 2 or not isinstance(entry[1], (tuple, list)):
            raise ValueError("`ttgl.warp_specialize` needs a function and the tuple of its arguments")
        calls.append(functools.partial(entry[0], *entry[1]))
    warps = integers(worker_num_warps, "worker_num_warps")
    if len(warps) != len(calls) - 1:
        raise ValueError(
            f"`ttgl.warp_specialize` needs {len(calls) - 1} numbers, one for each function but the first, not "
            f"{len(warps)}"
        )
    return groups.run(calls, warps)
