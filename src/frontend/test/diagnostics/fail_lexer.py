a = “quoted”
b = a ? 1 : 2
c = !a
d = 5 $ 3
e = 1 – 2
f = \ 3
h = 'text
i = "text \
still
j = (1, 2
k = (1, 2]
l = 3)
def m(a,
      b
return 3
n = '''never
closed
