// The state of lowering one kernel from tensors to loops over native vectors, which the functions that lower each
// construct share. Private to this folder.
//
// Method. A tensor never exists as a value. Most are *lazy*: `evaluate` emits, on demand, the code for W neighbouring
// elements (or one scalar, where they are all equal) at given coordinates, recursively through the operations that
// define it. Operations that need loops of their own are *roots*: stores, reductions, and *materializations* of tensors
// into buffers. Walking a block in order, roots of one iteration space that do not depend on one another are collected
// in a Group; a group becomes one loop nest when something needs its results, or ends it. At that point it is also
// known which tensors evaluated in the nest are needed again later: those that are expensive are stored to a buffer in
// the same loop instead of being computed twice, and loads that a store of the group may overwrite are saved too.
//
//   Program.cpp      the function, its arguments and the loop over programs
//   Support.cpp      which operations can be lowered: decided before any code is emitted
//   Constructs.h     the functions that lower one construct each:
//     Blocks.cpp       walking a block: which operation is lazy, a root, a scalar, or handled on its own
//     ControlFlow.cpp  loops and branches; tensors that cross them are kept in buffers
//     Interrupts.cpp   how a launch is ended while one of its programs runs
//     Dot.cpp Atomics.cpp Shape.cpp Debug.cpp InlineCode.cpp   the operations that need more
//   Grouping.h       which roots share a loop nest; memory order; what must be saved
//   LoopNest.h       the loops of a group: levels, lanes (LaneChoice.cpp), masked edges (NestMasks.cpp), and stores
//                    that pass by the cache (Streaming.cpp)
//   Combinations.h   reductions and scans, on vectors (Reduce.cpp, Scan.cpp) or scalars (ScalarCombinations.cpp)
//   Evaluate.h       elements of lazy tensors
//   Products.h       how operands of products arrive: packed already (PackedOperands.cpp), kept from the program
//                    before (KeptOperands.cpp), or loaded ahead (BlocksAhead.cpp)
//   Buffers.h        the scratch area
//   Lanes.h          arithmetic and memory accesses on one vector's worth of elements
//   TileAnalysis.h   facts about tensors; which indices wrap (WrappingIndices.cpp)
#pragma once

#include "backends/cpu/codegen/Combinations.h"
#include "backends/cpu/codegen/Constructs.h"
#include "backends/cpu/codegen/Evaluate.h"
#include "backends/cpu/codegen/Products.h"
#include "backends/cpu/codegen/Support.h"
#include "backends/cpu/codegen/TileAnalysis.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace triton::cpu {

/// What the programs that one call of the kernel's function runs have in common.
struct Programs {
  mlir::Operation *loop = nullptr; ///< code before it runs once for each call
  mlir::Value attention;           ///< the address of the word that loops test
  mlir::Value tileForm;            ///< where the form of the tiles of AMX is stored, if the kernel uses them
  mlir::Value ids[3], counts[3];
  unsigned stringCount = 0; ///< constants of the module
};

struct Lowering {
  Lowering(tt::FuncOp kernel, const CpuCodegenOptions &options);

  tt::FuncOp kernel;
  const CpuCodegenOptions &options;
  mlir::OpBuilder b;
  TileAnalysis analysis;
  LaneEmitter lanes;
  Programs programs;

  // Values that exist.
  mlir::IRMapping scalars;
  Scratch scratch;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Every change of `buffers`: the tensor and its earlier entry.
  llvm::SmallVector<std::pair<mlir::Value, std::optional<Buffer>>> bufferChanges;
  /// Tables of quotients and remainders that a loop uses. A single element is read from its table.
  llvm::DenseMap<mlir::Value, Buffer> tables;

  // The walk.
  mlir::Block *currentBlock = nullptr; ///< of the kernel, being lowered
  Group open;
  llvm::DenseSet<mlir::Operation *> done; ///< roots and other operations of the current blocks that were emitted
  /// Loads of the current block, in order, that are still lazy.
  llvm::SmallVector<tt::LoadOp> lazyLoads;
  llvm::DenseMap<mlir::Value, unsigned> depths; ///< of lazy tensors: operations between them and what lies in memory
  llvm::SmallVector<NestLevel> levels;          ///< of the nest that is open

  llvm::SmallVector<std::unique_ptr<OperandSupply>, 3> supplies; ///< of operands of products
};

} // namespace triton::cpu
