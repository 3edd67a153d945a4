@triton.jit
def kernel(x, y, /, n: tl.constexpr = 4, *rest: int, key, other=None, **more) -> tl.tensor:
    """Documentation."""
    return n


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=4)], key=["n"])
@triton.jit(noinline=True)
def decorated(): ...


def nothing(*, a): return lambda: 0


def generic[T, *Ts, **P](a, /): return lambda a, /, b=1, *c, d, **e: (a, b)


class Pair(NamedTuple, metaclass=Meta, **keywords):
    first: int
    second: int = 0

    @property
    def sum(self): return self.first + self.second


class Empty: pass
