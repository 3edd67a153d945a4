// One conversion between wide and narrow floats, as its handler needs it.
#pragma once

#include "simulator/amdgpu/NarrowFloats.h"
#include "simulator/core/Decoder.h"

#include <optional>

namespace triton::simulator::amdgpu {

struct Conversion {
  NarrowFormat narrow;
  FloatFormat wide;
  Registers values; ///< wide elements, or the registers that contain the narrow ones
  unsigned valueBytes = 4;
  Registers old; ///< what remains of a result of which only a part is written
  Registers outputs;
  unsigned outputBytes = 4;
  std::optional<RegisterOffset> scale; ///< an f32 whose exponent multiplies wide elements, or divides them
  std::optional<RegisterOffset> random;
  std::optional<RegisterOffset> place; ///< which part of the narrow register, in units of what is converted
  bool placeIsFlag = false;
};

unsigned uniformPlace(const Warp &warp, const Conversion &conversion);

Handler wideningConversion();  ///< `detail` is a Conversion
Handler narrowingConversion(); ///< `detail` is a Conversion
Handler packingTowardZero();   ///< `detail` is an OperandList

} // namespace triton::simulator::amdgpu
