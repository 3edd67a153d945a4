import triton
x = = 1
