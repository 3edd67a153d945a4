"""Descriptors of arrays, for copies of blocks."""

from dataclasses import dataclass

from ....tools import tensor_descriptor
from .._names import complete as _complete
from ..language._layouts import NVMMASharedLayout


@dataclass(init=False)
class TensorDescriptor(tensor_descriptor.TensorDescriptor):
    """An array, its shape and strides in elements, the block that one copy moves, and the layout of the buffer in
    shared memory that holds the block."""

    layout: NVMMASharedLayout = None

    def __init__(self, base, shape, strides, block_shape, layout, padding="zero", round_f32_to_tf32=False):
        self.layout = layout
        self._check_layout(len(block_shape), block_shape[-1])
        super().__init__(base, shape, strides, block_shape, padding, round_f32_to_tf32)

    def _check_layout(self, rank, columns):
        layout = self.layout
        assert isinstance(layout, NVMMASharedLayout), f"the layout must be an NVMMASharedLayout, not {layout!r}"
        assert layout.rank == rank, f"the layout is for {layout.rank} dimensions, but the block has {rank}"
        assert not layout.transposed, "the layout must not be transposed"
        parts = 2 * max((basis[-1] for basis in layout.cga_layout), default=0) or 1
        row = columns // parts * layout.element_bitwidth // 8 * (2 if layout.fp4_padded else 1)
        width = layout.swizzle_byte_width
        assert row >= max(width, 16), (
            f"a row of a block's part has {row} bytes, but the layout has pieces of {max(width, 16)}"
        )

    def __post_init__(self):
        super().__post_init__()
        found = self._element_bits()
        wanted = self.layout.element_bitwidth
        assert found == wanted, f"the layout is for elements of {wanted} bits, but the array has elements of {found}"

    def _element_bits(self):
        size = getattr(self.base, "itemsize", None)
        return 8 * (size if size is not None else self.base.element_size())

    @staticmethod
    def from_tensor(tensor, block_shape, layout, padding="zero", round_f32_to_tf32=False):
        strides = tensor_descriptor.strides_of(tensor)
        return TensorDescriptor(
            tensor, list(tensor.shape), strides, list(block_shape), layout, padding, round_f32_to_tf32
        )


__getattr__, __dir__ = _complete(__name__)
