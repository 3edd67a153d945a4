#include "simulator/core/Timeline.h"

#include <gtest/gtest.h>

using namespace triton::simulator;

namespace {

TEST(Timeline, CopiesShareTheMemoryAndProductsTheUnit) {
  Timeline timeline;
  WarpTime first, second;
  first.start(&timeline, 0);
  second.start(&timeline, 4); // of the same matrix unit
  EXPECT_EQ(first.copy(3200, 1), 100 + Timeline::copyLatency);
  EXPECT_EQ(second.copy(3200, 2), 200 + Timeline::copyLatency);
  first.multiply(10 * Timeline::operationsPerClock, 3, /*isAsynchronous=*/true);
  second.multiply(10 * Timeline::operationsPerClock, 3, /*isAsynchronous=*/false);
  EXPECT_EQ(first.now(), 0U);
  EXPECT_EQ(second.now(), 20U);
}

TEST(Timeline, WaitsEndWithTheGroupsThatTheyNeed) {
  Timeline timeline;
  WarpTime warp;
  warp.start(&timeline, 0);
  for (uint32_t place : {1, 2}) {
    warp.copy(320, place);
    warp.closeCopies();
  }
  warp.waitForCopies(/*leftPending=*/1, 3);
  EXPECT_EQ(warp.now(), 10 + Timeline::copyLatency);
  warp.waitForCopies(0, 4);
  EXPECT_EQ(warp.now(), 20 + Timeline::copyLatency);
  warp.waitForCopies(0, 5); // for nothing
  ASSERT_EQ(timeline.events.size(), 4U);
  EXPECT_EQ(timeline.events[3].kind, Timeline::Kind::Wait);
  EXPECT_EQ(timeline.events[3].location, 4U);
  EXPECT_EQ(timeline.events[3].end - timeline.events[3].begin, 10U);
}

TEST(Timeline, NeighboursOfOnePlaceAreOneEvent) {
  Timeline timeline;
  WarpTime warp;
  warp.start(&timeline, 0);
  for (int i = 0; i < 5; ++i)
    warp.multiply(Timeline::operationsPerClock, 7, true);
  ASSERT_EQ(timeline.events.size(), 1U);
  EXPECT_EQ(timeline.events[0].count, 5U);
  EXPECT_EQ(timeline.events[0].end, 5U);
}

} // namespace
