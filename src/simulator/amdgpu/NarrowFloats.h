// Floats of at most eight bits, as AMD's GPUs know them.
#pragma once

#include "simulator/amdgpu/Architecture.h"

#include <cstdint>

namespace triton::simulator::amdgpu {

enum class NarrowFormat : uint8_t {
  E4M3,     ///< one NaN of each sign, no infinity
  E5M2,     ///< as IEEE
  E4M3Fnuz, ///< a bias of 8; no infinity, one zero, and the NaN in the place of -0
  E5M2Fnuz, ///< the same with a bias of 16
  E2M3,     ///< these three have neither infinity nor NaN
  E3M2,
  E2M1,
};

/// The format that instructions of this processor call fp8 or, with `wide`, bf8.
inline NarrowFormat eightBitFormat(const Architecture &architecture, bool wide) {
  if (architecture.hasFnuz())
    return wide ? NarrowFormat::E5M2Fnuz : NarrowFormat::E4M3Fnuz;
  return wide ? NarrowFormat::E5M2 : NarrowFormat::E4M3;
}

unsigned bitsOf(NarrowFormat format);
float widen(uint32_t bits, NarrowFormat format);
/// To nearest even. What is too large becomes infinity or NaN, as the format has it, or its largest number.
uint32_t narrow(double value, NarrowFormat format);
/// Adds the upper bits of a random number to the bits that are cut off, and truncates.
uint32_t narrowStochastically(float value, uint32_t random, NarrowFormat format);

} // namespace triton::simulator::amdgpu
