# The operators as methods of tensors: `x.__lshift__(4)` is `x << 4`.


def __add__(self, other):
    return self + other


def __radd__(self, other):
    return other + self


def __sub__(self, other):
    return self - other


def __rsub__(self, other):
    return other - self


def __mul__(self, other):
    return self * other


def __rmul__(self, other):
    return other * self


def __truediv__(self, other):
    return self / other


def __rtruediv__(self, other):
    return other / self


def __floordiv__(self, other):
    return self // other


def __rfloordiv__(self, other):
    return other // self


def __mod__(self, other):
    return self % other


def __rmod__(self, other):
    return other % self


def __lshift__(self, other):
    return self << other


def __rlshift__(self, other):
    return other << self


def __rshift__(self, other):
    return self >> other


def __rrshift__(self, other):
    return other >> self


def __and__(self, other):
    return self & other


def __rand__(self, other):
    return other & self


def __or__(self, other):
    return self | other


def __ror__(self, other):
    return other | self


def __xor__(self, other):
    return self ^ other


def __rxor__(self, other):
    return other ^ self


def __eq__(self, other):
    return self == other


def __ne__(self, other):
    return self != other


def __lt__(self, other):
    return self < other


def __le__(self, other):
    return self <= other


def __gt__(self, other):
    return self > other


def __ge__(self, other):
    return self >= other


def __neg__(self):
    return -self


def __invert__(self):
    return ~self
