#include "ir/DescriptorReduction.h"

using namespace mlir;
using namespace triton;
using namespace triton::tt;

std::optional<RMWOp> tt::findAtomicOperation(DescriptorReduceKind kind, Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  bool isUnsigned = integer && integer.isUnsigned(), isHalf = element.isF16() || element.isBF16();
  switch (kind) {
  case DescriptorReduceKind::Add:
    return integer ? RMWOp::Add : RMWOp::FAdd;
  case DescriptorReduceKind::Min:
    return integer || isHalf ? std::optional(isUnsigned ? RMWOp::UMin : RMWOp::Min) : std::nullopt;
  case DescriptorReduceKind::Max:
    return integer || isHalf ? std::optional(isUnsigned ? RMWOp::UMax : RMWOp::Max) : std::nullopt;
  case DescriptorReduceKind::And:
    return RMWOp::And;
  case DescriptorReduceKind::Or:
    return RMWOp::Or;
  case DescriptorReduceKind::Xor:
    return RMWOp::Xor;
  case DescriptorReduceKind::Increment:
  case DescriptorReduceKind::Decrement:
    return std::nullopt;
  }
  llvm_unreachable("a kind of reduction that is not declared");
}
