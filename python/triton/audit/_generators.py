"""Generators of random numbers that say they are on the GPU. The numbers are the processor's; a state is what a GPU's
generator has, a seed and an offset, from which kernels draw numbers of their own."""

import struct

import numpy
import torch

from ._placement import DEVICE, HOST, _of_host, place, seen

_WORDS = struct.Struct("<qq")
#: So much further is the offset after PyTorch has drawn numbers, of which only that is known. GPUs count by four, too.
_STEP = 4
_MOST_STATES = 1 << 10  # that are kept, of 5 KB each


class _States:
    """The states of one of the processor's generators, by seed and offset."""

    def __init__(self):
        self.seed, self.offset = 0, 0
        self._begin = None  # the seed that the processor's generator was given
        self._last = b""
        self._known = {}

    def words(self, generator):
        state = generator.get_state()
        contents = bytes(state.numpy())
        if generator.initial_seed() != self._begin:
            self._begin = generator.initial_seed()
            self.seed, self.offset = self._begin, 0
        elif contents != self._last:
            self.offset += _STEP
            while self._is_of_another(state):
                self.offset += _STEP
        self._keep(contents, state)
        return _WORDS.pack((self.seed + 2**63) % 2**64 - 2**63, self.offset)

    def restore(self, generator, words):
        """The state of these words; where there was none, one that other words do not have."""
        self.seed, self.offset = _WORDS.unpack(words)
        state = self._known.get((self.seed, self.offset))
        if state is None:
            generator.manual_seed(hash((self.seed, self.offset)) % 2**63)
            state = generator.get_state()
        generator.set_state(state)
        self._begin = generator.initial_seed()
        self._keep(bytes(state.numpy()), state)

    def _is_of_another(self, state):
        """After a state was restored, as many draws may have given other numbers."""
        known = self._known.get((self.seed, self.offset))
        return known is not None and not numpy.array_equal(known.numpy(), state.numpy())

    def forget(self):
        self._begin, self._last = None, b""

    def _keep(self, contents, state):
        self._last = contents
        self._known[self.seed, self.offset] = state
        if len(self._known) > _MOST_STATES:
            del self._known[next(iter(self._known))]


class _Processors:
    """What PyTorch's own methods do to a generator of ours."""

    def __init__(self, generator):
        self._generator = generator

    def __getattr__(self, name):
        method = getattr(torch._C.Generator, name)
        return lambda *args: method(self._generator, *args)


class Generator(torch.Generator):
    """A generator that says where it is."""

    def __new__(cls, device="cpu"):
        generator = super().__new__(cls, _of_host(device))
        generator._seen, generator._states = seen(device) or HOST, _States()
        return generator

    @property
    def device(self):
        return self._seen

    @property
    def _drawing(self):
        """The one from which PyTorch draws numbers."""
        return _Processors(self)

    def get_state(self):
        if self._seen == HOST:
            return super().get_state()
        with torch._C.DisableTorchFunction():
            words = torch.frombuffer(bytearray(self._states.words(self._drawing)), dtype=torch.uint8)
        return place(words, HOST)

    def set_state(self, state):
        with torch._C.DisableTorchFunction():
            if self._seen == HOST or state.numel() != _WORDS.size:
                self._drawing.set_state(state)
            else:
                self._states.restore(self._drawing, bytes(state.numpy()))
        return self

    def manual_seed(self, seed):
        self._states.forget()
        self._drawing.manual_seed(seed)
        return self

    def seed(self):
        self._states.forget()
        return self._drawing.seed()

    def get_offset(self):
        return _WORDS.unpack(self._states.words(self._drawing))[1]

    def set_offset(self, offset):
        seed, _ = _WORDS.unpack(self._states.words(self._drawing))
        self._states.restore(self._drawing, _WORDS.pack(seed, offset))

    def initial_seed(self):
        return self._drawing.initial_seed()


class _Default(Generator):
    """The device's own generator: functions that are given none draw from the processor's."""

    @property
    def _drawing(self):
        return torch.default_generator


def default_generator():
    return _Default(DEVICE)


def install():
    """Replaces the class of PyTorch, for this process."""
    torch.Generator = Generator
