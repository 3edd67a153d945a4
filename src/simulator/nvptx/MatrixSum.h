// The sums of the matrix units. The source are measurements on an H200, which the tests reproduce bit for bit.
#pragma once

#include "simulator/core/FactorPanel.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>

namespace triton::simulator::nvptx {

/// The formats of the factors.
enum class MatrixElement : uint8_t { Half, BFloat, TF32, E4M3, E5M2 };
FactorFormat formatOf(MatrixElement element);
/// The bits of an element: the units ignore the low ones of tf32.
constexpr unsigned discardedBitsOfTF32 = 13;
inline uint32_t bitsOf(MatrixElement element, uint32_t bits) {
  return element == MatrixElement::TF32 ? bits >> discardedBitsOfTF32 : bits;
}

/// A row of A or a column of B, decoded once for all sums to which it contributes. A factor is its significand, a
/// signed integer, times a power of two.
class Factors {
public:
  static constexpr unsigned most = 32;

  /// Decodes elements that are given as bits.
  Factors(llvm::ArrayRef<uint32_t> elements, const FactorFormat &format, bool negate = false);

private:
  friend class MatrixSum;
  static constexpr int32_t zeroScale = -(1 << 12);

  struct Special {
    uint8_t index;
    bool isNaN; ///< otherwise it is infinite
    bool negative;
  };

  int32_t significands[most];
  int32_t scales[most];                   ///< as stored; subnormal numbers have the format's least, zeros `zeroScale`
  llvm::SmallVector<Special, 2> specials; ///< among the factors, these are zeros
};

/// How a matrix instruction adds products. Every term is truncated toward zero to a multiple of 2^(E - fractionBits),
/// where E is the largest sum of two factors' stored exponents, or the addend's exponent. The terms are added exactly,
/// and the sum is rounded once.
class MatrixSum {
public:
  enum class Accumulator : uint8_t {
    Single,       ///< f32, truncated
    NarrowSingle, ///< f32 with 13 bits of its fraction, truncated: wgmma's result for 8-bit floats
    Half          ///< rounded to nearest even
  };

  /// A factor of the products.
  struct Operand {
    MatrixElement element;
    bool isNegated = false;
  };

  MatrixSum(Operand a, Operand b, unsigned depth, int fractionBits, Accumulator accumulator);

  /// Decodes panels whose elements have been set.
  void decode(FactorPanel &a, FactorPanel &b) const;
  /// Adds the products of each row of A with each column of B to the elements of a matrix, or replaces them. They are
  /// bits; each row has as many as B has lines.
  void add(const FactorPanel &a, const FactorPanel &b, bool adds, uint32_t *matrix) const;

  /// a[0] * b[0] + a[1] * b[1] + ... + addend, as bits. Without an addend there is one term fewer.
  uint32_t operator()(const Factors &a, const Factors &b, std::optional<uint32_t> addend) const;

private:
  template <unsigned lanes>
  uint32_t addVector(const FactorPanel &a, const FactorPanel &b, unsigned row, unsigned column, bool adds,
                     uint32_t *addends) const;
  void encodeHalves(const int32_t *sums, const int32_t *addends, const int32_t *tops, uint32_t lanes,
                    uint32_t *results) const;
  uint32_t specialSum(const Factors &a, const Factors &b, std::optional<uint32_t> addend) const;

  Operand a, b;
  unsigned depth;
  int fractionBits;
  int lift; ///< how many bits a product whose scale is E exceeds the least weight that is kept
  Accumulator accumulator;
};

} // namespace triton::simulator::nvptx
