// The stage ttir: the passes that every backend runs on TTIR.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <functional>
#include <string>

namespace triton::tt {

struct TtirOptions {
  /// The target does not take PTX, which kernels contain as inline assembly.
  bool translatesPtx = false;
  /// It does, and the compiler may write some.
  bool takesPtx = false;
  /// The target has no calls.
  bool inlinesEveryCall = false;
  /// The target has no hardware for tensor descriptors.
  bool rewriteTensorDescriptors = true;
  /// Why a target that could copy whole blocks does not; for remarks.
  std::string bulkCopyObstacle;
  /// The depths of products of 8- and 4-bit floats that matrix units multiply with scales, for results of 16 rows and
  /// columns, and of 32; 0: none.
  llvm::SmallVector<unsigned> scalingDepths;
  /// Carry scalars instead of tensors through loops; for targets that keep tensors in memory.
  bool scalarizeInductions = true;
  /// Later stages ask which arguments are disjoint.
  bool findsDisjointArguments = false;
  /// The same for pointers that need no more than a scalar base and offsets of 31 bits; for targets whose instructions
  /// add the two.
  bool scalarizesBuffers = false;
  /// Adds passes of the target on blocks of tensors, whose descriptors may become pointers next.
  std::function<void(mlir::OpPassManager &)> addBlockPasses;
  /// Adds passes of the target on the addresses of accesses, when uniform values stand together.
  std::function<void(mlir::OpPassManager &)> addAddressPasses;
};

/// Adds the passes of the stage, in order.
void buildTtirPipeline(mlir::OpPassManager &pm, const TtirOptions &options = {});

} // namespace triton::tt
