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
  bool isAsynchronous = false; ///< continues after the operation, until a wait for it
};

enum class Synchronization {
  None,
  Block,    ///< all threads of the program wait for each other
  Copies,   ///< the thread waits for its own asynchronous copies
  Products, ///< the thread waits for its own asynchronous products
};

/// Whether all tensor operands of `op` have the same layout, and its results have the layout that `inferResult` derives
/// from it.
llvm::LogicalResult verifyRelatedLayouts(mlir::Operation *op,
                                         llvm::function_ref<mlir::Attribute(mlir::Attribute)> inferResult);

} // namespace triton::ttg

#include "gpu/ir/GPUOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "gpu/ir/TritonGPUAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "gpu/ir/TritonGPUTypes.h.inc"

namespace triton::ttg {

/// The memory effects of shared memory are separate from those of global memory.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

constexpr llvm::StringLiteral numWarpsAttribute = "ttg.num-warps";
/// On a module that has no layouts yet: the number of warps beyond which a program gains nothing.
constexpr llvm::StringLiteral warpLimitAttribute = "ttg.warp-limit";
/// Warps that a launch starts for each program, where some only move data; those of `ttg.num-warps` where it is absent.
constexpr llvm::StringLiteral launchWarpsAttribute = "ttg.launch_warps";
/// Programs that a multiprocessor should run at once; 1 where it is absent.
constexpr llvm::StringLiteral residentProgramsAttribute = "ttg.resident_programs";
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
/// The byte offset of an operation's shared memory, which the allocation sets.
constexpr llvm::StringLiteral allocationOffsetAttribute = "allocation.offset";

/// On a function that some warps of a program alone run: the number of the first of them. They are `numWarpsAttribute`.
constexpr llvm::StringLiteral firstWarpAttribute = "ttg.first_warp";
/// On such a function: as many warps after these run it, too, as a group of their own.
constexpr llvm::StringLiteral sharedByGroupsAttribute = "ttg.shared_by_groups";

/// On a module: its kernels, those in Gluon, wait for products themselves before they overwrite what these read. In
/// which slot of a ring a copy lands, only the kernel knows; the simulator checks it.
constexpr llvm::StringLiteral ownWaitsAttribute = "ttg.own_waits";

/// Of a function in which warps have not as many registers as at the start of the launch: those of a thread.
constexpr llvm::StringLiteral threadRegistersAttribute = "ttg.thread_registers";

/// The warps of a program and the lanes of a warp, from the enclosing module, which must have layouts. In a partition
/// of warps, and in a function for some warps, those that run it.
unsigned getNumWarps(mlir::Operation *op);
unsigned getLaunchWarps(mlir::Operation *op);
unsigned getResidentPrograms(mlir::Operation *op);
unsigned getThreadsPerWarp(mlir::Operation *op);
/// Blocks of the cluster that runs a program.
unsigned getNumCtas(mlir::Operation *op);

/// The layout of a tensor of this shape with this encoding: (register, lane, warp, block) -> (dim0, ...); for shared
/// encodings (offset[, block]) -> (dim0, ...), in elements.
layout::LinearLayout toLinearLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute encoding);
layout::LinearLayout toLinearLayout(mlir::RankedTensorType type);
layout::LinearLayout toLinearLayout(MemDescType type);

/// (dim0, ...) -> (offset[, block]), in elements from the first element of a buffer or of a part of one.
layout::LinearLayout getElementOffsets(MemDescType type);

/// Those of the buffer's encoding: pairs (interval, padding), in elements.
llvm::ArrayRef<int32_t> getPaddings(MemDescType buffer);
/// The place of the element at `offset` where elements lie unused, as `SharedEncodingInterface::getPaddings` says.
int64_t addPaddings(int64_t offset, llvm::ArrayRef<int32_t> paddings);

/// The encoding of the view of a buffer with this shape and the same elements in row-major order; null if there is
/// none.
mlir::Attribute getReshapedEncoding(MemDescType buffer, llvm::ArrayRef<int64_t> shape);

/// Whether it stands for a layout that `tritongpu-resolve-layouts` still has to find, so that there is no linear
/// layout.
inline bool isPlaceholder(mlir::Attribute encoding) {
  return mlir::isa_and_nonnull<AutoEncodingAttr, CoalescedEncodingAttr>(encoding);
}

/// The number of dimensions of the tensors that an encoding is for. A buffer may have more dimensions, which precede
/// those that its shared encoding lists.
unsigned getEncodingRank(mlir::Attribute encoding);

/// The number of elements that a thread holds, including copies.
unsigned getElementsPerThread(mlir::Type type);

/// The dimensions from the fastest to the slowest: first that whose neighbours the registers of a thread hold, then
/// those of lanes and warps, and those along which only registers lie.
llvm::SmallVector<unsigned> getOrder(mlir::RankedTensorType type);

/// Whether both encodings hold every element of a tensor of `shape` in the same places.
bool areLayoutsEquivalent(llvm::ArrayRef<int64_t> shape, mlir::Attribute left, mlir::Attribute right);

/// `mask`, which may be null, for an access through pointers of type `pointers`, combined on every element with
/// `condition`, an i1.
mlir::Value conjoinMask(mlir::OpBuilder &builder, mlir::Location location, mlir::Value condition, mlir::Type pointers,
                        mlir::Value mask);

} // namespace triton::ttg

#define GET_OP_CLASSES
#include "gpu/ir/TritonGPUOps.h.inc"
