// What the lowering of `for` and `while` shares: exits from loops, and loops that exits leave early.
#pragma once

#include "frontend/AST.h"
#include "frontend/lowering/CarriedNames.h"

#include "llvm/ADT/StringSet.h"

namespace triton::frontend {

/// A loop whose body is being lowered; it is the frame's innermost one for the lifetime of the object.
struct LoopFrame {
  LoopFrame(Lowering &lowering, CarriedNames *carried);
  ~LoopFrame();
  LoopFrame(const LoopFrame &) = delete;
  LoopFrame &operator=(const LoopFrame &) = delete;

  Lowering &lowering;
  LoopFrame *outer;
  CarriedNames *carried; ///< null for a loop that is repeated while lowering
  /// Of a repeated loop: the names that are defined wherever a `break` or `continue` was lowered; none without one.
  std::optional<llvm::StringSet<>> definedAtBreak, definedAtContinue;
};

/// `break` or `continue`.
void lowerLoopExit(Lowering &lowering, ExitKind kind);

/// Whether an exit ends the loop, and not only an iteration.
bool endsLoop(const Exits &exits);

/// What a loop that exits leave early carries besides its names, and gives as its last results: whether it was left,
/// whether that was by a `return` if there are other exits, and what was returned.
class EarlyExit {
public:
  EarlyExit(Lowering &lowering, Exits exits);

  /// Before the first iteration.
  llvm::SmallVector<mlir::Value> initial();
  /// At the end of an iteration. The first says whether the loop ends.
  llvm::SmallVector<mlir::Value> current();
  /// Whether the loop was left, given the values of current().
  static Value wasLeft(mlir::ValueRange values);
  /// After the loop: sets the frame's exits, and lowers the loop's `else`. `isEndless`: nothing else ends the loop.
  void leave(ast::Statements orElse, mlir::ValueRange results, bool isEndless);

private:
  Exits exitsAfter(mlir::ValueRange results, bool isEndless) const;

  Lowering &lowering;
  Exits exits;
  bool hasBreak, hasReturn;
};

/// The `else` of a loop: `left` says whether an exit ended the loop, which may have been a `break` if `mayBreak`, and
/// `exits` how control has left besides.
void lowerLoopElse(Lowering &lowering, ast::Statements statements, const Value &left, const Exits &exits,
                   bool mayBreak);

} // namespace triton::frontend
