'\x4'
'\u12'
'\U00110000'
'\N{no such character}'
'\Nx'
b'é'
'a' b'c'
f"{}"
f"{a!x}"
f"{a"
f"a}"
f"{a b}"
f"{a:{b}"
f"text
f"{a!r b}"
f"{(a}"
