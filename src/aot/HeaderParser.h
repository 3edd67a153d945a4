// What the headers of variants say to the linker.
#pragma once

#include "aot/Link.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace triton::aot {

/// A parameter of C.
struct CParameter {
  std::string type, name;
  bool operator==(const CParameter &) const = default;
  std::string str() const { return type + (llvm::StringRef(type).ends_with("*") ? "" : " ") + name; }
};

/// One `tt-linker` line.
struct Variant {
  std::string place;    ///< "file:line", for messages
  std::string backend;  ///< of the header
  std::string function; ///< `<kernel>_<hash>_<suffix>`
  std::string kernel;
  std::string algorithm;              ///< `64x1_warps4xstages3`
  std::vector<CParameter> parameters; ///< of the linked kernel
  /// One for each parameter: 16 and 1 are hints, 0 is none.
  std::vector<int> hints;

  unsigned hintCount() const;
};

/// The variants of the headers, in order; each header must have one. Throws Error.
std::vector<Variant> parseHeaders(const std::vector<HeaderText> &headers);

} // namespace triton::aot
