// Which passes may be left out when a wrong one is looked for.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class Pass;
}

namespace triton::base {

/// A second base of our passes that only make code better: results stay the same without them. What the later stages
/// rely on (layouts, places in shared memory, barriers, lowering) has it not.
class OptionalPass {
public:
  virtual ~OptionalPass() = default;
};

/// Whether the stages after the pass still work without it.
bool isOptional(const mlir::Pass &pass);

/// Flags of MLIR's own passes that are optional.
llvm::ArrayRef<llvm::StringLiteral> optionalUpstreamPasses();

} // namespace triton::base
