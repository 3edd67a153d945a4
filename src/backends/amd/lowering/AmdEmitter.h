// Writes what LLVM IR cannot express for AMD's GPUs. Instructions are LLVM's intrinsics, so that the simulator and
// LLVM's optimizer understand them. A warp is what AMD calls a wave, a program a workgroup.
#pragma once

#include "backends/amd/lowering/Architecture.h"
#include "gpu/lowering/TargetEmitter.h"

namespace triton::amd {

using gpu::BufferUse;
using gpu::Emitter;
using gpu::Registers;
using layout::LinearLayout;

std::unique_ptr<gpu::TargetEmitter> createAmdEmitter(const Architecture &architecture,
                                                     const gpu::EmitterOptions &options);

/// Barriers in LDS, of gfx1250 (SharedBarriers.cpp).
class LdsBarriers final : public gpu::SharedBarrierEmitter {
public:
  void emitInitBarrier(Emitter &emitter, mlir::Value barrier, unsigned count) const override;
  void emitInvalidateBarrier(Emitter &, mlir::Value) const override {}
  void emitInitBarrierFence(Emitter &) const override {}
  void emitArrive(Emitter &emitter, mlir::Value barrier, unsigned count, mlir::Value condition) const override;
  mlir::Value emitEachArrive(Emitter &emitter, mlir::Value barrier, unsigned count) const override;
  void emitCopyArrival(Emitter &emitter, mlir::Value barrier, bool isCounted) const override;
  mlir::Value emitTryWait(Emitter &emitter, mlir::Value barrier, mlir::Value parity, bool ofCluster) const override;
};

/// Loads through buffer resources whose elements go to shared memory (BufferInstructions.cpp).
class BufferCopies final : public gpu::AsyncCopyEmitter {
public:
  explicit BufferCopies(const Architecture &architecture) : architecture(architecture) {}

  void emitCopy(Emitter &emitter, mlir::Value shared, const gpu::AccessPlace &global, unsigned bytes,
                mlir::Value mask) const override;
  void emitCommit(Emitter &emitter) const override;
  void emitWait(Emitter &emitter, unsigned copies) const override;
  const gpu::SharedBarrierEmitter *barriers() const override {
    return architecture.isGfx1250() ? &inSharedMemory : nullptr;
  }

private:
  Architecture architecture;
  LdsBarriers inSharedMemory;
};

class AmdEmitter final : public gpu::TargetEmitter {
public:
  AmdEmitter(const Architecture &architecture, BufferUse buffers)
      : architecture(architecture), buffers(buffers), copies(architecture) {}

  // AmdEmitter.cpp
  void finishKernel(Emitter &emitter, mlir::LLVM::LLVMFuncOp kernel) const override;
  mlir::Value emitThreadId(Emitter &emitter) const override;
  mlir::Value emitProgramId(Emitter &emitter, tt::ProgramDim axis) const override;
  mlir::Value emitProgramCount(Emitter &emitter, tt::ProgramDim axis) const override;
  mlir::Value emitTime(Emitter &emitter) const override;
  mlir::Value emitMultiprocessorId(Emitter &emitter) const override;
  void emitBarrier(Emitter &emitter, bool allWarps) const override;
  llvm::StringRef scopeName(tt::MemSyncScope scope) const override;

  // Messages.cpp
  bool leavesMessages() const override { return true; }
  void emitPrint(Emitter &emitter, const std::string &format, mlir::ValueRange values) const override;
  void emitAssertFailure(Emitter &emitter, llvm::StringRef message, const gpu::AssertionPlace &place) const override;

  // LaneInstructions.cpp
  mlir::Value emitShuffleXor(Emitter &emitter, mlir::Value word, unsigned mask) const override;
  mlir::Value emitShuffleIndex(Emitter &emitter, mlir::Value word, mlir::Value lane) const override;
  mlir::Value emitShuffleAcross(Emitter &emitter, mlir::Value word, unsigned bit, unsigned equal) const override;
  std::pair<mlir::Value, mlir::Value> emitPair(Emitter &emitter, mlir::Value word, unsigned bit) const override;
  bool swapsLanes(unsigned bit) const override;
  std::optional<unsigned> firstPrecedingBit() const override;
  mlir::Value emitPreceding(Emitter &emitter, mlir::Value word, unsigned bit) const override;
  mlir::Value emitEarlierLane(Emitter &emitter, mlir::Value word, int distance) const override;

  // BufferInstructions.cpp
  bool usesBuffers() const override { return buffers != BufferUse::None; }
  mlir::Value emitUniform(Emitter &emitter, mlir::Value value) const override;
  mlir::Value emitLoad(Emitter &emitter, const gpu::LoadAccess &access) const override;
  void emitStore(Emitter &emitter, const gpu::StoreAccess &access) const override;
  bool hasBufferAtomic(mlir::LLVM::AtomicBinOp operation, mlir::Type element) const override;
  mlir::Value emitBufferAtomic(Emitter &emitter, mlir::LLVM::AtomicBinOp operation, const gpu::AccessPlace &place,
                               mlir::Value value, mlir::Value mask) const override;
  const gpu::AsyncCopyEmitter *asyncCopies() const override { return &copies; }

  // TransposingReads.cpp
  std::optional<Registers> emitMatrixLoad(Emitter &emitter, mlir::Value base, const LinearLayout &offsets,
                                          mlir::Type element) const override;

  // MathInstructions.cpp
  bool computesPairs(mlir::Operation *op) const override;
  mlir::Value emitMath(Emitter &emitter, gpu::MathFunction function, mlir::ValueRange operands,
                       mlir::FloatType type) const override;
  mlir::Value emitApproximateDivision(Emitter &emitter, mlir::Value left, mlir::Value right) const override;
  mlir::Value emitDivision(Emitter &emitter, mlir::Value left, mlir::Value right,
                           bool hasNormalReciprocal) const override;

  // ByteFloats.cpp
  bool convertsByteFloats(mlir::FloatType type) const override;
  Registers emitDecodeBytes(Emitter &emitter, mlir::ValueRange bytes, mlir::Type from,
                            mlir::FloatType to) const override;
  Registers emitEncodeBytes(Emitter &emitter, mlir::ValueRange values, mlir::FloatType to) const override;

  // MatrixMultiply.cpp
  mlir::LogicalResult lowerMatrixProduct(tt::DotOp op, Emitter &emitter) const override;
  mlir::LogicalResult lowerScaledProduct(tt::DotScaledOp op, Emitter &emitter) const override;

private:
  Architecture architecture;
  BufferUse buffers;
  BufferCopies copies;
};

} // namespace triton::amd
