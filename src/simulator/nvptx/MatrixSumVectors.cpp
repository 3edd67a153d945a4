// The sums of a whole matrix: vectors of neighbouring columns, with the same results as one sum alone. What is rare
// (NaN, infinities, exponents near the limits of f32 or far from one another) is left to that.
#include "simulator/core/HostVectors.h"
#include "simulator/nvptx/MatrixSum.h"

#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

namespace triton::simulator::nvptx {

void MatrixSum::decode(FactorPanel &panelOfA, FactorPanel &panelOfB) const {
  panelOfA.decode(formatOf(a.element), a.isNegated);
  panelOfB.decode(formatOf(b.element), b.isNegated);
}

/// Computes neighbouring elements of a row. Returns the lanes that it cannot compute, which it leaves as they are.
template <unsigned lanes>
TRITON_ALWAYS_INLINE inline uint32_t MatrixSum::addVector(const FactorPanel &rows, const FactorPanel &columns,
                                                          unsigned row, unsigned column, bool adds,
                                                          uint32_t *results) const {
  using Ints = Vector<int32_t, lanes>;
  using Floats = Vector<float, lanes>;
  using Shorts = Vector<int16_t, lanes>;
  using Longs = Vector<int64_t, lanes>;
  using Doubles = Vector<double, lanes>;
  constexpr int none = FactorPanel::zeroExponent, isNone = FactorPanel::isNone, limit = FactorPanel::limit;
  bool isHalf = accumulator == Accumulator::Half;

  Shorts largest = Shorts(2 * none), exponents;
  for (unsigned k = 0; k < depth; ++k) {
    loadVector(exponents, columns.exponents(k) + column);
    largest = __builtin_elementwise_max(largest, Shorts(exponents + rows.exponents(k)[row]));
  }
  Ints products = __builtin_convertvector(largest, Ints);

  Ints before, addend = 0;
  loadVector(before, results);
  if (adds && !isHalf)
    addend = before;
  if (adds && isHalf) { // as f32; its subnormal numbers are normal there
    Ints biased = before >> 10 & 31, shifted = (before & 0x7fff) << 13;
    Floats subnormal = __builtin_convertvector(before & 0x3ff, Floats) * 0x1p-24f;
    Ints fromSubnormal;
    loadVector(fromSubnormal, &subnormal);
    addend = biased == 0 ? fromSubnormal : biased == 31 ? Ints(0x7f800000) : shifted + (112 << 23);
    addend |= (before & 0x8000) << 16;
  }
  Ints biased = addend >> 23 & 255;
  Ints exponentOfAddend = __builtin_elementwise_max(biased - 127, Ints(isHalf ? -14 : -126));
  exponentOfAddend = (addend & 0x7fffffff) == 0 ? Ints(none) : exponentOfAddend;
  Ints top = __builtin_elementwise_max(products, exponentOfAddend);

  Shorts largestOfColumns;
  loadVector(largestOfColumns, columns.largestExponents() + column);
  Ints reference = __builtin_convertvector(largestOfColumns, Ints) + int32_t(rows.largestExponents()[row]);
  Ints isDone = (biased != 255) & (reference < int32_t(FactorPanel::special / 2)) & (top < limit) &
                ((top > -limit) | (top < isNone)) & ((products < isNone) | (products > reference - FactorPanel::reach));

  Floats scale, addends, factors, value;
  powersOf2(reference - top + fractionBits, scale);
  Ints sum = 0;
  for (unsigned k = 0; k < depth; ++k) {
    loadVector(factors, columns.values(k) + column);
    sum += __builtin_convertvector(factors * rows.values(k)[row] * scale, Ints);
  }
  top = top < isNone ? Ints(0) : top;
  loadVector(addends, &addend);
  powersOf2(fractionBits - top, scale);
  Ints aligned = __builtin_convertvector(addends * scale, Ints);

  const auto isLaneDone = __builtin_convertvector(isDone, Vector<bool, lanes>);
  uint32_t done = 0;
  std::memcpy(&done, &isLaneDone, lanes / 8);
  if (isHalf) {
    encodeHalves(reinterpret_cast<int32_t *>(&sum), reinterpret_cast<int32_t *>(&aligned),
                 reinterpret_cast<int32_t *>(&top), done, results);
    return ~done & ((1u << lanes) - 1);
  }
  Doubles total = __builtin_convertvector(sum, Doubles) + __builtin_convertvector(aligned, Doubles);
  Longs bits;
  loadVector(bits, &total);
  bits &= ~int64_t(0) << (accumulator == Accumulator::Single ? 52 - 23 : 52 - 13);
  loadVector(total, &bits);
  powersOf2(top - fractionBits, scale);
  value = __builtin_convertvector(total, Floats) * scale;
  Ints after;
  loadVector(after, &value);
  storeVector(isDone ? after : before, results);
  return ~done & ((1u << lanes) - 1);
}

void MatrixSum::add(const FactorPanel &rows, const FactorPanel &columns, bool adds, uint32_t *matrix) const {
  const unsigned firstRow = isPlain() ? rows.lines : 0;
  std::vector<uint32_t> remaining(firstRow * columns.lines); // places
  std::iota(remaining.begin(), remaining.end(), 0u);
  runWithVectors([&]() TRITON_ALWAYS_INLINE {
    for (unsigned row = firstRow; row < rows.lines; ++row) {
      uint32_t *results = matrix + row * columns.lines;
      auto note = [&](unsigned column, uint32_t lanes) {
        for (; lanes; lanes &= lanes - 1)
          remaining.push_back(row * columns.lines + column + unsigned(__builtin_ctz(lanes)));
      };
      unsigned column = 0;
      for (; column + 16 <= columns.lines; column += 16)
        note(column, addVector<16>(rows, columns, row, column, adds, results + column));
      for (; column < columns.lines; column += 8)
        note(column, addVector<8>(rows, columns, row, column, adds, results + column));
    }
  });
  if (remaining.empty())
    return;
  auto factorsOf = [](const FactorPanel &panel, Operand operand) {
    std::vector<std::optional<Factors>> all(panel.lines);
    return [&panel, operand, all = std::move(all)](unsigned line) mutable -> const Factors & {
      if (!all[line])
        all[line].emplace(panel.line(line), formatOf(operand.element), operand.isNegated);
      return *all[line];
    };
  };
  auto rowFactors = factorsOf(rows, a), columnFactors = factorsOf(columns, b);
  for (uint32_t place : remaining)
    matrix[place] = (*this)(rowFactors(place / columns.lines), columnFactors(place % columns.lines),
                            adds ? std::optional(matrix[place]) : std::nullopt);
}

} // namespace triton::simulator::nvptx
