#include "base/Source.h"

#include <gtest/gtest.h>

using namespace triton::base;

namespace {

TEST(Source, CountsCharactersNotBytes) {
  auto source = Source::create("a.py", "é = 1\n");
  EXPECT_EQ(source->location(3u), (Location{1, 3}));
}

TEST(Source, StartsInTheMiddleOfAFile) {
  auto source = Source::create("a.py", "def f():\n  pass\n", 10, 4);
  EXPECT_EQ(source->location(0u), (Location{10, 5}));
  EXPECT_EQ(source->location(11u), (Location{11, 7}));
}

TEST(Source, KnowsAllLineEnds) {
  auto source = Source::create("a.py", "a\r\nb\rc\nd");
  EXPECT_EQ(source->location(3u).line, 2u);
  EXPECT_EQ(source->location(5u).line, 3u);
  EXPECT_EQ(source->location(7u).line, 4u);
  EXPECT_EQ(source->lineAt(3u), "b");
  uint32_t begin = 0;
  EXPECT_EQ(source->lineAt(8u, &begin), "d");
  EXPECT_EQ(begin, 7u);
}

} // namespace
