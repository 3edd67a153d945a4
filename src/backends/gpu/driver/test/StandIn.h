// Tests with a library in a driver's place.
#pragma once

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <functional>
#include <string>

namespace triton::backends {

/// Runs `body` where the environment variable names the library. A process looks for a driver only once, so each test
/// has its own process.
inline void withStandIn(const char *variable, const char *library, const std::function<void()> &body) {
  EXPECT_EXIT(
      {
        setenv(variable, library, 1);
        body();
        exit(testing::Test::HasFailure());
      },
      testing::ExitedWithCode(0), "");
}

/// A variable of the library.
template <typename T> T &standInVariable(const char *library, const char *name) {
  return *static_cast<T *>(dlsym(dlopen(library, RTLD_NOW), name));
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

inline bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

} // namespace triton::backends
