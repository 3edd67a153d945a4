// The dialect ttg: encodings, buffers and operations.
#pragma once

#include "ir/Dialect.h"
#include "layout/LinearLayout.h"

#include "mlir/IR/TensorEncoding.h"

#include "gpu/ir/TritonGPUDialect.h.inc"
#include "gpu/ir/TritonGPUInterfaces.h.inc"

namespace triton::ttg {

/// An access of a buffer in shared memory.
struct BufferAccess {
  mlir::Value buffer;
  bool isWrite = false;
  bool isAsynchronous = false; ///< goes on after the operation, until a wait that is for it
};

enum class Synchronization {
  None,
  Block,    ///< all threads of the program wait for each other
  Copies,   ///< the thread waits for asynchronous copies of its own
  Products, ///< the thread waits for asynchronous products of its own
};

/// Whether tensor operands of `op` have one layout and its results the one that `inferResult` gives for it.
llvm::LogicalResult verifyRelatedLayouts(mlir::Operation *op,
                                         llvm::function_ref<mlir::Attribute(mlir::Attribute)> inferResult);

} // namespace triton::ttg

#include "gpu/ir/GPUOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "gpu/ir/TritonGPUAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "gpu/ir/TritonGPUTypes.h.inc"

namespace triton::ttg {

/// The memory effects of shared memory are apart from those of global memory.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

constexpr llvm::StringLiteral numWarpsAttribute = "ttg.num-warps";
/// Warps beyond which a program gains nothing, on a module that has no layouts yet.
constexpr llvm::StringLiteral warpLimitAttribute = "ttg.warp-limit";
/// Warps that a launch starts for each program, where some only move data; those of `ttg.num-warps` where it is absent.
constexpr llvm::StringLiteral launchWarpsAttribute = "ttg.launch_warps";
constexpr llvm::StringLiteral threadsPerWarpAttribute = "ttg.threads-per-warp";
constexpr llvm::StringLiteral numCtasAttribute = "ttg.num-ctas";
constexpr llvm::StringLiteral targetAttribute = "ttg.target";
constexpr llvm::StringLiteral sharedBytesAttribute = "ttg.shared";
/// On an argument of a kernel behind all that a launch passes, a tensor descriptor: the launch encodes it as a tensor
/// map, from the expressions in this dictionary (base/TensorMapParameter.h).
constexpr llvm::StringLiteral tensorMapAttribute = "ttg.tensor_map";
/// On an argument of a kernel: no other argument points to the same memory.
constexpr llvm::StringLiteral noAliasAttribute = "tt.noalias";
/// On a loop: what an iteration loads through one argument of the kernel, no earlier one stores through another.
constexpr llvm::StringLiteral disjointArgumentsAttribute = "tt.disjoint_arguments";
/// Byte offset of an operation's shared memory, set by the allocation.
constexpr llvm::StringLiteral allocationOffsetAttribute = "allocation.offset";

/// Warps of a program and lanes of a warp, from the module around `op`, which has layouts.
unsigned getNumWarps(mlir::Operation *op);
unsigned getLaunchWarps(mlir::Operation *op);
unsigned getThreadsPerWarp(mlir::Operation *op);
/// Blocks of the cluster that runs a program.
unsigned getNumCtas(mlir::Operation *op);

/// The layout that an encoding gives a tensor of this shape: (register, lane, warp, block) -> (dim0, ...); for shared
/// encodings (offset[, block]) -> (dim0, ...), in elements.
layout::LinearLayout toLinearLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding);
layout::LinearLayout toLinearLayout(mlir::RankedTensorType type);
layout::LinearLayout toLinearLayout(MemDescType type);

/// Dimensions of the tensors that an encoding is for; a shared encoding may have more, before those it lists.
unsigned getEncodingRank(mlir::Attribute encoding);

/// Elements that one thread holds, copies included.
unsigned getElementsPerThread(mlir::Type type);

/// Dimensions from the fastest to the slowest in the registers of a thread, then its lanes.
llvm::SmallVector<unsigned> getOrder(mlir::RankedTensorType type);

/// Whether both encodings hold every element of a tensor of `shape` in the same places.
bool areLayoutsEquivalent(llvm::ArrayRef<int64_t> shape, mlir::Attribute left, mlir::Attribute right);

/// `mask`, which may be null, for an access through pointers of type `pointers`, and `condition`, an i1, on every
/// element.
mlir::Value conjoinMask(mlir::OpBuilder &builder, mlir::Location location, mlir::Value condition, mlir::Type pointers,
                        mlir::Value mask);

} // namespace triton::ttg

#define GET_OP_CLASSES
#include "gpu/ir/TritonGPUOps.h.inc"
