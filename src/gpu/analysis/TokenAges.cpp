#include "gpu/analysis/TokenAges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::analysis {

namespace {

/// The number of groups that were closed since the group of each token. A token that is absent may belong to the last
/// group.
using Ages = llvm::DenseMap<Value, unsigned>;

/// What is known on both paths.
Ages join(const Ages &left, const Ages &right) {
  Ages joined;
  for (auto [token, age] : left)
    if (auto found = right.find(token); found != right.end())
      joined[token] = std::min(age, found->second);
  return joined;
}

class TokenWalk {
public:
  explicit TokenWalk(llvm::DenseMap<Operation *, unsigned> &waits) : waits(waits) {}

  void visit(Block &block, Ages &ages) {
    for (Operation &op : block) {
      if (isa<ttg::AsyncCommitGroupOp>(op)) {
        for (auto &entry : ages)
          ++entry.second;
        ages[op.getResult(0)] = 0;
      } else if (isa<ttg::AsyncWaitOp>(op) && op.getNumOperands() != 0) {
        visitWait(op, ages);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        visitLoop(loop, ages);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        visitBranch(branch, ages);
      } else if (closesGroups(op)) {
        for (Region &region : op.getRegions())
          for (Block &inner : region) {
            Ages unknown;
            visit(inner, unknown);
          }
        ages.clear();
      }
    }
  }

private:
  static bool closesGroups(Operation &op) {
    return op.walk([](ttg::AsyncCommitGroupOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  void visitWait(Operation &wait, const Ages &ages) {
    auto [entry, isNew] = waits.try_emplace(&wait, ~0u);
    for (Value token : wait.getOperands())
      entry->second = std::min(entry->second, ages.lookup(token));
  }

  static void forward(ValueRange from, ValueRange to, const Ages &source, Ages &target) {
    SmallVector<std::optional<unsigned>> given;
    for (Value value : from) {
      auto found = source.find(value);
      given.push_back(found == source.end() ? std::nullopt : std::optional(found->second));
    }
    for (auto [value, age] : llvm::zip_equal(to, given))
      if (age)
        target[value] = *age;
  }

  /// Repeats until what is known at the start of an iteration does not shrink any more.
  void visitLoop(scf::ForOp loop, Ages &ages) {
    Ages start = ages;
    forward(loop.getInitArgs(), loop.getRegionIterArgs(), ages, start);
    while (true) {
      Ages end = start;
      visit(*loop.getBody(), end);
      Ages next = end;
      for (Value argument : loop.getRegionIterArgs())
        next.erase(argument);
      forward(loop.getYieldedValues(), loop.getRegionIterArgs(), end, next);
      Ages joined = join(start, next);
      if (joined == start)
        break;
      start = std::move(joined);
    }
    // An iteration begins where the loop ends.
    forward(loop.getRegionIterArgs(), loop.getResults(), start, start);
    ages = std::move(start);
  }

  void visitBranch(scf::IfOp branch, Ages &ages) {
    auto visitRegion = [&](Region &region) {
      Ages own = ages;
      if (region.empty())
        return own;
      visit(region.front(), own);
      Ages result = own;
      forward(region.front().getTerminator()->getOperands(), branch.getResults(), own, result);
      return result;
    };
    Ages taken = visitRegion(branch.getThenRegion());
    ages = join(taken, visitRegion(branch.getElseRegion()));
  }

  llvm::DenseMap<Operation *, unsigned> &waits;
};

} // namespace

llvm::DenseMap<Operation *, unsigned> countLaterGroups(FunctionOpInterface function) {
  llvm::DenseMap<Operation *, unsigned> waits;
  TokenWalk walk(waits);
  for (Block &block : function.getFunctionBody()) {
    Ages unknown; // tokens do not cross blocks
    walk.visit(block, unknown);
  }
  return waits;
}

} // namespace triton::analysis
