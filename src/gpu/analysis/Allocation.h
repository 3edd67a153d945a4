// Places buffers and scratch in shared memory according to their liveness.
#pragma once

#include "gpu/ir/Dialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace triton::analysis {

/// A piece of shared memory: a `ttg.local_alloc`, the scratch of the operation `owner`, or the memory of a function
/// that it calls.
struct SharedBuffer {
  mlir::Operation *owner = nullptr;
  std::size_t size = 0, alignment = 16;
  std::size_t offset = 0;
  /// The first and the last operation, in program order, between which the contents matter.
  unsigned begin = 0, end = 0;
};

/// Offsets such that pieces alive at the same time do not overlap.
class Allocation {
public:
  /// `frameBytes` returns how much the function behind a call uses. Little scratch has a place of its own unless
  /// `sharesScratch`.
  Allocation(mlir::FunctionOpInterface function, llvm::function_ref<std::size_t(mlir::CallOpInterface)> frameBytes,
             bool sharesScratch = false);

  llvm::ArrayRef<SharedBuffer> buffers() const { return pieces; }
  std::size_t totalBytes() const { return total; }

private:
  llvm::SmallVector<SharedBuffer> pieces;
  std::size_t total = 0;
};

/// What the pieces that live from `first` to `last` take, as if all lived at the same time; operations use their
/// scratch one after the other. `frameBytes` as above.
std::size_t countBytesBetween(mlir::Operation *first, mlir::Operation *last,
                              llvm::function_ref<std::size_t(mlir::CallOpInterface)> frameBytes);

/// The bytes of a buffer; for a ring, those of all its slots.
std::size_t getBufferBytes(ttg::MemDescType type);

/// Bytes [begin, end) of shared memory.
struct Place {
  int64_t begin, end;

  bool overlaps(const Place &other) const { return begin < other.end && other.begin < end; }
};

/// Where a buffer lies, or the scratch of another operation; none of an operation without, or before the allocation.
std::optional<Place> findPlace(mlir::Operation *op);

/// The shared memory of the function of `op`, as far as it is known: without that of others that it calls.
std::size_t countSharedBytes(mlir::Operation *op);

/// Whether a buffer is written when it is made, and never again: what is read from it is the same at any time.
bool isConstantBuffer(ttg::LocalAllocOp buffer);

/// The values that `value` may be if it comes out of loops and branches.
llvm::SmallVector<mlir::Value> findOrigins(mlir::Value value);

/// The allocations that a buffer view may refer to, through views, loops and branches.
llvm::SmallVector<mlir::Operation *> findAllocations(mlir::Value view);

} // namespace triton::analysis
