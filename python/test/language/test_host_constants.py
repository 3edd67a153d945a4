"""Constants of kernels that only Python knows: members of enums, objects of dataclasses, and classes."""

import dataclasses
import enum
import importlib.util

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime._compile_time import fingerprint


class Activation(enum.Enum):
    NONE = "none"
    RELU = "relu"


class Order(enum.IntEnum):
    ROWS = 1
    COLUMNS = 2


@triton.jit
def double(x):
    return 2 * x


@dataclasses.dataclass(frozen=True)
class Options:
    width: int
    activation: Activation = Activation.NONE
    function: object = double
    hidden: int = dataclasses.field(default=0, repr=False)

    def padded(self, multiple):
        return -(-self.width // multiple) * multiple


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __eq__(self, other):
        return self.factor == other.factor

    def __hash__(self):
        return hash(self.factor)


Activations = tl.constexpr(Activation)
Orders = tl.constexpr(Order)
DEFAULT = tl.constexpr(Activation.RELU)


@triton.constexpr_function
def is_relu(activation):
    return activation is Activation.RELU


@triton.jit
def activated(x, ACTIVATION: tl.constexpr):
    if ACTIVATION == Activations.RELU:
        x = tl.maximum(x, 0)
    tl.static_assert(ACTIVATION in (Activations.NONE, Activations.RELU))
    return x


@triton.jit
def activate(x, ACTIVATION: tl.constexpr):
    value = tl.load(x)
    if ACTIVATION != DEFAULT:
        value += 100
    tl.store(x + 1, activated(value, ACTIVATION))
    if ACTIVATION.name == "RELU" and is_relu(ACTIVATION) and Activations("relu") is ACTIVATION:
        tl.store(x + 2, 1)


def test_members_of_enums(device):
    for activation, expected in ((Activation.RELU, [-5, 0, 1]), (Activation.NONE, [-5, 95, 0])):
        x = np.array([-5, 7, 0], np.int32)
        activate[(1,)](x, activation)
        np.testing.assert_array_equal(x, expected)


@triton.jit
def ordered(x, ORDER: tl.constexpr):
    if ORDER == Orders.COLUMNS:
        tl.store(x, ORDER + 1)


def test_members_that_are_integers(device):
    x = np.zeros(1, np.int32)
    ordered[(1,)](x, Order.ROWS)
    assert x[0] == 0
    ordered[(1,)](x, Order.COLUMNS)
    assert x[0] == 3


@triton.jit
def configured(x, OPTIONS: tl.constexpr, SCALES: tl.constexpr):
    i = tl.arange(0, OPTIONS.padded(8))
    value = OPTIONS.function(tl.load(x + i, mask=i < OPTIONS.width, other=1))
    value = activated(value, OPTIONS.activation)
    tl.store(x + i, value * SCALES[1].factor, mask=i < OPTIONS.width)


def test_objects_of_classes(device):
    for options in (Options(5), Options(5, Activation.RELU), Options(6, Activation.RELU)):
        for factor in (3, 4):
            x = np.arange(-4, 4, dtype=np.int32)
            expected = x.copy()
            kept = np.maximum(x, 0) if options.activation is Activation.RELU else x
            expected[: options.width] = kept[: options.width] * 2 * factor
            configured[(1,)](x, options, (Scale(1), Scale(factor)))
            np.testing.assert_array_equal(x, expected)


def test_equal_objects_are_one_variant(processor):
    configured.device_caches.clear()
    x = np.zeros(8, np.int32)
    first = configured[(1,)](x, Options(5), (Scale(1), Scale(3)))
    assert configured[(1,)](x, Options(5), (Scale(1), Scale(3))) is first
    assert configured[(1,)](x, Options(5), (Scale(1), Scale(2))).hash != first.hash


def test_fingerprints():
    assert fingerprint(Options(5)) == fingerprint(Options(5)) != fingerprint(Options(6))
    assert fingerprint(Options(5)) != fingerprint(Options(5, hidden=1)), "what `repr` leaves out counts, too"
    assert fingerprint(Activation.RELU) != fingerprint(Activation.NONE)
    assert fingerprint(Scale(1)) == fingerprint(Scale(1)) != fingerprint(Scale(2))
    other = enum.Enum("Activation", {"NONE": "none", "RELU": "other"}, module=__name__)
    assert fingerprint(Activation) != fingerprint(other) and fingerprint(Activation.RELU) != fingerprint(other.RELU)
    plain = object(), object()
    assert fingerprint(plain[0]) == fingerprint(plain[0]) != fingerprint(plain[1])
    knot = Scale(1)
    knot.factor, knot.own = 2, knot
    assert "itself" in fingerprint(knot)
    assert fingerprint({}) is None and fingerprint(np.zeros(1)) is None


WRONG = {
    "tl.store(out, ACTIVATION.size)": "an Activation has no attribute `size`",
    "tl.store(out, ACTIVATION + 1)": "`+` does not apply to an Activation",
    "tl.store(out, ACTIVATION(1))": "an Activation cannot be called",
    "tl.store(out, Activations(7))": "ValueError: 7 is not a valid Activation",
    "tl.store(out, Activation.RELU == ACTIVATION)": "`Activation` is the class `Activation` that is not a tl.constexpr",
}


@pytest.mark.parametrize(("statement", "message"), WRONG.items())
def test_wrong_uses(tmp_path, processor, statement, message):
    path = tmp_path / "wrong.py"
    path.write_text(
        "import triton\nimport triton.language as tl\nfrom enum import Enum\n\n"
        "Activation = Enum('Activation', ['NONE', 'RELU'])\nActivations = tl.constexpr(Activation)\n\n\n"
        f"@triton.jit\ndef kernel(out, ACTIVATION: tl.constexpr):\n    {statement}\n"
    )
    spec = importlib.util.spec_from_file_location("wrong", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(triton.CompilationError) as raised:
        module.kernel[(1,)](np.zeros(1, np.int32), module.Activation.RELU)
    assert message in str(raised.value)
