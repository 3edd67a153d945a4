// The state of lowering one kernel from tensors to loops over native vectors. Private to this folder.
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
//   Blocks.cpp       walking a block: which operation is lazy, a root, a scalar, or handled on its own
//   ControlFlow.cpp  loops and branches; tensors that cross them lie in buffers
//   Grouping.cpp     which roots share a loop nest; memory order; what must be saved
//   LoopNest.cpp     the loops of a group: levels, lanes, masked edges
//   Evaluate.cpp     elements of lazy tensors
//   PackedOperands.cpp KeptOperands.cpp   operands of products that are packed already
//   BlocksAhead.cpp  operands of products that the next iteration will load
//   Reduce.cpp Scan.cpp Dot.cpp Atomics.cpp Shape.cpp Debug.cpp   the operations that need more
//   InlineCode.cpp   assembly and scalar code
//   Buffers.cpp      the scratch area
//   Lanes.h          arithmetic and memory accesses on one vector's worth of elements
//   TileAnalysis.h   facts about tensors
#pragma once

#include "backends/cpu/codegen/Lanes.h"
#include "backends/cpu/codegen/Support.h"
#include "backends/cpu/codegen/TileAnalysis.h"
#include "backends/cpu/emitters/DotEmitter.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

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

/// A tensor in memory.
struct Buffer {
  mlir::Value base;                      ///< !llvm.ptr
  llvm::SmallVector<int64_t, 4> strides; ///< in elements
  mlir::Type elementType;                ///< as in TTIR

  bool isRowMajor(llvm::ArrayRef<int64_t> shape) const;
};

llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// A piece of work that needs a loop nest over its iteration space.
struct Root {
  enum class Kind { Store, Reduce, Scan, Materialize };
  Kind kind;
  mlir::Operation *op = nullptr; ///< of all but Materialize
  mlir::Value value;             ///< of Materialize, the tensor
  std::optional<Buffer> target;  ///< of Materialize: where to copy it; a new buffer that becomes its own without
  bool rowMajor = false;         ///< of Materialize: a new buffer must be row-major

  static Root of(Kind kind, mlir::Operation *op) { return {kind, op, {}, {}, false}; }
  static Root copyOf(mlir::Value tensor, std::optional<Buffer> target = {}, bool rowMajor = false) {
    return {Kind::Materialize, nullptr, tensor, std::move(target), rowMajor};
  }
};

/// What is needed to evaluate a root's operands.
struct Closure {
  struct Use {
    mlir::Value value;
    bool isIdentity; ///< every access is at the coordinates of the iteration space
    bool isRepeated; ///< some access is broadcast, so that it is evaluated many times at the same coordinates
  };
  llvm::MapVector<mlir::Value, Use> uses; ///< of lazy and materialized tensors, users before operands
  llvm::SmallVector<mlir::Value> scalars; ///< scalars that are splatted
};

struct Group {
  llvm::SmallVector<Root> roots;
  llvm::SmallVector<Closure> closures;
  llvm::SmallVector<int64_t> shape;
  int64_t reduceAxis = -1; ///< or the scanned one

  bool empty() const { return roots.empty(); }
};

class KernelLowering {
public:
  KernelLowering(tt::FuncOp kernel, const CpuCodegenOptions &options);
  /// Replaces the kernel. Sets the number of scratch bytes that it needs.
  mlir::LogicalResult run(int64_t &scratchBytes);

private:
  // Program.cpp
  void emitEntry();
  void emitProgramCoordinates(mlir::Location loc, mlir::Value program);

  // Blocks.cpp
  /// Lowers all but the terminator. `carryOut` then does what that asks for, with the block's tensors at hand.
  void lowerBlock(mlir::Block &block, llvm::function_ref<void()> carryOut);
  void lowerOperation(mlir::Operation *op);
  /// Lowers an operation that does not share loops with others.
  void lowerAlone(mlir::Operation *op);
  void lowerUnsplat(tt::UnsplatOp op);
  /// Records a lazy tensor. Breaks chains that are so long that evaluating them would overflow the compiler's stack.
  void deferTensor(mlir::Operation *op);
  void lowerScalarOperation(mlir::Operation *op);
  void lowerScalarLoad(tt::LoadOp op);
  void lowerScalarStore(tt::StoreOp op);
  /// The lowered scalar.
  mlir::Value scalar(mlir::Value value);

  // Interrupts.cpp
  /// Finds where the runtime asks for attention; in the entry block, for kernels that loop.
  void emitAttention(mlir::Location loc);
  /// Called at the end of `block`, where an iteration of a kernel's loop begins: lets the runtime end a launch.
  void emitInterruptCheck(mlir::Location loc, mlir::Block *block);

  // ControlFlow.cpp
  void lowerFor(mlir::scf::ForOp op);
  void lowerIf(mlir::scf::IfOp op);
  void lowerWhile(mlir::scf::WhileOp op);
  /// Lowers a region's block into `into`, which is left without a terminator and with the insertion point at its end.
  void lowerNested(mlir::Block &block, mlir::Block *into, llvm::function_ref<void()> carryOut);
  /// Materializes tensors of this block or outer ones that the regions of `op` use, unless they are cheap.
  void prepareForRegions(mlir::Operation *op);
  void materializeFrontier(mlir::Value value);
  void tabulateDivisions(mlir::Value value, llvm::DenseSet<mlir::Value> &visited);
  /// Writes `values` to `targets` (tensors) at the end of a block. The computation of the values may read the targets.
  void writeCarried(llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<Buffer> targets);
  llvm::SmallVector<mlir::Value> scalarsIn(mlir::ValueRange values);
  llvm::SmallVector<Buffer> allocateFor(mlir::ValueRange values);
  void bind(mlir::ValueRange names, llvm::ArrayRef<Buffer> tensors, mlir::ValueRange values);

  // Grouping.cpp
  void addRoot(Root root);
  void flush();
  void emitGroupWithSaves(Group group);
  /// Stores `value` in memory now, unless it is already there.
  const Buffer &materialize(mlir::Value value, bool rowMajor = false);
  void materializeInto(mlir::Value value, const Buffer &target);
  void emitAlone(Root root);
  /// Called before the effect of an operation that may write memory: saves the loads whose values this operation or
  /// later ones need.
  void saveLoadsBefore(mlir::Operation *writer);
  /// The closure of a root. Makes what the root needs in memory available first.
  Closure prepareClosure(const Root &root);
  bool canJoin(const Root &root, const Closure &closure, llvm::ArrayRef<int64_t> shape, int64_t axis);
  Closure closureOf(const Root &root);
  void collectClosure(Closure &closure, mlir::Value value, bool isIdentity, bool isRepeated);
  llvm::SmallVector<int64_t> iterationShape(const Root &root);
  bool isNeededOutside(mlir::Value value, const Group &group);
  bool isNeededOutside(mlir::Value value, const Group &group, llvm::DenseMap<mlir::Value, bool> &known);
  llvm::SmallVector<Root> findSaves(const Group &group, llvm::SmallVectorImpl<mlir::Value> &before);

  // LoopNest.cpp
  struct Assumption {
    mlir::Value mask;
    TileIndex index; ///< with the lane coordinate at 0
    enum class Says {
      AllLanesAreSet,
      FirstLaneIsSet, ///< and the mask is a prefix
      Nothing,        ///< only keeps code that depends on the mask from leaving the level
    } says = Says::AllLanesAreSet;
  };
  struct Level {
    explicit Level(mlir::Block *block) : block(block) {}
    mlir::Block *block;
    mlir::Operation *inner = nullptr; ///< the loop whose body is being emitted; code of this level goes before it
    llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<TileIndex, Lanes>, 1>> memo;
    llvm::SmallVector<Assumption> assumptions; ///< about masks, inside of this level
  };
  void emitGroup(Group &group);
  int64_t chooseLaneDim(const Group &group);
  void openNest();
  void closeNest();
  /// Opens a loop; code goes into its body until `closeLoop`.
  mlir::scf::ForOp openLoop(mlir::Location loc, mlir::Value lower, mlir::Value upper, int64_t step,
                            mlir::ValueRange inits = {});
  void closeLoop(mlir::scf::ForOp loop, mlir::ValueRange yields = {});
  /// Calls `body` in a loop over a dimension (at coordinate 0 without a loop when the extent is 1).
  void overDimension(mlir::Location loc, int64_t extent, llvm::function_ref<void(Coordinate)> body);
  unsigned currentLevel() const { return levels.size() - 1; }
  Coordinate coordinateOf(mlir::scf::ForOp loop, int64_t offset = 0) {
    return {loop.getInductionVar(), offset, currentLevel()};
  }

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
  unsigned chooseLanes(const NestPlan &plan);
  NestPlan planNest(Group &group);
  void emitOuterLoops(NestPlan &plan, TileIndex index, int64_t dim);
  void emitLaneLoops(NestPlan &plan, const TileIndex &index);
  void emitLanesUnrolled(NestPlan &plan, TileIndex index, llvm::SmallVectorImpl<mlir::Value> &accumulators,
                         llvm::SmallVectorImpl<Assumption> &masks);
  void emitLaneLoop(NestPlan &plan, TileIndex index, mlir::Value lower, mlir::Value upper, unsigned copies,
                    llvm::SmallVectorImpl<mlir::Value> &accumulators, llvm::ArrayRef<Assumption> assumptions);
  void emitChunks(NestPlan &plan, TileIndex index, unsigned copies, llvm::MutableArrayRef<mlir::Value> accumulators,
                  mlir::Value isFirst);
  void emitReduceInner(NestPlan &plan, TileIndex index, unsigned copies);
  void emitBody(NestPlan &plan, const TileIndex &index, llvm::MutableArrayRef<mlir::Value> accumulators,
                mlir::Value isFirst);
  void emitMaskedEdge(NestPlan &plan, const TileIndex &index, mlir::Value start,
                      llvm::SmallVectorImpl<mlir::Value> &accumulators);
  llvm::SmallVector<Assumption> collectGroupMasks(NestPlan &plan, TileIndex index);
  mlir::Value emitMaskedExtent(NestPlan &plan, const TileIndex &index, llvm::SmallVectorImpl<Assumption> &inside);
  void collectMasks(mlir::Value value, const TileIndex &index, llvm::SmallVectorImpl<Assumption> &masks,
                    llvm::DenseSet<mlir::Value> &visited);
  void collectMaskLeaves(mlir::Value mask, const TileIndex &index, llvm::SmallVectorImpl<Assumption> &masks);
  /// The lane coordinate up to which all of `masks` are known to be set, as an i64. Drops masks about which nothing is
  /// known.
  mlir::Value emitUnmaskedExtent(NestPlan &plan, llvm::SmallVectorImpl<Assumption> &masks, int64_t multiple);

  // Evaluate.cpp
  Lanes evaluate(mlir::Value value, const TileIndex &index);
  Lanes computeLanes(mlir::Value value, const TileIndex &index);
  Lanes evaluateLoad(tt::LoadOp op, const TileIndex &index);
  Lanes evaluateDivision(mlir::Operation *op, const TileIndex &index);
  Lanes readBuffer(mlir::Location loc, const Buffer &buffer, const TileIndex &index);
  void writeBuffer(mlir::Location loc, const Buffer &buffer, const TileIndex &index, const Lanes &value);
  Lanes bufferPointer(mlir::Location loc, const Buffer &buffer, const TileIndex &index);
  mlir::Value coordinateValue(mlir::Location loc, const Coordinate &coordinate, mlir::Type type);
  /// The index of the operand of a shape-changing operation.
  TileIndex operandIndex(mlir::Operation *op, const TileIndex &index);
  mlir::Type pointeeOf(mlir::Value value);
  void emitStore(tt::StoreOp op, const TileIndex &index);

  // Reduce.cpp
  struct Combiner {
    mlir::Region *region;
    llvm::SmallVector<mlir::Type> types; ///< of the operands, TTIR
    bool widened = false;                ///< accumulates in f32
    mlir::Operation *single = nullptr;   ///< the only operation, if it has a known neutral element
    bool keepsOrder = false;             ///< elements must be combined in the order of the axis
  };
  Combiner combinerOf(tt::ReduceOp op);
  Combiner combinerOf(mlir::Region &region, mlir::TypeRange elementTypes);
  mlir::Value neutralElement(mlir::Location loc, const Combiner &combiner);
  llvm::SmallVector<mlir::Value> combine(mlir::Location loc, const Combiner &combiner, llvm::ArrayRef<mlir::Value> left,
                                         llvm::ArrayRef<mlir::Value> right, unsigned lanes);
  mlir::Value emitExtremum(mlir::Location loc, mlir::Value left, mlir::Value right, bool isMaximum);
  /// The lanes of a reduction's accumulators: one if its combination needs the order of the axis, along which lanes
  /// are.
  static unsigned accumulatorLanes(const NestPlan &plan, const Combiner &combiner);
  /// Combines the lanes of `values` into vectors of one lane.
  llvm::SmallVector<mlir::Value> combineLanes(mlir::Location loc, const Combiner &combiner,
                                              llvm::ArrayRef<mlir::Value> values, unsigned lanes);
  llvm::SmallVector<mlir::Value> initialAccumulators(NestPlan &plan, unsigned copies);
  void accumulate(tt::ReduceOp op, const TileIndex &index, llvm::MutableArrayRef<mlir::Value> accumulators,
                  mlir::Value isFirst);
  void finishReductions(NestPlan &plan, const TileIndex &index, llvm::ArrayRef<mlir::Value> accumulators,
                        bool acrossLanes);

  // ScalarCombinations.cpp
  /// Combines the elements along the axis one after another. Writes all that were combined so far to the places in
  /// `partial`, which may be empty, and calls `finish` with the last, for each place outside of the axis.
  template <typename OpType>
  void combineByScalars(OpType op, bool isReversed, llvm::ArrayRef<Buffer> partial,
                        llvm::function_ref<void(const TileIndex &, mlir::ValueRange)> finish);
  void reduceByScalars(tt::ReduceOp op);
  void scanByScalars(tt::ScanOp op);

  // Scan.cpp
  llvm::SmallVector<mlir::Value> scanOperands(tt::ScanOp op, const Combiner &combiner, const TileIndex &index);
  void writeScanned(tt::ScanOp op, const Combiner &combiner, llvm::ArrayRef<Buffer> results,
                    llvm::ArrayRef<mlir::Value> values, const TileIndex &index);
  void lowerScan(tt::ScanOp op);
  void emitScanLoops(NestPlan &plan, TileIndex index);
  void emitScan(tt::ScanOp op, llvm::ArrayRef<Buffer> results, TileIndex index);
  llvm::SmallVector<mlir::Value> scanVector(tt::ScanOp op, const Combiner &combiner, llvm::ArrayRef<mlir::Value> values,
                                            unsigned lanes);

  // Dot.cpp, Atomics.cpp, Shape.cpp, Debug.cpp
  void lowerDot(tt::DotOp op);
  void lowerNarrowDot(tt::DotOp op);
  DotPlan planOf(tt::DotOp op);
  unsigned columnsToPack(tt::DotOp op);
  /// Packs B into `buffer`, where it is loaded, after preparePacking.
  void packWhereLoaded(tt::DotOp op, mlir::Value buffer);
  void preparePacking(tt::DotOp op);
  /// Loads the form of the tiles here, at the entry, if a product uses them.
  void prepareTiles(mlir::Location loc);
  void emitProduct(tt::DotOp op, const Buffer &accumulator);
  // Streaming.cpp
  /// Bytes that the stores of the group write in one program; 0 if there is a root that is no store of whole,
  /// contiguous vectors, or what is stored to is also read.
  int64_t bytesOfStores(const NestPlan &plan);
  /// Whether the stores of this nest should pass by the cache, where that can be: a condition that is emitted here, or
  /// null.
  mlir::Value emitStreamingCondition(NestPlan &plan, const TileIndex &index);
  void emitStreamingLoop(NestPlan &plan, const TileIndex &index, mlir::Value streams, mlir::Value end,
                         llvm::ArrayRef<Assumption> masks);
  // PackedOperands.cpp
  /// Fills in `packedBlocks` and `packedShapes`, before any code is emitted.
  void findPackedOperands();
  mlir::Value addressOfPacked(mlir::Operation *load);
  // KeptOperands.cpp
  /// The packed blocks of a product's second operand, in a loop of the kernel, that the next program may find again.
  struct KeptOperand {
    mlir::scf::ForOp loop;
    llvm::SmallVector<mlir::Value> scalars; ///< that decide what the blocks contain, in front of the loop
    int64_t blocks = 0, blockBytes = 0;
    int64_t stateAt = 0, blocksAt = 0; ///< in the scratch area
  };
  /// Fills in `keptOperands`, before any code is emitted.
  void findKeptOperands();
  void emitKeptReset(mlir::Location loc);
  void emitKeptChoice(mlir::scf::ForOp loop);
  mlir::Value emitKeptBlock(tt::DotOp op);
  // BlocksAhead.cpp
  /// A product in a loop whose first operand is a block that it loads.
  struct LoadedAhead {
    mlir::scf::ForOp loop;
    int64_t stateAt; ///< in the scratch area
  };
  /// Fills in `blocksAhead`, before any code is emitted.
  void findBlocksAhead();
  void emitAheadReset(mlir::Location loc);
  void emitAheadStart(mlir::scf::ForOp loop);
  mlir::Value addressOfRow(tt::DotOp op, int64_t row);
  BlockAhead emitBlockAhead(tt::DotOp op);
  std::optional<Buffer> accumulatorInPlace(tt::DotOp op);
  void lowerAtomic(tt::AtomicOpInterface op);
  /// Emits the operation on one element; null if it has no result. `start` is the time at which a poll with a timeout
  /// began.
  mlir::Value emitAtomic(tt::AtomicOpInterface op, mlir::Value pointer, llvm::ArrayRef<mlir::Value> operands,
                         mlir::Value start);
  mlir::Value emitNarrowUpdate(tt::AtomicRMWOp op, mlir::Value pointer, mlir::Value operand);
  mlir::Value emitPoll(tt::AtomicPollOp op, mlir::Value pointer, mlir::Value expected, mlir::Value start);
  /// Emits the time of a clock in nanoseconds.
  mlir::Value emitTime(mlir::Location loc);
  void lowerReshape(tt::ReshapeOp op);
  void lowerCat(tt::CatOp op);
  void lowerGather(tt::GatherOp op);
  void lowerHistogram(tt::HistogramOp op);
  void lowerPrint(tt::PrintOp op);
  void lowerAssert(tt::AssertOp op);
  Buffer widenedCopy(mlir::Location loc, const Buffer &narrow, llvm::ArrayRef<int64_t> shape);
  mlir::LLVM::LLVMFuncOp runtimeFunction(llvm::StringRef name, llvm::ArrayRef<mlir::Type> arguments,
                                         mlir::Type result = {});
  mlir::Value globalString(mlir::Location loc, llvm::StringRef text);
  /// Emits loops over the elements of `shape`; `body` gets one element at a time.
  void overElements(mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                    llvm::function_ref<void(const TileIndex &)> body);
  /// The same with `lanes` neighbours along `laneDim` at a time.
  void overVectors(mlir::Location loc, llvm::ArrayRef<int64_t> shape, int64_t laneDim, unsigned lanes,
                   llvm::function_ref<void(const TileIndex &)> body);

  // InlineCode.cpp
  /// Operands and results of an operation in memory, in row-major order, and the number of a group's first element.
  struct Groups {
    llvm::SmallVector<Buffer> operands, results;
    mlir::Value first;
  };
  void lowerInlineAssembly(tt::ElementwiseInlineAsmOp op);
  void lowerMapElementwise(tt::MapElementwiseOp op);
  /// Calls `body`, which computes the results of one group, in a loop over groups of `size` elements.
  void lowerInGroups(mlir::Operation *op, int64_t size, llvm::function_ref<void(const Groups &)> body);
  Buffer allocateGroups(mlir::Type type, int64_t size);
  Buffer materializeGroups(mlir::Value operand, int64_t size);
  mlir::Value elementAddress(mlir::Location loc, const Buffer &buffer, mlir::Value first, int64_t offset);
  mlir::Value loadElement(mlir::Location loc, const Buffer &buffer, mlir::Value first, int64_t offset);
  void storeElement(mlir::Location loc, const Buffer &buffer, mlir::Value first, int64_t offset, mlir::Value value);
  /// Lowers a region of one block on scalars with these arguments. Returns the operands of its terminator.
  llvm::SmallVector<mlir::Value> lowerScalarRegion(mlir::Region &region, llvm::ArrayRef<mlir::Value> arguments);

  // Buffers.cpp
  Buffer allocate(mlir::RankedTensorType type, int64_t fastestDim = -1);
  mlir::Value allocateBytes(int64_t bytes);
  /// Reserves memory for all programs that a thread runs. Returns its offset in the scratch area. Before any buffer is
  /// allocated.
  int64_t allocateWords(int64_t words);
  /// Of a word among those that begin at `offset`.
  mlir::Value addressOfWord(mlir::Location loc, int64_t offset, int64_t word);
  void setBuffer(mlir::Value tensor, const Buffer &buffer);
  const Buffer *bufferOf(mlir::Value tensor) const;
  /// Forgets buffers that code in `region` filled with tensors of the outside, because other paths do not fill them.
  void forgetBuffersSince(size_t mark, mlir::Region *region);

  tt::FuncOp kernel;
  const CpuCodegenOptions &options;
  mlir::OpBuilder b;
  LaneEmitter lanes;
  TileAnalysis analysis;

  mlir::LLVM::LLVMFuncOp entry;
  mlir::Operation *programLoop = nullptr; ///< code before it runs once for each call
  mlir::Value scratch;
  mlir::Value attention; ///< the address of the word that loops test
  /// Products whose second operand is read where a host packed it, and the load that says where; and the operations in
  /// between, which therefore move nothing.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> packedBlocks;
  llvm::DenseSet<mlir::Operation *> packedShapes;
  llvm::MapVector<mlir::Operation *, KeptOperand> keptOperands; ///< by product
  llvm::MapVector<mlir::Operation *, LoadedAhead> blocksAhead;  ///< by product
  mlir::Value tileForm; ///< where the form of the tiles of AMX lies, if the kernel uses them
  int64_t scratchUsed;  ///< by what is live
  int64_t scratchPeak;
  mlir::Value programIds[3], programCounts[3];
  unsigned stringCount = 0;

  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Tables of quotients and remainders that a loop uses. A single element is read from its table.
  llvm::DenseMap<mlir::Value, Buffer> tables;
  /// Every change of `buffers`: the tensor and its earlier entry.
  llvm::SmallVector<std::pair<mlir::Value, std::optional<Buffer>>> bufferChanges;
  mlir::Block *currentBlock = nullptr; ///< of the kernel, being lowered
  Group open;
  llvm::DenseSet<mlir::Operation *> done; ///< roots and other operations of the current blocks that were emitted
  /// Loads of the current block, in order, that are still lazy.
  llvm::SmallVector<tt::LoadOp> lazyLoads;
  llvm::DenseMap<mlir::Value, unsigned> depths; ///< of lazy tensors: operations between them and what lies in memory
  llvm::SmallVector<Level> levels;
};

} // namespace triton::cpu
