// Puts matrix products on matrix units, see Passes.td.
#include "gpu/ir/Dialect.h"
#include "gpu/passes/LayoutRewriting.h"
#include "gpu/passes/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUACCELERATEMATMUL
#include "gpu/passes/Passes.h.inc"

namespace {

constexpr int64_t instructionRows = 16, instructionColumns = 8;

/// A thread holds this many bits of consecutive elements along K, in each of two groups of four threads.
constexpr unsigned bitsOfK = 32;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Eight-bit floats go through f16, which holds them exactly: only some targets multiply them.
Value widen(OpBuilder &builder, Value operand) {
  RankedTensorType type = typeOf(operand);
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || element.getWidth() != 8)
    return operand;
  return tt::FpToFpOp::create(builder, operand.getLoc(), type.clone(builder.getF16Type()), operand,
                              tt::RoundingModeAttr());
}

/// Elements that a thread holds along K side by side; none where mma.sync has no form for the operands.
std::optional<unsigned> kWidthOf(tt::DotOp dot, Type element) {
  Type accumulator = typeOf(dot.getD()).getElementType();
  if (typeOf(dot.getB()).getElementType() != typeOf(dot.getA()).getElementType())
    return std::nullopt;
  bool isTf32 = element.isF32() && dot.getInputPrecision() == tt::InputPrecision::TF32;
  bool toSingle = accumulator.isF32() && (element.isF16() || element.isBF16() || isTf32);
  bool isSame = accumulator == element && (element.isF16() || element.isF64());
  bool isByte = element.isInteger(8) && accumulator.isInteger(32);
  bool fits = toSingle || isSame || isByte;
  return fits ? std::optional(std::max(1u, bitsOfK / element.getIntOrFloatBitWidth())) : std::nullopt;
}

/// Whether the result of `dot` becomes an operand of another product, or comes from one: then rows should stay in their
/// warps, so that reductions along a row and the next product need no exchange.
bool isChained(tt::DotOp dot) {
  auto feedsOperand = [](Operation *from, Operation *to) {
    auto next = dyn_cast<tt::DotOp>(to);
    if (!next || to == from)
      return false;
    llvm::SetVector<Operation *> behind;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return op->getBlock() == to->getBlock(); };
    for (Value operand : {next.getA(), next.getB()}) {
      (void)getBackwardSlice(operand, &behind, options);
      if (Operation *definition = operand.getDefiningOp())
        behind.insert(definition);
    }
    return behind.contains(from);
  };
  bool chained = false;
  dot->getParentOfType<FunctionOpInterface>().walk(
      [&](tt::DotOp other) { chained |= feedsOperand(dot, other) || feedsOperand(other, dot); });
  return chained;
}

/// Each doubling goes to the dimension with more tiles left, rows first.
SmallVector<unsigned> distributeWarps(tt::DotOp dot, unsigned warps) {
  llvm::ArrayRef<int64_t> shape = typeOf(dot.getD()).getShape();
  unsigned rank = shape.size();
  SmallVector<unsigned> result(rank, 1);
  int64_t rows = shape[rank - 2] / instructionRows, columns = shape[rank - 1] / instructionColumns;
  bool rowsOnly = isChained(dot);
  for (; warps > 1; warps /= 2) {
    bool alongRows = rows > 1 && (rowsOnly || rows >= columns);
    if (!alongRows && columns <= 1)
      alongRows = true; // More warps than tiles: some hold copies.
    result[alongRows ? rank - 2 : rank - 1] *= 2;
    (alongRows ? rows : columns) /= 2;
  }
  return result;
}

bool fitsInstruction(tt::DotOp dot, unsigned kWidth) {
  llvm::ArrayRef<int64_t> shape = typeOf(dot.getD()).getShape();
  unsigned rank = shape.size();
  return shape[rank - 2] >= instructionRows && shape[rank - 1] >= instructionColumns &&
         typeOf(dot.getA()).getShape().back() >= int64_t(8) * kWidth;
}

/// A product on ordinary units: square tiles of results, for which a thread needs the fewest rows and columns.
BlockedEncodingAttr ordinaryEncoding(RankedTensorType type, unsigned warps, unsigned lanes) {
  unsigned rank = type.getRank(), row = rank - 2, column = rank - 1;
  SmallVector<unsigned> perThread(rank, 1), threads(rank, 1), warpsPerCTA(rank, 1);
  SmallVector<int64_t> left(type.getShape());
  constexpr int64_t tile = 4;
  if (left[row] * left[column] >= tile * tile * warps * lanes)
    for (unsigned dimension : {row, column}) {
      perThread[dimension] = unsigned(std::min(left[dimension], tile));
      left[dimension] /= perThread[dimension];
    }
  auto spread = [&](SmallVectorImpl<unsigned> &sizes, unsigned count) {
    for (; count > 1; count /= 2) {
      unsigned dimension = left[row] > left[column] ? row : column;
      if (left[dimension] == 1)
        dimension = 0; // the batch, where there is one
      sizes[dimension] *= 2;
      left[dimension] = std::max<int64_t>(1, left[dimension] / 2);
    }
  };
  spread(threads, lanes);
  spread(warpsPerCTA, warps);
  auto order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, rank)));
  return BlockedEncodingAttr::get(type.getContext(), perThread, threads, warpsPerCTA, order);
}

struct TritonGPUAccelerateMatmul : impl::TritonGPUAccelerateMatmulBase<TritonGPUAccelerateMatmul> {
  void runOnOperation() override {
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) {
      if (isa_and_nonnull<BlockedEncodingAttr>(typeOf(dot.getD()).getEncoding()))
        dots.push_back(dot);
    });
    // All warps are placed before any product changes, since the chains are read off the products.
    SmallVector<SmallVector<unsigned>> warps;
    for (tt::DotOp dot : dots)
      warps.push_back(distributeWarps(dot, getNumWarps(dot)));
    for (auto [dot, warpsPerCTA] : llvm::zip_equal(dots, warps))
      accelerate(dot, warpsPerCTA);
  }

private:
  void accelerate(tt::DotOp dot, llvm::ArrayRef<unsigned> warpsPerCTA) {
    bool isNarrow = typeOf(dot.getA()).getElementType().isFloat(8) && typeOf(dot.getB()).getElementType().isFloat(8);
    Type element = isNarrow ? Type(Float16Type::get(&getContext())) : typeOf(dot.getA()).getElementType();
    std::optional<unsigned> kWidth =
        isNarrow && typeOf(dot.getD()).getElementType().isF32() ? std::optional(2u) : kWidthOf(dot, element);
    bool hasUnit = getComputeCapability(dot) >= 80 || element.isF16();
    if (!kWidth || !hasUnit || !fitsInstruction(dot, *kWidth))
      return arrangeOrdinary(dot);
    RankedTensorType resultType = typeOf(dot.getD());
    SmallVector<unsigned> instruction(resultType.getRank(), 1);
    instruction[resultType.getRank() - 2] = instructionRows;
    instruction[resultType.getRank() - 1] = instructionColumns;
    auto matrix = NvidiaMmaEncodingAttr::get(&getContext(), 2, 0, warpsPerCTA, instruction);
    replaceDot(dot, matrix, *kWidth);
  }

  void arrangeOrdinary(tt::DotOp dot) {
    replaceDot(dot, ordinaryEncoding(typeOf(dot.getD()), getNumWarps(dot), getThreadsPerWarp(dot)), 0);
  }

  void replaceDot(tt::DotOp dot, Attribute encoding, unsigned kWidth) {
    OpBuilder builder(dot);
    auto operand = [&](Value value, unsigned index) {
      return convertTo(builder, kWidth ? widen(builder, value) : value,
                       DotOperandEncodingAttr::get(&getContext(), index, encoding, kWidth));
    };
    RankedTensorType type = typeOf(dot.getD());
    auto result = tt::DotOp::create(builder, dot.getLoc(), withEncoding(type, encoding), operand(dot.getA(), 0),
                                    operand(dot.getB(), 1), convertTo(builder, dot.getC(), encoding),
                                    dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
    dot.replaceAllUsesWith(convertTo(builder, result, type.getEncoding()));
    dot.erase();
  }
};

} // namespace

} // namespace triton::ttg
