if a:
        b = 1
	c = 2
if a:
	b = 1
        c = 2
if a:
	if b:
	    c
            	d
