#include "simulator/core/AccessCounter.h"

#include <gtest/gtest.h>

using namespace triton::simulator;

namespace {

/// What 32 lanes do that access `bytes` each, `stride` bytes apart.
LaunchCounts accessShared(std::size_t stride, std::size_t bytes, bool isAtomic = false, unsigned lanes = 32) {
  AccessCounter counter;
  for (unsigned lane = 0; lane < lanes; ++lane)
    counter.noteShared(lane * stride, bytes, /*writes=*/isAtomic, isAtomic);
  counter.endInstruction(lanes);
  return counter.counts;
}

TEST(AccessCounter, NeighboursTakeOneTurnForEach128Bytes) {
  for (std::size_t bytes : {4, 8, 16}) {
    LaunchCounts counts = accessShared(bytes, bytes);
    EXPECT_EQ(counts.sharedWavefronts, bytes / 4);
    EXPECT_EQ(counts.bankConflicts, 0U);
    EXPECT_EQ(counts.sharedLoadBytes, 32 * bytes);
  }
  EXPECT_EQ(accessShared(1, 1).sharedWavefronts, 1U);
  EXPECT_EQ(accessShared(4, 4, false, 64).sharedWavefronts, 2U);
}

TEST(AccessCounter, StridesMakeConflicts) {
  EXPECT_EQ(accessShared(8, 4).bankConflicts, 1U);
  EXPECT_EQ(accessShared(128, 4).bankConflicts, 31U);
  EXPECT_EQ(accessShared(132, 4).bankConflicts, 0U);
  EXPECT_EQ(accessShared(32, 16).bankConflicts, 4U); // each of four groups of eight lanes takes two turns
}

TEST(AccessCounter, LanesThatReadOneWordShareIt) {
  EXPECT_EQ(accessShared(0, 4).sharedWavefronts, 1U);
  EXPECT_EQ(accessShared(2, 2).sharedWavefronts, 1U);
}

TEST(AccessCounter, AtomicUpdatesOfOneWordTakeTurns) {
  LaunchCounts counts = accessShared(0, 4, /*isAtomic=*/true);
  EXPECT_EQ(counts.sharedWavefronts, 32U);
  EXPECT_EQ(counts.sharedStoreBytes, 128U);
}

TEST(AccessCounter, AnInstructionTouchesASectorOnce) {
  AccessCounter counter;
  for (unsigned lane = 0; lane < 32; ++lane)
    counter.noteGlobal(0x1000 + lane * 4, 4, /*writes=*/false);
  counter.endInstruction(32);
  EXPECT_EQ(counter.counts.globalSectors, 4U);
  counter.noteGlobal(0x1000 + 30, 4, /*writes=*/true); // across two
  counter.endInstruction(1);
  EXPECT_EQ(counter.counts.globalSectors, 6U);
  EXPECT_EQ(counter.counts.globalLoadBytes, 128U);
  EXPECT_EQ(counter.counts.globalStoreBytes, 4U);
  EXPECT_EQ(counter.counts.instructions, 2U);
  EXPECT_EQ(counter.counts.threadInstructions, 33U);
  LaunchCounts twice = counter.counts;
  twice += counter.counts;
  EXPECT_EQ(twice.globalSectors, 12U);
}

} // namespace
