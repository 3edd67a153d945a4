// Accesses of memory that need a barrier between them: of shared memory, and of global memory through the same pointers
// where several threads hold the same element.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace triton::analysis {

/// Bytes [begin, end) of shared memory; of a ring of buffers, perhaps one slot of it.
struct SharedPlace {
  int64_t begin = 0, end = 0;
  mlir::Operation *ring = nullptr; ///< the allocation whose slot this is; null: all the bytes
  mlir::Operation *loop = nullptr; ///< where set, the slot in iteration i of this loop is (`slot` + i) mod `slots`
  int64_t slot = 0, slots = 1;

  bool mayOverlap(const SharedPlace &other) const;
  bool operator==(const SharedPlace &) const = default;
};

/// What has been accessed since the last barrier on some path, or what one operation accesses.
struct SharedAccesses {
  llvm::SmallVector<SharedPlace, 4> reads, writes;
  llvm::SmallVector<mlir::Value> loaded, stored; ///< pointers to elements of global memory that several threads hold
  /// What asynchronous products read that are under way, the newest first. No barrier waits for these.
  llvm::SmallVector<llvm::SmallVector<SharedPlace, 2>> products;

  bool empty() const { return reads.empty() && writes.empty() && loaded.empty() && stored.empty() && products.empty(); }
  /// Whether `later` must not start before every thread finished these.
  bool conflictsWith(const SharedAccesses &later) const;
  /// Adds what `other` has; returns whether that was more.
  bool merge(const SharedAccesses &other);
  /// At a barrier.
  void clear();
  /// A product starts that reads `places`.
  void startProduct(llvm::ArrayRef<SharedPlace> places);
  /// All products but the `pendings` newest are over; other threads know after the next barrier.
  void finishProducts(unsigned pendings);
};

/// Finds accesses that follow conflicting ones without a barrier between, on some path through a function whose shared
/// memory is allocated.
class SharedConflicts {
public:
  enum class Precision {
    Bytes, ///< accesses conflict when their buffers share bytes
    Slots, ///< and are not known to touch different slots of a ring of buffers
  };

  SharedConflicts(mlir::FunctionOpInterface function, Precision precision);

  /// Calls `handle` with each such operation, perhaps more than once; what follows takes it that a barrier stands
  /// before the operation, which `handle` may insert. Barriers in `absent` do not count.
  void forEach(llvm::function_ref<void(mlir::Operation *)> handle,
               const llvm::DenseSet<mlir::Operation *> &absent = {}) const;

private:
  class Walk;
  mlir::FunctionOpInterface function;
  llvm::DenseMap<mlir::Operation *, SharedAccesses> accesses;
  llvm::DenseSet<mlir::Operation *> synchronizing; ///< hold a barrier between their write and their read
  /// What the copies that a wait is for write.
  llvm::DenseMap<mlir::Operation *, SharedAccesses> arrivals;
};

} // namespace triton::analysis
