try: pass
except A: pass
except* B: pass
try: pass
except A, B: pass
try:
    pass
b = 2
@decorator
c = 3
async x = 3
match a:
    case b + 1:
        pass
return return
del f(), a
f() = 1
None = 1
a + b = 1
(a, b): int = 3
a, b += 1
[a, 1] = 2
for 1 in a: pass
f() += 1
with a as 1: pass
