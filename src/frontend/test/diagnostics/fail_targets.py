1 = a
"text" = a
f"text" = a
a < b = c
(lambda: 1) = a
(a if b else c) = d
(a := 1) = b
{a: b} = c
[a for a in b] = c
(yield) = a
await a = b
a and b = c
del (a, 1)
del *a
(a, b) += 1
[a] : int = 3
