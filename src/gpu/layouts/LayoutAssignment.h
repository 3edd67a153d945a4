// Chooses one layout for every value that must have one, by cost over a whole function.
//
// Memory accesses, matrix products and buffers are anchors: their operands and results have the layouts of their types.
// Values that loops and branches carry, and operands of reductions, scans and histograms, are variables: each gets one
// of the layouts that can reach it from anchors. So does what is stored through tensor maps, and what is loaded from
// scattered places, which no layout makes neighbours. Everything else is computed where and how it is asked for: a
// value may exist in several layouts, each computed or converted at its definition, whichever costs less.
#pragma once

#include "gpu/analysis/EqualValues.h"
#include "gpu/layouts/LayoutSources.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace triton::ttg {

/// A layout to choose.
struct LayoutVariable {
  /// The reduction, scan, load or other operation whose tensor operands have this layout; null for carried values.
  mlir::Operation *operation = nullptr;
  /// Block arguments and results that have this layout.
  llvm::SmallVector<mlir::Value, 2> members;
  /// What flows into the variable.
  llvm::SmallVector<mlir::OpOperand *, 2> incoming;
  llvm::SmallVector<mlir::Attribute, 4> candidates;
  mlir::Attribute layout;

  /// Whether its members have the same layout as what flows into it.
  bool keepsLayout() const { return !operation || llvm::isa<tt::LoadOp>(operation); }
};

/// A value that an operation needs in its layout.
struct LayoutDemand {
  mlir::OpOperand *operand;
  /// Index of the variable that has this layout; none for the layout of the operand's type.
  std::optional<unsigned> variable;
};

class LayoutAssignment {
public:
  /// `numStages`: iterations in flight at once, where a loop does not say it.
  LayoutAssignment(mlir::FunctionOpInterface function, const analysis::AxisInfoAnalysis &facts, unsigned numStages);

  llvm::ArrayRef<LayoutVariable> variables() const { return variableList; }
  /// In the order in which they must be satisfied.
  llvm::ArrayRef<LayoutDemand> demands() const { return demandList; }

  mlir::Attribute wantedLayout(const LayoutDemand &demand) const;
  /// The only layout of a value that is not the result of a flexible operation; null for the others.
  mlir::Attribute givenLayout(mlir::Value value) const;

  /// The cheapest way to get a value in a layout, and what exists already: nothing at first.
  LayoutSources &layoutSources() { return sources; }

private:
  using Key = std::pair<mlir::Value, mlir::Attribute>;

  void collect(mlir::Operation *op);
  void collectRegions(mlir::Operation *op);
  bool isScatteredLoad(mlir::Operation *op) const;
  void addVariable(LayoutVariable variable);
  void propagateForward();
  bool proposeForCombinations();
  void propagateBackward();
  void demandBackward(mlir::Value value, mlir::Attribute layout, llvm::DenseSet<Key> &visited);
  void chooseInitial(LayoutVariable &variable);
  void setLayout(LayoutVariable &variable, mlir::Attribute layout);
  void improve();
  bool changeIfBetter(llvm::ArrayRef<LayoutVariable *> changed, mlir::Attribute layout, double &best);
  double totalCost();
  void report();
  bool addCandidates(mlir::Value value, llvm::ArrayRef<mlir::Attribute> layouts);

  const gpu::Machine &machine;
  const analysis::AxisInfoAnalysis &facts;
  LayoutSources sources;
  analysis::EqualValues equalValues;
  /// The first of equal pointers through which something is written: the thread that writes there also reads.
  llvm::DenseSet<mlir::Value> written;
  llvm::SmallVector<LayoutVariable> variableList;
  llvm::SmallVector<LayoutDemand> demandList;
  llvm::SmallVector<mlir::Operation *> flexible;
  llvm::DenseMap<mlir::Value, unsigned> variableOf;
  llvm::SetVector<mlir::Attribute> proposed; ///< for reductions and scans
  /// Layouts in which anchors produce a value, derived from the layouts of its operands.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Attribute, 4>> candidates;
};

} // namespace triton::ttg
