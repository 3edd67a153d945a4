#include "base/OptionalPass.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"

using namespace triton::base;

llvm::ArrayRef<llvm::StringLiteral> triton::base::optionalUpstreamPasses() {
  static constexpr llvm::StringLiteral names[] = {"canonicalize", "control-flow-sink", "cse", "sccp", "symbol-dce"};
  return names;
}

bool triton::base::isOptional(const mlir::Pass &pass) {
  return dynamic_cast<const OptionalPass *>(&pass) || llvm::is_contained(optionalUpstreamPasses(), pass.getArgument());
}
