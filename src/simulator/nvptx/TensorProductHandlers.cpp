// Runs tcgen05.mma and tcgen05.cp. A product is computed when it is issued, as the work of the agent of the warp's
// unit. The sums of narrow formats are those of wgmma with all bits; of products with scales they are computed in f64.
#include "simulator/core/Numerics.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"
#include "simulator/nvptx/MatrixDescriptor.h"
#include "simulator/nvptx/MatrixSum.h"
#include "simulator/nvptx/TensorUnit.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace triton::simulator::nvptx {

namespace {

constexpr unsigned rowPieceBytes = 16, depthBytes = 32;

/// A factor: its elements as bits, those of one depth side by side.
struct Factor {
  unsigned lines, depth;
  MatrixElement format = MatrixElement::Half;
  std::vector<uint32_t> bits;

  uint32_t *elements(unsigned k) { return bits.data() + k * lines; }
};

/// What an instruction descriptor says.
struct Description {
  uint32_t bits;

  uint32_t field(unsigned first, unsigned count) const { return bits >> first & ((1u << count) - 1); }
  unsigned columns() const { return field(17, 6) * 8; }
  unsigned rows(bool hasScales) const { return hasScales ? field(27, 2) * 128 : field(24, 5) * 16; }
};

/// A product that one thread starts.
class ProductOfUnit {
public:
  ProductOfUnit(Warp &warp, const DecodedInstruction &instruction, unsigned lane)
      : warp(warp), instruction(instruction), product(*static_cast<const TensorProduct *>(instruction.detail)),
        lane(lane), description{read<uint32_t>(product.description)}, rows(description.rows(product.hasScales())),
        columns(description.columns()), access(warp, instruction.location, /*isOfUnit=*/true) {}

  void run();

private:
  using Kind = TensorProduct::Kind;

  template <typename T> T read(RegisterOffset offset) const { return warp.read<T>(offset)[lane]; }
  unsigned elementBytes() const { return product.kind == Kind::Halves ? 2 : product.kind == Kind::Tf32 ? 4 : 1; }
  unsigned storedDepth() const { return depthBytes / elementBytes(); }
  MatrixElement formatOf(uint32_t code) const;
  bool checkForm();
  template <typename Element> void readShared(uint64_t descriptor, bool alongLines, Factor &factor);
  void readShared(uint64_t descriptor, bool alongLines, Factor &factor);
  void readMemory(uint32_t address, Factor &factor);
  unsigned laneOfRow(unsigned row) const { return rows == 64 ? row / 16 * 32 + row % 16 : row; }
  uint32_t &result(unsigned row, unsigned column) {
    auto address = uint32_t(read<uint64_t>(product.d));
    return access.word((address >> 16) + laneOfRow(row), (address & 0xffff) + column, /*writes=*/true);
  }
  void readResults(std::vector<uint32_t> &matrix);
  void addFloats(Factor &a, Factor &b, bool adds, std::vector<uint32_t> &matrix);
  void addIntegers(Factor &a, Factor &b, std::vector<uint32_t> &matrix) const;
  void addScaled(Factor &a, Factor &b, std::vector<uint32_t> &matrix);
  double scaleOf(RegisterOffset scales, unsigned number, unsigned line, unsigned block);

  Warp &warp;
  const DecodedInstruction &instruction;
  const TensorProduct &product;
  unsigned lane;
  Description description;
  unsigned rows, columns;
  TensorAccess access;
};

} // namespace

MatrixElement ProductOfUnit::formatOf(uint32_t code) const {
  if (product.kind == Kind::Halves)
    return code == 0 ? MatrixElement::Half : MatrixElement::BFloat;
  if (product.kind == Kind::Tf32)
    return MatrixElement::TF32;
  return code == 0 ? MatrixElement::E4M3 : MatrixElement::E5M2;
}

template <typename Element> void ProductOfUnit::readShared(uint64_t descriptor, bool alongLines, Factor &factor) {
  static const Element zeros[rowPieceBytes / sizeof(Element)] = {};
  constexpr unsigned perPiece = rowPieceBytes / sizeof(Element);
  MatrixDescriptor matrix(descriptor);
  auto piece = [&](uint32_t offset) {
    const std::byte *bytes =
        warp.readSharedAsynchronously(offset, rowPieceBytes, unitOf(warp).now(), instruction.location);
    return bytes ? reinterpret_cast<const Element *>(bytes) : zeros;
  };
  for (unsigned line = 0; line < factor.lines; line += alongLines ? perPiece : 1)
    for (unsigned k = 0; k < storedDepth(); k += alongLines ? 1 : perPiece) {
      const Element *read = piece(alongLines ? matrix.offsetInDepth(line, k, sizeof(Element))
                                             : matrix.offsetInRow(line, k * sizeof(Element)));
      for (unsigned i = 0; i < (alongLines ? std::min(perPiece, factor.lines - line) : perPiece); ++i)
        factor.elements(alongLines ? k : k + i)[alongLines ? line + i : line] = bitsOf(factor.format, read[i]);
    }
}

void ProductOfUnit::readShared(uint64_t descriptor, bool alongLines, Factor &factor) {
  switch (elementBytes()) {
  case 1:
    return readShared<uint8_t>(descriptor, alongLines, factor);
  case 2:
    return readShared<uint16_t>(descriptor, alongLines, factor);
  default:
    return readShared<uint32_t>(descriptor, alongLines, factor);
  }
}

/// Words of a row lie in neighbouring columns.
void ProductOfUnit::readMemory(uint32_t address, Factor &factor) {
  unsigned bits = 8 * elementBytes(), perWord = 32 / bits;
  for (unsigned line = 0; line < factor.lines; ++line)
    for (unsigned k = 0; k < storedDepth(); ++k) {
      uint32_t word =
          access.word((address >> 16) + laneOfRow(line), (address & 0xffff) + k / perWord, /*writes=*/false);
      uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
      factor.elements(k)[line] = bitsOf(factor.format, word >> k % perWord * bits & mask);
    }
}

void ProductOfUnit::readResults(std::vector<uint32_t> &matrix) {
  auto address = uint32_t(read<uint64_t>(product.d));
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column)
      matrix[row * columns + column] =
          access.word((address >> 16) + laneOfRow(row), (address & 0xffff) + column, /*writes=*/false);
}

void ProductOfUnit::addFloats(Factor &a, Factor &b, bool adds, std::vector<uint32_t> &matrix) {
  constexpr int fractionBits = 25;
  bool isHalf = description.field(4, 2) == 0;
  MatrixSum sum({a.format, description.field(13, 1) != 0}, {b.format, description.field(14, 1) != 0}, storedDepth(),
                fractionBits, isHalf ? MatrixSum::Accumulator::Half : MatrixSum::Accumulator::Single);
  FactorPanel left(rows, storedDepth()), right(columns, storedDepth());
  for (unsigned k = 0; k < storedDepth(); ++k) {
    std::copy_n(a.elements(k), rows, left.elements(k));
    std::copy_n(b.elements(k), columns, right.elements(k));
  }
  sum.decode(left, right);
  sum.add(left, right, adds, matrix.data());
}

void ProductOfUnit::addIntegers(Factor &a, Factor &b, std::vector<uint32_t> &matrix) const {
  auto number = [](uint32_t bits, bool isSigned) { return isSigned ? int32_t(int8_t(bits)) : int32_t(uint8_t(bits)); };
  bool aSigned = description.field(7, 3) == 1, bSigned = description.field(10, 3) == 1;
  for (unsigned k = 0; k < storedDepth(); ++k)
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned column = 0; column < columns; ++column)
        matrix[row * columns + column] +=
            uint32_t(number(a.elements(k)[row], aSigned) * number(b.elements(k)[column], bSigned));
}

/// A float with so many bits of exponent and mantissa. Only formats of 8 bits have NaN: all ones, or of five bits of
/// exponent the largest one, which also has infinities.
static double decodeFloat(uint32_t bits, unsigned exponentBits, unsigned mantissaBits) {
  uint32_t exponent = bits >> mantissaBits & ((1u << exponentBits) - 1), mantissa = bits & ((1u << mantissaBits) - 1);
  double sign = bits >> (exponentBits + mantissaBits) & 1 ? -1 : 1;
  int bias = (1 << (exponentBits - 1)) - 1;
  if (exponentBits == 5 && exponent == 31)
    return mantissa != 0 ? NAN : sign * INFINITY;
  if (exponentBits == 4 && exponent == 15 && mantissa == 7)
    return NAN;
  if (exponent == 0)
    return sign * std::ldexp(double(mantissa), 1 - bias - int(mantissaBits));
  return sign * std::ldexp(double(mantissa | 1u << mantissaBits), int(exponent) - bias - int(mantissaBits));
}

/// Scale `block` of the instruction for a row of A or a column of B, of which four lie in a column. `number` is that of
/// the first one there. All quarters of the lanes have the scales.
double ProductOfUnit::scaleOf(RegisterOffset scales, unsigned number, unsigned line, unsigned block) {
  auto address = uint32_t(read<uint64_t>(scales));
  uint32_t word = access.word(line % 32, (address & 0xffff) + line / 32, /*writes=*/false);
  uint32_t bits = word >> (number + block) % 4 * 8 & 0xff;
  if (description.field(23, 1) == 0)
    return decodeFloat(bits & 0x7f, 4, 3);
  return bits == 0xff ? NAN : std::ldexp(1.0, int(bits) - 127);
}

void ProductOfUnit::addScaled(Factor &a, Factor &b, std::vector<uint32_t> &matrix) {
  unsigned perByte = product.isPacked() ? 2 : 1, depth = storedDepth() * perByte,
           blockDepth = product.kind == Kind::PackedScaled16 ? 16 : 32;
  auto decode = [&](Factor &factor, RegisterOffset scales, unsigned number) {
    std::vector<double> values(factor.lines * depth);
    for (unsigned line = 0; line < factor.lines; ++line)
      for (unsigned k = 0; k < depth; ++k) {
        uint32_t bits = factor.elements(k / perByte)[line];
        double value = product.isPacked() ? decodeFloat(bits >> k % 2 * 4 & 0xf, 2, 1)
                                          : decodeFloat(bits, factor.format == MatrixElement::E5M2 ? 5 : 4,
                                                        factor.format == MatrixElement::E5M2 ? 2 : 3);
        values[line * depth + k] = value * scaleOf(scales, number, line, k / blockDepth);
      }
    return values;
  };
  std::vector<double> left = decode(a, product.aScale, description.field(29, 2)),
                      right = decode(b, product.bScale, description.field(4, 2));
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      uint32_t &bits = matrix[row * columns + column];
      double sum = bitCast<float>(bits);
      for (unsigned k = 0; k < depth; ++k)
        sum += left[row * depth + k] * right[column * depth + k];
      bits = bitCast<uint32_t>(float(sum));
    }
}

/// Reports products that do not exist, or that the simulator does not compute.
bool ProductOfUnit::checkForm() {
  auto refuse = [&](std::string why) {
    warp.report(FindingKind::TensorMemoryMisuse, instruction.location, lane, std::move(why));
    return false;
  };
  if ((rows != 64 && rows != 128) || columns == 0 || columns > 256)
    return refuse(llvm::formatv("a product of {0} rows and {1} columns; there are 64 or 128 rows, and up to 256 "
                                "columns",
                                rows, columns));
  if (product.kind == Kind::Narrow || product.kind == Kind::Scaled32)
    for (unsigned firstBit : {7u, 10u})
      if (uint32_t code = description.field(firstBit, 3); code > 1)
        return refuse(llvm::formatv("a product of floats of 4 or 6 bits (format {0}) among those of 8 bits, which is "
                                    "not supported on the simulator yet",
                                    code));
  return true;
}

void ProductOfUnit::run() {
  if (!checkForm())
    return;
  Factor a{rows, storedDepth(), formatOf(description.field(7, 3)), std::vector<uint32_t>(rows * storedDepth())},
      b{columns, storedDepth(), formatOf(description.field(10, 3)), std::vector<uint32_t>(columns * storedDepth())};
  if (product.isLeftInMemory)
    readMemory(uint32_t(read<uint64_t>(product.a)), a);
  else
    readShared(read<uint64_t>(product.a), description.field(15, 1) != 0, a);
  readShared(read<uint64_t>(product.b), description.field(16, 1) != 0, b);
  warp.time.multiply(2ull * rows * columns * storedDepth() * (product.isPacked() ? 2 : 1), instruction.location,
                     /*isAsynchronous=*/true);
  std::vector<uint32_t> matrix(rows * columns);
  bool adds = warp.readMask(product.adds) >> lane & 1;
  if (adds)
    readResults(matrix);
  if (product.hasScales())
    addScaled(a, b, matrix);
  else if (product.kind == Kind::Bytes)
    addIntegers(a, b, matrix);
  else
    addFloats(a, b, adds, matrix);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column)
      result(row, column) = matrix[row * columns + column];
}

static void multiplyInMemory(Warp &warp, const DecodedInstruction &instruction) {
  const auto &product = *static_cast<const TensorProduct *>(instruction.detail);
  for (LaneMask rest = warp.active & warp.readMask(product.lanes); rest; rest &= rest - 1)
    ProductOfUnit(warp, instruction, unsigned(__builtin_ctzll(rest))).run();
}

Handler tensorProductHandler() { return &multiplyInMemory; }

/// Row r of 16 bytes becomes four columns of lanes r, r + 32, r + 64 and r + 96.
static void copyToMemory(Warp &warp, const DecodedInstruction &instruction) {
  constexpr unsigned copiedRows = 32, words = rowPieceBytes / 4;
  for (LaneMask rest = warp.active & warp.readMask(instruction.operands[2]); rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    auto address = uint32_t(warp.read<uint64_t>(instruction.operands[0])[lane]);
    MatrixDescriptor source(warp.read<uint64_t>(instruction.operands[1])[lane]);
    TensorAccess access(warp, instruction.location, /*isOfUnit=*/true);
    for (unsigned row = 0; row < copiedRows; ++row) {
      const std::byte *bytes = warp.readSharedAsynchronously(source.offsetInRow(row, 0), rowPieceBytes,
                                                             unitOf(warp).now(), instruction.location);
      for (unsigned copy = row; bytes && copy < TensorMemory::lanes; copy += copiedRows)
        for (unsigned word = 0; word < words; ++word)
          access.word(copy, (address & 0xffff) + word, /*writes=*/true) =
              reinterpret_cast<const uint32_t *>(bytes)[word];
    }
  }
}

Handler tensorCopyHandler() { return &copyToMemory; }

} // namespace triton::simulator::nvptx
