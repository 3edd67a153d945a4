#include "base/Version.h"

#include <string>

/// cmake/TritonVersion.cmake writes the version with the commit here after the program is linked. A new commit
/// therefore compiles nothing, and the build-id, which distinguishes compilers in the cache, does not change with
/// it. The compiler must not take the text that stands here for the one that is read.
[[gnu::section(".triton_version"), gnu::used]] static const volatile char field[64] = TRITON_BASE_VERSION;

const char *triton::base::version() {
  static const std::string text = [] {
    std::string result;
    for (std::size_t i = 0; i < sizeof(field) && field[i] != '\0' && field[i] != ' '; ++i)
      result += field[i];
    return result;
  }();
  return text.c_str();
}
