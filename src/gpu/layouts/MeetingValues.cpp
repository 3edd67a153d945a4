#include "gpu/layouts/MeetingValues.h"

#include "gpu/ir/Dialect.h"
#include "gpu/layouts/CarriedValues.h"

using namespace mlir;

namespace triton::ttg {

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

MeetingValues::MeetingValues(FunctionOpInterface function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    add(op);
    // Regions of combinations and of elementwise code contain scalars.
    return isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

Value MeetingValues::firstOf(Value value) const {
  auto member = groups.findLeader(value);
  return member == groups.member_end() ? value : *member;
}

bool MeetingValues::isData(Value value) const { return isTensor(value) && !positions.contains(value); }

void MeetingValues::add(Operation *op) {
  forEachCarriedValue(op, [&](ArrayRef<Value> members, ArrayRef<OpOperand *> incoming) {
    for (Value member : members)
      join(members.front(), member);
    for (OpOperand *operand : incoming)
      if (isData(operand->get())) // One constant may be the start of values that have nothing else in common.
        join(members.front(), operand->get());
  });
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op);
  auto related = dyn_cast<LayoutOpInterface>(op);
  bool isView = isa<ConvertLayoutOp>(op) || (!isElementwise && related && related.computesInAnyLayout());
  SmallVector<Value> data = llvm::filter_to_vector(op->getOperands(), [&](Value operand) { return isData(operand); });
  if ((isElementwise || isView || op->hasTrait<OpTrait::ConstantLike>()) && data.empty()) {
    positions.insert(op->result_begin(), op->result_end());
    return;
  }
  if (!isElementwise && !isa<ConvertLayoutOp, tt::LoadOp, tt::StoreOp, tt::ScanOp>(op))
    return;
  llvm::append_range(data, llvm::make_filter_range(op->getResults(), isTensor));
  for (Value value : data)
    join(data.front(), value);
}

} // namespace triton::ttg
