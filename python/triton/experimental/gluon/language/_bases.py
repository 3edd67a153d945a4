"""Bases of layouts: the coordinates that each bit of a number adds."""


def _bases_of_warps(counts):
    """Those of warps that lie along the last dimension first, in so many tiles along each."""
    return tuple(
        tuple(1 << bit if other == dim else 0 for other in range(len(counts)))
        for dim in reversed(range(len(counts)))
        for bit in range(counts[dim].bit_length() - 1)
    )


def bases_per_dim(bases, rank, skip_broadcast=True):
    """How far bases reach along each dimension, as a number of elements each of which one basis doubles. Those that are
    zero do not count, or else along the dimension of the basis before them."""
    counts, dim = [1] * rank, 0
    for basis in bases:
        dim = next((other for other, place in enumerate(basis) if place), None if skip_broadcast else dim)
        if dim is not None:
            counts[dim] *= 2
    return counts


def _in_elements(cga_layout, part):
    return tuple(tuple(place * extent for place, extent in zip(basis, part, strict=True)) for basis in cga_layout)


def _in_parts(bases, part):
    return tuple(tuple(place // extent for place, extent in zip(basis, part, strict=True)) for basis in bases)


def _shape_of(bases, rank):
    """The shape whose elements the bases reach."""
    return tuple(1 << max((basis[dim].bit_length() for basis in bases), default=0) for dim in range(rank))
