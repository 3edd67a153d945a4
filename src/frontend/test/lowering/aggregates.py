# Objects of classes that `triton.aggregate` makes are their fields.
import triton
import triton.language as tl


@triton.aggregate
class Base:
    size: tl.constexpr

    @triton.jit
    def area(self):
        return self.size * self.size


@triton.aggregate
class Pair(Base):
    first: tl.tensor
    second: tl.tensor
    name: tl.constexpr = "pair"

    @triton.jit
    def moved(self, by):
        return tl.aggregate_replace(self, first=self.first + by)

    @triton.jit
    def __add__(self, other):
        return NotImplemented

    @staticmethod
    @triton.jit
    def double(x):
        return x * 2


@triton.aggregate
class Sum:
    total: tl.tensor

    def __init__(self, a, b, count):
        half = count // 2
        self.total = a + b * half

    @triton.jit
    def __radd__(self, other):
        return other.first + self.total


# lower: fields(*i32, i32)
@triton.jit
def fields(out, n):
    pair = Pair(4, n, second=n + 1).moved(5)
    tl.static_assert(pair.name == "pair" and pair.area() == 16 and isinstance(pair, Base))
    tl.store(out, pair.first + Pair.double(pair.second))


# lower: initialized(*i32, i32)
@triton.jit
def initialized(out, n):
    tl.store(out, Pair(4, n, n) + Sum(n, n, 6))


# lower: carried(*i32, i32)
@triton.jit
def carried(out, n):
    pair = Pair(4, n, n)
    for i in range(n):
        if i > 3:
            pair = pair.moved(i)
    tl.store(out, pair.first)
