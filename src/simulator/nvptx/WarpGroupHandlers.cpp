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

/// Rows of A or columns of B, element by element as bits.
class FactorMatrix {
public:
  FactorMatrix(unsigned rows, unsigned depth) : depth(depth), elements(rows * depth) {}

  uint32_t &at(unsigned row, unsigned k) { return elements[row * depth + k]; }
  llvm::ArrayRef<uint32_t> row(unsigned row) const { return llvm::ArrayRef(elements).slice(row * depth, depth); }

private:
  unsigned depth;
  std::vector<uint32_t> elements;
};

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
  void readPiece(uint32_t offset, unsigned bits, llvm::function_ref<void(unsigned, uint32_t)> put);
  FactorMatrix readShared(uint64_t bits, unsigned firstRow, unsigned rows, const WarpGroupProduct::Factor &factor);
  FactorMatrix readRegisters();
  void compute(const FactorMatrix &a, const FactorMatrix &b);
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

/// Reads 16 bytes at an offset of shared memory; `put` receives the elements.
void ProductOfWarp::readPiece(uint32_t offset, unsigned bits, llvm::function_ref<void(unsigned, uint32_t)> put) {
  constexpr unsigned size = 16;
  const std::byte *bytes =
      warp.readSharedAsynchronously(offset, size, {group.agent, products.openGroup()}, instruction.location);
  for (unsigned i = 0; i < size * 8 / bits; ++i) {
    uint32_t element = 0;
    if (bytes)
      std::memcpy(&element, bytes + i * bits / 8, bits / 8);
    put(i, element);
  }
}

FactorMatrix ProductOfWarp::readShared(uint64_t bits, unsigned firstRow, unsigned rows,
                                       const WarpGroupProduct::Factor &factor) {
  MatrixDescriptor matrix(bits);
  FactorMatrix factors(rows, product.depth);
  unsigned perPiece = 128 / factor.bits;
  if (factor.isTransposed) {
    for (unsigned k = 0; k < product.depth; ++k)
      for (unsigned row = 0; row < rows; row += perPiece)
        readPiece(matrix.offsetInDepth(firstRow + row, k), factor.bits,
                  [&](unsigned i, uint32_t element) { factors.at(row + i, k) = element; });
  } else {
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned k = 0; k < product.depth; k += perPiece)
        readPiece(matrix.offsetInRow(firstRow + row, k * factor.bits / 8), factor.bits,
                  [&](unsigned i, uint32_t element) { factors.at(row, k + i) = element; });
  }
  return factors;
}

FactorMatrix ProductOfWarp::readRegisters() {
  FactorMatrix factors(WarpGroupProduct::rowsOfWarp, product.depth);
  unsigned bits = product.a.bits;
  for (auto [reg, offset] : llvm::enumerate(product.aRegisters)) {
    const auto *words = warp.read<uint32_t>(offset);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i = 0; i < 32 / bits; ++i) {
        Position at = operandPosition(true, WarpGroupProduct::rowsOfWarp, bits, lane, unsigned(reg), i);
        factors.at(at.outer, at.inner) = words[lane] >> i * bits & llvm::maskTrailingOnes<uint32_t>(bits);
      }
  }
  return factors;
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

void ProductOfWarp::compute(const FactorMatrix &a, const FactorMatrix &b) {
  bool adds = warp.readMask(product.addsToResults) >> warp.firstLane() & 1;
  if (product.a.isInteger) {
    auto number = [](uint32_t bits, const WarpGroupProduct::Factor &factor) {
      return factor.isSigned ? int64_t(int8_t(bits)) : int64_t(uint8_t(bits));
    };
    forEachResult([&](Position at, uint32_t before) {
      int64_t sum = adds ? int32_t(before) : 0;
      for (auto [x, y] : llvm::zip_equal(a.row(at.outer), b.row(at.inner)))
        sum += number(x, product.a) * number(y, product.b);
      return uint32_t(product.saturates ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
    });
    return;
  }
  // The matrix units keep fewer bits of the products of 8-bit floats.
  MatrixSum sum(product.a.format, product.b.format, product.depth, product.a.bits == 8 ? 13 : 25, product.accumulator);
  llvm::SmallVector<Factors, 0> rows, columns;
  for (unsigned row = 0; row < WarpGroupProduct::rowsOfWarp; ++row)
    rows.emplace_back(a.row(row), product.a.format, product.a.isNegated);
  for (unsigned column = 0; column < product.columns; ++column)
    columns.emplace_back(b.row(column), product.b.format, product.b.isNegated);
  forEachResult([&](Position at, uint32_t before) {
    return sum(rows[at.outer], columns[at.inner], adds ? std::optional(before) : std::nullopt);
  });
}

void ProductOfWarp::run() {
  checkGroup();
  if (products.fences == 0)
    warp.report(FindingKind::MissingProductFence, instruction.location, warp.firstLane(),
                "the warp has executed no fence of products yet");
  checkRegisters(product.aRegisters, /*areResults=*/false);
  checkRegisters(product.results, /*areResults=*/true);
  unsigned firstRow = warp.index % WarpGroup::size * WarpGroupProduct::rowsOfWarp;
  FactorMatrix a = product.aRegisters.empty()
                       ? readShared(descriptor(product.aDescriptor), firstRow, WarpGroupProduct::rowsOfWarp, product.a)
                       : readRegisters();
  compute(a, readShared(descriptor(product.bDescriptor), 0, product.columns, product.b));
  for (RegisterOffset offset : product.results)
    products.registers.set(offset, {products.openGroup(), product.shape(), instruction.location, products.fences});
}

static void multiply(Warp &warp, const DecodedInstruction &instruction) { ProductOfWarp(warp, instruction).run(); }

Handler warpGroupProductHandler() { return &multiply; }

} // namespace triton::simulator::nvptx
