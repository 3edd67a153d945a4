// Writes what LLVM IR cannot express for NVIDIA's GPUs. Instructions are NVVM's intrinsics if these exist, so that the
// simulator and LLVM's optimizer understand them.
#pragma once

#include "backends/nvidia/lowering/Capabilities.h"
#include "backends/nvidia/lowering/Capability.h"
#include "gpu/lowering/TargetEmitter.h"

#include "llvm/Support/Error.h"

namespace triton::nvidia {

using layout::LinearLayout;

std::unique_ptr<gpu::TargetEmitter> createNvidiaEmitter(unsigned capability, const gpu::EmitterOptions &options);

/// The bits of an f32, rounded to tf32. Matrix units truncate operands after 10 fraction bits, and rounding first
/// halves the error. Targets before sm_90 can only round ties away, and their instruction also truncates NaNs, so that
/// a NaN whose payload is only in the low bits would become infinite.
mlir::Value roundToTensorFloat(Emitter &emitter, mlir::Value value, unsigned capability);

class NvidiaEmitter final : public gpu::TargetEmitter {
public:
  NvidiaEmitter(unsigned capability, unsigned maxRegisters, unsigned ptxVersion)
      : capability(capability), maxRegisters(maxRegisters), ptxVersion(ptxVersion), copiesOfBlocks(maxRegisters),
        memoryOfUnit(hasByteTensorProducts(capability)) {}

  // NvidiaEmitter.cpp
  void finishKernel(Emitter &emitter, mlir::LLVM::LLVMFuncOp kernel) const override;
  mlir::Value emitThreadId(Emitter &emitter) const override;
  mlir::Value emitProgramId(Emitter &emitter, tt::ProgramDim axis) const override;
  mlir::Value emitProgramCount(Emitter &emitter, tt::ProgramDim axis) const override;
  mlir::Value emitTime(Emitter &emitter) const override;
  mlir::Value emitMultiprocessorId(Emitter &emitter) const override;
  void emitWaitForPriorLaunch(Emitter &emitter) const override;
  void emitAllowNextLaunch(Emitter &emitter) const override;
  void emitBarrier(Emitter &emitter, bool allWarps) const override;
  mlir::Value emitShuffleXor(Emitter &emitter, mlir::Value word, unsigned mask) const override;
  mlir::Value emitShuffleIndex(Emitter &emitter, mlir::Value word, mlir::Value lane) const override;
  mlir::Value emitEarlierLane(Emitter &emitter, mlir::Value word, int distance) const override;
  bool reducesWarps(mlir::Operation &combination) const override;
  mlir::Value emitWarpReduction(Emitter &emitter, mlir::Operation &combination, mlir::Value value) const override;
  void emitPrint(Emitter &emitter, const std::string &format, mlir::ValueRange values) const override;
  void emitAssertFailure(Emitter &emitter, llvm::StringRef message, const gpu::AssertionPlace &place) const override;

  // MemoryInstructions.cpp
  mlir::Value emitLoad(Emitter &emitter, const gpu::LoadAccess &access) const override;
  void emitStore(Emitter &emitter, const gpu::StoreAccess &access) const override;
  llvm::StringRef scopeName(tt::MemSyncScope scope) const override;

  const gpu::AsyncCopyEmitter *asyncCopies() const override {
    return hasAsyncCopies(capability) ? &copiesOfThreads : nullptr;
  }
  const gpu::BulkCopyEmitter *bulkCopies() const override {
    return nvidia::hasBulkCopies(capability) ? &copiesOfBlocks : nullptr;
  }
  gpu::BufferProductEmitters bufferProducts() const override {
    return {nvidia::hasWarpGroupProducts(capability) ? &productsOfGroups : nullptr,
            hasTensorMemory(capability) ? &memoryOfUnit : nullptr};
  }

  // MathInstructions.cpp
  mlir::Value emitMath(Emitter &emitter, gpu::MathFunction function, mlir::ValueRange operands,
                       mlir::FloatType type) const override;
  mlir::Value emitApproximateDivision(Emitter &emitter, mlir::Value left, mlir::Value right) const override;
  mlir::Value emitDivision(Emitter &emitter, mlir::Value left, mlir::Value right,
                           bool hasNormalReciprocal) const override;
  Registers emitDivisor(Emitter &emitter, mlir::Value divisor) const override;
  mlir::Value emitMultiplyHigh(Emitter &emitter, mlir::Value left, mlir::Value right) const override;
  mlir::Value emitTowardZero(Emitter &emitter, mlir::Value value, mlir::FloatType to) const override;
  bool convertsByteFloats(mlir::FloatType type) const override;
  Registers emitDecodeBytes(Emitter &emitter, mlir::ValueRange bytes, mlir::Type from,
                            mlir::FloatType to) const override;
  Registers emitEncodeBytes(Emitter &emitter, mlir::ValueRange values, mlir::FloatType to) const override;

  // MatrixAccess.cpp: ldmatrix and stmatrix, plain or transposed.
  std::optional<Registers> emitMatrixLoad(Emitter &emitter, mlir::Value base, const LinearLayout &offsets,
                                          mlir::Type element) const override;
  bool emitMatrixStore(Emitter &emitter, mlir::Value base, const LinearLayout &offsets,
                       mlir::ValueRange registers) const override;
  // MatrixMultiply.cpp: mma.sync.
  mlir::LogicalResult lowerMatrixProduct(tt::DotOp op, Emitter &emitter) const override;

private:
  unsigned capability, maxRegisters, ptxVersion;
  AsyncCopies copiesOfThreads;
  BulkCopies copiesOfBlocks;
  GroupProducts productsOfGroups;
  TensorMemory memoryOfUnit;
};

} // namespace triton::nvidia
