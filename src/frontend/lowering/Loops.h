// Shared by the lowering of `for` and `while`: exits from loops, and loops that exits leave early.
#pragma once

#include "frontend/AST.h"
#include "frontend/lowering/CarriedNames.h"

#include "llvm/ADT/StringSet.h"

namespace triton::frontend {

/// A loop whose body is being lowered. While this object lives, it is the frame's innermost loop.
struct LoopFrame {
  LoopFrame(Lowering &lowering, CarriedNames *carried);
  ~LoopFrame();
  LoopFrame(const LoopFrame &) = delete;
  LoopFrame &operator=(const LoopFrame &) = delete;

  Lowering &lowering;
  LoopFrame *outer;
  CarriedNames *carried; ///< null for a loop that is repeated while lowering
  /// For a repeated loop: the names that are defined wherever a `break` or `continue` was lowered; none if there was
  /// none.
  std::optional<llvm::StringSet<>> definedAtBreak, definedAtContinue;
};

/// `break` or `continue`.
void lowerLoopExit(Lowering &lowering, ExitKind kind);

/// Whether an exit ends the loop, and not only an iteration.
bool endsLoop(const Exits &exits);

/// The values that a loop which exits leave early carries in addition to its names. They are its last results: whether
/// the loop was left, whether a `return` left it (if there are other exits), and what was returned.
class EarlyExit {
public:
  EarlyExit(Lowering &lowering, Exits exits);

  /// Before the first iteration.
  llvm::SmallVector<mlir::Value> initial();
  /// At the end of an iteration. The first says whether the loop ends.
  llvm::SmallVector<mlir::Value> current();
  /// Whether the loop was left, given the values of current().
  static Value wasLeft(mlir::ValueRange values);
  /// Called after the loop: sets the frame's exits, and lowers the loop's `else`. `isEndless`: only exits end the loop.
  void leave(ast::Statements orElse, mlir::ValueRange results, bool isEndless);

private:
  Exits exitsAfter(mlir::ValueRange results, bool isEndless) const;

  Lowering &lowering;
  Exits exits;
  bool hasBreak, hasReturn;
};

/// Lowers the `else` of a loop. `left` says whether an exit ended the loop; if `mayBreak`, this exit may have been a
/// `break`. `exits` says in which other ways control has left.
void lowerLoopElse(Lowering &lowering, ast::Statements statements, const Value &left, const Exits &exits,
                   bool mayBreak);

} // namespace triton::frontend
