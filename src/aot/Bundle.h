// Bundles: one file with kernels for several targets, which include/triton/bundle.h reads.
#pragma once

#include "aot/CppKernel.h"
#include "aot/Generate.h"

#include <string>
#include <vector>

namespace triton::aot {

/// A kernel of a bundle, on the command line: its file and the signatures of its variants.
struct BundleKernelRequest {
  std::string path;
  std::vector<std::string> signatures; ///< at least one
  Request kernel;                      ///< without parameters, signature and grid
};

struct BundleRequest {
  std::vector<BundleKernelRequest> kernels; ///< at least one
  std::vector<std::string> targets;         ///< at least one
  std::string output;                       ///< the file
};

/// Compiles all signatures for all targets and writes the bundle, whole or not at all. Throws Error, DiagnosticError,
/// CompilationError or InternalError.
void writeBundle(const BundleRequest &request);

} // namespace triton::aot
