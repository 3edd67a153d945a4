// What is taken and given back along the paths of structured code.
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace triton::analysis {

/// Follows a level that begins at 0 through the paths of code, where operations raise and lower it.
class PathLevels {
public:
  /// `step` says by how much an operation changes the level.
  explicit PathLevels(llvm::function_ref<int(mlir::Operation *)> step) : step(step) {}

  /// A place at which the code breaks the rule, and how.
  struct Violation {
    enum class Kind {
      TooLow,  ///< more is given back than was taken
      TooHigh, ///< more is taken than there is
      Paths,   ///< paths to this place leave different levels, or an iteration changes the level
      End,     ///< not all is given back
    } kind;
    mlir::Operation *place;
  };

  /// The first violation in `block`, at whose end the level must be 0 again, and never above `highest`. Nothing also
  /// where the code has branches to blocks, or other regions than those of loops and branches, with such operations.
  std::optional<Violation> check(mlir::Block &block, int highest);

private:
  std::optional<int> follow(mlir::Block &block, int level);
  std::optional<int> followRegions(mlir::Operation &op, int level);
  bool changesLevel(mlir::Region &region);
  std::nullopt_t fail(Violation::Kind kind, mlir::Operation *place);

  llvm::function_ref<int(mlir::Operation *)> step;
  int highest = 0;
  std::optional<Violation> found;
};

} // namespace triton::analysis
