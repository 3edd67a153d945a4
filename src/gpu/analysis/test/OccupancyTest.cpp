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
  EXPECT_EQ(programsInReach({8, 137, 0}, machine), 2u);
  EXPECT_EQ(programsInReach({4, 151, 0}, machine), 4u);
  EXPECT_EQ(programsInReach({4, 168, 0}, machine), 0u); // 128 are too few
  EXPECT_EQ(programsInReach({8, 137, 200 << 10}, machine), 0u);
  EXPECT_EQ(programsInReach({32, 64, 0}, machine), 0u);
  EXPECT_EQ(programsInReach({8, 65, 0}, machine), 0u); // 24 warps run
  EXPECT_EQ(programsInReach({0, 137, 0}, machine), 0u);
  EXPECT_EQ(programsInReach({8, 137, 0}, gpu::Machine()), 0u);
}

} // namespace
} // namespace triton::analysis
