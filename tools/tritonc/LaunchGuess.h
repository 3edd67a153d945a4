// Arguments and a grid for a kernel that is simulated before anyone said with what.
#pragma once

#include "language_server/SignatureGuess.h"
#include "triton/triton.h"

#include <string>
#include <vector>

namespace tritonc {

/// An item of a signature, with the parameter that it is for.
struct SignatureItem {
  std::string name, value;
  bool isPointer() const { return llvm::StringRef(value).starts_with("*"); }
};

/// The items in the order of the parameters. Parameters that the signature leaves out have none.
std::vector<SignatureItem> signatureItems(const triton::Kernel &kernel, const std::string &signature);

struct LaunchGuess {
  triton::language_server::GuessedItem grid;                   ///< "4" or "2,2,1"
  std::vector<triton::language_server::GuessedItem> arguments; ///< as ArgumentValues.h takes them
};

/// A small launch that fits the kernel's signature. All integers are equal, as if they were the extents of square
/// arrays; those that are named like strides are the strides of such arrays. Throws UsageError where the signature has
/// what no launch of the command line takes.
LaunchGuess guessLaunch(const triton::Kernel &kernel, const std::string &signature);

} // namespace tritonc
