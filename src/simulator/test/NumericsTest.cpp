#include "simulator/core/Numerics.h"
#include "gtest/gtest.h"
#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace triton::simulator {
namespace {

// Programs can set such a mode for their thread, for example by libraries that were linked with -ffast-math.
TEST(NumericsTest, SubnormalNumbersInAnyMode) {
#ifdef __SSE__
  constexpr unsigned flushesSubnormals = 0x8040;
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | flushesSubnormals);
  float smallest = floatFromHalf(0x0001), largest = floatFromHalf(0x83ff), normal = floatFromHalf(0x0400);
  uint16_t fromE4M3 = halfFromE4M3(0x01), negative = halfFromE4M3(0x87);
  _mm_setcsr(mode);
  EXPECT_EQ(smallest, 0x1p-24f);
  EXPECT_EQ(largest, -0x3ffp-24f);
  EXPECT_EQ(normal, 0x1p-14f);
  EXPECT_EQ(fromE4M3, 0x1800); // 2^-9
  EXPECT_EQ(negative, 0xa300); // -7 * 2^-9
#else
  GTEST_SKIP() << "the mode of this processor is not known here";
#endif
}

} // namespace
} // namespace triton::simulator
