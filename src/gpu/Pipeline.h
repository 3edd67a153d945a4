// The stage ttgir, from tiles to tiles whose elements are distributed over the threads of a GPU, and what GPUs add to
// the stage ttir.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace triton::ttg {

/// What a GPU does with blocks of tensors in the stage ttir.
struct BlockOptions {
  std::string target;     ///< as in TtgirOptions
  unsigned numWarps = 4;  ///< of a program
  unsigned numStages = 3; ///< iterations of a loop that are in flight at once
  /// That may run a program, see triton-split-programs.
  unsigned blocks = 1;
  /// Blocks for products are copied by hardware, through maps that the launch makes, to and from so many bytes of
  /// memory that a program has. 0: they are not.
  uint64_t copiedBytes = 0;
  /// Why copies of what a kernel loads through pointers would not pay, see triton-describe-loads; empty: they may.
  std::string pointerCopyObstacle;
};

/// Adds the passes on blocks that the stage ttir runs before descriptors become pointers (tt::TtirOptions).
void addBlockPasses(mlir::OpPassManager &pm, const BlockOptions &options);

/// Adds those on addresses, for machines whose instructions add a scalar base and offsets of 31 bits.
void addAddressPasses(mlir::OpPassManager &pm);

struct TtgirOptions {
  /// The machine, as in "family:architecture"; how many lanes its warps have follows from it.
  std::string target;
  unsigned numWarps = 4;
  /// All warps run, even if fewer would be enough.
  bool keepsWarps = false;
  unsigned numCtas = 1;
  /// The number of iterations whose loads are in flight at once, including the running one.
  unsigned numStages = 3;
  /// No product is computed by groups of warps that read buffers.
  bool disablesWarpGroupDots = false;
  /// Remarks say what programs move and compute.
  bool reportsWork = false;
  /// The rules of the stage are checked after each pass.
  bool verifiesEachPass = false;
};

/// Makes the passes known by their flags.
void registerTtgirPasses();

/// What the passes of the stage and the subsequent lowering need from a context, in addition to the dialects: how much
/// scratch operations take, and what a text of Triton is spelled in.
void registerTtgirModels(mlir::DialectRegistry &registry);

/// Adds the passes of the stage, in order.
void buildTtgirPipeline(mlir::OpPassManager &pm, const TtgirOptions &options);

/// Adds the passes of the stage for modules whose user chose all layouts. None changes a layout or a schedule.
void buildGluonPipeline(mlir::OpPassManager &pm, const TtgirOptions &options);

/// Adds what makes Triton's operations of a given module ours, for one block of a cluster.
void addForeignPasses(mlir::OpPassManager &pm);

/// Adds what a module lacks whose user gave its TTGIR: places of buffers, barriers, and functions of partitions.
void buildGivenPipeline(mlir::OpPassManager &pm);

} // namespace triton::ttg
