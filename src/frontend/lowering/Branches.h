// An scf.if while its branches are being lowered. Its results are known only when both branches are complete.
#pragma once

#include "frontend/lowering/Lowering.h"

namespace triton::frontend {

class Branches {
public:
  /// Emits an scf.if with two empty branches at the current place.
  Branches(Lowering &lowering, mlir::Value condition);

  void enterThen();
  void enterElse();
  /// Makes one value of what the branches leave. The result is an index for result(). Numbers become scalars where the
  /// branches differ. None when the values have different types.
  std::optional<unsigned> merge(const Value &thenValue, const Value &elseValue);
  /// A value of the types of `like` whose content is undefined, in one of the branches.
  Value undefined(const Value &like, bool inThen);
  /// Completes the operation and continues after it.
  void finish();
  Value result(unsigned index) const;

private:
  struct Merged {
    Value like;                             ///< the types, and what is the same in both branches
    llvm::SmallVector<int, 4> resultOfPart; ///< index of the scf.if's result, -1 where the branches agree
  };

  bool unify(Value &thenValue, Value &elseValue);
  /// `number` as a scalar at the end of the branch; of the type of `other` where that can hold it.
  Value materialize(const Value &number, const Value &other, bool inThen);
  mlir::Block *block(bool inThen) const;

  Lowering &lowering;
  mlir::Operation *operation;
  llvm::SmallVector<Merged, 8> merged;
  llvm::SmallVector<mlir::Value> thenParts, elseParts;
};

} // namespace triton::frontend
