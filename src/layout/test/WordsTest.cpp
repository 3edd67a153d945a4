#include "layout/Words.h"
#include "layout/Constructors.h"

#include <gtest/gtest.h>

namespace triton::layout {
namespace {

using Sentences = std::vector<std::string>;

TEST(Words, ThreadsLanesAndWarps) {
  LinearLayout layout = blocked({32, 64}, {{1, 4}, {2, 16}, {4, 1}, {1, 0}});
  EXPECT_EQ(describeInWords(layout),
            (Sentences{"a thread holds 16 elements, 4 neighbours along dimension 1 at a time",
                       "32 lanes: 2 along dimension 0, 16 along dimension 1", "4 warps: 4 along dimension 0"}));
}

TEST(Words, OneDimensionIsNotNamed) {
  LinearLayout layout = blocked({1024}, {{8}, {32}, {4}, {0}});
  EXPECT_EQ(describeInWords(layout), (Sentences{"a thread holds 8 elements, neighbours", "32 lanes: 32 side by side",
                                                "4 warps: 4 side by side"}));
}

TEST(Words, CopiesAndSingleElements) {
  LinearLayout layout = blocked({16}, {{1}, {32}, {2}, {0}});
  EXPECT_EQ(describeInWords(layout), (Sentences{"a thread holds 1 element", "32 lanes: 16 side by side, 2 with copies",
                                                "2 warps: 2 with copies"}));
}

TEST(Words, ElementsThatAreNoNeighbours) {
  LinearLayout layout = blocked({64}, {{1}, {32}, {1}, {0}});
  EXPECT_EQ(describeInWords(layout).front(), "a thread holds 2 elements, none of them neighbours");
}

TEST(Words, SharedMemory) {
  EXPECT_EQ(describeInWords(swizzledShared(8, 8, 1, 1, 1)), Sentences{"neighbours along dimension 1 lie side by side"});
  EXPECT_EQ(
      describeInWords(swizzledShared(8, 8, 1, 1, 8)),
      Sentences{"neighbours along dimension 1 lie side by side, and pieces change places from row to row (swizzled)"});
}

} // namespace
} // namespace triton::layout
