// Products of matrices. The elements of both factors are gathered from all lanes, and each element of the result is
// computed by itself.
#include "simulator/amdgpu/LaneMoves.h"
#include "simulator/amdgpu/Matrix.h"
#include "simulator/core/FloatFormats.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace triton::simulator::amdgpu {

namespace {

/// The bits of a lane's operand.
struct LaneBits {
  static constexpr unsigned most = 128; ///< bytes
  std::byte bytes[most + 8] = {};

  uint64_t element(unsigned slot, unsigned bits) const {
    unsigned first = slot * bits;
    uint64_t word = 0;
    std::memcpy(&word, bytes + first / 8, 8);
    return bits == 64 ? word : (word >> first % 8) & ((uint64_t(1) << bits) - 1);
  }
  void set(unsigned slot, unsigned bits, uint64_t value) { std::memcpy(bytes + slot * bits / 8, &value, bits / 8); }
};

LaneBits load(const Warp &warp, const MatrixRegisters &source, unsigned lane) {
  LaneBits bits;
  for (auto [i, offset] : llvm::enumerate(source.registers))
    std::memcpy(bits.bytes + i * source.bytes, warp.read<std::byte>(offset) + lane * source.bytes, source.bytes);
  return bits;
}

void store(Warp &warp, const MatrixRegisters &target, unsigned lane, const LaneBits &bits) {
  for (auto [i, offset] : llvm::enumerate(target.registers))
    std::memcpy(warp.write<std::byte>(offset) + lane * target.bytes, bits.bytes + i * target.bytes, target.bytes);
}

/// The rows of A or the columns of B, of all blocks.
class FactorTable {
public:
  explicit FactorTable(const MatrixForm &form)
      : depth(form.depth), factors(std::size_t(form.blocks) * form.size * form.depth), values(factors.size()),
        exponents(factors.size()), largest(std::size_t(form.blocks) * form.size, FactorLine::none) {}
  void set(uint32_t place, const Factor &factor) {
    factors[place] = factor;
    values[place] = factor.value;
    exponents[place] = factor.significand == 0 ? FactorLine::none : factor.exponent;
    int16_t exponent = std::isfinite(factor.value) ? exponents[place] : FactorLine::special;
    largest[place / depth] = std::max(largest[place / depth], exponent);
  }
  FactorLine line(uint32_t number) const {
    std::size_t first = std::size_t(number) * depth;
    return {llvm::ArrayRef(factors).slice(first, depth), &values[first], &exponents[first], largest[number]};
  }

private:
  unsigned depth;
  std::vector<Factor> factors;
  std::vector<double> values;
  std::vector<int16_t> exponents, largest;
};

/// The lane whose part of B a lane uses (blgp).
unsigned laneOfB(unsigned pattern, unsigned lane) {
  switch (pattern) {
  case 0:
    return lane;
  case 1:
    return lane % 32;
  case 2:
    return 32 + lane % 32;
  case 3:
    return (lane + 16) % 64;
  default:
    return 16 * (pattern - 4) + lane % 16;
  }
}

double scaleOf(const Warp &warp, const MatrixOperand &operand, const Position &position) {
  constexpr unsigned elementsOfScale = 32;
  unsigned group = position.inner / elementsOfScale;
  unsigned part = operand.hasScalesOfRow ? operand.scaleHalf : group;
  unsigned lane = part * operand.fragment.size + position.outer;
  unsigned byte = operand.hasScalesOfRow ? group : operand.scaleByte;
  unsigned exponent = warp.read<uint32_t>(*operand.scales)[lane] >> 8 * byte & 0xff;
  return exponent == 0xff ? std::nan("") : std::ldexp(1.0, int(exponent) - 127);
}

FactorTable gather(Warp &warp, const DecodedInstruction &instruction, const MatrixInstruction &matrix,
                   const MatrixOperand &operand, unsigned pattern) {
  FactorTable table(matrix.form);
  unsigned bits = bitsOf(operand.type), lanes = operand.fragment.lanes();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    LaneBits own = load(warp, operand.values, laneOfB(pattern, lane));
    for (unsigned slot = 0; slot < operand.fragment.slots; ++slot) {
      double scale = operand.scales ? scaleOf(warp, operand, operand.fragment.at(lane, slot)) : 1;
      Factor factor = matrix.sum.factor(own.element(slot, bits), operand.type, operand.isSigned, scale);
      factor.value = operand.isNegated ? -factor.value : factor.value;
      table.set(operand.places[lane * operand.fragment.slots + slot], factor);
    }
    for (unsigned copy = 1; copy < operand.fragment.copies; ++copy)
      if (LaneBits other = load(warp, operand.values, lane + copy * lanes);
          std::memcmp(own.bytes, other.bytes, sizeof(own.bytes)) != 0) {
        warp.report(FindingKind::DifferentCopies, instruction.location, lane + copy * lanes,
                    llvm::formatv("lane {0} holds other elements than lane {1}", lane + copy * lanes, lane).str());
        break;
      }
  }
  return table;
}

/// An element of C or D as f32.
float widenResult(uint64_t bits, MatrixType type) {
  return type == MatrixType::F16    ? floatFromHalf(uint16_t(bits))
         : type == MatrixType::BF16 ? floatFromBFloat(uint16_t(bits))
                                    : bitCast<float>(uint32_t(bits));
}

uint64_t narrowResult(float value, MatrixType type) {
  return type == MatrixType::F16    ? halfFromFloat(value)
         : type == MatrixType::BF16 ? bfloatFromFloat(value)
                                    : bitCast<uint32_t>(value);
}

uint64_t computeElement(const MatrixInstruction &matrix, const FactorLine &a, const FactorLine &b, uint64_t c) {
  switch (matrix.sum.rule) {
  case SumRule::Integers: {
    int64_t total = matrix.sum.sumInteger(a.factors, b.factors, int32_t(c));
    if (matrix.clamps)
      total = std::clamp<int64_t>(total, INT32_MIN, INT32_MAX);
    return uint32_t(total);
  }
  case SumRule::Doubles: {
    auto addend = bitCast<double>(c);
    return bitCast<uint64_t>(matrix.sum.sumDouble(a.factors, b.factors, matrix.negatesC ? -addend : addend));
  }
  default:
    return narrowResult(matrix.sum.sum(a, b, widenResult(c, matrix.form.c)), matrix.form.c);
  }
}

void multiply(Warp &warp, const DecodedInstruction &instruction) {
  needAllLanes(warp, instruction);
  const auto &matrix = *static_cast<const MatrixInstruction *>(instruction.detail);
  warp.time.multiply(2ull * matrix.form.size * matrix.form.size * matrix.form.depth * matrix.form.blocks,
                     instruction.location, /*isAsynchronous=*/false);
  if (multiplyByVectors(warp, matrix))
    return;
  FactorTable a = gather(warp, instruction, matrix, matrix.a, 0),
              b = gather(warp, instruction, matrix, matrix.b, matrix.lanesOfB);
  const Fragment &fragment = matrix.result;
  unsigned bits = bitsOf(matrix.form.c), lanes = fragment.lanes();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    LaneBits result = load(warp, matrix.c, lane);
    for (unsigned slot = 0; slot < fragment.slots; ++slot) {
      auto [lineOfA, lineOfB] = matrix.lines[lane * fragment.slots + slot];
      unsigned place = slot * fragment.stride + matrix.firstHalf;
      result.set(place, bits, computeElement(matrix, a.line(lineOfA), b.line(lineOfB), result.element(place, bits)));
    }
    store(warp, matrix.d, lane, result);
  }
}

} // namespace

void locateElements(MatrixInstruction &matrix) {
  const MatrixForm &form = matrix.form;
  for (MatrixOperand *operand : {&matrix.a, &matrix.b})
    for (unsigned lane = 0; lane < operand->fragment.lanes(); ++lane)
      for (unsigned slot = 0; slot < operand->fragment.slots; ++slot) {
        Position position = operand->fragment.at(lane, slot);
        operand->places.push_back((position.block * form.size + position.outer) * form.depth + position.inner);
      }
  for (unsigned lane = 0; lane < matrix.result.lanes(); ++lane)
    for (unsigned slot = 0; slot < matrix.result.slots; ++slot) {
      Position position = matrix.result.at(lane, slot);
      // Several blocks may use the same block of A (cbsz, abid).
      unsigned mask = (1u << matrix.broadcastBits) - 1;
      unsigned blockOfA = matrix.broadcastBits ? (position.block & ~mask) + matrix.broadcastBlock : position.block;
      matrix.lines.push_back({blockOfA * form.size + position.inner, position.block * form.size + position.outer});
    }
}

Handler matrixHandler() { return &multiply; }

} // namespace triton::simulator::amdgpu
