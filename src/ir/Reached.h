// Walks along definitions and uses. They do not recurse: a chain of definitions may be as long as a program, and a
// stack is not. They also visit everything once: of what two values are computed from in common, recursion would visit
// each part once for every path to it, of which there may be exponentially many.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace triton {

/// Whether `check` is true of `root` and of all that it leads to. `check(key, reached)` appends to `reached` what must
/// also be checked for its answer to hold.
template <typename Key, typename Check> bool holdsForAllReached(Key root, Check check) {
  llvm::SmallVector<Key> reached{root};
  llvm::DenseSet<Key> seen;
  while (!reached.empty()) {
    Key key = reached.pop_back_val();
    if (seen.insert(key).second && !check(key, reached))
      return false;
  }
  return true;
}

/// Calls `visit` for all that `root` leads to, each key after those that it leads to itself, and for `root` last.
/// `find(key, reached)` appends what a key leads to, and need not append what was visited before. A recursive function
/// that remembers its results does not recurse far if it is called in this order.
template <typename Key, typename Find, typename Visit> void visitReachedFirst(Key root, Find find, Visit visit) {
  struct Step {
    Key key;
    bool isLast;
  };
  llvm::SmallVector<Step> steps{{root, false}};
  llvm::SmallVector<Key> reached;
  llvm::DenseSet<Key> seen;
  while (!steps.empty()) {
    auto [key, isLast] = steps.pop_back_val();
    if (isLast) {
      visit(key);
    } else if (seen.insert(key).second) {
      steps.push_back({key, true});
      reached.clear();
      find(key, reached);
      while (!reached.empty())
        steps.push_back({reached.pop_back_val(), false});
    }
  }
}

} // namespace triton
