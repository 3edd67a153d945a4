// How the upstream inliner treats functions of the dialect tt.
#include "ir/Dialect.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace triton::tt {

namespace {

struct TritonInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    auto function = dyn_cast<FuncOp>(callable);
    return function && !function.isNoInline();
  }

  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  /// For a callee of several blocks: its returns become branches to the code after the call.
  void handleTerminator(Operation *op, Block *newDest) const final {
    auto returnOp = dyn_cast<ReturnOp>(op);
    if (!returnOp)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), newDest, returnOp.getOperands());
    op->erase();
  }

  void handleTerminator(Operation *op, ValueRange valuesToReplace) const final {
    auto returnOp = cast<ReturnOp>(op);
    for (auto [old, value] : llvm::zip_equal(valuesToReplace, returnOp.getOperands()))
      old.replaceAllUsesWith(value);
  }
};

} // namespace

void TritonDialect::registerInterfaces() { addInterfaces<TritonInlinerInterface>(); }

} // namespace triton::tt
