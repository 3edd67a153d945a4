#include "gpu/lowering/Combination.h"

#include "gpu/lowering/TargetEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::gpu {

Elements Combination::operator()(const Elements &left, const Elements &right) {
  Registers arguments = left;
  arguments.append(right);
  FailureOr<Registers> results = emitter.inlineRegion(region, arguments);
  if (mlir::failed(results)) {
    failed = true;
    return left;
  }
  return *results;
}

Elements Combination::where(Value condition, const Elements &left, const Elements &right, const Elements &otherwise) {
  if (hasEffects())
    return emitter.emitIf(condition, [&] { return (*this)(left, right); }, otherwise);
  return select(condition, (*this)(left, right), otherwise);
}

bool Combination::hasEffects() const {
  return llvm::any_of(region.getOps(), [](Operation &op) { return !isMemoryEffectFree(&op); });
}

SmallVector<Elements> Combination::withEach(const Elements &left, llvm::ArrayRef<Elements> right) {
  SmallVector<Elements> results;
  Operation *operation = commutativeOperation();
  if (isa_and_nonnull<arith::AddFOp, arith::MulFOp>(operation) && emitter.target().computesPairs(operation))
    while (results.size() + 2 <= right.size()) {
      std::size_t next = results.size();
      Value both = emitter.packVector({left.front(), left.front()}),
            pair = emitter.packVector({right[next].front(), right[next + 1].front()});
      Value combined = isa<arith::AddFOp>(operation) ? LLVM::FAddOp::create(emitter.b, both, pair).getResult()
                                                     : LLVM::FMulOp::create(emitter.b, both, pair).getResult();
      for (Value element : emitter.unpackVector(combined))
        results.push_back({element});
    }
  for (const Elements &element : right.drop_front(results.size()))
    results.push_back((*this)(left, element));
  return results;
}

Operation *Combination::commutativeOperation() const {
  Block &block = region.front();
  if (!llvm::hasNItems(block, 2))
    return nullptr;
  Operation &only = block.front();
  bool isCommutative = only.hasTrait<OpTrait::IsCommutative>() && only.getNumOperands() == 2 &&
                       only.getOperands() == ValueRange(block.getArguments());
  return isCommutative ? &only : nullptr;
}

bool Combination::isFloatAddition() const { return isa_and_nonnull<arith::AddFOp>(commutativeOperation()); }

Elements Combination::select(Value condition, const Elements &yes, const Elements &no) {
  Elements selected;
  for (auto [one, other] : llvm::zip_equal(yes, no))
    selected.push_back(emitter.select(condition, one, other));
  return selected;
}

std::pair<Elements, Elements> Combination::order(Value condition, const Elements &left, const Elements &right) {
  return {select(condition, right, left), select(condition, left, right)};
}

} // namespace triton::gpu
