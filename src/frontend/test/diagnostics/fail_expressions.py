a = 1 +
b = (1 2)
c = a if b
d = *a + (*b)
e = [*x for x in y]
f(a=1, 2)
f(x for x in y, 3)
f(a.b=1)
f(**a, *b)
g = (a = 1)
h = lambda (a, b): 1
i = not
j = a b
k = {a: b, c}
l = {**a for b in c}
m = x[]
n = a.1
o = a.if
p = a <> b
