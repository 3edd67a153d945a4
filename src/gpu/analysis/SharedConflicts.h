// Finds accesses of memory that need a barrier between them: accesses of shared memory, and accesses of global memory
// through equal pointers if several threads hold the same element.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace triton::analysis {

/// Bytes [begin, end) of shared memory. For a ring of buffers, this may be one slot of it.
struct SharedPlace {
  int64_t begin = 0, end = 0;
  mlir::Operation *ring = nullptr; ///< the allocation whose slot this is; null: all the bytes
  mlir::Operation *loop = nullptr; ///< where set, the slot in iteration i of this loop is (`slot` + i) mod `slots`
  int64_t slot = 0, slots = 1;

  bool mayOverlap(const SharedPlace &other) const;
  bool operator==(const SharedPlace &) const = default;
};

/// The accesses since the last barrier on some path, or those of one operation.
struct SharedAccesses {
  llvm::SmallVector<SharedPlace, 4> reads, writes;
  llvm::SmallVector<mlir::Value> loaded, stored; ///< pointers to elements of global memory that several threads hold
  /// What asynchronous products in flight read, the newest first. No barrier waits for these.
  llvm::SmallVector<llvm::SmallVector<SharedPlace, 2>> products;

  bool empty() const { return reads.empty() && writes.empty() && loaded.empty() && stored.empty() && products.empty(); }
  /// Whether `later` must not start before every thread has finished these accesses, apart from products.
  bool conflictsWith(const SharedAccesses &later) const;
  /// Whether `later` overwrites what a product in flight reads.
  bool overwritesProduct(const SharedAccesses &later) const;
  /// Adds the accesses of `other`; returns whether any of them was new.
  bool merge(const SharedAccesses &other);
  /// Called at a barrier.
  void clear();
  /// Called when a product starts that reads `places`.
  void startProduct(llvm::ArrayRef<SharedPlace> places);
  /// All products except the `pendings` newest have ended. Other threads know this after the next barrier.
  void finishProducts(unsigned pendings);
};

/// Finds accesses that follow conflicting ones without a barrier in between, on some path through a function whose
/// shared memory is allocated.
class SharedConflicts {
public:
  enum class Precision {
    Bytes, ///< accesses conflict if their buffers share bytes
    Slots, ///< and if they are not known to access different slots of a ring
  };

  SharedConflicts(mlir::FunctionOpInterface function, Precision precision);

  /// Calls `handle` with each such operation, perhaps more than once. Afterwards, a barrier is assumed before the
  /// operation; `handle` may insert it. Barriers in `absent` do not count.
  void forEach(llvm::function_ref<void(mlir::Operation *)> handle,
               const llvm::DenseSet<mlir::Operation *> &absent = {}) const;

private:
  class Walk;
  void nameEqualPointers();
  void addReadCopies(Precision precision);

  mlir::FunctionOpInterface function;
  bool hasOwnWaits; ///< the kernel's, for products: no barrier replaces them
  llvm::DenseMap<mlir::Operation *, SharedAccesses> accesses;
  llvm::DenseSet<mlir::Operation *> synchronizing; ///< those with a barrier between their write and their read
  /// What is written by the copies for which a wait waits.
  llvm::DenseMap<mlir::Operation *, SharedAccesses> arrivals;
};

} // namespace triton::analysis
