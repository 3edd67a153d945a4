"""Whether rows of what operators of PyTorch compute depend on their batch: each call of an autograd function or of an
operator of `torch.library` is repeated with some of its rows."""

import enum
import functools
import numbers
import types

import torch
from torch._library.custom_ops import CustomOpDef

from ..language import dtypes
from ..runtime._kernel_interface import KernelInterface
from ._contents import are_near
from ._findings import launch_finding
from ._invariance import VariantRows, assert_invariant

KIND = "results that depend on the batch"
_HELP = "choose blocks and splits by the length of a row alone, not by the number of rows"


#: What a call cannot change.
_FIXED = (type(None), numbers.Number, str, bytes, enum.Enum, type, types.FunctionType, types.BuiltinFunctionType)
_FIXED += (torch.dtype, torch.device, torch.layout, torch.memory_format, dtypes.dtype, KernelInterface)


class _Changeable(Exception):
    """An argument that the call may change, and of which no copy is known."""

    def __init__(self, value):
        super().__init__(f"they have a `{type(value).__name__}` among their arguments, which a call may change")


def _copy(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if type(value) is dict:
        return {key: _copy(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(map(_copy, value))
    if type(value) in (tuple, list, torch.Size):
        return type(value)(map(_copy, value))
    if isinstance(value, _FIXED):
        return value
    raise _Changeable(value)


def _listed(results):
    return results if isinstance(results, (tuple, list)) else (results,)


def _batched(values, count):
    """The numbers of the arguments that have so many rows; none where it is not clear which rows belong together."""
    tensors = {i: value for i, value in enumerate(values) if isinstance(value, torch.Tensor)}
    chosen = [i for i, value in tensors.items() if value.dim() and value.shape[0] == count]
    return chosen if any(tensors[i].dim() > 1 for i in chosen) else []


def _identity(name, values):
    def of(value):
        if isinstance(value, torch.Tensor):
            return value.shape, value.dtype
        if isinstance(value, dict):
            return tuple((repr(key), of(each)) for key, each in value.items())
        if isinstance(value, (tuple, list)):
            return tuple(map(of, value))
        return repr(value)[:80] if isinstance(value, _FIXED) else type(value)

    return name, *map(of, values)


class _Call:
    """A call of an operator, with copies of its arguments."""

    def __init__(self, name, function, args, kwargs):
        self.name, self.function = name, function
        self.values = [_copy(value) for value in (*args, *kwargs.values())]
        self.names, self.positional = list(kwargs), len(args)
        self.state, self.seen = torch.get_rng_state(), []
        self.count = self.results = None

    def returned(self, results):
        """Chooses by what the call returned how many rows there are, and which results have a row for each."""
        shaped = {i: each for i, each in enumerate(_listed(results)) if isinstance(each, torch.Tensor) and each.dim()}
        self.count = next((each.shape[0] for each in shaped.values()), 0)
        self.results = [i for i, each in shaped.items() if each.shape[0] == self.count]

    def _run(self, chosen, *batch):
        """The results that have a row for each of the batch, which stands for the arguments with the numbers
        ``chosen``."""
        values = [_copy(value) for value in self.values]
        for number, rows in zip(chosen, batch, strict=True):
            values[number] = rows.clone()
        torch.set_rng_state(self.state)
        named = dict(zip(self.names, values[self.positional :], strict=True))
        with torch.no_grad():
            results = _listed(self.function(*values[: self.positional], **named))
        results = [results[number].detach() for number in self.results]
        self.seen.append(results)
        return results

    def variant(self):
        """What depends on the batch, as VariantRows, or None."""
        chosen = _batched(self.values, self.count)
        if chosen:
            try:
                assert_invariant(functools.partial(self._run, chosen), *(self.values[number] for number in chosen))
            except VariantRows as variant:
                return variant
        return None

    def is_rounding(self, rows):
        """Whether the last results, which are those of the rows alone, differ from the whole batch's by rounding."""
        of = lambda tensor: tensor.cpu().double().numpy()
        pairs = [(a[rows], b) for a, b in zip(self.seen[0], self.seen[-1], strict=True) if a.is_floating_point()]
        return all(are_near(of(a), of(b), torch.finfo(a.dtype).eps) for a, b in pairs)


class _Watch:
    def __init__(self, session):
        self.session, self.known = session, set()

    def call(self, name, function, args, kwargs):
        """The call itself, which is then compared with calls for some of its rows."""
        session = self.session
        identity = _identity(name, (*args, *kwargs.values()))
        if session.is_probing or identity in self.known:
            return function(*args, **kwargs)
        try:
            call, reason = _Call(name, function, args, kwargs), ""
        except _Changeable as error:
            call, reason = None, error
        before = session.current.launches.total()
        result = function(*args, **kwargs)
        if session.current.launches.total() > before:
            self.known.add(identity)
            if call is None:
                session.note_incomplete(f"rows of `{name}` were not compared: {reason}")
            else:
                self._compare(call, result)
        return result

    def _compare(self, call, result):
        call.returned(result)
        if call.count < 2:
            return
        session, state = self.session, torch.get_rng_state()
        session.is_probing = True
        try:
            variant = call.variant()
        except Exception as error:  # what takes these rows may not take fewer
            reason = f"{error}".partition("\n")[0]
            session.note_incomplete(f"rows of `{call.name}` were not compared: {reason}")
            return
        finally:
            session.is_probing = False
            torch.set_rng_state(state)
        if variant is None:
            return
        if not call.is_rounding(variant.rows):
            session.note_incomplete(f"rows of `{call.name}` were not compared: they depend on one another")
        elif variant.place is None:  # PyTorch's own operators compute as on processors
            session.note_incomplete(f"`{call.name}`: {variant}; no sum of a kernel is known to be another")
        else:
            detail = f"`{call.name}`: {variant}"
            session.current.findings.append(launch_finding(session, KIND, detail, variant.kernel, variant.place, _HELP))


def install(session):
    """Lets calls of operators be compared."""
    watch = _Watch(session)
    apply, call = torch.autograd.Function.__dict__["apply"].__func__, CustomOpDef.__call__

    def watched_apply(function, *args, **kwargs):
        return watch.call(function.__name__, functools.partial(apply, function), args, kwargs)

    def watched_call(operator, *args, **kwargs):
        return watch.call(operator._qualname, functools.partial(call, operator), args, kwargs)

    torch.autograd.Function.apply, CustomOpDef.__call__ = classmethod(watched_apply), watched_call
