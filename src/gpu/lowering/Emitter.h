// The state of the lowering of one module: the lowered form of each value, and the builder with the few operations that
// every family of lowerings needs.
//
// A tensor becomes a list of LLVM values, one for each register of a thread in the order of its layout's input
// "register". Everything else becomes one value. Functions are rebuilt block by block in dominance order, so that the
// operands of an operation are always lowered before it. The builder is always at the end of the current block.
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace triton::gpu {

using Registers = llvm::SmallVector<mlir::Value>;
using layout::LinearLayout;

class LoweringTable;

struct LoweringOptions {
  bool flushDenormals = false;
  bool checkAssertions = false;
  bool definesAll = false; ///< what programs leave undefined is zero
};

/// The warps of a launch that run a function.
struct WarpSet {
  unsigned count = 0, first = 0;
  unsigned barrier = 1; ///< the number of their barrier, where these are not all warps
  unsigned groups = 1;  ///< that run the function, each with `count` warps and the next barrier
};

/// The numbers of LLVM's address spaces, which are the same for all GPUs.
constexpr unsigned globalSpace = 1, sharedSpace = 3;

/// What is known of the module before any function is lowered.
struct ModuleFacts {
  const analysis::AxisInfoAnalysis &stated; ///< believes all hints: what one access may rely on
  const analysis::AxisInfoAnalysis &proven; ///< without stated runs: what elements far from each other may rely on
};

class Emitter {
public:
  Emitter(mlir::ModuleOp module, const LoweringTable &table, const ModuleFacts &facts, const TargetInfo &info,
          const TargetEmitter &target, LoweringOptions options);

  /// Replaces a function by its lowered form. Failure has been reported.
  mlir::LogicalResult lowerFunction(tt::FuncOp function);

  // Values of the program.

  /// The lowered form of `value`; one element if it is not a tensor.
  llvm::ArrayRef<mlir::Value> registers(mlir::Value value) const;
  mlir::Value scalar(mlir::Value value) const;
  void define(mlir::Value value, Registers registers);

  /// The LLVM type of one element, and of all registers of a value.
  mlir::Type convertElement(mlir::Type type) const;
  llvm::SmallVector<mlir::Type> convertType(mlir::Type type);
  const LinearLayout &layoutOf(mlir::RankedTensorType type);

  /// Lowers the operations of a region once, with `arguments` for its arguments. Returns the operands of its
  /// terminator. Failure has been reported.
  mlir::FailureOr<Registers> inlineRegion(mlir::Region &region, mlir::ValueRange arguments);

  // Building.

  mlir::ImplicitLocOpBuilder b;
  mlir::MLIRContext *context() const { return b.getContext(); }
  mlir::ModuleOp module() const { return moduleOp; }
  const LoweringOptions &options() const { return loweringOptions; }
  const analysis::AxisInfoAnalysis &axisInfo() const { return axisInfoAnalysis; }
  const analysis::AxisInfoAnalysis &provenAxisInfo() const { return provenAnalysis; }
  /// The machine for which code is written, and the object that writes what only this machine has.
  const Machine &machine() const { return targetInfo.machine(); }
  const TargetEmitter &target() const { return targetEmitter; }
  const WarpSet &warpSet() const { return warps; }
  /// The blocks that run a program.
  unsigned blockCount() const { return numBlocks; }
  /// The number of threads of a warp, as a power of two.
  unsigned laneBits() const { return numLaneBits; }
  unsigned threadCount() const { return warps.count << numLaneBits; }
  /// Whether the module computes products of matrices.
  bool hasProducts() const { return computesProducts; }
  /// Registers of a thread that what `block` loads from global memory takes.
  unsigned loadedRegisters(mlir::Block &block);
  /// Those that a launch starts: all of the program, and of the warps that only move data.
  unsigned launchThreadCount() const { return ttg::getLaunchWarps(moduleOp) << numLaneBits; }

  mlir::Value i1(bool value) { return integer(b.getI1Type(), value); }
  mlir::Value i32(int64_t value) { return integer(b.getI32Type(), value); }
  mlir::Value i64(int64_t value) { return integer(b.getI64Type(), value); }
  /// A constant. A function contains one operation for each type and value.
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value floating(mlir::Type type, double value);
  mlir::Value undefined(mlir::Type type);

  // Integer arithmetic that omits the trivial cases.
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value bitAnd(mlir::Value left, int64_t mask);
  mlir::Value bitXor(mlir::Value left, mlir::Value right);
  mlir::Value shiftLeft(mlir::Value value, unsigned bits);
  mlir::Value shiftRight(mlir::Value value, unsigned bits);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value equal(mlir::Value left, mlir::Value right);

  /// `llvm.<name>(arguments)`.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments);
  /// A call of an external function that is declared at its first use.
  mlir::Value call(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments);
  /// Text in the assembly of the machine; `result` is null when there is none.
  mlir::Value assembly(llvm::StringRef text, llvm::StringRef constraints, mlir::Type result, mlir::ValueRange arguments,
                       bool hasSideEffects);

  mlir::Value pack(mlir::ValueRange elements);
  Registers unpack(mlir::Value aggregate);
  /// Vectors; a single element is not wrapped.
  mlir::Value packVector(mlir::ValueRange elements);
  Registers unpackVector(mlir::Value vector);

  /// Runs `body` if `condition` holds.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  /// The results of `body` if `condition` holds, otherwise `otherwise`.
  Registers emitIf(mlir::Value condition, llvm::function_ref<Registers()> body, mlir::ValueRange otherwise);
  /// Repeats `body` until its result is true. The values of the last repetition are available afterwards.
  void emitUntil(llvm::function_ref<mlir::Value()> body);
  /// Runs `body` with `first`, `first` + `step` and so on, as long as the number is less than `end`; all are i32.
  void emitFor(mlir::Value first, int64_t end, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  /// The same, with values that each round takes from the round before it, at first `initial`. Returns the last ones.
  Registers emitFor(mlir::Value first, int64_t end, int64_t step, mlir::ValueRange initial,
                    llvm::function_ref<Registers(mlir::Value, mlir::ValueRange)> body);
  void barrier();

  // The thread.

  /// The index of the program and the extent of the grid, in a dimension. Neighbouring blocks run a program.
  mlir::Value programId(tt::ProgramDim axis);
  mlir::Value programCount(tt::ProgramDim axis);
  mlir::Value blockRank();
  mlir::Value threadId();
  mlir::Value lane();
  mlir::Value warp();
  /// The same, as a value that the machine's assembler knows to be equal in all lanes.
  mlir::Value uniformWarp();
  /// Base of shared memory plus a number of bytes.
  mlir::Value sharedAddress(int64_t offset);
  /// `pointer` moved by `bytes`.
  mlir::Value offsetPointer(mlir::Value pointer, mlir::Value bytes);
  mlir::Value offsetPointer(mlir::Value pointer, int64_t bytes);
  /// The memory for messages to the host, which every function takes as its last parameter where kernels leave messages
  /// (TargetEmitter::leavesMessages).
  mlir::Value messageBuffer() { return current.getArguments().back(); }
  /// The number, counted from 1, of a message of the module.
  unsigned addMessage(llvm::StringRef format, bool isFailure);
  /// A string of the program's constant data, ending in 0, as a generic pointer.
  mlir::Value stringConstant(llvm::StringRef text);

private:
  mlir::LLVM::LLVMFuncOp createFunction(tt::FuncOp function);
  void passTensorMaps(tt::FuncOp function, mlir::LLVM::LLVMFuncOp lowered);
  mlir::LogicalResult lowerBlocks(mlir::Region &region, mlir::Block *exit);
  mlir::LogicalResult lowerOperation(mlir::Operation &op);
  mlir::LogicalResult lowerTerminator(mlir::Operation &op, mlir::Block *exit);
  mlir::LogicalResult lowerCall(tt::CallOp call);
  Registers flatten(mlir::ValueRange values) const;
  /// Defines each of `targets` by its part of `lowered`.
  void defineAll(mlir::ValueRange targets, mlir::ValueRange lowered);
  // Between blocks, elements of 8 and of 16 bits are passed as vectors of 32 bits: these are the registers of machines.
  /// How many elements one vector has; 1 for elements that are passed by themselves.
  unsigned carriedTogether(mlir::Type type);
  llvm::SmallVector<mlir::Type> carriedTypes(mlir::Type type);
  Registers carry(mlir::ValueRange values);
  void defineCarried(mlir::ValueRange targets, mlir::ValueRange carried);
  mlir::Block *createBlock(mlir::TypeRange arguments = {});
  mlir::LLVM::LLVMFuncOp lookupFunction(llvm::StringRef name, mlir::Type result, mlir::TypeRange arguments);
  /// Runs `body` with the insertion point after the constants of the function's entry and before everything else.
  mlir::Value inEntry(mlir::Value &cached, llvm::function_ref<mlir::Value()> body);

  mlir::ModuleOp moduleOp;
  const LoweringTable &table;
  const analysis::AxisInfoAnalysis &axisInfoAnalysis;
  const TargetInfo &targetInfo;
  const TargetEmitter &targetEmitter;
  LoweringOptions loweringOptions;
  WarpSet warps;
  unsigned numLaneBits, numBlocks;
  unsigned nextBarrier = 2; ///< of a function for some warps
  bool hasMessageBuffer;    ///< each function takes one
  bool computesProducts = false;

  llvm::DenseMap<mlir::Value, Registers> values;
  llvm::DenseMap<mlir::Block *, mlir::Block *> blocks;
  llvm::DenseMap<mlir::Block *, unsigned> loaded; ///< registers
  llvm::DenseMap<mlir::Type, std::unique_ptr<LinearLayout>> layouts;
  llvm::DenseMap<std::pair<mlir::Type, int64_t>, mlir::Value> integers;
  llvm::StringMap<std::string> strings;
  mlir::LLVM::LLVMFuncOp current;
  mlir::Value cachedThread, cachedLane, cachedWarp, cachedUniformWarp, cachedShared;
  const analysis::AxisInfoAnalysis &provenAnalysis;
};

/// The lowering of each operation, by its type.
class LoweringTable {
public:
  using Function = mlir::LogicalResult (*)(mlir::Operation *, Emitter &);

  template <typename Op, mlir::LogicalResult (*lower)(Op, Emitter &)> void add() {
    functions[mlir::TypeID::get<Op>()] = [](mlir::Operation *op, Emitter &emitter) {
      return lower(mlir::cast<Op>(op), emitter);
    };
  }
  Function find(mlir::Operation *op) const {
    return op->isRegistered() ? functions.lookup(op->getRegisteredInfo()->getTypeID()) : nullptr;
  }

private:
  llvm::DenseMap<mlir::TypeID, Function> functions;
};

} // namespace triton::gpu
