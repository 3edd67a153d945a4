// Integer division of vectors and scalars against C++, with divisors of zero that must not trap.
#include "TestKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace triton::cpu::test {
namespace {

namespace arith = mlir::arith;

template <typename T> void checkDivision(unsigned lanes, const char *arch) {
  using Limits = std::numeric_limits<T>;
  constexpr std::size_t count = 4096;
  std::vector<T> a(count), b(count), quotient(count), remainder(count);
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = T(random()), b[i] = T(random());
    if (i % 4 == 1)
      b[i] = T(random() % 7 + 1);
    if (i % 4 == 2) // multiples, for which a rounded quotient would show
      a[i] = T(uint64_t(b[i]) * (random() % 100));
    if (i % 4 == 3)
      a[i] = Limits::max() - T(i % 3), b[i] = T(i % 5 + 1);
  }
  a[0] = 7, b[0] = 0;
  if (Limits::is_signed)
    a[4] = Limits::min(), b[4] = T(-1);
  auto kernel = [&](bool wantsRemainder) {
    auto type = integerOf<sizeof(T) * 8>;
    return makeElementwiseKernel(count, lanes, arch, {type, type, type},
                                 [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange v) -> mlir::Value {
                                   if (Limits::is_signed)
                                     return wantsRemainder
                                                ? arith::RemSIOp::create(builder, loc, v[0], v[1]).getResult()
                                                : arith::DivSIOp::create(builder, loc, v[0], v[1]).getResult();
                                   return wantsRemainder ? arith::RemUIOp::create(builder, loc, v[0], v[1]).getResult()
                                                         : arith::DivUIOp::create(builder, loc, v[0], v[1]).getResult();
                                 });
  };
  kernel(false)(quotient.data(), a.data(), b.data());
  kernel(true)(remainder.data(), a.data(), b.data());
  for (std::size_t i = 0; i < count; ++i) {
    if (b[i] == 0 || (Limits::is_signed && b[i] == T(-1)))
      continue;
    ASSERT_EQ(quotient[i], T(a[i] / b[i]))
        << +a[i] << " / " << +b[i] << " of " << sizeof(T) << " bytes on `" << arch << "`";
    ASSERT_EQ(remainder[i], T(a[i] % b[i]))
        << +a[i] << " % " << +b[i] << " of " << sizeof(T) << " bytes on `" << arch << "`";
  }
}

template <typename T> void checkEverywhere() {
  for (const char *arch : {"", "x86-64-v2", "x86-64-v3"})
    for (unsigned lanes : {1, 8, 16})
      checkDivision<T>(lanes, arch);
}

TEST(Division, Signed) {
  checkEverywhere<int8_t>();
  checkEverywhere<int16_t>();
  checkEverywhere<int32_t>();
  checkEverywhere<int64_t>();
}

TEST(Division, Unsigned) {
  checkEverywhere<uint8_t>();
  checkEverywhere<uint16_t>();
  checkEverywhere<uint32_t>();
  checkEverywhere<uint64_t>();
}

} // namespace
} // namespace triton::cpu::test
