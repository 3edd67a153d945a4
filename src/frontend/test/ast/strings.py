'a' "b" '''c
d''' """e"f"""
r'\n', R"\"", u'x'
b'\x00\377', Rb'\x', bR"\d" b'more'
'\a\b\f\n\r\t\v\\\'\"\0\12\777\x41\u00e9\U0001F600\N{BULLET}\N{latin small letter a}'
'continued \
line', '\d \8'
"é ｗｉｄｅ", '\ud800'
f''
f'a{b}c{{d}}'
f'{a!r:>{width}.{precision}}' 'tail' f"{b}"
f"{x=}", f"{ x = !s}", f"{x = :5}"
f'{a["b"]}' f"{a['b']}"
f"{f"{nested}"}"
f'''{
    a
}'''
f"{lambda_}", f"{(lambda: 1)()}", f"{a:{b}{c}}", f"{a:}"
f"{a != b}", f"{a, *b}", f"{ {1: 2}[1] }", f"{yield_}"
rf"\{a}\n", fr"{a:\d}", f"\N{BULLET}{a}\x41"
