a = 1
  b = 2
if a:
c = 3
if a:
        d = 4
    e = 5
for i in j:
while True:
    pass
else:
    pass
def f():
class C:
    def g(self):
    def h(self): pass
