# Python that kernels do not have.
import triton
import triton.language as tl


# lower: nested_function(i32)
@triton.jit
def nested_function(n):
    def inner(x):
        return x


# lower: nested_class(i32)
@triton.jit
def nested_class(n):
    class Inner:
        pass


# lower: anonymous(i32)
@triton.jit
def anonymous(n):
    f = lambda x: x + n


# lower: raises(i32)
@triton.jit
def raises(n):
    raise ValueError()


# lower: tries(i32)
@triton.jit
def tries(n):
    try:
        n += 1
    finally:
        n -= 1


# lower: withs(i32)
@triton.jit
def withs(n):
    with n:
        n -= 1


# lower: matches(i32)
@triton.jit
def matches(n):
    match n:
        case 1:
            n -= 1


# lower: imports(i32)
@triton.jit
def imports(n):
    import math


# lower: globals_(i32)
@triton.jit
def globals_(n):
    global x


# lower: deletes(i32)
@triton.jit
def deletes(n):
    del n


# lower: breaks(i32)
@triton.jit
def breaks(n):
    for i in range(n):
        break


# lower: continues(i32)
@triton.jit
def continues(n):
    for i in range(n):
        continue


# lower: yields(i32)
@triton.jit
def yields(n):
    yield n


# lower: dicts(i32)
@triton.jit
def dicts(n):
    {1: n}


# lower: sets(i32)
@triton.jit
def sets(n):
    {1, n}


# lower: generators(i32)
@triton.jit
def generators(n):
    (x for x in (1, 2))


# lower: nested_comprehension(i32)
@triton.jit
def nested_comprehension(n):
    [x + y for x in (1, 2) for y in (3, 4)]


# lower: complex_number(i32)
@triton.jit
def complex_number(n):
    n + 1j


# lower: bytes_literal(i32)
@triton.jit
def bytes_literal(n):
    b"text"


# lower: ellipsis(i32)
@triton.jit
def ellipsis(n):
    tl.arange(0, 4)[...]
    ...


# lower: coroutine(i32)
@triton.jit
async def coroutine(n):
    n + 1


# lower: calls_coroutine(i32)
@triton.jit
def calls_coroutine(n):
    coroutine(n)
