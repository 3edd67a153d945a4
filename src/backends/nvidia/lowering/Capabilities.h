// What some of NVIDIA's GPUs can do: cp.async, mbarriers with TMA, wgmma, and tcgen05.
#pragma once

#include "gpu/ir/ForeignDialects.h"
#include "gpu/lowering/TargetCapabilities.h"

namespace triton::nvidia {

using gpu::Emitter;
using gpu::Registers;

/// cp.async (MemoryInstructions.cpp).
class AsyncCopies final : public gpu::AsyncCopyEmitter {
public:
  void emitCopy(Emitter &emitter, mlir::Value shared, const gpu::AccessPlace &global, unsigned bytes,
                mlir::Value mask) const override;
  void emitCommit(Emitter &emitter) const override;
  void emitWait(Emitter &emitter, unsigned groups) const override;
};

/// Whether `maxRegisters`, what a user allows a thread, is less than what the threads of a kernel with producer warps
/// have: users count the warps that compute, and what they leave for those may be more than there is for all.
bool limitsSpecialized(Emitter &emitter, mlir::Operation *inKernel, unsigned maxRegisters);

/// mbarriers and TMA (BulkCopy.cpp).
class BulkCopies final : public gpu::BulkCopyEmitter {
public:
  /// `maxRegisters`: of a thread, 0 where the assembler chooses.
  explicit BulkCopies(unsigned maxRegisters) : maxRegisters(maxRegisters) {}

  void emitSetRegisters(Emitter &emitter, unsigned count, bool raises) const override;
  void emitWaitTurn(Emitter &emitter, mlir::Value group, mlir::Value after) const override;
  void emitPassTurn(Emitter &emitter, mlir::Value group) const override;
  void emitInitBarrier(Emitter &emitter, mlir::Value barrier, unsigned count) const override;
  void emitInvalidateBarrier(Emitter &emitter, mlir::Value barrier) const override;
  void emitInitBarrierFence(Emitter &emitter) const override;
  void emitArrive(Emitter &emitter, mlir::Value barrier, unsigned count, mlir::Value condition) const override;
  void emitRemoteArrive(Emitter &emitter, mlir::Value barrier, mlir::Value rank, mlir::Value condition) const override;
  void emitCopyArrival(Emitter &emitter, mlir::Value barrier, bool isCounted) const override;
  void emitRemoteRelease(Emitter &emitter, mlir::Value barrier, mlir::Value rank, unsigned count,
                         std::optional<unsigned> bytes) const override;
  void emitRemoteStore(Emitter &emitter, mlir::Value place, mlir::Value barrier, mlir::Value rank,
                       mlir::ValueRange words) const override;
  void emitClusterBarrier(Emitter &emitter, bool relaxed) const override;
  void emitExpectBytes(Emitter &emitter, mlir::Value barrier, unsigned bytes) const override;
  mlir::Value emitTryWait(Emitter &emitter, mlir::Value barrier, mlir::Value parity, bool ofCluster) const override;
  void emitLoad(Emitter &emitter, const gpu::TensorLoad &load) const override;
  void emitStore(Emitter &emitter, const gpu::TensorStore &store) const override;
  void emitCommit(Emitter &emitter) const override;
  void emitWait(Emitter &emitter, unsigned groups, bool onlyReads) const override;
  void emitProxyFence(Emitter &emitter, Written written) const override;

private:
  unsigned maxRegisters;
};

/// wgmma (WarpGroupMultiply.cpp).
class GroupProducts final : public gpu::GroupProductEmitter {
public:
  mlir::LogicalResult lowerProduct(ttg::WarpGroupDotOp op, Emitter &emitter) const override;
  Registers emitWait(Emitter &emitter, mlir::ValueRange values, unsigned pendings) const override;
};

/// tcgen05 and clusterlaunchcontrol (TensorMemory.cpp).
class TensorMemory final : public gpu::TensorMemoryEmitter {
public:
  explicit TensorMemory(bool multipliesBytes) : multipliesBytes(multipliesBytes) {}

  mlir::LogicalResult lower(mlir::Operation *op, Emitter &emitter) const override;

private:
  bool multipliesBytes; ///< also integers of 8 bits
};

/// Runs `body` in the first of the program's warps, if `condition` holds.
void emitInFirstWarp(Emitter &emitter, mlir::Value condition, llvm::function_ref<void()> body);
/// Instructions for one thread of the warp, each after `@elected`. `constraints` are those of `arguments`.
void emitInElectedThread(Emitter &emitter, const std::string &text, const std::string &constraints,
                         mlir::ValueRange arguments);

/// Arrives at a barrier when all products that the thread has started are done.
void emitProductArrival(mlir::Operation *op, Emitter &emitter, mlir::Value barrier);
/// The blocks that use the unit of tensor memory together, as instructions say it: one, or a pair.
std::string blocksOfUnit(const Emitter &emitter);

// Products in tensor memory (TensorMemoryProducts.cpp).
mlir::LogicalResult lowerTensorProduct(ttg::foreign::TCGen5MMAOp op, bool multipliesBytes, Emitter &emitter);
// Those with scales, and copies of scales (TensorMemoryScales.cpp).
mlir::LogicalResult lowerTensorProduct(ttg::foreign::TCGen5MMAScaledOp op, Emitter &emitter);
mlir::LogicalResult lowerScaleCopy(ttg::foreign::TMEMCopyOp op, Emitter &emitter);

} // namespace triton::nvidia
