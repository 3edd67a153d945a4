#include "explorer/Waits.h"

#include "gpu/ir/NamedValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton;
using namespace triton::explorer;
using llvm::json::Array;
using llvm::json::Object;

/// {"kind", "pending"}, or nothing for an operation that does not wait.
static std::optional<Object> describeWait(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Object>>(op)
      .Case<ttg::WaitBarrierOp>([](auto) { return Object{{"kind", "mbarrier"}}; })
      .Case<ttg::AsyncWaitOp>([](auto wait) { return Object{{"kind", "copies"}, {"pending", int64_t(wait.getNum())}}; })
      .Case<ttg::WarpGroupDotWaitOp>(
          [](auto wait) { return Object{{"kind", "wgmma"}, {"pending", int64_t(wait.getPendings())}}; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Which of the warps that a launch starts run `op`.
static llvm::StringRef roleOf(Operation *op) {
  llvm::StringRef role = "all";
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (branch.getCondition().getDefiningOp<ttg::IsMoverOp>()) {
      if (branch.getThenRegion().isAncestor(op->getParentRegion()))
        return "mover";
      role = "consumers";
    }
  return role;
}

Array explorer::describeWaits(const base::LinkedText &ttgir) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ttg::loadTextDialects(context);
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) {});
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(ttgir.text, &context);
  if (!module)
    return {};
  auto lineOf = [&](Operation *op) -> int64_t {
    auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
    return place && place.getLine() <= ttgir.sourceLines.size() ? ttgir.sourceLines[place.getLine() - 1] : 0;
  };
  llvm::MapVector<Operation *, Array> loops;
  module->walk([&](Operation *op) {
    Operation *loop = op->getParentOfType<LoopLikeOpInterface>();
    std::optional<Object> wait = loop ? describeWait(op) : std::nullopt;
    if (!wait)
      return;
    wait->insert({"line", lineOf(op)});
    loops[loop].push_back(std::move(*wait));
  });
  auto warps = (*module)->getAttrOfType<IntegerAttr>(ttg::numWarpsAttribute);
  Array described;
  for (auto &[loop, waits] : loops) {
    llvm::StringRef role = roleOf(loop);
    described.push_back(Object{{"line", lineOf(loop)},
                               {"role", role},
                               {"warps", role == "mover" || !warps ? 1 : warps.getInt()},
                               {"waits", std::move(waits)}});
  }
  return described;
}
