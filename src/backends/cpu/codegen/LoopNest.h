// The loops of a group: levels, lanes, masked edges.
#pragma once

#include "backends/cpu/codegen/Grouping.h"
#include "backends/cpu/codegen/Lanes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace triton::cpu {

/// One coordinate of an element: `base` + `offset`. Without `base` it is a constant.
struct Coordinate {
  mlir::Value base; ///< i64
  int64_t offset = 0;
  unsigned level = 0; ///< of the loop nest at which `base` is known

  bool operator==(const Coordinate &other) const { return base == other.base && offset == other.offset; }
};

/// The place at which a tensor is evaluated: the coordinates of lane 0, and the dimension of the other lanes.
struct TileIndex {
  llvm::SmallVector<Coordinate, 4> at;
  int64_t laneDim = -1; ///< -1: one element
  unsigned lanes = 1;

  bool operator==(const TileIndex &other) const {
    return laneDim == other.laneDim && lanes == other.lanes && at == other.at;
  }
  /// The innermost level at which some coordinate is known.
  unsigned level() const;
};

/// What is known of a mask inside of a level.
struct Assumption {
  mlir::Value mask;
  TileIndex index; ///< with the lane coordinate at 0
  enum class Says {
    AllLanesAreSet,
    FirstLaneIsSet, ///< and the mask is a prefix
    Nothing,        ///< only keeps code that depends on the mask from leaving the level
  } says = Says::AllLanesAreSet;
};

struct NestLevel {
  explicit NestLevel(mlir::Block *block) : block(block) {}
  mlir::Block *block;
  mlir::Operation *inner = nullptr; ///< the loop whose body is being emitted; code of this level goes before it
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<TileIndex, Lanes>, 1>> memo;
  llvm::SmallVector<Assumption> assumptions;
};

// ---- Loops ----

void openNest(Lowering &lowering);
void closeNest(Lowering &lowering);
/// Opens a loop; code goes into its body until `closeLoop`.
mlir::scf::ForOp openLoop(Lowering &lowering, mlir::Location loc, mlir::Value lower, mlir::Value upper, int64_t step,
                          mlir::ValueRange inits = {});
void closeLoop(Lowering &lowering, mlir::scf::ForOp loop, mlir::ValueRange yields = {});
/// Calls `body` in a loop over a dimension; without a loop, at coordinate 0, where one step is all.
void overSteps(Lowering &lowering, mlir::Location loc, int64_t extent, int64_t step,
               llvm::function_ref<void(Coordinate)> body);
/// Emits loops over the elements of `shape`; `body` gets one element at a time.
void overElements(Lowering &lowering, mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(const TileIndex &)> body);
/// The same with `count` neighbours along `laneDim` at a time.
void overVectors(Lowering &lowering, mlir::Location loc, llvm::ArrayRef<int64_t> shape, int64_t laneDim, unsigned count,
                 llvm::function_ref<void(const TileIndex &)> body);
unsigned currentLevel(const Lowering &lowering);
/// The coordinate that the loop, the innermost one, counts.
Coordinate coordinateOf(const Lowering &lowering, mlir::scf::ForOp loop);

// ---- The loops of a group ----

struct NestPlan {
  Group &group;
  int64_t laneDim;
  mlir::Location loc;
  unsigned lanes = 1;
  llvm::SmallVector<Buffer> targets = {}; ///< of materializations and reductions' results, in root order
  unsigned accumulators = 0;              ///< of all reductions together
  bool haveNeutralElements = true;        ///< whether all reductions' combinations have one

  /// The reduced dimension is a loop inside of the lanes, with an accumulator for each lane.
  bool reducesInside() const { return !isScan() && group.reduceAxis >= 0 && group.reduceAxis != laneDim; }
  bool isScan() const { return group.roots.front().kind == Root::Kind::Scan; }
  /// Whether a target stores the lanes at a stride.
  bool scatters() const;
};

void emitGroup(Lowering &lowering, Group &group);
void emitLaneLoop(Lowering &lowering, NestPlan &plan, TileIndex index, mlir::Value lower, mlir::Value upper,
                  unsigned copies, llvm::SmallVectorImpl<mlir::Value> &accumulators,
                  llvm::ArrayRef<Assumption> assumptions);

// LaneChoice.cpp
int64_t chooseLaneDim(Lowering &lowering, const Group &group);
unsigned chooseLanes(Lowering &lowering, const NestPlan &plan);

// NestMasks.cpp
/// Masks of the group's accesses that are set in a prefix of the lanes, with the place at which the prefix is computed.
llvm::SmallVector<Assumption> collectGroupMasks(Lowering &lowering, NestPlan &plan, TileIndex index);
/// The lane coordinate up to which all of `masks` are known to be set, as an i64. Drops masks about which nothing is
/// known.
mlir::Value emitUnmaskedExtent(Lowering &lowering, NestPlan &plan, llvm::SmallVectorImpl<Assumption> &masks,
                               int64_t multiple);
/// Where the masked edge may stop: after the last lane that a store writes if the group contains only stores, otherwise
/// at the end. Adds what is known before that place to `inside`.
mlir::Value emitMaskedExtent(Lowering &lowering, NestPlan &plan, const TileIndex &index,
                             llvm::SmallVectorImpl<Assumption> &inside);

// Streaming.cpp
/// Whether the stores of this nest should pass by the cache, where that can be: a condition that is emitted here, or
/// null.
mlir::Value emitStreamingCondition(Lowering &lowering, NestPlan &plan, const TileIndex &index);
void emitStreamingLoop(Lowering &lowering, NestPlan &plan, const TileIndex &index, mlir::Value streams, mlir::Value end,
                       llvm::ArrayRef<Assumption> masks);

} // namespace triton::cpu
