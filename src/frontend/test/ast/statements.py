import triton, triton.language as tl
from . import sibling
from ...package.module import (first as one, second,)
from module import *

a = b = 1
a, (b, *c) = d = 1, *e
x: int
x: tl.constexpr = 4
x.y: int = yield
x += 1; x -= 2; x *= 3; x @= 4; x /= 5; x //= 6; x %= 7; x **= 8; x <<= 9; x >>= 1; x &= 2; x |= 3; x ^= 4
del a, (b, c[0]), d.e
assert a, "message"
assert (a, b)
global g, h
nonlocal i
raise
raise Error
raise Error from cause
pass
type Alias = int
type = 3
match = type
match(type)


if a: pass
elif b: x = 1; y = 2
elif c:
    pass
else:
    if d:
        break

while (n := n - 1) > 0:
    continue
else:
    pass

for i, *j in *k, l:
    return
else:
    return i, *j

with a, b() as c, d as (e, f):
    pass
with (a as b, c,):
    pass
with (a, b):
    pass
with (a, b) as c:
    pass
with (yield):
    pass

try:
    pass
except:
    pass
except A:
    pass
except (A, B) as error:
    pass
else:
    pass
finally:
    pass
try:
    pass
except* A:
    pass

async def f():
    async for x in y:
        await x
    async with a as b:
        return await (yield)

match x, y:
    case 1 | -2.5 | 1 + 2j | "text" "more" | None | True:
        pass
    case [a, *rest] | (b, _) as pair if pair:
        pass
    case {"key": value, **rest}:
        pass
    case Point(x, y=0) | a.b.C():
        pass
    case first, *_:
        pass
    case (1,):
        pass
