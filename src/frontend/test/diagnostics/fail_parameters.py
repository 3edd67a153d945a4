def a(x, x): pass
def b(x=1, y): pass
def c((x, y)): pass
def d(*x=1): pass
def e(/, x): pass
def f(*x, *y): pass
def g(*): pass
def h(*, **x): pass
def i(**x, y): pass
def j(x y): pass
def k(x: int y): pass
def l(1): pass
def m(x) -> : pass
def n x: pass
def (x): pass
