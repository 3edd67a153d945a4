// The simulator's encoding of tensor maps, which describe tensors in global memory to asynchronous copies. It replaces
// the opaque encoding that the driver's cuTensorMapEncodeTiled writes. It has the same arguments, checks and size, so
// that a kernel does not see the difference.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace triton::simulator {

struct alignas(64) TensorMap {
  static constexpr unsigned mostDimensions = 5;
  static constexpr uint64_t signature = 0x54656e736f724d70; // a number that memory is unlikely to contain

  /// Numbered as CUtensorMapDataType.
  enum class ElementType : uint8_t { U8, U16, U32, I32, U64, I64, F16, F32, F64, BF16, F32Flushed, TF32, TF32Flushed };
  /// Numbered as CUtensorMapSwizzle: the XOR of 16-byte pieces within 32, 64 or 128 bytes.
  enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };
  /// What elements beyond the tensor read as; numbered as CUtensorMapFloatOOBfill.
  enum class Fill : uint8_t { Zero, NaN };

  uint64_t mark; ///< the signature; with any other number this is not a tensor map
  uint64_t address;
  uint64_t sizes[mostDimensions];       ///< in elements, the contiguous dimension first; 1 beyond the rank
  uint64_t strides[mostDimensions - 1]; ///< in bytes, of all dimensions but the first
  uint16_t box[mostDimensions];         ///< in elements: what a copy moves; 1 beyond the rank
  uint8_t elementStrides[mostDimensions];
  ElementType type;
  uint8_t rank;
  Swizzle swizzle;
  Fill fill;
  uint8_t reserved[20];

  unsigned elementBytes() const;
  /// The contiguous bytes of a box.
  unsigned rowBytes() const { return box[0] * elementBytes(); }
  /// The distance in bytes from one row of a box in shared memory to the next.
  unsigned rowPitch() const { return swizzle == Swizzle::None ? rowBytes() : swizzleSpan(); }
  unsigned swizzleSpan() const { return 16u << unsigned(swizzle); }
  /// Steps of a box along a dimension.
  unsigned steps(unsigned dimension) const {
    unsigned stride = dimension == 0 ? 1 : elementStrides[dimension];
    return (box[dimension] + stride - 1) / stride;
  }
};
static_assert(sizeof(TensorMap) == 128);

/// The arguments of cuTensorMapEncodeTiled, as numbers.
struct TensorMapArguments {
  uint32_t type = 0;
  uint64_t address = 0;
  llvm::ArrayRef<uint64_t> sizes;   ///< their number is the rank
  llvm::ArrayRef<uint64_t> strides; ///< one stride less than sizes
  llvm::ArrayRef<uint32_t> box, elementStrides;
  uint32_t interleave = 0, swizzle = 0, l2Promotion = 0, fill = 0;
};

/// Writes a tensor map. Returns what is wrong with the arguments, or nothing. The driver refuses the same arguments. In
/// addition, the simulator refuses layouts that interleave channels.
std::string encodeTensorMap(const TensorMapArguments &arguments, TensorMap &map);

} // namespace triton::simulator
