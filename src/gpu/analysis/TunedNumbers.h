// Numbers that were measured, see TunedNumbers.def.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triton::tuned {

#define TRITON_TUNED(name, type, value, unit, place, why, measured) inline constexpr type name = value;
#include "gpu/analysis/TunedNumbers.def"

} // namespace triton::tuned
