#include "gpu/loops/VerifyTurns.h"

#include "gpu/analysis/PathLevels.h"

using namespace mlir;

namespace triton::ttg {

using analysis::PathLevels;

static int changeOfTurn(Operation *op) {
  if (isa<WaitTurnOp>(op))
    return 1;
  auto pass = dyn_cast<PassTurnOp>(op);
  return pass && !pass.getBegins() ? -1 : 0;
}

static llvm::StringRef describe(PathLevels::Violation::Kind kind) {
  switch (kind) {
  case PathLevels::Violation::Kind::TooLow:
    return "hands on a turn that the group does not have";
  case PathLevels::Violation::Kind::TooHigh:
    return "waits for a turn that the group has";
  case PathLevels::Violation::Kind::Paths:
    return "on some paths the group has the turn after this, and on others it does not";
  case PathLevels::Violation::Kind::End:
    return "the group ends with a turn that it has not handed on";
  }
  llvm_unreachable("all kinds are handled");
}

LogicalResult verifyTurns(FunctionOpInterface function) {
  SmallVector<PassTurnOp> beginnings;
  Operation *first = nullptr;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto pass = dyn_cast<PassTurnOp>(op); pass && pass.getBegins())
      beginnings.push_back(pass);
    else if (!first && changeOfTurn(op) != 0)
      first = op;
  });
  if (!first)
    return success();
  if (beginnings.empty())
    return first->emitError() << "ttgir-11: no group has the first turn, which `pass_turn {begins}` gives";
  if (beginnings.size() > 1)
    return beginnings[1].emitError() << "ttgir-11: a group gets the first turn a second time";
  // Turns are those of the warps of one side.
  if (std::optional<PathLevels::Violation> found =
          PathLevels(changeOfTurn).check(*beginnings.front()->getBlock(), /*highest=*/1))
    return found->place->emitError() << "ttgir-11: " << describe(found->kind);
  return success();
}

} // namespace triton::ttg
