// A tensor map's numbers in one launch, checked: what both the driver and the simulator encode.
#pragma once

#include "base/DescriptorType.h"
#include "base/TensorMapParameter.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace triton::base {

/// What loads from an array without elements read. No map has an extent of 0: such an array is described by a map of
/// one element, which lies here and holds the padding.
struct alignas(16) TensorMapPadding {
  static constexpr std::size_t half = 16; ///< bytes: of zeros, then of NaNs of every type that is padded with them
  std::array<uint8_t, 2 * half> bytes;
};
extern const TensorMapPadding tensorMapPadding;

/// The arguments of cuTensorMapEncodeTiled, numbered as the driver does, with the contiguous dimension first.
struct TensorMapNumbers {
  static constexpr unsigned mostDimensions = DescriptorType::maximumRank;
  static constexpr uint32_t interleave = 0;  ///< none
  static constexpr uint32_t l2Promotion = 2; ///< to 128 bytes

  uint32_t type = 0; ///< CUtensorMapDataType
  uint32_t rank = 0;
  uint64_t address = 0;
  std::array<uint64_t, mostDimensions> sizes{};       ///< in elements
  std::array<uint64_t, mostDimensions - 1> strides{}; ///< in bytes, of all dimensions but the contiguous one
  std::array<uint32_t, mostDimensions> box{};         ///< in elements
  std::array<uint32_t, mostDimensions> elementStrides{1, 1, 1, 1, 1};
  uint32_t swizzle = 0; ///< CUtensorMapSwizzle
  uint32_t fill = 0;    ///< CUtensorMapFloatOOBfill

  /// All of them, for messages.
  std::string str() const;
};

/// Two of the numbers, which are the same in every launch.
uint32_t tensorMapType(const TensorMapParameter &map);
uint32_t tensorMapSwizzle(const TensorMapParameter &map);

/// Computes the numbers of a launch of `kernel`. `paddingAddress` is called for arrays without elements: where the
/// kernel finds a copy of `tensorMapPadding`. Throws LaunchError that names kernel and array, the value and the rule
/// that it breaks.
TensorMapNumbers computeTensorMap(const TensorMapParameter &map, const std::string &kernel,
                                  std::span<const uint64_t> slots, std::span<const RuntimeArgument> arguments,
                                  llvm::function_ref<uint64_t()> paddingAddress);

/// A launch that encoded no tensor map, since driver or simulator refused the numbers.
[[noreturn]] void refuseTensorMap(const TensorMapParameter &map, const std::string &kernel,
                                  const TensorMapNumbers &numbers, const std::string &reason);

} // namespace triton::base
