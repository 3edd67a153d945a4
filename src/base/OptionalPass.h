// Says which passes may be left out in the search for a wrong one.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class Pass;
}

namespace triton::base {

/// A second base class of those of our passes that only improve code: results are the same without them. A pass whose
/// result later stages need (layouts, places in shared memory, barriers, lowering) does not have this base.
class OptionalPass {
public:
  virtual ~OptionalPass() = default;
};

/// Whether the stages after the pass still work without it.
bool isOptional(const mlir::Pass &pass);

/// Flags of MLIR's own passes that are optional.
llvm::ArrayRef<llvm::StringLiteral> optionalUpstreamPasses();

} // namespace triton::base
