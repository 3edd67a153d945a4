// The combining regions of reductions and scans.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// One element of each operand.
using Elements = Registers;

/// Combines elements according to the region of a reduction or scan. After a failure, which has been reported, results
/// are the left elements.
class Combination {
public:
  Combination(Emitter &emitter, mlir::Region &region) : emitter(emitter), region(region) {}

  Elements operator()(const Elements &left, const Elements &right);
  /// `left` and `right` combined where `condition` holds, `otherwise` elsewhere. What has effects, such as an
  /// assertion, happens only there.
  Elements where(mlir::Value condition, const Elements &left, const Elements &right, const Elements &otherwise);
  /// `left` with each of `right`, two at once where the machine has an instruction for that.
  llvm::SmallVector<Elements> withEach(const Elements &left, llvm::ArrayRef<Elements> right);
  bool hasFailed() const { return failed; }
  bool hasEffects() const;
  /// Whether the order of two elements makes no difference, not even to rounding.
  bool isCommutative() const { return commutativeOperation() != nullptr; }
  /// The only operation of the region if it is commutative; null otherwise.
  mlir::Operation *commutativeOperation() const;
  /// Whether it is the sum of two floats, into which a product may be fused.
  bool isFloatAddition() const;

  /// `left` and `right`, swapped where `condition` holds.
  std::pair<Elements, Elements> order(mlir::Value condition, const Elements &left, const Elements &right);
  Elements select(mlir::Value condition, const Elements &yes, const Elements &no);

private:
  Emitter &emitter;
  mlir::Region &region;
  bool failed = false;
};

} // namespace triton::gpu
