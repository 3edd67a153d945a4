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
  int numWarps = 4;
  int numStages = 3;
  int numCtas = 1;
  bool debug = false; ///< device_assert active
  bool sanitizeOverflow = false;
  bool enableFpFusion = true;               ///< a*b+c may become one fused operation
  bool lineInfo = true;                     ///< line tables in the machine code
  std::string arch;                         ///< CPU such as "x86-64-v3" or "neoverse-v2"; empty: what the host has
  std::map<std::string, std::string> extra; ///< the others, as given, e.g. maxnreg
};

} // namespace triton::base
