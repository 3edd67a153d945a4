// triton-inline-calls: runs the upstream inliner if there is a call.
#include "passes/tt/Passes.h"

#include "ir/Dialect.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/CFGToSCF.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONINLINECALLS
#include "passes/tt/Passes.h.inc"

namespace {

/// The number of operations that functions have after their calls are inlined.
class InlinedSizes {
public:
  explicit InlinedSizes(ModuleOp module) : symbols(module) {}

  uint64_t operator()(FuncOp function) {
    auto [known, isNew] = sizes.try_emplace(function, 0); // 0 remains for a function that calls itself
    if (!isNew)
      return known->second;
    uint64_t size = 0;
    function.walk([&](Operation *op) {
      ++size;
      if (auto call = dyn_cast<CallOp>(op)) {
        hasCalls = true;
        if (auto callee = symbols.lookup<FuncOp>(call.getCallee()))
          size = llvm::SaturatingAdd(size, (*this)(callee));
      }
    });
    return sizes[function] = size;
  }

  bool hasCalls = false;

private:
  SymbolTable symbols;
  llvm::DenseMap<FuncOp, uint64_t> sizes;
};

/// Makes a function one block that can be inlined anywhere.
LogicalResult prepareForInlining(FuncOp function) {
  function->removeAttr(FuncOp::noInlineAttrName);
  if (function.isExternal() || function.getBody().hasOneBlock())
    return success();
  ControlFlowToSCFTransformation transformation;
  DominanceInfo dominance(function);
  return success(succeeded(transformCFGToSCF(function.getBody(), transformation, dominance)));
}

struct InlineCalls : impl::TritonInlineCallsBase<InlineCalls> {
  using Base::Base;

  void runOnOperation() override {
    InlinedSizes sizeOf(getOperation());
    for (FuncOp function : getOperation().getOps<FuncOp>())
      if (!function.isPrivate() && failed(checkSize(function, sizeOf(function))))
        return signalPassFailure();
    if (!sizeOf.hasCalls)
      return markAllAnalysesPreserved();
    for (FuncOp function : getOperation().getOps<FuncOp>())
      if (function.isPrivate() && (everyCall || !function.isNoInline()) && failed(prepareForInlining(function)))
        return signalPassFailure();
    // No pipeline runs between the steps, because the canonicalizer that follows in the stage does that work once.
    OpPassManager inliner(ModuleOp::getOperationName());
    inliner.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    if (failed(runPipeline(inliner, getOperation())))
      signalPassFailure();
  }

  /// The time of the later passes is proportional to the size: 100,000 operations take some seconds, and a tree of
  /// calls that doubles twenty times would take hours.
  static LogicalResult checkSize(FuncOp function, uint64_t size) {
    constexpr uint64_t mostOperations = 100'000;
    if (size <= mostOperations)
      return success();
    return function.emitError() << "not supported on any target: kernel `" << function.getName() << "` has " << size
                                << " operations with all calls inlined and all `tl.static_range` loops unrolled, more "
                                << "than " << mostOperations
                                << "; use loops over `range`, call functions less often, or split the kernel";
  }
};

} // namespace

} // namespace triton::tt
