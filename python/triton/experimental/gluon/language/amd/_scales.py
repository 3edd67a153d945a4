"""Layouts of the scales of products, blocks [rows, groups along K], as AMD's matrix units take them from threads. The
rows of the right operand's scales are the columns of the operand."""

from .....runtime.jit import constexpr_function
from .._bases import _bases_of_warps
from .._layouts import AMDMFMALayout, AMDWMMALayout, DistributedLinearLayout, DotOperandLayout


class _Scales:
    """The layout for scales of this shape. Bits take the lowest places that are left."""

    def __init__(self, operand, kind, shape, scale_factor, factors):
        if not isinstance(operand, DotOperandLayout) or not isinstance(operand.parent, kind):
            raise TypeError(f"scales have the layout of a DotOperandLayout over an {kind.__name__}, not of {operand}")
        if scale_factor not in factors:
            raise ValueError(f"scale_factor must be {' or '.join(map(str, factors))}, not {scale_factor}")
        self.operand, self.parent, self.shape = operand.operand_index, operand.parent, list(shape)
        self.left = [[1 << bit for bit in range(extent.bit_length() - 1)] for extent in self.shape]
        self.bases = {"register": [], "lane": [], "warp": []}

    def add(self, name, dim, count=2):
        """So many numbers lie along the dimension. Those beyond the shape hold copies."""
        for _ in range(count.bit_length() - 1):
            place = self.left[dim].pop(0) if self.left[dim] else 0
            self.bases[name].append([place if other == dim else 0 for other in range(2)])
        return self

    def add_warps(self, bases, rows):
        """Each bit of a warp's number adds tiles of so many rows, or is for copies."""
        for basis in bases:
            place = basis[self.operand] * rows
            self.bases["warp"].append([place if place < self.shape[0] else 0, 0])
            self.left[0] = [other for other in self.left[0] if other != place]
        return self

    def add_copies(self, bases, warp_bases, rows):
        """Registers also hold the tiles of so many rows that are theirs and those of another warp."""
        places = {basis[self.operand] * rows for basis in bases} & {basis[self.operand] * rows for basis in warp_bases}
        self.bases["register"] += [[place, 0] for place in sorted(places) if 0 < place < self.shape[0]]
        return self

    def layout(self):
        """The rest lies in registers."""
        for dim in (1, 0):
            self.add("register", dim, 1 << len(self.left[dim]))
        bases = [self.bases[name] for name in ("register", "lane", "warp")]
        return DistributedLinearLayout(*bases, [], self.shape)


@constexpr_function
def get_mfma_scale_layout(dot_operand_layout, shape, scale_factor=32):
    """The layout of the scales of an operand of `mfma_scaled`: of `shape`, [rows, K / scale_factor]."""
    scales = _Scales(dot_operand_layout, AMDMFMALayout, shape, scale_factor, (32,))
    rows = scales.parent.instr_shape[0]
    scales.add("lane", 0, rows).add("lane", 1, 64 // rows)
    tiles = scales.parent.tiles_per_warp[scales.operand]
    return scales.add_warps(_bases_of_warps(scales.parent.warps_per_cta), rows * tiles).layout()


@constexpr_function
def get_wmma_scale_layout(dot_operand_layout, shape, scale_factor=32):
    """The layout of the scales of an operand of `wmma_scaled`: of `shape`, [rows, K / scale_factor]. The halves of a
    warp hold those of two tiles."""
    scales = _Scales(dot_operand_layout, AMDWMMALayout, shape, scale_factor, (16, 32))
    if scales.parent.instr_shape[0] != 16:
        raise ValueError("scales of instructions of 32 rows have no layout yet: instr_shape must be [16, 16, K]")
    scales.add("register", 1, 128 // scale_factor).add("lane", 0, 16).add_warps(scales.parent.warp_bases, 16)
    return scales.add("lane", 0).add_copies(scales.parent.reg_bases, scales.parent.warp_bases, 16).layout()
