print "hello"
x := 1
if x = 3:
    pass
else if y:
    pass
else:
    pass
else:
    pass
elif a:
    pass
for i of range(3):
    pass
import a.
from a import
from a import (b, c
class = 3
def if(): pass
while x
    pass
try:
    pass
a = 1
except:
    pass
