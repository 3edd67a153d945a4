// The environment variables of the compiler and the runtime: the only place that reads them.
#pragma once

#include <string>

namespace triton::base {

/// A snapshot; take one at the start of a compilation. An unset variable is empty, false or 0.
struct Environment {
  using Flag = bool;
  using Text = std::string;
  using Number = unsigned;
#define TRITON_ENVIRONMENT(kind, member, variable, inCacheKey, meaning) kind member{};
#include "base/Environment.def"

  static Environment read();
  /// Whether a variable that is on by default is set to something else than true.
  static bool isSwitchedOff(const Text &value);
  /// The variables that are set and decide generated code or output, as "NAME=value" lines.
  std::string cacheKey() const;

  /// $TRITON_HOME, or the home directory, or a folder among the temporary files that belongs to this user alone if
  /// there is no home directory.
  std::string homeDirectory() const;
  std::string cacheDirectory() const;    ///< $TRITON_CACHE_DIR or <home>/.triton/cache
  std::string dumpDirectory() const;     ///< $TRITON_DUMP_DIR or <home>/.triton/dump
  std::string overrideDirectory() const; ///< $TRITON_OVERRIDE_DIR or <home>/.triton/override

private:
  std::string underHome(const char *name) const;
};

} // namespace triton::base
