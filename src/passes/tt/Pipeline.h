// The stage ttir: the passes that every backend runs on TTIR.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace triton::tt {

struct TtirOptions {
  /// The target does not take PTX, which kernels contain as inline assembly.
  bool translatesPtx = false;
  /// The target has no calls.
  bool inlinesEveryCall = false;
  /// The target has no hardware for tensor descriptors.
  bool rewriteTensorDescriptors = true;
  /// Blocks for products are copied by hardware, through maps that the launch makes, to and from so many bytes of
  /// memory that a program has. 0: they are not.
  uint64_t copiedBytes = 0;
  /// Why copies of what a kernel loads through pointers would not pay, see triton-describe-loads; empty: they may.
  std::string pointerCopyObstacle;
  /// That may run a program, see triton-split-programs.
  unsigned blocks = 1;
  /// Why a target that could copy whole blocks does not; for remarks.
  std::string bulkCopyObstacle;
  /// The depths of products of 8- and 4-bit floats that matrix units multiply with scales, for results of 16 rows and
  /// columns, and of 32; 0: none.
  llvm::SmallVector<unsigned> scalingDepths;
  /// Carry scalars instead of tensors through loops; for targets that keep tensors in memory.
  bool scalarizeInductions = true;
  /// Later stages ask which arguments are disjoint.
  bool findsDisjointArguments = false;
  /// Write addresses as a scalar base and offsets of 31 bits, in loops too; for targets whose instructions add the two.
  bool separatesBases = false;
};

/// Adds the passes of the stage, in order.
void buildTtirPipeline(mlir::OpPassManager &pm, const TtirOptions &options = {});

} // namespace triton::tt
