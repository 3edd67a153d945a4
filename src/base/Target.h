// What a kernel is compiled for, and how.
#pragma once

#include <map>
#include <string>

namespace triton::base {

/// As Triton's GPUTarget: ("cpu", "x86_64", 0), ("cuda", "90", 32).
struct Target {
  std::string backend = "cpu";
  std::string arch = {};
  int warpSize = 0;
};

/// Options of a compilation, all backends; each backend reads the ones it knows. Field docs: docs/options.md.
struct Options {
#define TRITON_OPTION(type, member, name, standard) type member = standard;
#include "base/Options.def"
  std::map<std::string, std::string> extra; ///< the others, as given, e.g. maxnreg
};

} // namespace triton::base
