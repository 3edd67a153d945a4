if a:
    pass
else if b:
    pass
else:
    pass
