// The names that a loop carries from one iteration to the next, as the SSA values of an scf loop.
#pragma once

#include "frontend/lowering/Lowering.h"

#include "llvm/ADT/StringSet.h"

namespace triton::frontend {

class CarriedNames {
public:
  /// Of the names that the loop assigns, those with a value before it are carried. An `exposed` name may be read in an
  /// iteration before it is assigned there (exposedNames); `index` is the loop's own variable, if it has one. What the
  /// other names were before does not matter to the body: they may change their type, and then end with the loop.
  CarriedNames(Lowering &lowering, llvm::ArrayRef<llvm::StringRef> assigned, const llvm::StringSet<> &exposed,
               llvm::StringRef index = "");

  /// The SSA values before the loop.
  llvm::SmallVector<mlir::Value> initial() const;
  /// Gives the names the values of an iteration: as many as initial().
  void enter(mlir::ValueRange values);
  /// The SSA values now, at the end of an iteration; reports a name that changed its type.
  llvm::SmallVector<mlir::Value> current();
  /// Whether the loop can do without a value of the name on some path: it does not carry the name, or the name may
  /// change its type, which it then does.
  bool mayLose(llvm::StringRef name);
  /// Restores the names as they were, with these values; those first assigned in the loop, and those that it gave
  /// another type, end here.
  void leave(mlir::ValueRange results);

private:
  struct Name {
    llvm::StringRef name;
    Variable before;
    bool mayChange = false;  ///< its type, since the body does not read what it was before
    bool hasChanged = false; ///< it did
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
