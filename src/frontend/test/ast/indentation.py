if a:
	if b:
		c
	d
# comment at the margin

  # and another
	  
e = [
1,
      # inside
   2,
]
f = a \
  + b
if x: y; z;
g
