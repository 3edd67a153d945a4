// How many programs a multiprocessor runs, and whether one more is in reach.
#include "gpu/analysis/Occupancy.h"

#include <gtest/gtest.h>

namespace triton::analysis {
namespace {

class OccupancyTest : public ::testing::Test {
protected:
  OccupancyTest() {
    machine.lanes = 32;
    machine.schedulers = 4;
    machine.registers = 65536;
    machine.registerGranule = 8;
    machine.warpsOfMultiprocessor = 64;
    machine.programsOfMultiprocessor = 32;
    machine.sharedOfMultiprocessor = 228 << 10;
  }

  gpu::Machine machine;
};

TEST_F(OccupancyTest, IsThatOfTheScarcestResource) {
  EXPECT_EQ(computeOccupancy({4, 128, 0}, machine).programs(), 4u);
  EXPECT_EQ(computeOccupancy({4, 129, 0}, machine).programs(), 3u);
  EXPECT_EQ(computeOccupancy({4, 32, 100 << 10}, machine).programs(), 2u);
  EXPECT_EQ(computeOccupancy({4, 32, 0}, machine).programs(), 16u);
}

TEST_F(OccupancyTest, OneMoreIsInReachOfFewRegistersLess) {
  EXPECT_EQ(findProgramsInReach({8, 137, 0}, machine).programs, 2u);
  EXPECT_EQ(findProgramsInReach({4, 151, 0}, machine).programs, 4u);
  EXPECT_EQ(findProgramsInReach({4, 168, 0}, machine).programs, 0u); // 128 are too few
  EXPECT_EQ(findProgramsInReach({8, 137, 200 << 10}, machine).programs, 0u);
  EXPECT_EQ(findProgramsInReach({32, 64, 0}, machine).programs, 0u);
  EXPECT_EQ(findProgramsInReach({8, 65, 0}, machine).programs, 4u);
  EXPECT_EQ(findProgramsInReach({8, 56, 0}, machine).programs, 5u);
  EXPECT_EQ(findProgramsInReach({4, 80, 0}, machine).programs, 0u);  // six programs run
  EXPECT_EQ(findProgramsInReach({16, 40, 0}, machine).programs, 0u); // 48 warps run
  EXPECT_EQ(findProgramsInReach({0, 137, 0}, machine).programs, 0u);
  EXPECT_EQ(findProgramsInReach({8, 137, 0}, gpu::Machine()).programs, 0u);
}

TEST_F(OccupancyTest, OneMoreMayTakeSpillsWhereFewWarpsRun) {
  EXPECT_EQ(findProgramsInReach({8, 137, 0}, machine).spillBytes, 54);
  EXPECT_EQ(findProgramsInReach({4, 151, 0}, machine).spillBytes, 27);
  EXPECT_EQ(findProgramsInReach({8, 65, 0}, machine).spillBytes, 0);
}

} // namespace
} // namespace triton::analysis
