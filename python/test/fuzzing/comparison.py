"""Whether what a kernel stored is what the model says."""

import numpy as np

from . import elements


def difference(stored, value):
    """None where the array is as expected, otherwise words about the first elements that are not."""
    got = elements.decode(stored.reshape(value.data.shape), value.dtype)
    expected = value.data
    if elements.is_float(value.dtype):
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        if not value.loose and value.tolerance is None:
            same &= np.isnan(expected) | (np.signbit(got) == np.signbit(expected))
        if value.tolerance is not None:
            with np.errstate(all="ignore"):
                same |= np.abs(got.astype(np.float64) - expected.astype(np.float64)) <= value.tolerance
    else:
        raw = stored.reshape(value.data.shape).view(np.uint8) if value.dtype == "int1" else got
        same = raw == expected
    if same.all():
        return None
    places = np.argwhere(~same)
    words = [
        f"{value.name}{[int(place) for place in where]} is {got[tuple(where)]!r}, expected {expected[tuple(where)]!r}"
        for where in places[:4]
    ]
    return f"{len(places)} of {same.size} elements of {value.dtype} differ: " + "; ".join(words)
