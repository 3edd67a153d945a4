// Bundles: one file with kernels for several targets, which include/triton/bundle.h reads.
#pragma once

#include "aot/CppKernel.h"
#include "aot/Generate.h"

#include <string>
#include <utility>
#include <vector>

namespace triton::aot {

/// A kernel of a bundle, on the command line: its file and the signatures of its variants.
struct BundleKernelRequest {
  std::string path;
  std::vector<std::string> signatures; ///< at least one
  Request kernel;                      ///< without parameters, signature and grid
};

struct BundleRequest {
  std::vector<BundleKernelRequest> kernels;
  std::vector<std::string> targets;                         ///< at least one
  std::string output;                                       ///< the file
  std::vector<std::pair<std::string, std::string>> items{}; ///< what else the file holds: (name, bytes)
  std::string key{};                                        ///< signs the file; empty: nobody does
};

/// Compiles all signatures for all targets and writes the bundle, whole or not at all. Throws Error, DiagnosticError,
/// CompilationError or InternalError.
void writeBundle(const BundleRequest &request);

/// The same without the kernels that programs in C cannot launch, for which it returns a sentence each.
std::vector<std::string> writeBundleOfWhatFits(const BundleRequest &request);

} // namespace triton::aot
