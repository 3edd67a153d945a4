#include "gpu/analysis/Scratch.h"

#include "gpu/analysis/CombinePlan.h"
#include "gpu/analysis/ConversionPlan.h"
#include "gpu/ir/Dialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::analysis {

static std::size_t tensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return std::size_t(tensor.getNumElements()) * sharedElementBytes(tensor.getElementType());
}

/// Old values, which one thread gets from memory and all that hold copies of the result want.
static std::size_t atomicBytes(Operation *op) {
  Value result = op->getResult(0);
  if (result.use_empty())
    return 0;
  auto tensor = dyn_cast<RankedTensorType>(result.getType());
  if (!tensor)
    return sharedElementBytes(result.getType());
  for (auto &[name, mask] : ttg::toLinearLayout(tensor).freeVariables())
    if (name != "register" && mask != 0)
      return tensorBytes(tensor);
  return 0;
}

std::size_t getScratchBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::size_t>(op)
      .Case([](ttg::ConvertLayoutOp conversion) { return planConversion(conversion).scratchBytes; })
      .Case([](tt::ReduceOp reduction) -> std::size_t {
        std::optional<ReducePlan> plan = planReduce(reduction);
        return plan ? plan->scratchBytes : 0;
      })
      .Case([](tt::ScanOp scan) -> std::size_t {
        std::optional<ScanPlan> plan = planScan(scan);
        return plan ? plan->scratchBytes : 0;
      })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp>([](auto atomic) { return atomicBytes(atomic); })
      .Case([](tt::GatherOp gather) { return tensorBytes(gather.getSrc().getType()); })
      .Case([](tt::HistogramOp histogram) { return tensorBytes(histogram.getType()); })
      .Default(std::size_t(0));
}

} // namespace triton::analysis
