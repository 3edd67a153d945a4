// Runs wgmma. Each warp computes its part when it issues the product. What the product does later, which is reading
// shared memory and writing registers, is recorded as the work of an agent for which the warp waits.
#include "simulator/core/Numerics.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"
#include "simulator/nvptx/MatrixDescriptor.h"
#include "simulator/nvptx/MatrixFragments.h"
#include "simulator/nvptx/WarpGroupProduct.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>

namespace triton::simulator::nvptx {

namespace {

constexpr unsigned pieceBytes = 16;

/// One warp's part of one product.
class ProductOfWarp {
public:
  ProductOfWarp(Warp &warp, const DecodedInstruction &instruction)
      : warp(warp), instruction(instruction), product(*static_cast<const WarpGroupProduct *>(instruction.detail)),
        products(warp.asynchronousProducts()), group(warp.state.group(warp)) {}

  void run();

private:
  uint64_t descriptor(RegisterOffset offset) const { return warp.read<uint64_t>(offset)[warp.firstLane()]; }
  void checkGroup();
  void checkRegisters(llvm::ArrayRef<RegisterOffset> registers, bool areResults);
  template <typename Element> const Element *readPiece(uint32_t offset);
  template <typename Element, typename Line>
  void readShared(uint64_t bits, unsigned firstRow, const WarpGroupProduct::Factor &factor, Line line,
                  FactorPanel &factors);
  template <typename Line>
  void readShared(uint64_t bits, unsigned firstRow, const WarpGroupProduct::Factor &factor, Line line,
                  FactorPanel &factors);
  void readRegisters(FactorPanel &factors);
  void addIntegers(const FactorPanel &a, const FactorPanel &b, bool adds);
  void addFloats(FactorPanel &a, FactorPanel &b, bool adds);
  template <typename Result> void forEachResult(Result result);

  Warp &warp;
  const DecodedInstruction &instruction;
  const WarpGroupProduct &product;
  AsynchronousProducts &products;
  WarpGroup &group;
};

} // namespace

/// All four warps execute the same product with the same descriptors.
void ProductOfWarp::checkGroup() {
  auto report = [&](std::string detail) {
    warp.report(FindingKind::DivergentWarpGroup, instruction.location, warp.firstLane(), std::move(detail));
  };
  if (warp.active != warp.program.allLanes())
    report("only some threads of the warp execute it");
  if (warp.state.warpCount < (warp.index / WarpGroup::size + 1) * WarpGroup::size)
    report(llvm::formatv("the program has {0} warps, of which the last {1} are not a group of 4", warp.state.warpCount,
                         warp.state.warpCount % WarpGroup::size));
  WarpGroup::Step step{&instruction, {0, descriptor(product.bDescriptor)}};
  if (product.aRegisters.empty())
    step.operands[0] = descriptor(product.aDescriptor);
  if (std::optional<WarpGroup::Step> other = group.execute(warp, step))
    report(other->instruction == &instruction
               ? "another warp of the group executes it with other descriptors"
               : llvm::formatv("another warp of the group executes the product of {0} instead",
                               warp.describeLocation(other->instruction->location))
                     .str());
}

/// A fence must lie between other uses of the registers and the product. Consecutive products of one shape may add to
/// the same results.
void ProductOfWarp::checkRegisters(llvm::ArrayRef<RegisterOffset> registers, bool areResults) {
  for (RegisterOffset offset : registers) {
    const RegisterHistory::Record *record = products.registers.find(offset);
    if (!record || (areResults && record->group != 0 && record->shape == product.shape()))
      continue;
    if (products.isInFlight(*record))
      return warp.report(FindingKind::ResultInFlight, instruction.location, warp.firstLane(),
                         llvm::formatv("{0} the product of {1}, which has another {2}",
                                       areResults ? "this product adds to results of" : "an operand is a result of",
                                       warp.describeLocation(record->location), areResults ? "shape" : "use")
                             .str());
    if (record->fences == products.fences)
      return warp.report(FindingKind::MissingProductFence, instruction.location, warp.firstLane(),
                         llvm::formatv("{0} of the product was written at {1}, and no fence has been executed since",
                                       areResults ? "an accumulator" : "an operand",
                                       warp.describeLocation(record->location))
                             .str());
  }
}

/// Reads 16 bytes at an offset of shared memory; zeros where that is not allowed.
template <typename Element> const Element *ProductOfWarp::readPiece(uint32_t offset) {
  static const Element zeros[pieceBytes / sizeof(Element)] = {};
  const std::byte *bytes =
      warp.readSharedAsynchronously(offset, pieceBytes, {group.agent, products.openGroup()}, instruction.location);
  return bytes ? reinterpret_cast<const Element *>(bytes) : zeros;
}

/// `line` says where a panel has a row or column.
template <typename Element, typename Line>
void ProductOfWarp::readShared(uint64_t bits, unsigned firstRow, const WarpGroupProduct::Factor &factor, Line line,
                               FactorPanel &factors) {
  constexpr unsigned perPiece = pieceBytes / sizeof(Element);
  MatrixDescriptor matrix(bits);
  if (factor.isTransposed) {
    for (unsigned k = 0; k < product.depth; ++k)
      for (unsigned row = 0; row < factors.lines; row += perPiece) {
        const auto *piece = readPiece<Element>(matrix.offsetInDepth(firstRow + row, k));
        for (unsigned i = 0; i < perPiece; ++i)
          factors.elements(k)[line(row + i)] = bitsOf(factor.format, piece[i]);
      }
  } else {
    for (unsigned row = 0; row < factors.lines; ++row)
      for (unsigned k = 0; k < product.depth; k += perPiece) {
        const auto *piece = readPiece<Element>(matrix.offsetInRow(firstRow + row, k * sizeof(Element)));
        for (unsigned i = 0; i < perPiece; ++i)
          factors.elements(k + i)[line(row)] = bitsOf(factor.format, piece[i]);
      }
  }
}

template <typename Line>
void ProductOfWarp::readShared(uint64_t bits, unsigned firstRow, const WarpGroupProduct::Factor &factor, Line line,
                               FactorPanel &factors) {
  switch (factor.bits) {
  case 8:
    return readShared<uint8_t>(bits, firstRow, factor, line, factors);
  case 16:
    return readShared<uint16_t>(bits, firstRow, factor, line, factors);
  default:
    return readShared<uint32_t>(bits, firstRow, factor, line, factors);
  }
}

void ProductOfWarp::readRegisters(FactorPanel &factors) {
  unsigned bits = product.a.bits;
  for (auto [reg, offset] : llvm::enumerate(product.aRegisters)) {
    const auto *words = warp.read<uint32_t>(offset);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i = 0; i < 32 / bits; ++i) {
        Position at = operandPosition(true, WarpGroupProduct::rowsOfWarp, bits, lane, unsigned(reg), i);
        factors.elements(at.inner)[at.outer] =
            bitsOf(product.a.format, words[lane] >> i * bits & llvm::maskTrailingOnes<uint32_t>(bits));
      }
  }
}

/// Replaces each element of the results by `result(row, column, element)`.
template <typename Result> void ProductOfWarp::forEachResult(Result result) {
  bool isHalf = product.hasHalfResults();
  for (auto [reg, offset] : llvm::enumerate(product.results)) {
    auto *words = warp.write<uint32_t>(offset);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      auto at = [&](unsigned i) { return accumulatorPosition(isHalf, lane, unsigned(reg), i); };
      if (isHalf)
        words[lane] = result(at(0), words[lane] & 0xFFFF) | result(at(1), words[lane] >> 16) << 16;
      else
        words[lane] = result(at(0), words[lane]);
    }
  }
}

void ProductOfWarp::addIntegers(const FactorPanel &a, const FactorPanel &b, bool adds) {
  auto numbers = [](const FactorPanel &panel, const WarpGroupProduct::Factor &factor) {
    std::vector<int32_t> all;
    for (unsigned line = 0; line < panel.lines; ++line)
      for (uint32_t bits : panel.line(line))
        all.push_back(factor.isSigned ? int32_t(int8_t(bits)) : int32_t(uint8_t(bits)));
    return all;
  };
  std::vector<int32_t> rows = numbers(a, product.a), columns = numbers(b, product.b);
  forEachResult([&](Position at, uint32_t before) {
    int32_t sum = 0; // of at most 32 products
    for (unsigned k = 0; k < product.depth; ++k)
      sum += rows[at.outer * product.depth + k] * columns[slotOfColumn(at.inner) * product.depth + k];
    int64_t total = sum + int64_t(adds ? int32_t(before) : 0);
    return uint32_t(product.saturates ? std::clamp<int64_t>(total, INT32_MIN, INT32_MAX) : total);
  });
}

void ProductOfWarp::addFloats(FactorPanel &a, FactorPanel &b, bool adds) {
  // The matrix units keep fewer bits of the products of 8-bit floats.
  MatrixSum sum({product.a.format, product.a.isNegated}, {product.b.format, product.b.isNegated}, product.depth,
                product.a.bits == 8 ? 13 : 25, product.accumulator);
  sum.decode(a, b);
  std::vector<uint32_t> matrix(WarpGroupProduct::rowsOfWarp * product.columns);
  auto element = [&](Position at) -> uint32_t & { return matrix[at.outer * product.columns + slotOfColumn(at.inner)]; };
  if (product.hasHalfResults()) {
    forEachResult([&](Position at, uint32_t before) { return element(at) = before; });
    sum.add(a, b, adds, matrix.data());
    forEachResult([&](Position at, uint32_t) { return element(at); });
    return;
  }
  auto forEachRunOfResults = [&](auto body) {
    forEachRun(unsigned(product.results.size()), matrix.data(), product.columns,
               [&](unsigned reg, unsigned lane, uint32_t *elements) {
                 body(warp.write<uint32_t>(product.results[reg]) + lane, elements);
               });
  };
  constexpr std::size_t runBytes = 4 * sizeof(uint32_t);
  if (adds)
    forEachRunOfResults([&](const uint32_t *run, uint32_t *elements) { std::memcpy(elements, run, runBytes); });
  sum.add(a, b, adds, matrix.data());
  forEachRunOfResults([&](uint32_t *run, const uint32_t *elements) { std::memcpy(run, elements, runBytes); });
}

void ProductOfWarp::run() {
  checkGroup();
  if (products.fences == 0)
    warp.report(FindingKind::MissingProductFence, instruction.location, warp.firstLane(),
                "the warp has executed no fence of products yet");
  checkRegisters(product.aRegisters, /*areResults=*/false);
  checkRegisters(product.results, /*areResults=*/true);
  unsigned firstRow = warp.index % WarpGroup::size * WarpGroupProduct::rowsOfWarp;
  FactorPanel a(WarpGroupProduct::rowsOfWarp, product.depth), b(product.columns, product.depth);
  if (product.aRegisters.empty())
    readShared(descriptor(product.aDescriptor), firstRow, product.a, [](unsigned row) { return row; }, a);
  else
    readRegisters(a);
  readShared(descriptor(product.bDescriptor), 0, product.b, slotOfColumn, b);
  warp.time.multiply(2ull * WarpGroupProduct::rowsOfWarp * product.columns * product.depth, instruction.location,
                     /*isAsynchronous=*/true);
  bool adds = warp.readMask(product.addsToResults) >> warp.firstLane() & 1;
  product.a.isInteger ? addIntegers(a, b, adds) : addFloats(a, b, adds);
  for (RegisterOffset offset : product.results)
    products.registers.set(offset, {products.openGroup(), product.shape(), instruction.location, products.fences});
}

static void multiply(Warp &warp, const DecodedInstruction &instruction) { ProductOfWarp(warp, instruction).run(); }

Handler warpGroupProductHandler() { return &multiply; }

} // namespace triton::simulator::nvptx
