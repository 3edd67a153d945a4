// What two branches leave behind, made into one.
#pragma once

#include "frontend/lowering/Branches.h"

namespace triton::frontend {

/// The names and the exits at the end of a branch.
struct Path {
  Locals locals;
  Exits exits;

  /// Takes those of the frame, which is left as `next` says.
  static Path take(FunctionFrame &frame, Path next);
};

/// Combines the local names and exits of the two branches of an `if`. A branch that does not arrive at its end leaves
/// the names to the other one, except for what a loop that it leaves carries.
class PathMerge {
public:
  PathMerge(Lowering &lowering, Branches &branches, Path &thenPath, Path &elsePath)
      : lowering(lowering), branches(branches), thenPath(thenPath), elsePath(elsePath) {}

  /// Before the operation is finished: decides its results. `names` may differ between the branches.
  void plan(llvm::ArrayRef<llvm::StringRef> names);
  /// After it: sets the names and exits of the frame, whose names are those before the branches.
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

/// Lowers `body` for the paths on which `left` does not hold; the others are as `otherwise` says, whose values exist
/// already. `names` are those that the body may assign.
void lowerUnless(Lowering &lowering, const Value &left, const Exits &otherwise, llvm::ArrayRef<llvm::StringRef> names,
                 llvm::function_ref<void()> body);

} // namespace triton::frontend
