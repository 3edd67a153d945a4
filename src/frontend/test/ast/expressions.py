# Precedence, from weak to strong.
a if b else c if d else e
lambda: a if b else c
a or b and not c or not not d
a < b <= c != d is e is not f in g not in h == i >= j > k
a | b ^ c & d << e >> f + g - h * i / j // k % l @ m
-a ** -b ** ~c
+ - ~a
-a.b[c](d) ** 2
a - b - c, a ** b ** c
(a + b) * c
not a == b
await_ = 1

# Primaries.
f()
f(a, *b, c=1, **d)
f(x for x in y)
f(a, *b, c, d=1, *e, **g, h=2)
f(a := 1)
x[1]
x[:], x[1:], x[:2], x[1:2], x[::], x[1:2:3], x[::-1]
x[:, None], x[a, b:c, ...], x[*a], x[a,], x[b := 1]
x.y.z[0].w()
(a)
()
(a,)
a, b
a,
(a := 1)
(yield)

# Displays.
[], [a], [a, *b,], [a for b in c if d if e for f, in g]
{}, {a: b, **c, d: e}, {a: b for c in d}
{a}, {a, *b}, {a for b in c}
(a for b in c)
[x async for x in y]
[lambda: x for x in y]
[a if b else c for d in e if f or g]

# Literals.
None, True, False, ...
0, 00, 10, 1_000, 0xFF_ff, 0o17, 0b1010, 123456789012345678901234567890
1.0, 1., .5, 1e3, 1E-3, 1_0.0_1e1_0, 0777.5, 1e999
1j, .5J, 0j
