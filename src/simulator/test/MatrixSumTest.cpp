// The sums of whole matrices are those of their elements one by one, whatever vectors the processor has.
#include "simulator/nvptx/MatrixSum.h"
#include "simulator/core/HostVectors.h"
#include "gtest/gtest.h"

#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace triton::simulator::nvptx {
namespace {

using Case = std::tuple<MatrixElement, MatrixElement, unsigned, int, MatrixSum::Accumulator>;

struct RandomMatrices {
  std::mt19937 random;

  /// Bits of a float whose exponent differs from the middle one by at most `spread`. One in 32 has any bits.
  uint32_t element(const FactorFormat &format, unsigned spread) {
    uint32_t bits = random(), exponents = 1u << format.exponentBits,
             mantissa = bits & ((1u << format.mantissaBits) - 1);
    uint32_t exponent = (exponents / 2 + random() % (2 * spread + 1) - spread) % exponents, sign = random() & 1;
    if (random() % 64 == 0)
      return 0;
    if (random() % 32 == 0)
      exponent = random() % exponents;
    return (sign << format.exponentBits | exponent) << format.mantissaBits | mantissa;
  }

  void fill(FactorPanel &panel, const FactorFormat &format, unsigned spread) {
    for (unsigned k = 0; k < panel.depth; ++k)
      for (unsigned line = 0; line < panel.lines; ++line)
        panel.elements(k)[line] = element(format, spread);
  }
};

void compare(const Case &all, unsigned columns, unsigned spread, bool adds) {
  auto [elementOfA, elementOfB, depth, fractionBits, accumulator] = all;
  FactorFormat formatOfA = formatOf(elementOfA), formatOfB = formatOf(elementOfB);
  RandomMatrices matrices{std::mt19937(columns + spread)};
  FactorPanel a(16, depth), b(columns, depth);
  matrices.fill(a, formatOfA, spread);
  matrices.fill(b, formatOfB, spread);
  MatrixSum sum({elementOfA, true}, {elementOfB}, depth, fractionBits, accumulator);
  sum.decode(a, b);
  FactorFormat result = accumulator == MatrixSum::Accumulator::Half ? FactorFormat{5, 10} : FactorFormat{8, 23};
  std::vector<uint32_t> before, after;
  for (unsigned i = 0; i < 16 * columns; ++i)
    before.push_back(matrices.element(result, spread));
  after = before;
  sum.add(a, b, adds, after.data());
  for (unsigned i = 0; i < before.size(); ++i) {
    Factors row(a.line(i / columns), formatOfA, /*negate=*/true), column(b.line(i % columns), formatOfB);
    ASSERT_EQ(after[i], sum(row, column, adds ? std::optional(before[i]) : std::nullopt)) << "element " << i;
  }
}

TEST(MatrixSum, OfMatricesAndOfElements) {
  using enum MatrixElement;
  using Accumulator = MatrixSum::Accumulator;
  const Case cases[] = {{Half, Half, 16, 25, Accumulator::Single},       {Half, Half, 8, 25, Accumulator::Half},
                        {BFloat, BFloat, 16, 25, Accumulator::Single},   {TF32, TF32, 8, 25, Accumulator::Single},
                        {E4M3, E5M2, 32, 13, Accumulator::NarrowSingle}, {E5M2, E4M3, 32, 13, Accumulator::Half}};
  const unsigned widest = vectorBytes();
  for (unsigned bytes : {16u, 32u, 64u}) {
    if (bytes > widest)
      break;
    vectorBytes() = bytes;
    for (const Case &all : cases)
      for (unsigned columns : {8u, 24u, 64u})
        for (unsigned spread : {1u, 6u, 100u})
          for (bool adds : {false, true})
            compare(all, columns, spread, adds);
  }
  vectorBytes() = widest;
}

} // namespace
} // namespace triton::simulator::nvptx
