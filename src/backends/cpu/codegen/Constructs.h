// The functions that lower one construct each.
#pragma once

#include "ir/Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace triton::cpu {

struct Lowering;

// Blocks.cpp
/// Lowers all but the terminator. `carryOut` then does what that asks for, with the block's tensors at hand.
void lowerBlock(Lowering &lowering, mlir::Block &block, llvm::function_ref<void()> carryOut);
/// The lowered scalar.
mlir::Value scalar(Lowering &lowering, mlir::Value value);

// ControlFlow.cpp
void lowerFor(Lowering &lowering, mlir::scf::ForOp op);
void lowerIf(Lowering &lowering, mlir::scf::IfOp op);
void lowerWhile(Lowering &lowering, mlir::scf::WhileOp op);

// Interrupts.cpp
/// Finds where the runtime asks for attention; in the entry block, for kernels that loop.
void emitAttention(Lowering &lowering, mlir::Location loc);
/// Called at the end of `block`, where an iteration of a kernel's loop begins: lets the runtime end a launch.
void emitInterruptCheck(Lowering &lowering, mlir::Location loc, mlir::Block *block);

// Scan.cpp, ScalarCombinations.cpp
void lowerScan(Lowering &lowering, tt::ScanOp op);
void reduceByScalars(Lowering &lowering, tt::ReduceOp op);
void scanByScalars(Lowering &lowering, tt::ScanOp op);

// Dot.cpp
void lowerDot(Lowering &lowering, tt::DotOp op);
/// Loads the form of the tiles here, at the entry, if a product uses them.
void prepareTiles(Lowering &lowering, mlir::Location loc);

// Atomics.cpp
void lowerAtomic(Lowering &lowering, tt::AtomicOpInterface op);
/// Emits the time of a clock in nanoseconds.
mlir::Value emitTime(Lowering &lowering, mlir::Location loc);

// Shape.cpp
void lowerReshape(Lowering &lowering, tt::ReshapeOp op);
void lowerCat(Lowering &lowering, tt::CatOp op);
void lowerGather(Lowering &lowering, tt::GatherOp op);
void lowerHistogram(Lowering &lowering, tt::HistogramOp op);

// Debug.cpp
void lowerPrint(Lowering &lowering, tt::PrintOp op);
void lowerAssert(Lowering &lowering, tt::AssertOp op);
mlir::LLVM::LLVMFuncOp runtimeFunction(Lowering &lowering, llvm::StringRef name, llvm::ArrayRef<mlir::Type> arguments,
                                       mlir::Type result = {});

// InlineCode.cpp
void lowerInlineAssembly(Lowering &lowering, tt::ElementwiseInlineAsmOp op);
void lowerMapElementwise(Lowering &lowering, tt::MapElementwiseOp op);
/// Lowers a region of one block on scalars with these arguments. Returns the operands of its terminator.
llvm::SmallVector<mlir::Value> lowerScalarRegion(Lowering &lowering, mlir::Region &region,
                                                 llvm::ArrayRef<mlir::Value> arguments);

} // namespace triton::cpu
