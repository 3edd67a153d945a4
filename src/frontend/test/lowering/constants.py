# Evaluation of constants, by Python's rules. Every line that is wrong fails the compilation.
import triton
import triton.language as tl

SIZE = tl.constexpr(8)


# lower: integers()
@triton.jit
def integers():
    tl.static_assert((7 // -2, 7 % -2, -7 // 2, -7 % 2) == (-4, -1, -4, 1))
    tl.static_assert((2 ** 100, 1 << 70) == (1267650600228229401496703205376, 1180591620717411303424))
    tl.static_assert((-7 >> 1, -1 >> 500, 6 & 3, 6 | 3, 6 ^ 3, ~6, +6) == (-4, -1, 2, 7, 5, -7, 6))
    tl.static_assert(((-1) ** 1000001, 0 ** 0, 10 ** 20 // 10 ** 18, 2 ** -1) == (-1, 1, 100, 0.5))
    tl.static_assert(7 / 2 == 3.5 and True + True == 2 and (True & False) == False)


# lower: floats()
@triton.jit
def floats():
    tl.static_assert((-7.5 // 2, -7.5 % 2, 7.5 % -2) == (-4.0, 0.5, -0.5))
    tl.static_assert(2.0 ** 0.5 > 1.414 and 1e300 * 1e10 == float("inf") and 0.1 + 0.2 != 0.3)
    tl.static_assert(not (float("nan") == float("nan")) and float("nan") != float("nan"))
    tl.static_assert(1 < 1.5 < 2 and not 1 < 2 > 3)


# lower: sequences()
@triton.jit
def sequences():
    digits: tl.constexpr = (0, 1, 2, 3, 4)
    tl.static_assert(digits[1:4] == (1, 2, 3) and digits[::-1] == (4, 3, 2, 1, 0) and digits[-1] == 4)
    tl.static_assert(digits[::2] + (9,) == (0, 2, 4, 9) and (0,) * 3 == (0, 0, 0) and digits[7:] == ())
    tl.static_assert("ell" in "hello" and "hello"[1:3] == "el" and "a" + "b" * 2 == "abb")
    tl.static_assert(3 in digits and 9 not in digits and (1, 2) < (1, 3) and "a" < "b")
    tl.static_assert([i * i for i in digits if i % 2] == (1, 9) and [i for i in range(3)] == [0, 1, 2])
    tl.static_assert(len(digits) == 5 and len("abc") == 3 and list(range(2)) == [0, 1])


# lower: conversions()
@triton.jit
def conversions():
    tl.static_assert((int(3.9), int(-3.9), int("42"), int(True), int(1e20)) == (3, -3, 42, 1, 10 ** 20))
    tl.static_assert((float(3), float("1.5"), str(3), bool("")) == (3.0, 1.5, "3", False))
    tl.static_assert((min(3, 1, 2), max(1.5, 2)) == (1, 2))
    tl.static_assert(f"{SIZE}-{'x'!r}-{1.5}" == "8-'x'-1.5")


# lower: types(*fp16, 4, i32)
@triton.jit
def types(pointer, constant, n):
    x = tl.load(pointer)
    tl.static_assert(x.dtype == tl.float16 and x.dtype != tl.float32 and x.dtype is tl.float16)
    tl.static_assert(isinstance(x, tl.tensor) and isinstance(constant, tl.constexpr) and isinstance(3, (float, int)))
    tl.static_assert(not isinstance(x, int) and isinstance("a", str) and isinstance((1,), tuple))
    tl.static_assert(hasattr(x, "dtype") and not hasattr(x, "nothing") and getattr(x, "nothing", 3) == 3)
    tl.static_assert(n is not None and None is None and n != None)
    tl.static_assert((1 if constant == 4 else n) == 1)


# lower: runtime_minimum(*i32, i32)
@triton.jit
def runtime_minimum(out, n):
    tl.store(out, min(n, 3, max(4, 5)))
