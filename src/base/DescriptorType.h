// The type of a kernel argument that describes an array: what of a tensor descriptor is known at compile time.
#pragma once

#include "base/ElementType.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triton::base {

/// Elements, the block that one access moves, and what loads do with the elements.
struct DescriptorType {
  static constexpr unsigned maximumRank = 5;

  ScalarType element = ScalarType::Void;
  uint8_t rank = 0;
  std::array<uint8_t, maximumRank> logBlock{}; ///< the block's extents are powers of two
  bool padsWithNaN = false;                    ///< elements outside the array load as NaN rather than zero
  bool roundsToTF32 = false;                   ///< loads round fp32 elements to ten mantissa bits
  /// In Gluon: the width in bytes of the swizzled pieces of the buffers, 0, 32, 64 or 128.
  std::optional<uint8_t> bufferSwizzle = {};
  bool fp4Padded = false; ///< a byte of a buffer holds two floats of 4 bits, and 8 lie unused behind 8
  /// For each bit of a block's number in a cluster, the dimension of which its two values have different parts, counted
  /// from `firstDivided`; `notDivided`: both have the same; 0: there is no such bit.
  static constexpr uint8_t notDivided = 1, firstDivided = 2;
  static constexpr unsigned maximumBlockBits = 3;
  std::array<uint8_t, maximumBlockBits> blockBits{};

  std::vector<int64_t> block() const;
  unsigned elementBytes() const { return bitWidth(element) <= 8 ? 1 : bitWidth(element) / 8; }
  bool operator==(const DescriptorType &) const = default;
  /// The signature's spelling: "tensordesc<fp16[64, 32]>", "tensordesc<fp32[16], nan, tf32>". A layout of buffers comes
  /// last, as Python shows it.
  std::string str() const;

  /// The coordinates that the bits of a block's number add, `rank` numbers for each, in units of parts.
  std::vector<int32_t> blockBases() const;
  /// Sets `blockBits` from such coordinates. False where blocks do not divide dimensions in their order.
  bool setBlockBases(std::span<const int64_t> bases);

  /// All members but `element` in one word, and back.
  uint64_t pack() const;
  static DescriptorType unpack(ScalarType element, uint64_t word);
};

/// Sets the rank and the block. What is wrong with the extents, as a message; empty when nothing is.
std::string setBlock(DescriptorType &type, std::span<const int64_t> extents);
/// Whether buffers can have swizzled pieces of so many bytes; 0 is for plain ones.
inline bool isSwizzle(int64_t bytes) { return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128; }
/// What is wrong with padding or rounding of these elements; empty when nothing is.
std::string checkElements(const DescriptorType &type);

/// Parses a signature's spelling. None when it names no descriptor.
std::optional<DescriptorType> parseDescriptorType(std::string_view text);

} // namespace triton::base
