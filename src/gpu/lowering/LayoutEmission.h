// Linear layouts in code: the places of a thread's registers, as constants and as expressions of lane and warp.
#pragma once

#include "gpu/lowering/Emitter.h"

namespace triton::gpu {

/// One output of a layout: the basis of each bit of register, lane and warp.
struct IndexMap {
  llvm::SmallVector<int32_t> registers, lanes, warps;

  /// The output at position `output`.
  IndexMap(const LinearLayout &layout, unsigned output);

  /// The contribution of register number `index`.
  int32_t ofRegister(unsigned index) const;
  /// Bits that lane or warp may set.
  int32_t threadBits() const;
  /// The contribution of lane and warp, as i32.
  mlir::Value emitThreadPart(Emitter &emitter) const;
};

/// `sum` XOR the bases of the bits that are set in `index`, as i32.
mlir::Value emitLinear(Emitter &emitter, mlir::Value index, llvm::ArrayRef<int32_t> bases, mlir::Value sum);

/// `threadPart` XOR `constant`; where the bits are apart it is an addition, which addresses absorb.
mlir::Value combineIndex(Emitter &emitter, mlir::Value threadPart, int32_t threadBits, int32_t constant);

/// `offset`, as i32, moved by what `addPaddings` adds.
mlir::Value emitPaddings(Emitter &emitter, mlir::Value offset, llvm::ArrayRef<int32_t> paddings);

/// The coordinate of every register in dimension `dimension`, as i32.
Registers emitCoordinates(Emitter &emitter, const LinearLayout &layout, unsigned dimension);

/// The coordinates of one register, without the contribution of lane and warp.
using Coordinates = llvm::SmallVector<int32_t, 4>;
Coordinates registerCoordinates(const LinearLayout &layout, unsigned index);

/// Finds registers by their coordinates.
class RegisterLookup {
public:
  explicit RegisterLookup(const LinearLayout &layout);
  /// The first register at `coordinates`, or none.
  std::optional<unsigned> find(llvm::ArrayRef<int32_t> coordinates) const;

private:
  llvm::DenseMap<uint64_t, unsigned> registers;
  llvm::SmallVector<unsigned> bits; ///< of each dimension
  uint64_t keyOf(llvm::ArrayRef<int32_t> coordinates) const;
};

/// Whether this thread represents all threads that hold the same elements; null when every thread does.
mlir::Value emitIsRepresentative(Emitter &emitter, const LinearLayout &layout);
/// The same only for warps, if copies in lanes do no harm.
mlir::Value emitIsRepresentativeWarp(Emitter &emitter, const LinearLayout &layout);
/// Emits `body` for these warps alone.
void emitInRepresentativeWarps(Emitter &emitter, const LinearLayout &layout, llvm::function_ref<void()> body);
/// For each register the lowest one that holds the same element.
llvm::SmallVector<unsigned> representativeRegisters(const LinearLayout &layout);

} // namespace triton::gpu
