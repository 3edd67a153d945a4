// The names that a loop carries from one iteration to the next, as the SSA values of an scf loop.
#pragma once

#include "frontend/lowering/Lowering.h"

#include "llvm/ADT/StringSet.h"

namespace triton::frontend {

class CarriedNames {
public:
  /// Carries those names that the loop assigns and that have a value before it. An `exposed` name may be read in an
  /// iteration before it is assigned there (exposedNames). `index` is the loop's own variable, if it has one. The body
  /// does not depend on the earlier values of the other names, so these may change their type. They then end with the
  /// loop.
  CarriedNames(Lowering &lowering, llvm::ArrayRef<llvm::StringRef> assigned, const llvm::StringSet<> &exposed,
               llvm::StringRef index = "");

  /// The SSA values before the loop.
  llvm::SmallVector<mlir::Value> initial() const;
  /// Gives the names the values of an iteration: as many as initial().
  void enter(mlir::ValueRange values);
  /// The SSA values at the end of an iteration. Reports a name whose type changed.
  llvm::SmallVector<mlir::Value> current();
  /// Whether the loop needs no value of the name on some path: it does not carry the name, or the name may change its
  /// type, which it then does.
  bool mayLose(llvm::StringRef name);
  /// Restores the names as they were, with these values. Names that were first assigned in the loop end here, and so do
  /// names to which it gave another type.
  void leave(mlir::ValueRange results);

private:
  struct Name {
    llvm::StringRef name;
    Variable before;
    bool mayChange = false;  ///< its type, since the body does not read what it was before
    bool hasChanged = false; ///< the type did change
    Value entry;             ///< its value at the start of an iteration
  };

  Value reboundValue(Name &carried, const Variable &after);
  [[noreturn]] void reportChange(const Name &carried, const Variable &after) const;

  Lowering &lowering;
  llvm::SmallVector<Name> names;
  llvm::SmallVector<llvm::StringRef> assigned;
  Locals localsBefore;
};

} // namespace triton::frontend
