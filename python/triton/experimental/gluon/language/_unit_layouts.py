"""Layouts of memories that few GPUs have."""

from dataclasses import dataclass

from .._names import UNITS
from ._layouts import _CLASSES, Layout, SharedLayout, _check_blocks, _text


def _check_power(layout, name):
    number = getattr(layout, name)
    if number < 1 or number & (number - 1):
        raise ValueError(f"{name} of {type(layout).__name__} must be a power of two, not {number}")


class _TensorMemory(Layout):
    """Where elements lie in the memory of the matrix units of NVIDIA's GPUs from compute capability 10.0 on."""

    @property
    def ir_text(self):
        fields = ", ".join(f"{name} = {_text(value)}" for name, value in self._ir_fields())
        return f"#ttng.{self._mnemonic}<{fields}>"


@dataclass(frozen=True)
class TensorMemoryLayout(_TensorMemory):
    """Blocks of so many rows and columns in tensor memory, whose neighbouring columns are `col_stride` columns of 32
    bits apart. With `two_ctas` a pair of blocks shares them; with `fp4_padded` a byte holds one float of 4 bits."""

    block: tuple
    col_stride: int
    cga_layout: list = ()
    two_ctas: bool = False
    fp4_padded: bool = False

    _mnemonic = "tensor_memory_encoding"

    @classmethod
    def _from_ir_fields(cls, found):
        block, flags = (found["blockM"], found["blockN"]), (found.get("twoCTAs", False), found.get("fp4Padded", False))
        return cls(block, found["colStride"], found.get("CGALayout", ()), *flags)

    def _check(self):
        if len(self.block) != 2:
            raise ValueError(f"block of TensorMemoryLayout must have rows and columns, not {len(self.block)} numbers")
        _check_power(self, "col_stride")
        _check_blocks(self, 2)

    def _ir_fields(self):
        own = [("blockM", self.block[0]), ("blockN", self.block[1]), ("colStride", self.col_stride)]
        flags = {"twoCTAs": self.two_ctas, "fp4Padded": self.fp4_padded}
        return own + super()._ir_fields() + [(name, flag) for name, flag in flags.items() if flag]


@dataclass(frozen=True)
class TensorMemoryScalesLayout(_TensorMemory):
    """The scales of a product's operand in tensor memory."""

    cga_layout: list = ()

    _mnemonic = "tensor_memory_scales_encoding"

    def _check(self):
        _check_blocks(self, 2)


_CLASSES.extend((TensorMemoryLayout, TensorMemoryScalesLayout))


@dataclass(frozen=True)
class _TensorMemoryLinearLayout(_TensorMemory):
    """The element that each bit of a row's and of a column's number adds."""

    rows: list
    cols: list
    shape: list

    _mnemonic = "tensor_memory_linear_encoding"
    _unit = UNITS["nvidia.blackwell"]
    _ir_names = {"rows": "rows", "cols": "cols", "shape": "shape"}

    def _check(self):
        if any(len(basis) != len(self.shape) for basis in (*self.rows, *self.cols)):
            raise ValueError(f"each basis of {type(self).__name__} must have {len(self.shape)} numbers, as its shape")


@dataclass(frozen=True)
class PartitionedSharedLayout(SharedLayout):
    """A buffer that is cut along `partition_dim` into `num_groups` times `num_partitions` pieces, which the parts of
    shared memory have by turns, each with `partition_layout`."""

    num_partitions: int
    num_groups: int
    partition_dim: int
    partition_layout: SharedLayout

    _mnemonic = "partitioned_shared"
    _ir_names = {
        "num_partitions": "numPartitions",
        "num_groups": "numGroups",
        "partition_dim": "partitionDim",
        "partition_layout": "partitionLayout",
    }
    _unit = UNITS["amd.cdna5"]

    def _check(self):
        _check_power(self, "num_partitions")
        _check_power(self, "num_groups")
        name = type(self).__name__
        if self.partition_dim < 0:
            raise ValueError(f"partition_dim of {name} must not be negative, as {self.partition_dim} is")
        if not isinstance(self.partition_layout, SharedLayout):
            raise ValueError(f"partition_layout of {name} must be a SharedLayout, not {self.partition_layout}")
