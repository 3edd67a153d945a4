// What a kernel's attributes say about the GPU for which it was compiled.
#pragma once

#include "llvm/IR/Function.h"

namespace triton::simulator::amdgpu {

/// A processor such as gfx942: generation 9, minor version 4, stepping 2. The letters count as the digits 10 to 15.
struct Architecture {
  unsigned generation = 9, minor = 0, stepping = 0;
  bool hasWave64 = true; ///< a warp has 64 lanes, not 32

  static Architecture of(const llvm::Function &kernel);

  bool is(unsigned otherGeneration, unsigned otherMinor, unsigned otherStepping) const {
    return generation == otherGeneration && minor == otherMinor && stepping == otherStepping;
  }
  bool isGfx90a() const { return is(9, 0, 10); }
  bool isGfx942() const { return is(9, 4, 2); }
  bool isGfx950() const { return is(9, 5, 0); }
  /// The processors whose matrix instructions are called mfma.
  bool hasMatrixCores() const { return isGfx90a() || isGfx942() || isGfx950(); }
  /// Whether 8-bit floats have a bias that is larger by one, one zero, one NaN and no infinity.
  bool hasFnuz() const { return isGfx942(); }
  bool hasEightBitFloats() const { return isGfx942() || isGfx950() || generation >= 12; }
  bool isGfx1250() const { return is(12, 5, 0); }
  /// Whether matrix instructions are those of gfx1250.
  bool hasDeepProducts() const { return isGfx1250(); }
  bool copiesToLds() const { return hasMatrixCores(); }
  unsigned laneCount() const { return hasWave64 ? 64 : 32; }
};

} // namespace triton::simulator::amdgpu
