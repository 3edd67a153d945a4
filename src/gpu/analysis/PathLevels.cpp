#include "gpu/analysis/PathLevels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::analysis {

std::optional<PathLevels::Violation> PathLevels::check(Block &block, int most) {
  highest = most;
  found.reset();
  if (!block.getParent()->hasOneBlock())
    return std::nullopt;
  std::optional<int> level = follow(block, 0);
  if (level.value_or(0) != 0)
    fail(Violation::Kind::End, block.getTerminator());
  return found;
}

std::nullopt_t PathLevels::fail(Violation::Kind kind, Operation *place) {
  found = Violation{kind, place};
  return std::nullopt;
}

bool PathLevels::changesLevel(Region &region) {
  return region.walk([&](Operation *op) { return step(op) != 0 ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// The level at the end of the block; nothing where it is not known, or after a violation.
std::optional<int> PathLevels::follow(Block &block, int level) {
  for (Operation &op : block) {
    level += step(&op);
    if (level < 0)
      return fail(Violation::Kind::TooLow, &op);
    if (level > highest)
      return fail(Violation::Kind::TooHigh, &op);
    if (llvm::none_of(op.getRegions(), [&](Region &region) { return changesLevel(region); }))
      continue;
    std::optional<int> behind = followRegions(op, level);
    if (!behind)
      return std::nullopt;
    level = *behind;
  }
  return level;
}

std::optional<int> PathLevels::followRegions(Operation &op, int level) {
  if (!isa<scf::ForOp, scf::IfOp>(op))
    return std::nullopt;
  bool isLoop = isa<scf::ForOp>(op);
  std::optional<int> all;
  for (Region &region : op.getRegions()) {
    std::optional<int> behind = region.empty() ? level : follow(region.front(), level);
    if (!behind)
      return std::nullopt;
    if (*behind != all.value_or(*behind) || (isLoop && *behind != level))
      return fail(Violation::Kind::Paths, &op);
    all = behind;
  }
  return all;
}

} // namespace triton::analysis
