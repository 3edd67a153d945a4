// The sums of AMD's matrix units. For gfx90a and gfx942 they follow a published model that was compared with the
// hardware bit by bit (MMA-Sim); of the other processors nothing is published.
#pragma once

#include "simulator/amdgpu/MatrixForms.h"
#include "simulator/amdgpu/NarrowFloats.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace triton::simulator::amdgpu {

/// An element of A or B: its value, and a finite number also as significand * 2^(exponent - fraction bits of its
/// format), where the significand is an integer with the sign. Integers are the significand.
struct Factor {
  double value = 0;
  int32_t significand = 0;
  int16_t exponent = 0;
  uint8_t fractionBits = 0;
};

/// A row of A or a column of B.
struct FactorLine {
  static constexpr int16_t none = -10000, special = 20000;
  llvm::ArrayRef<Factor> factors;
  const double *values;     ///< of the factors, side by side
  const int16_t *exponents; ///< that of zero is `none`
  int16_t largestExponent;  ///< `special` if a factor is not finite
};

/// How products are added to the accumulator.
enum class SumRule : uint8_t {
  Integers,      ///< exactly, modulo 2^32
  Doubles,       ///< one fused multiply-add of f64 after another
  Singles,       ///< the same in f32
  Quads,         ///< gfx90a: four products by a tree of f32 sums, which flush subnormal numbers
  Pairs,         ///< gfx90a: two products in the same way
  Aligned,       ///< gfx942: groups of products that are aligned and cut off
  AlignedHalves, ///< gfx942: the same for even and odd products separately
};

class MatrixSum {
public:
  MatrixSum(const MatrixForm &form, const Architecture &architecture, llvm::StringRef name);

  /// Decodes an element; the scale is a power of two.
  Factor factor(uint64_t bits, MatrixType type, bool isSigned, double scale) const;
  float sum(const FactorLine &a, const FactorLine &b, float c) const;
  double sumDouble(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b, double c) const;
  int64_t sumInteger(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b, int32_t c) const;

  SumRule rule;
  unsigned group; ///< how many products are added at once
  bool hasFnuz;

private:
  float sumAligned(const FactorLine &a, const FactorLine &b, float c) const;
};

} // namespace triton::simulator::amdgpu
