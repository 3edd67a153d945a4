// What is computed by vectors of this processor, with each of its sizes.
#include "simulator/core/HostVectors.h"
#include "simulator/core/Exponentials.h"
#include "simulator/core/LanePermutation.h"
#include "simulator/core/Numerics.h"

#include "gtest/gtest.h"

namespace triton::simulator {
namespace {

template <typename Check> void withEachSize(Check check) {
  const unsigned widest = vectorBytes();
  for (unsigned bytes = 16; bytes <= widest; bytes *= 2) {
    vectorBytes() = bytes;
    check();
  }
  vectorBytes() = widest;
}

// All 2^32 arguments were compared once. These are some of each sign and exponent.
TEST(HostVectors, PowersOf2AreThoseOfTheLibrary) {
  withEachSize([] {
    for (uint64_t first = 0; first < uint64_t(1) << 32; first += 1000003) {
      float arguments[laneGroup], results[laneGroup];
      for (unsigned i = 0; i < laneGroup; ++i)
        arguments[i] = bitCast<float>(uint32_t(first + i));
      exponentialsBase2(arguments, results);
      for (unsigned i = 0; i < laneGroup; ++i)
        ASSERT_EQ(bitCast<uint32_t>(results[i]), bitCast<uint32_t>(canonical(float(std::exp2(double(arguments[i]))))))
            << arguments[i];
    }
  });
}

TEST(HostVectors, LanesReceiveTheValuesOfOthers) {
  withEachSize([] {
    for (unsigned count : {laneGroup, mostLanes}) {
      uint32_t values[mostLanes], sources[mostLanes], results[mostLanes];
      for (unsigned lane = 0; lane < count; ++lane) {
        values[lane] = 1000 + lane;
        sources[lane] = lane * 37 + 5 - count; // some are beyond the lanes
      }
      permuteLanes(values, sources, count, results);
      for (unsigned lane = 0; lane < count; ++lane)
        EXPECT_EQ(results[lane], 1000 + (lane * 37 + 5) % count);
    }
  });
}

} // namespace
} // namespace triton::simulator
