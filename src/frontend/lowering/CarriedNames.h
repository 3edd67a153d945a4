// The names that a loop carries from one iteration to the next, as the SSA values of an scf loop.
#pragma once

#include "frontend/lowering/Lowering.h"

namespace triton::frontend {

class CarriedNames {
public:
  /// Of the names that the loop assigns, those with a value before it are carried.
  CarriedNames(Lowering &lowering, llvm::ArrayRef<llvm::StringRef> assigned);

  /// The SSA values before the loop.
  llvm::SmallVector<mlir::Value> initial() const;
  /// Gives the names the values of an iteration: as many as initial().
  void enter(mlir::ValueRange values);
  /// The SSA values now, at the end of an iteration; reports a name that changed its type.
  llvm::SmallVector<mlir::Value> current() const;
  /// Restores the names as they were, with these values; those first assigned in the loop end here.
  void leave(mlir::ValueRange results);

private:
  struct Name {
    llvm::StringRef name;
    Variable before;
  };

  [[noreturn]] void reportChange(const Name &carried, const Variable &after) const;

  Lowering &lowering;
  llvm::SmallVector<Name> names;
  llvm::SmallVector<llvm::StringRef> assigned;
  Locals localsBefore;
};

} // namespace triton::frontend
