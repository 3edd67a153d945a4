def f(x):
    y = tl.load(x + (1
    z = y + 1
    tl.store(x, z)


def g(x
    return x
