// What people call a pass.
#pragma once

#include "mlir/Pass/Pass.h"

namespace triton::base {

/// Its argument on the command line, or its class where it has none.
inline llvm::StringRef passName(const mlir::Pass &pass) {
  return pass.getArgument().empty() ? pass.getName() : pass.getArgument();
}

/// Whether the pass only runs a nested pipeline, whose passes come to an instrumentation themselves.
inline bool isAdaptor(const mlir::Pass &pass) { return pass.getName().contains("OpToOpPassAdaptor"); }

} // namespace triton::base
