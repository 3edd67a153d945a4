// The cheapest way to have a value in a layout, among all that operations of a function can compute or convert.
//
// Choosing layouts asks this some millions of times for a large kernel. So values and layouts have numbers here, and
// what is known of a value in a layout stands at the value.
#pragma once

#include "gpu/analysis/EqualElements.h"
#include "gpu/target/TargetInfo.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <optional>

namespace triton::ttg {

/// How a value is brought into a layout.
struct LayoutSource {
  double cost = 0;
  /// The layout to convert from; null if the defining operation itself computes in the wanted layout.
  mlir::Attribute from;
};

/// Whether it is a tensor with a layout.
bool isDistributed(mlir::Value value);

/// The value before all conversions of its layout.
mlir::Value stripConversions(mlir::Value value);

class LayoutSources {
public:
  /// The layouts that reach a value.
  using Candidates = llvm::function_ref<llvm::ArrayRef<mlir::Attribute>(mlir::Value)>;

  /// `numStages`: iterations in flight at once, where a loop does not say it.
  LayoutSources(const analysis::AxisInfoAnalysis &facts, const gpu::Machine &machine, unsigned numStages)
      : machine(machine), equal(facts), numStages(numStages) {}

  /// To be called once for each operation of the function.
  void countExecutions(mlir::Operation *op);
  /// To be called once, with all operations that compute in any layout and the layouts that reach their results.
  void addOperations(llvm::ArrayRef<mlir::Operation *> flexible, Candidates candidates);
  /// Says the only layout of a value that none of these computes. Before, it is that of its type.
  void setGiven(mlir::Value value, mlir::Attribute layout);

  /// The cost of computing `op` with its results, or its operands, in `layout`.
  double computationCost(mlir::Operation *op, mlir::Attribute layout);
  /// The cheapest way to get `value` in `layout`, given what is already available.
  LayoutSource find(mlir::Value value, mlir::Attribute layout);
  /// Makes `value` available in `layout`, with all that it is computed or converted from. Returns what it costs.
  double meet(mlir::Value value, mlir::Attribute layout);
  /// Records that `value` exists in `layout`.
  void makeAvailable(mlir::Value value, mlir::Attribute layout);
  void forgetAvailable();

  /// How many sources were compared so far; they take most of the time.
  std::size_t comparisons() const { return comparisonCount; }

private:
  static constexpr unsigned none = std::numeric_limits<unsigned>::max();

  /// What is known of a value in a layout.
  struct Entry {
    unsigned layout = none;
    unsigned operandLayout = none;   ///< in which operands must be; none: the operation cannot compute in the layout
    std::optional<double> computing; ///< of the operation alone, with the registers that the value takes
    std::optional<double> held;      ///< of the registers
    llvm::SmallVector<std::pair<unsigned, double>, 4> conversions; ///< from a layout
    bool isKnown = false;                                          ///< whether `cost` and `from` hold
    bool isOpened = false;                                         ///< whether what they depend on was asked for
    double cost = 0;
    unsigned from = none;
  };

  struct Node {
    mlir::Value value;
    mlir::Operation *operation = nullptr; ///< one that computes in any layout; null: the layout is given
    unsigned given = none;
    double frequency = 1;
    bool isView = false;
    std::optional<bool> isInSharedMemory;
    llvm::SmallVector<unsigned, 2> operands; ///< with a layout
    llvm::SmallVector<unsigned, 2> users;    ///< computed from this
    llvm::SmallVector<unsigned, 4> candidates;
    llvm::SmallVector<Entry, 4> entries;
    std::size_t round = 0; ///< in which the following and what is known of entries hold
    llvm::SmallVector<unsigned, 4> available;
    bool isAnyKnown = false;
  };

  using Key = std::pair<unsigned, unsigned>; ///< a value and a layout
  struct Found {
    double cost;
    unsigned from;
  };

  unsigned numberOf(mlir::Attribute layout);
  unsigned nodeOf(mlir::Value value);
  void connect(unsigned node, Candidates candidates);
  Node &nodeAt(unsigned number);
  Entry &entryOf(unsigned node, unsigned layout);
  Found sourceOf(unsigned node, unsigned layout);
  void findOpen(unsigned node, unsigned layout);
  void appendOpen(Key key, llvm::SmallVectorImpl<Key> &open);
  void compare(Key key);
  void appendNeeded(Key key, llvm::SmallVectorImpl<Key> &needed);
  void makeAvailable(unsigned node, unsigned layout);
  double costOfComputing(unsigned node, unsigned layout);
  double costOfConverting(unsigned node, unsigned from, unsigned to);
  double costOfHolding(unsigned node, unsigned layout);
  bool isInSharedMemory(mlir::Value value) const;

  const gpu::Machine &machine;
  analysis::EqualElements equal;
  unsigned numStages;
  llvm::SmallVector<mlir::Attribute> layouts; ///< by their numbers
  llvm::DenseMap<mlir::Attribute, unsigned> layoutNumbers;
  llvm::SmallVector<Node, 0> nodes;
  llvm::DenseMap<mlir::Value, unsigned> nodeNumbers;
  llvm::DenseMap<mlir::Operation *, double> frequencies;
  std::size_t round = 1; ///< what is available and known lasts for one
  std::size_t comparisonCount = 0;
  llvm::DenseMap<std::tuple<mlir::Type, std::pair<mlir::Attribute, mlir::Attribute>, unsigned>, double> conversionCosts;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, double> computationCosts;
};

} // namespace triton::ttg
