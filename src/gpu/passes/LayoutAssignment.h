// One layout for every value that must have one, chosen by cost over a whole function.
//
// Memory accesses, matrix products and buffers are anchors: their operands and results have the layouts of their types.
// Values that loops and branches carry, and operands of reductions and scans, are variables: each gets one of the
// layouts that can reach it from anchors. So does what is stored through tensor maps. Everything else is computed where
// and how it is asked for: a value may exist in several layouts, each computed or converted at its definition,
// whichever costs less.
#pragma once

#include "gpu/target/TargetInfo.h"

#include "llvm/ADT/DenseSet.h"

namespace triton::ttg {

/// A layout to choose.
struct LayoutVariable {
  /// The reduction, scan or other operation whose tensor operands have this layout; null for carried values.
  mlir::Operation *operation = nullptr;
  /// Block arguments and results that have this layout.
  llvm::SmallVector<mlir::Value, 2> members;
  /// What flows into the variable.
  llvm::SmallVector<mlir::OpOperand *, 2> incoming;
  llvm::SmallVector<mlir::Attribute, 4> candidates;
  mlir::Attribute layout;
};

/// A value wanted in the layout of an operation that has one.
struct LayoutDemand {
  mlir::OpOperand *operand;
  /// Index of the variable whose layout it is; none for the layout of the operand's type.
  std::optional<unsigned> variable;
};

/// How a value gets into a layout.
struct LayoutSource {
  double cost = 0;
  /// The layout to convert from; null where the defining operation computes in the wanted layout itself.
  mlir::Attribute from;
};

class LayoutAssignment {
public:
  explicit LayoutAssignment(mlir::FunctionOpInterface function);

  llvm::ArrayRef<LayoutVariable> variables() const { return variableList; }
  /// In the order in which they are to be met.
  llvm::ArrayRef<LayoutDemand> demands() const { return demandList; }
  /// Operations that are repeated for each layout asked for.
  llvm::ArrayRef<mlir::Operation *> flexibleOperations() const { return flexible; }

  mlir::Attribute wantedLayout(const LayoutDemand &demand) const;
  /// The one layout of a value that is no result of a flexible operation; null for the others.
  mlir::Attribute givenLayout(mlir::Value value) const;

  /// The cheapest way to `value` in `layout`, in view of what was made available before.
  LayoutSource findSource(mlir::Value value, mlir::Attribute layout);
  /// States that `value` exists in `layout`.
  void makeAvailable(mlir::Value value, mlir::Attribute layout);
  void forgetAvailable();

private:
  using Key = std::pair<mlir::Value, mlir::Attribute>;

  void collect(mlir::Operation *op);
  void collectRegions(mlir::Operation *op);
  void addVariable(LayoutVariable variable);
  void propagateForward();
  void propagateBackward();
  void demandBackward(mlir::Value value, mlir::Attribute layout, llvm::DenseSet<Key> &visited);
  void chooseInitial(LayoutVariable &variable) const;
  void improve();
  double totalCost();
  void report();
  double meet(mlir::Value value, mlir::Attribute layout);
  double computeCost(mlir::Value value, mlir::Attribute layout);
  double computationCostAt(mlir::Operation *op, mlir::Attribute layout);
  double conversionCostAt(mlir::Value value, mlir::Attribute from, mlir::Attribute to);
  bool addCandidates(mlir::Value value, llvm::ArrayRef<mlir::Attribute> layouts);

  const gpu::Machine &machine;
  llvm::SmallVector<LayoutVariable> variableList;
  llvm::SmallVector<LayoutDemand> demandList;
  llvm::SmallVector<mlir::Operation *> flexible;
  llvm::DenseMap<mlir::Value, unsigned> variableOf;
  llvm::DenseMap<mlir::Operation *, double> frequencies;
  /// Layouts in which a value comes out of anchors, by what its operands have.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Attribute, 4>> candidates;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Attribute, 2>> available;
  llvm::DenseMap<Key, LayoutSource> sources;
  llvm::DenseMap<std::pair<mlir::Type, std::pair<mlir::Attribute, mlir::Attribute>>, double> conversionCosts;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, double> computationCosts;
};

/// The value before any conversions of its layout.
mlir::Value stripConversions(mlir::Value value);

} // namespace triton::ttg
