// Tests with a library in the driver's place (FakeDriver.cpp).
#pragma once

#include "backends/gpu/driver/test/StandIn.h"

namespace triton::nvidia {

using backends::contains;
using backends::messageOf;

inline void withDriver(const char *library, const std::function<void()> &body) {
  backends::withStandIn("TRITON_LIBCUDA_PATH", library, body);
}

/// As FakeDriver.cpp has it.
struct FakeLaunch {
  unsigned grid[3], block[3], sharedBytes;
  void *stream, *function;
  uint64_t parameters[32];
  int count;
  unsigned attributeCount;
  int attributes[4];
};

/// A variable of the library in the driver's place.
template <typename T> T &fake(const char *name) { return backends::standInVariable<T>(FAKE_CUDA, name); }

/// The arguments of cuTensorMapEncodeTiled; `arrays` are sizes, strides, box and element strides.
struct FakeTensorMap {
  uint32_t type, rank, interleave, swizzle, l2Promotion, fill;
  uint64_t address, arrays[4][5];
  bool isAligned;
};

} // namespace triton::nvidia
