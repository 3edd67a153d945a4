// Products of matrices by vectors of neighbouring columns, with the same results as one element after another.
#include "simulator/amdgpu/Matrix.h"
#include "simulator/core/FactorPanel.h"
#include "simulator/core/HostVectors.h"
#include "simulator/core/Numerics.h"
#include "simulator/core/Warp.h"

#include "llvm/ADT/SmallVector.h"

#include <cstring>

namespace triton::simulator::amdgpu {

namespace {

constexpr unsigned lanes = 16;
using Ints = Vector<int32_t, lanes>;
using Floats = Vector<float, lanes>;
using Shorts = Vector<int16_t, lanes>;
using Doubles = Vector<double, lanes>;

constexpr int isNone = FactorPanel::isNone, limit = FactorPanel::limit;

/// Neighbouring elements of one row of a result, on gfx942.
struct AlignedRow {
  const FactorPanel &rows, &columns;
  unsigned row, column;
  Ints reference; ///< the sum of the largest exponents
  Ints isDone;    ///< the elements that can be computed so

  TRITON_ALWAYS_INLINE AlignedRow(const FactorPanel &rows, const FactorPanel &columns, unsigned row, unsigned column)
      : rows(rows), columns(columns), row(row), column(column) {
    Shorts largest;
    loadVector(largest, columns.largestExponents() + column);
    reference = __builtin_convertvector(largest, Ints) + int32_t(rows.largestExponents()[row]);
    isDone = reference < limit;
  }

  /// Products of every `stride`-th pair from `first` on, aligned to the largest exponent and cut off below 24 bits.
  TRITON_ALWAYS_INLINE void addProducts(unsigned first, unsigned count, unsigned stride, Ints &sum, Ints &exponent) {
    Shorts largest = Shorts(2 * FactorPanel::zeroExponent), exponents;
    for (unsigned k = first; k < first + count * stride; k += stride) {
      loadVector(exponents, columns.exponents(k) + column);
      largest = __builtin_elementwise_max(largest, Shorts(exponents + rows.exponents(k)[row]));
    }
    exponent = __builtin_convertvector(largest, Ints);
    isDone &= (exponent < isNone) | ((exponent > reference - FactorPanel::reach) & (exponent > -limit));
    Floats scale, factors;
    powersOf2(reference - exponent + 24, scale);
    sum = 0;
    for (unsigned k = first; k < first + count * stride; k += stride) {
      loadVector(factors, columns.values(k) + column);
      sum += __builtin_convertvector(factors * rows.values(k)[row] * scale, Ints);
    }
  }

  /// Adds two sums at the larger exponent; what lies below its 24 bits is rounded down.
  TRITON_ALWAYS_INLINE static void addSums(Ints &sum, Ints &exponent, const Ints &otherSum, const Ints &otherExponent) {
    Ints larger = __builtin_elementwise_max(exponent, otherExponent);
    sum = (sum >> __builtin_elementwise_min(larger - exponent, Ints(31))) +
          (otherSum >> __builtin_elementwise_min(larger - otherExponent, Ints(31)));
    exponent = larger;
  }

  /// Adds a sum of products, of which 31 bits are kept, and the accumulator, of which 24 are; rounds to nearest even.
  TRITON_ALWAYS_INLINE void addAccumulator(const Ints &sum, const Ints &exponentOfSum, bool dropsSmall, Floats &c) {
    Ints bits;
    loadVector(bits, &c);
    Ints biased = bits >> 23 & 255, isZero = (bits & 0x7fffffff) == 0;
    Ints exponentOfC = isZero ? Ints(FactorPanel::zeroExponent) : biased - 127;
    isDone &= isZero | ((exponentOfC > -limit) & (exponentOfC < limit));
    Ints exponent = __builtin_elementwise_max(exponentOfSum, exponentOfC);
    Floats scaleOfSum, scaleOfC, scale;
    powersOf2(__builtin_elementwise_max(exponentOfSum - exponent + 7, Ints(-100)), scaleOfSum);
    powersOf2(24 - exponent, scaleOfC);
    powersOf2(exponent - 31, scale);
    Doubles total = __builtin_convertvector(sum, Doubles) * __builtin_convertvector(scaleOfSum, Doubles);
    Doubles addend = __builtin_convertvector(c, Doubles) * __builtin_convertvector(scaleOfC, Doubles);
    total = __builtin_elementwise_floor(total);
    addend = __builtin_elementwise_floor(addend) * 128;
    Ints isAdded = ~isZero & (dropsSmall ? exponent - exponentOfC <= 25 : Ints(-1));
    total += __builtin_convertvector(isAdded, Vector<int64_t, lanes>) ? addend : Doubles(0);
    Floats result = __builtin_convertvector(total * __builtin_convertvector(scale, Doubles), Floats);
    c = sum == 0 ? c : result;
  }

  TRITON_ALWAYS_INLINE void add(unsigned group, bool halves, Floats &c) {
    for (unsigned first = 0; first < rows.depth; first += group) {
      Ints sum, exponent, oddSum, oddExponent;
      if (halves) {
        addProducts(first, group / 2, 2, sum, exponent);
        addProducts(first + 1, group / 2, 2, oddSum, oddExponent);
        addSums(sum, exponent, oddSum, oddExponent);
      } else {
        addProducts(first, group, 1, sum, exponent);
      }
      addAccumulator(sum, exponent, halves, c);
    }
  }
};

/// One fused multiply-add after another; the elements of the panels are f32. The sign of NaN is left to others.
TRITON_ALWAYS_INLINE inline void addSingles(FactorPanel &rows, FactorPanel &columns, unsigned row, unsigned column,
                                            Floats &c, Ints &isDone) {
  for (unsigned k = 0; k < rows.depth; ++k) {
    Floats factors, factor = bitCast<float>(rows.elements(k)[row]);
    loadVector(factors, columns.elements(k) + column);
    c = __builtin_elementwise_fma(factor, factors, c);
  }
  isDone = c == c;
}

FactorFormat formatOf(MatrixType type, bool hasFnuz) {
  using Specials = FactorFormat::Specials;
  switch (type) {
  case MatrixType::XF32:
    return {8, 10};
  case MatrixType::F16:
    return {5, 10};
  case MatrixType::BF16:
    return {8, 7};
  case MatrixType::Fp8:
    return hasFnuz ? FactorFormat{4, 3, Specials::NegativeZero, 8} : FactorFormat{4, 3, Specials::AllOnes};
  default:
    return hasFnuz ? FactorFormat{5, 2, Specials::NegativeZero, 16} : FactorFormat{5, 2};
  }
}

bool isCovered(const MatrixInstruction &matrix) {
  auto isPlain = [](const MatrixOperand &operand) {
    return !operand.scales && !operand.isNegated && operand.fragment.copies == 1 && operand.fragment.stride == 1;
  };
  bool isSum = matrix.sum.rule == SumRule::Aligned || matrix.sum.rule == SumRule::AlignedHalves ||
               (matrix.sum.rule == SumRule::Singles && matrix.form.a == MatrixType::F32);
  return isSum && isPlain(matrix.a) && isPlain(matrix.b) && matrix.form.size % lanes == 0 &&
         matrix.form.c == MatrixType::F32 && matrix.c.bytes == 4 && matrix.d.bytes == 4 && matrix.result.copies == 1 &&
         matrix.result.stride == 1 && matrix.broadcastBits == 0 && matrix.lanesOfB == 0;
}

/// Widens elements of neighbouring lanes, between which there are `stride` bytes. `count` is a multiple of `lanes`.
template <typename Element, unsigned stride>
void widenElements(const std::byte *source, unsigned count, unsigned droppedBits, uint32_t *elements) {
  for (unsigned first = 0; first < count; first += lanes)
    for (unsigned i = first; i < first + lanes; ++i) {
      Element element;
      std::memcpy(&element, source + i * stride, sizeof(element));
      elements[i] = element >> droppedBits;
    }
}

template <typename Element> auto findWidening(unsigned stride) {
  switch (stride) {
  case 1:
    return &widenElements<Element, 1>;
  case 2:
    return &widenElements<Element, 2>;
  case 4:
    return &widenElements<Element, 4>;
  default:
    return &widenElements<Element, 8>;
  }
}

/// The elements of neighbouring lanes belong to neighbouring lines.
template <typename Element> void gatherLines(Warp &warp, const MatrixOperand &operand, FactorPanel &panel) {
  const Fragment &fragment = operand.fragment;
  const unsigned stride = operand.values.bytes, droppedBits = operand.type == MatrixType::XF32 ? 13 : 0;
  const auto widen = findWidening<Element>(stride);
  for (unsigned slot = 0; slot < fragment.slots; ++slot) {
    unsigned byte = slot * sizeof(Element);
    const auto *source = warp.read<std::byte>(operand.values.registers[byte / stride]) + byte % stride;
    for (unsigned lane = 0; lane < fragment.lanes(); lane += fragment.size) {
      Position position = fragment.at(lane, slot);
      widen(source + lane * stride, fragment.size, droppedBits,
            panel.elements(position.inner) + position.block * fragment.size);
    }
  }
}

void gatherLines(Warp &warp, const MatrixOperand &operand, FactorPanel &panel) {
  switch (bitsOf(operand.type)) {
  case 8:
    return gatherLines<uint8_t>(warp, operand, panel);
  case 16:
    return gatherLines<uint16_t>(warp, operand, panel);
  default:
    return gatherLines<uint32_t>(warp, operand, panel);
  }
}

/// Calls `body(lanes of a register, row)`, where neighbouring lanes hold neighbouring elements of a row.
template <typename Body>
void forEachRow(Warp &warp, const MatrixInstruction &matrix, const MatrixRegisters &registers,
                llvm::MutableArrayRef<float> results, Body body) {
  unsigned size = matrix.form.size;
  for (unsigned slot = 0; slot < matrix.result.slots; ++slot)
    for (unsigned lane = 0; lane < matrix.result.lanes(); lane += size) {
      Position position = matrix.result.at(lane, slot);
      auto *elements = const_cast<float *>(warp.read<float>(registers.registers[slot])) + lane;
      body(elements, &results[(position.block * size + position.inner) * size]);
    }
}

} // namespace

bool multiplyByVectors(Warp &warp, const MatrixInstruction &matrix) {
  if (!isCovered(matrix) || isPlain())
    return false;
  const MatrixForm &form = matrix.form;
  FactorPanel rows(form.blocks * form.size, form.depth), columns(form.blocks * form.size, form.depth);
  gatherLines(warp, matrix.a, rows);
  gatherLines(warp, matrix.b, columns);
  const bool isAligned = matrix.sum.rule != SumRule::Singles;
  if (isAligned) {
    rows.decode(formatOf(matrix.a.type, matrix.sum.hasFnuz));
    columns.decode(formatOf(matrix.b.type, matrix.sum.hasFnuz));
  }
  llvm::SmallVector<float, 1024> results(rows.lines * form.size);
  const std::size_t rowBytes = form.size * sizeof(float);
  forEachRow(warp, matrix, matrix.c, results,
             [&](const float *elements, float *row) { std::memcpy(row, elements, rowBytes); });
  bool isDone = true;
  runWithVectors([&]() TRITON_ALWAYS_INLINE {
    Ints isEachDone = -1;
    for (unsigned row = 0; row < rows.lines; ++row)
      for (unsigned column = 0; column < form.size; column += lanes) {
        float *place = &results[row * form.size + column];
        unsigned columnOfPanel = row / form.size * form.size + column;
        Floats c;
        loadVector(c, place);
        if (isAligned) {
          AlignedRow sums(rows, columns, row, columnOfPanel);
          sums.add(matrix.sum.group, matrix.sum.rule == SumRule::AlignedHalves, c);
          isEachDone &= sums.isDone;
        } else {
          Ints isNumber;
          addSingles(rows, columns, row, columnOfPanel, c, isNumber);
          isEachDone &= isNumber;
        }
        storeVector(c, place);
      }
    isDone = __builtin_reduce_and(isEachDone) != 0;
  });
  if (isDone)
    forEachRow(warp, matrix, matrix.d, results,
               [&](float *elements, const float *row) { std::memcpy(elements, row, rowBytes); });
  return isDone;
}

} // namespace triton::simulator::amdgpu
