"""`triton.tools.LinearLayout`, whose answers and texts are those of Triton 3.9."""

import itertools

import pytest
from triton.tools import LinearLayout

BLOCKED = LinearLayout.from_bases(
    [("register", [[0, 1]]), ("lane", [[1, 0], [0, 2]]), ("warp", [[2, 0], [0, 0]]), ("block", [])], ["dim0", "dim1"]
)
SWIZZLED = LinearLayout.from_bases([("offset", [[0, 1], [0, 2], [1, 1], [2, 2]]), ("block", [])], ["dim0", "dim1"])


def test_constructors():
    identity = LinearLayout.identity_1d(8, "register", "dim0")
    assert identity.bases == [("register", [[1], [2], [4]])] and identity.out_dims == [("dim0", 8)]
    assert LinearLayout.strided_1d(4, 2, "r", "d").bases == [("r", [[2], [4]])]
    assert LinearLayout.zeros_1d(4, "r", "d", 8).out_dims == [("d", 8)]
    assert LinearLayout.identity_1d(1, "r", "d").bases == [("r", [])]
    empty = LinearLayout()
    assert empty.num_in_dims == 0 and empty.num_out_dims == 0 and empty * identity == identity
    assert LinearLayout.from_bases([("r", [[1], [2]])], ["d"], [8], False) != LinearLayout.identity_1d(4, "r", "d")


def test_text():
    assert str(BLOCKED) == (
        "\n - register=1 -> (0, 1)\n - lane=1 -> (1, 0)\n   lane=2 -> (0, 2)\n"
        " - warp=1 -> (2, 0)\n   warp=2 -> (0, 0)\n - block is a size 1 dimension\n"
        "where out dims are: [dim0 (size 4), dim1 (size 4)]"
    )
    assert repr(LinearLayout()) == "\n(empty layout)"
    assert str(LinearLayout.from_bases([], ["a", "b"])) == "\n(empty layout with out-dims [a (size 1), b (size 1)])"


def test_apply_is_linear():
    sizes = {name: 1 << len(bases) for name, bases in BLOCKED.bases}
    for index in itertools.product(*(range(size) for size in sizes.values())):
        expected = [0, 0]
        for (_, bases), value in zip(BLOCKED.bases, index, strict=True):
            for bit, basis in enumerate(bases):
                if value >> bit & 1:
                    expected = [a ^ b for a, b in zip(expected, basis, strict=True)]
        assert list(BLOCKED.apply(dict(zip(sizes, index, strict=True))).values()) == expected


def test_algebra():
    layout = LinearLayout.from_bases([("register", [[1, 0], [0, 1]]), ("lane", [[2, 0]])], ["dim0", "dim1"])
    inverse = layout.invert()
    assert inverse.bases == [("dim0", [[1, 0], [0, 1]]), ("dim1", [[2, 0]])]
    there_and_back = layout.compose(inverse)
    assert there_and_back.bases == [("register", [[1, 0], [2, 0]]), ("lane", [[0, 1]])]
    assert layout.is_invertible() and layout.is_injective() and layout.is_surjective()
    assert layout.get_matrix_view() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert layout.get_in_dim_names() == ["register", "lane"] and layout.get_out_dim_names() == ["dim0", "dim1"]
    copies = LinearLayout.from_bases([("r", [[1], [2], [1]])], ["d"])
    assert copies.pseudoinvert().bases == [("d", [[1], [2]])] and copies.pseudoinvert().out_dims == [("r", 8)]
    assert copies.invert_and_compose(copies) == LinearLayout.identity_1d(8, "r", "r")
    other = LinearLayout.from_bases([("x", [[2], [1]])], ["d"])
    assert LinearLayout.identity_1d(4, "r", "d").invert_and_compose(other).bases == [("r", [[2], [1]])]
    product = LinearLayout.identity_1d(8, "register", "d")
    product *= LinearLayout.identity_1d(4, "lane", "d")
    assert product.bases == [("register", [[1], [2], [4]]), ("lane", [[8], [16]])]
    assert len({product, LinearLayout() * product}) == 1


def test_views():
    assert BLOCKED.get_distributed_view(False) == (
        "[[ T0:0| T8:0,  T0:1| T8:1,  T2:0|T10:0,  T2:1|T10:1]\n"
        "[  T1:0| T9:0,  T1:1| T9:1,  T3:0|T11:0,  T3:1|T11:1]\n"
        "[  T4:0|T12:0,  T4:1|T12:1,  T6:0|T14:0,  T6:1|T14:1]\n"
        "[  T5:0|T13:0,  T5:1|T13:1,  T7:0|T15:0,  T7:1|T15:1]]\n"
    )
    assert BLOCKED.get_distributed_view(True).startswith(
        "Warp0:\n(0,0), (1,0), (0,2), (1,2)\n(0,1), (1,1), (0,3), (1,3)\nWarp1:\n"
    )
    assert SWIZZLED.get_shared_view(False) == (
        "[[(0:0),(0:1),(0:2),(0:3)]\n[ (1:1),(1:0),(1:3),(1:2)]\n"
        "[ (2:2),(2:3),(2:0),(2:1)]\n[ (3:3),(3:2),(3:1),(3:0)]]\n"
    )
    assert SWIZZLED.get_shared_view(True).startswith("Block: 0:\nOffset: 0 -> (0,0)\nOffset: 1 -> (0,1)\n")
    with pytest.raises(ValueError, match="offset, block"):
        BLOCKED.get_shared_view(False)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearLayout.identity_1d(3, "r", "d"), "`r` is 3; it must be a power of two"),
        (lambda: LinearLayout.strided_1d(4, 3, "r", "d"), "stride` is 3"),
        (lambda: LinearLayout.zeros_1d(4, "r", "d").invert(), "not one-to-one"),
        (lambda: LinearLayout.zeros_1d(4, "r", "d", 8).pseudoinvert(), "does not reach"),
        (lambda: LinearLayout.from_bases([("r", [[1, 0]])], ["d"]), "2 components for 1 outputs"),
        (lambda: LinearLayout.from_bases([("r", [[-1]])], ["d"]), "negative"),
        (lambda: LinearLayout.from_bases([("r", [[4]])], ["d"], [4]), "component 4"),
        (lambda: LinearLayout.from_bases([("r", [[1]]), ("r", [[2]])], ["d"]), "two inputs named `r`"),
        (lambda: LinearLayout.from_bases([("r", [[1]])], ["d"], [4]), "does not reach"),
        (lambda: LinearLayout.from_bases([("r", [[0]] * 63)], ["d"]), "63 bits"),
        (lambda: BLOCKED.apply({"register": 0}), "an index is missing"),
        (lambda: BLOCKED.apply({"thread": 0}), "no input `thread`"),
        (lambda: BLOCKED.apply({"register": 2, "lane": 0, "warp": 0, "block": 0}), "not below its size 2"),
        (lambda: BLOCKED.compose(BLOCKED), "not the same names"),
        (lambda: BLOCKED.invert_and_compose(LinearLayout.zeros_1d(4, "r", "d")), "not the same names"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(ValueError, match=message):
        make()
