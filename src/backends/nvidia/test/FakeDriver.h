// Tests with a library in the driver's place (FakeDriver.cpp).
#pragma once

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <functional>
#include <string>

namespace triton::nvidia {

/// A process looks for the driver only once, so each test has its own process.
inline void withDriver(const char *library, const std::function<void()> &body) {
  EXPECT_EXIT(
      {
        setenv("TRITON_LIBCUDA_PATH", library, 1);
        body();
        exit(testing::Test::HasFailure());
      },
      testing::ExitedWithCode(0), "");
}

/// What a call throws; empty when it throws nothing.
template <typename Error> std::string messageOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
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
template <typename T> T &fake(const char *name) {
  static void *library = dlopen(FAKE_CUDA, RTLD_NOW);
  return *static_cast<T *>(dlsym(library, name));
}

inline bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

/// The arguments of cuTensorMapEncodeTiled; `arrays` are sizes, strides, box and element strides.
struct FakeTensorMap {
  uint32_t type, rank, interleave, swizzle, l2Promotion, fill;
  uint64_t address, arrays[4][5];
  bool isAligned;
};

} // namespace triton::nvidia
