// Merges what two branches leave behind.
#pragma once

#include "frontend/lowering/Branches.h"

namespace triton::frontend {

/// The names and the exits at the end of a branch.
struct Path {
  Locals locals;
  Exits exits;

  /// Takes the names and exits of the frame, and leaves `next` in their place.
  static Path take(FunctionFrame &frame, Path next);
};

/// Combines the local names and exits of the two branches of an `if`. If a branch does not arrive at its end, the names
/// have the values of the other branch, except for names that a loop carries which the branch leaves.
class PathMerge {
public:
  PathMerge(Lowering &lowering, Branches &branches, Path &thenPath, Path &elsePath)
      : lowering(lowering), branches(branches), thenPath(thenPath), elsePath(elsePath) {}

  /// Called before the operation is finished: decides its results. `names` may differ between the branches.
  void plan(llvm::ArrayRef<llvm::StringRef> names);
  /// Called after it: sets the names and exits of the frame, whose names are those before the branches.
  void apply();

private:
  struct Result {
    llvm::StringRef name;
    Variable variable;
    unsigned index;
  };

  void planName(llvm::StringRef name);
  void planBoth(llvm::StringRef name, const Variable &inThen, const Variable &inElse);
  void planOne(llvm::StringRef name, const Variable &variable, bool inThen);
  bool isNameFree(llvm::StringRef name);
  void planExits();

  Lowering &lowering;
  Branches &branches;
  Path &thenPath, &elsePath;
  llvm::SmallVector<Result> results;
  llvm::SmallVector<std::pair<llvm::StringRef, Variable>> undefined;
  std::array<unsigned, 3> flags;
  std::optional<unsigned> result;
};

/// Lowers `body` for the paths on which `left` does not hold. On the other paths, the exits are `otherwise`, whose
/// values exist already. `names` are the names that the body may assign.
void lowerUnless(Lowering &lowering, const Value &left, const Exits &otherwise, llvm::ArrayRef<llvm::StringRef> names,
                 llvm::function_ref<void()> body);

} // namespace triton::frontend
