// What a program does: the bytes that it moves, its arithmetic, and how long these take a multiprocessor at least.
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace triton::analysis {

/// Masks are not looked at: bytes and operations are those of whole tiles.
struct Work {
  int64_t loadedBytes = 0, storedBytes = 0, atomicBytes = 0; ///< of global memory
  double productFlops = 0;                                   ///< of matrix products
  double otherFlops = 0;                                     ///< of what else computes on floats
  // Clocks for which parts of a multiprocessor are busy.
  double matrixClocks = 0, ordinaryClocks = 0, sharedClocks = 0;

  int64_t globalBytes() const { return loadedBytes + storedBytes + atomicBytes; }
  Work &add(const Work &other, double times = 1);
  /// The larger of each.
  Work &join(const Work &other);
};

/// The work of a loop, or of a function with what it holds.
struct WorkTree {
  mlir::Operation *op = nullptr;
  std::optional<int64_t> iterations; ///< none where they are not known; 1 of a function
  Work own;                          ///< of one iteration, without loops inside it
  std::vector<WorkTree> loops;       ///< inside it

  /// Of one iteration; none where it holds a loop of which the iterations are not known.
  std::optional<Work> ofIteration() const;
};

/// Of a function whose tensors have layouts, before its loops are pipelined.
WorkTree summarizeWork(mlir::FunctionOpInterface function, const AxisInfoAnalysis &axisInfo);

/// The types of a matrix product as units distinguish them, and the elements along its sum.
gpu::ProductTypes typesOfProduct(mlir::Operation *product);
int64_t getDepth(mlir::Operation *product);
/// Operations of a matrix product, a multiplication and an addition counted as two.
double countFlops(mlir::Operation *product);

/// What limits the time of some work, if all parts of the multiprocessor are busy at the same time.
struct Bound {
  double clocks = 0;
  llvm::StringRef part;
  double memoryClocks = 0; ///< when everything comes from memory
  /// The part of the bytes that the caches must have, because other programs use them as well, for matrix units, and
  /// not memory, to be the limit.
  double neededReuse = 0;
  double clocksWithReuse = 0;
  llvm::StringRef partWithReuse;
};

Bound findBound(const Work &work, const gpu::Machine &machine);

} // namespace triton::analysis
