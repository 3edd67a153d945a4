// triton-fold-assumptions: decides conditions that assumptions imply.
#include "base/OptionalPass.h"
#include "passes/tt/Passes.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "llvm/IR/ConstantRange.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONFOLDASSUMPTIONS
#include "passes/tt/Passes.h.inc"

namespace {

llvm::CmpInst::Predicate predicateOf(arith::CmpIOp compare) {
  using From = arith::CmpIPredicate;
  using To = llvm::CmpInst::Predicate;
  switch (compare.getPredicate()) {
  case From::eq:
    return To::ICMP_EQ;
  case From::ne:
    return To::ICMP_NE;
  case From::slt:
    return To::ICMP_SLT;
  case From::sle:
    return To::ICMP_SLE;
  case From::sgt:
    return To::ICMP_SGT;
  case From::sge:
    return To::ICMP_SGE;
  case From::ult:
    return To::ICMP_ULT;
  case From::ule:
    return To::ICMP_ULE;
  case From::ugt:
    return To::ICMP_UGT;
  case From::uge:
    return To::ICMP_UGE;
  }
  llvm_unreachable("all predicates are listed");
}

/// The values of the left operand for which a comparison with a constant is true.
std::optional<llvm::ConstantRange> rangeWhere(arith::CmpIOp compare) {
  APInt bound;
  if (!compare || !compare.getLhs().getType().isInteger() || !matchPattern(compare.getRhs(), m_ConstantInt(&bound)))
    return std::nullopt;
  return llvm::ConstantRange::makeExactICmpRegion(predicateOf(compare), bound);
}

struct TritonFoldAssumptions : impl::TritonFoldAssumptionsBase<TritonFoldAssumptions>, base::OptionalPass {
  void runOnOperation() override {
    SmallVector<LLVM::AssumeOp> assumptions;
    getOperation().walk([&](LLVM::AssumeOp assumption) { assumptions.push_back(assumption); });
    if (assumptions.empty())
      return;
    DominanceInfo dominance(getOperation());
    for (LLVM::AssumeOp assumption : assumptions)
      fold(assumption, dominance);
  }

private:
  static void fold(LLVM::AssumeOp assumption, DominanceInfo &dominance) {
    Value condition = assumption.getCond();
    replace(condition, true, assumption, dominance);
    auto assumed = condition.getDefiningOp<arith::CmpIOp>();
    std::optional<llvm::ConstantRange> range = rangeWhere(assumed);
    if (!range)
      return;
    for (Operation *user : llvm::make_early_inc_range(assumed.getLhs().getUsers())) {
      auto compare = dyn_cast<arith::CmpIOp>(user);
      if (!compare || compare == assumed || compare.getLhs() != assumed.getLhs())
        continue;
      std::optional<llvm::ConstantRange> asked = rangeWhere(compare);
      if (asked && asked->contains(*range))
        replace(compare, true, assumption, dominance);
      else if (asked && asked->intersectWith(*range).isEmptySet())
        replace(compare, false, assumption, dominance);
    }
  }

  /// Replaces uses after the assumption by the constant. The assumptions themselves remain for later analyses.
  static void replace(Value condition, bool value, LLVM::AssumeOp assumption, DominanceInfo &dominance) {
    auto isAfter = [&](OpOperand &use) {
      return !isa<LLVM::AssumeOp>(use.getOwner()) && dominance.properlyDominates(assumption, use.getOwner());
    };
    if (llvm::none_of(condition.getUses(), isAfter))
      return;
    OpBuilder builder(assumption->getContext());
    builder.setInsertionPointAfter(assumption);
    Value constant = arith::ConstantIntOp::create(builder, assumption.getLoc(), value, 1);
    condition.replaceUsesWithIf(constant, isAfter);
  }
};

} // namespace

} // namespace triton::tt
