// Computes where the operands of warp groups' products lie in shared memory. The source are measurements on an H200 for
// 94 descriptors, which the tests reproduce.
#pragma once

#include <cstdint>

namespace triton::simulator::nvptx {

/// The 64 bits that describe a matrix in shared memory to wgmma.
class MatrixDescriptor {
public:
  explicit MatrixDescriptor(uint64_t bits)
      : start(uint32_t(bits & 0x3FFF) << 4), leading(uint32_t(bits >> 16 & 0x3FFF) << 4),
        stride(uint32_t(bits >> 32 & 0x3FFF) << 4), baseOffset(uint32_t(bits >> 49 & 7)),
        swizzle(unsigned(bits >> 62)) {}

  /// The offset in shared memory of byte `byte` of row `row` (of A; column of B), if rows are contiguous.
  uint32_t offsetInRow(uint32_t row, uint32_t byte) const {
    if (swizzle == 0)
      return start + row % 8 * 16 + row / 8 * stride + byte % 16 + byte / 16 * leading;
    return permute(start + row % 8 * span() + row / 8 * stride + byte);
  }
  /// The same for the element of so many bytes at `depth` of row `row`, if the elements of one depth are contiguous.
  uint32_t offsetInDepth(uint32_t row, uint32_t depth, uint32_t bytes = 2) const {
    if (swizzle == 0)
      return start + row % (16 / bytes) * bytes + depth % 8 * 16 + depth / 8 * leading + row / (16 / bytes) * stride;
    uint32_t elements = span() / bytes;
    return permute(start + row % elements * bytes + depth % 8 * span() + row / elements * leading + depth / 8 * stride);
  }

private:
  /// The number of contiguous bytes within which 16-byte pieces are swizzled.
  uint32_t span() const { return 256u >> swizzle; }
  uint32_t permute(uint32_t address) const {
    uint32_t mask = span() / 16 - 1;
    return address ^ (((address >> 7) - baseOffset & mask) << 4);
  }

  uint32_t start, leading, stride, baseOffset;
  unsigned swizzle; ///< 0: none, 1: 128 bytes, 2: 64, 3: 32
};

} // namespace triton::simulator::nvptx
