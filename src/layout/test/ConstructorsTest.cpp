// Compares named layouts with the formulas that define them.
#include "layout/Constructors.h"

#include <gtest/gtest.h>

namespace triton::layout {
namespace {

const BlockedParameters example{{1, 4}, {8, 4}, {2, 2}, {1, 0}};

TEST(Constructors, BlockedExample) {
  LinearLayout layout = blocked({32, 32}, example);
  EXPECT_EQ(layout.str(), "register: (0, 1) (0, 2) (16, 0)\n"
                          "lane: (0, 4) (0, 8) (1, 0) (2, 0) (4, 0)\n"
                          "warp: (0, 16) (8, 0)\n"
                          "outputs: dim0 32 dim1 32\n");
  EXPECT_EQ(layout.apply({{"register", 5}, {"lane", 13}, {"warp", 2}}), (Point{{"dim0", 27}, {"dim1", 5}}));
}

TEST(Constructors, BlockedLargerThanTheShapeHoldsCopies) {
  LinearLayout layout = blocked({8, 16}, example);
  EXPECT_EQ(layout.str(), "register: (0, 1) (0, 2)\n"
                          "lane: (0, 4) (0, 8) (1, 0) (2, 0) (4, 0)\n"
                          "warp: (0, 0) (0, 0)\n"
                          "outputs: dim0 8 dim1 16\n");
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.freeVariables(), (Point{{"register", 0}, {"lane", 0}, {"warp", 3}}));
}

// The definition: the position of a thread's box, modulo what all warps cover, repeated in registers.
TEST(Constructors, BlockedMatchesItsDefinition) {
  LinearLayout layout = blocked({64, 64}, example);
  for (int32_t r = 0; r < layout.inputSize("register"); ++r)
    for (int32_t l = 0; l < 32; ++l)
      for (int32_t w = 0; w < 4; ++w) {
        int32_t repetition = r / 4;
        int32_t row = l / 4 + 8 * (w / 2) + 16 * (repetition / 2);
        int32_t column = r % 4 + 4 * (l % 4) + 16 * (w % 2) + 32 * (repetition % 2);
        EXPECT_EQ(layout.apply({{"register", r}, {"lane", l}, {"warp", w}}), (Point{{"dim0", row}, {"dim1", column}}));
      }
}

TEST(Constructors, SliceDropsTheDimension) {
  LinearLayout layout = slice(blocked({32, 32}, example), 1);
  EXPECT_EQ(layout.str(), "register: (16)\nlane: (0) (0) (1) (2) (4)\nwarp: (0) (8)\noutputs: dim0 32\n");
}

TEST(Constructors, SwizzledSharedMatchesItsFormula) {
  for (int32_t vec : {1, 4, 8})
    for (int32_t perPhase : {1, 2})
      for (int32_t maxPhase : {1, 4})
        for (int32_t fold : {0, 2, 4}) {
          LinearLayout layout = swizzledShared(16, 32, vec, perPhase, maxPhase, fold);
          for (int32_t row = 0; row < 16; ++row)
            for (int32_t column = 0; column < 32; ++column) {
              int32_t phase = row / perPhase;
              int32_t folded = fold == 0 ? phase : phase ^ phase / fold;
              int32_t offset = row * 32 + (column ^ (vec * (folded % maxPhase)));
              EXPECT_EQ(layout.apply({{"offset", offset}}), (Point{{"dim0", row}, {"dim1", column}}));
            }
        }
  EXPECT_EQ(swizzledShared(8, 32, 8, 2, 4).inverse()->apply({{"dim0", 5}, {"dim1", 13}}), (Point{{"offset", 189}}));
}

} // namespace
} // namespace triton::layout
