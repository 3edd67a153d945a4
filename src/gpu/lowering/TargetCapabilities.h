// What some targets can do and others cannot: copies beside the threads, products of groups of warps, and others. A
// target emitter has such an object or none, so that no operation disappears where a target knows nothing of it.
#pragma once

#include "gpu/lowering/Emitter.h"
#include "gpu/lowering/MemoryAccess.h"

namespace triton::gpu {

/// Barriers in shared memory, whose phases count arrivals.
class SharedBarrierEmitter {
public:
  virtual ~SharedBarrierEmitter() = default;

  /// Makes a barrier at which `count` threads arrive.
  virtual void emitInitBarrier(Emitter &emitter, mlir::Value barrier, unsigned count) const = 0;
  /// Ends the use of a barrier's memory as one.
  virtual void emitInvalidateBarrier(Emitter &emitter, mlir::Value barrier) const = 0;
  /// Lets copies see the barriers that this thread has made.
  virtual void emitInitBarrierFence(Emitter &emitter) const = 0;
  /// The threads for which `condition` holds arrive `count` times each, when all lanes of the warp have come here.
  virtual void emitArrive(Emitter &emitter, mlir::Value barrier, unsigned count, mlir::Value condition) const = 0;
  /// Every thread arrives `count` times; the parity of the phase before, an i32. Null where the target cannot say it.
  virtual mlir::Value emitEachArrive(Emitter &, mlir::Value /*barrier*/, unsigned /*count*/) const { return {}; }
  /// This thread arrives once, when the copies of single elements that it has started have ended. Only if `isCounted`
  /// this is one of the arrivals for which the barrier waits.
  virtual void emitCopyArrival(Emitter &emitter, mlir::Value barrier, bool isCounted) const = 0;
  /// Whether the phase of this parity has ended; may wait for a time. With `ofCluster` what other blocks had written
  /// before they arrived is seen then.
  virtual mlir::Value emitTryWait(Emitter &emitter, mlir::Value barrier, mlir::Value parity, bool ofCluster) const = 0;
};

/// Copies from global to shared memory that threads start and wait for.
class AsyncCopyEmitter {
public:
  virtual ~AsyncCopyEmitter() = default;

  /// Starts to copy so many bytes, for which Machine::copiesAsynchronously holds; zeros where `mask` is false. On
  /// machines that copy in the order of lanes, `shared` is for the first lane of the warp, and `global` has a base.
  virtual void emitCopy(Emitter &emitter, mlir::Value shared, const AccessPlace &global, unsigned bytes,
                        mlir::Value mask) const = 0;
  /// Makes a group of the copies that this thread has started.
  virtual void emitCommit(Emitter &emitter) const = 0;
  /// Waits until at most so many of this thread's groups are in flight; of its copies on machines that copy in the
  /// order of lanes.
  virtual void emitWait(Emitter &emitter, unsigned count) const = 0;
  /// Barriers at which such copies can arrive, where there are no bulk copies; null where there are none.
  virtual const SharedBarrierEmitter *barriers() const { return nullptr; }
};

/// A copy of a box through a tensor map to shared memory, whose bytes are counted at a barrier there.
struct TensorLoad {
  mlir::Value map;              ///< its address
  mlir::ValueRange coordinates; ///< of the first element, as i32, the fastest dimension first
  mlir::Value shared, barrier;
  mlir::Value blocks;    ///< a mask, i16, of blocks of the cluster that all get the box at this place; null: this block
  bool fourRows = false; ///< The coordinates are the column and the numbers of four rows.
  bool atLeader = false; ///< The bytes are counted in the first block of a pair, of which both do this.
};

/// A copy of a box from shared memory through a tensor map, which belongs to a group of the thread.
struct TensorStore {
  mlir::Value map;              ///< its address
  mlir::ValueRange coordinates; ///< of the first element, as i32, the fastest dimension first
  mlir::Value shared;
  std::optional<tt::DescriptorReduceKind> kind; ///< combines atomically with what is there
  bool fourRows = false;                        ///< The coordinates are the column and the numbers of four rows.
};

/// Warps that move data: copies of blocks that end at barriers in shared memory, and clusters.
class BulkCopyEmitter : public SharedBarrierEmitter {
public:
  /// So many registers for each thread of a group of warps, which had fewer before where it `raises` the number.
  virtual void emitSetRegisters(Emitter &emitter, unsigned count, bool raises) const = 0;
  // Turns of groups of warps, which are numbered from 0. `after`, an i32 or null, is computed before the group waits.
  virtual void emitWaitTurn(Emitter &emitter, mlir::Value group, mlir::Value after) const = 0;
  virtual void emitPassTurn(Emitter &emitter, mlir::Value group) const = 0;
  /// Arrives once, as `emitArrive` does, at the barrier of this address in block `rank` of the cluster, for reads that
  /// have ended.
  virtual void emitRemoteArrive(Emitter &emitter, mlir::Value barrier, mlir::Value rank,
                                mlir::Value condition) const = 0;
  /// This thread arrives there `count` times, or once with `bytes` of copies that it announces. What it has written
  /// before, others see.
  virtual void emitRemoteRelease(Emitter &emitter, mlir::Value barrier, mlir::Value rank, unsigned count,
                                 std::optional<unsigned> bytes) const = 0;
  /// Starts to store `words`, 1, 2 or 4 of 32 bits, to this address in block `rank`, whose barrier counts the bytes.
  virtual void emitRemoteStore(Emitter &emitter, mlir::Value place, mlir::Value barrier, mlir::Value rank,
                               mlir::ValueRange words) const = 0;
  /// All threads of the cluster wait for each other, and unless it is `relaxed` see what the others have written
  /// before.
  virtual void emitClusterBarrier(Emitter &emitter, bool relaxed) const = 0;
  /// Arrives and announces bytes of copies.
  virtual void emitExpectBytes(Emitter &emitter, mlir::Value barrier, unsigned bytes) const = 0;
  virtual void emitLoad(Emitter &emitter, const TensorLoad &load) const = 0;
  virtual void emitStore(Emitter &emitter, const TensorStore &store) const = 0;
  /// Makes a group of the copies out of shared memory that this thread has started.
  virtual void emitCommit(Emitter &emitter) const = 0;
  /// Waits until at most `groups` of this thread's groups are in flight, or with `onlyReads` still read.
  virtual void emitWait(Emitter &emitter, unsigned groups, bool onlyReads) const = 0;
  /// What the thread has written to this memory is visible after it to bulk copies and to matrix units that read
  /// buffers.
  enum class Written { Shared, SharedOfCluster, All };
  virtual void emitProxyFence(Emitter &emitter, Written written) const = 0;
};

/// Products of groups of warps, whose operands are buffers.
class GroupProductEmitter {
public:
  virtual ~GroupProductEmitter() = default;

  /// Lowers a product whose accumulator has a layout from TargetInfo::getMatrixEncoding.
  virtual mlir::LogicalResult lowerProduct(ttg::WarpGroupDotOp op, Emitter &emitter) const = 0;
  /// Waits until at most `pendings` asynchronous products are in flight. `values`, which have one type, are those of
  /// finished products after the wait.
  virtual Registers emitWait(Emitter &emitter, mlir::ValueRange values, unsigned pendings) const = 0;
};

/// The matrix unit with a memory of its own, and what came with it: programs that take work from others.
class TensorMemoryEmitter {
public:
  virtual ~TensorMemoryEmitter() = default;

  /// Lowers an operation of dialect ttng.
  virtual mlir::LogicalResult lower(mlir::Operation *op, Emitter &emitter) const = 0;
};

/// The units that multiply buffers, each null where there is none.
struct BufferProductEmitters {
  const GroupProductEmitter *ofGroups = nullptr;
  const TensorMemoryEmitter *inTensorMemory = nullptr;
};

} // namespace triton::gpu
