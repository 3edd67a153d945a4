"""Barriers in shared memory."""

import numpy as np

from ....language import dtypes as types
from ....runtime.interpreter.accesses import write
from ....runtime.interpreter.registry import current, implements_in_gluon
from ....runtime.interpreter.values import describe, integer, plain, to_tensor
from ..language._layouts import MBarrierLayout
from .buffers import Buffer, allocate_shared_memory
from .phases import INVALID, MOST, State, state_at


def _address_of(barrier):
    if not isinstance(barrier, Buffer) or barrier.dtype != types.int64 or barrier.shape != (1,):
        found = barrier.describe() if isinstance(barrier, Buffer) else describe(barrier)
        raise ValueError(f"a barrier is needed here, a buffer of one int64, not {found}")
    return int(barrier.addresses[0])


def _set(address, word):
    write(np.array([address], np.uint64), np.array([word], np.uint64), types.uint64)


def _require(address):
    state = state_at(address)
    if state is None:
        raise RuntimeError("no mbarrier has been initialized here, or it was invalidated: call `mbarrier.init` first")
    return state


def _change(barrier, arrivals=0, bytes_=0):
    """Counts arrivals, and bytes that are announced, or with a negative number have come. The phase may end."""
    address = _address_of(barrier)
    state = _require(address)
    if arrivals > state.missing:
        raise RuntimeError(
            f"{arrivals} arrive at the barrier where {state.missing} of {state.count} are missing in this phase"
        )
    if abs(state.bytes + bytes_) > MOST:
        raise RuntimeError(
            f"{abs(state.bytes + bytes_)} bytes of a phase would be counted, but a barrier counts at most {MOST}: "
            "let several phases, or several barriers, count them"
        )
    state.missing -= arrivals
    state.bytes += bytes_
    if not state.missing and not state.bytes:
        state.phase, state.missing = state.phase ^ 1, state.count
    _set(address, state.packed())


def arrive_at(barrier, count=1):
    _change(barrier, count)


def bring_bytes(barrier, count):
    """A copy has brought bytes."""
    _change(barrier, bytes_=-count)


def is_true(pred):
    return bool(to_tensor(pred))


def _count(value, what, least):
    number = integer(value, what)
    if not least <= number <= MOST:
        raise ValueError(f"{what} must be {least} to {MOST}, not {number}")
    return number


@implements_in_gluon()
def nvidia_ampere_mbarrier_allocate_mbarrier(batch=None, two_ctas=False):
    """The blocks of a program do the same at their barriers, so that one stands for all."""
    shape = [1] if plain(batch) is None else [integer(batch, "batch"), 1]
    return allocate_shared_memory(types.int64, shape, MBarrierLayout())


@implements_in_gluon()
def nvidia_ampere_mbarrier_init(mbarrier, count):
    count = _count(count, "`count`", 1)
    _set(_address_of(mbarrier), State(0, count, count).packed())


@implements_in_gluon()
def nvidia_ampere_mbarrier_invalidate(mbarrier):
    address = _address_of(mbarrier)
    _require(address)
    _set(address, INVALID)


@implements_in_gluon()
def nvidia_ampere_mbarrier_wait(mbarrier, phase, pred=True, deps=()):
    address, phase = _address_of(mbarrier), int(to_tensor(phase)) & 1
    if is_true(pred):
        _require(address)
        has_ended = lambda: _require(address).phase != phase
        current().gluon.groups.wait(has_ended, lambda: f"at a barrier that {_require(address)}")


@implements_in_gluon()
def nvidia_hopper_mbarrier_arrive(mbarrier, count=1, pred=True, from_cta=None):
    if is_true(pred):
        arrive_at(mbarrier, _count(count, "`count`", 1))


@implements_in_gluon()
def nvidia_ampere_mbarrier_arrive(mbarrier, pred=True, from_cta=None):
    nvidia_hopper_mbarrier_arrive(mbarrier, 1, pred)


@implements_in_gluon()
def nvidia_hopper_mbarrier_expect(mbarrier, bytes_per_cta=None, pred=True, from_cta=None):
    if is_true(pred):
        _change(mbarrier, 1, _count(bytes_per_cta, "`bytes_per_cta`", 0))


@implements_in_gluon()
def nvidia_ampere_async_copy_mbarrier_arrive(mbarrier, increment_count=True):
    """The copies have come already. Arrivals that are counted in addition leave the barrier as it is."""
    if not plain(increment_count):
        arrive_at(mbarrier, _threads())


# On gfx1250 each thread arrives.


def _threads():
    return 32 * current().gluon.warps


@implements_in_gluon()
def amd_cdna5_mbarrier_init(mbarrier, count):
    nvidia_ampere_mbarrier_init(mbarrier, count)


@implements_in_gluon()
def amd_cdna5_mbarrier_wait(mbarrier, phase):
    nvidia_ampere_mbarrier_wait(mbarrier, phase)


@implements_in_gluon()
def amd_cdna5_mbarrier_arrive(mbarrier, count=1):
    before = _require(_address_of(mbarrier)).phase
    arrive_at(mbarrier, _threads() * _count(count, "`count`", 1))
    return to_tensor(before)


@implements_in_gluon()
def amd_cdna5_mbarrier__arrive_after_blocks(mbarrier, count):
    arrive_at(mbarrier, _count(count, "`count`", 1))


@implements_in_gluon()
def amd_cdna5_async_copy_mbarrier_arrive(mbarrier):
    arrive_at(mbarrier, _threads())
