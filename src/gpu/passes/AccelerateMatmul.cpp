// Puts matrix products on matrix units, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/ProgramWork.h"
#include "gpu/ir/Dialect.h"
#include "gpu/passes/LayoutRewriting.h"
#include "gpu/passes/Passes.h"
#include "gpu/passes/SharedOperands.h"
#include "gpu/target/TargetInfo.h"
#include "ir/Remarks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUACCELERATEMATMUL
#include "gpu/passes/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

constexpr llvm::StringLiteral ordinaryUnits = "ordinary units";

/// `operand` with elements that the unit multiplies. Units that read buffers multiply what lies there.
Value widen(OpBuilder &builder, Value operand, const gpu::MatrixUnit &unit) {
  RankedTensorType type = typeOf(operand);
  if (type.getElementType() == unit.operand || unit.readsShared)
    return operand;
  return tt::FpToFpOp::create(builder, operand.getLoc(), type.clone(unit.operand), operand, tt::RoundingModeAttr());
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

/// Each doubling goes to the dimension with more tiles left, rows first. Groups of warps share rows, and take more of
/// them while there are any: all read the same columns of B.
SmallVector<unsigned> distributeWarps(tt::DotOp dot, const gpu::MatrixUnit &unit, unsigned warps) {
  llvm::ArrayRef<int64_t> shape = typeOf(dot.getD()).getShape();
  unsigned rank = shape.size();
  SmallVector<unsigned> result(rank, 1);
  int64_t rows = shape[rank - 2] / unit.rows, columns = shape[rank - 1] / unit.columns;
  bool rowsFirst = unit.groupWarps != 1 || isChained(dot);
  result[rank - 2] = unit.groupWarps;
  for (warps /= unit.groupWarps; warps > 1; warps /= 2) {
    bool alongRows = rows > 1 && (rowsFirst || rows >= columns);
    if (!alongRows && columns <= 1)
      alongRows = true; // More warps than tiles: some hold copies.
    result[alongRows ? rank - 2 : rank - 1] *= 2;
    (alongRows ? rows : columns) /= 2;
  }
  return result;
}

/// Why `unit` cannot compute `dot`, empty where it can: the tensors are no smaller than its tiles, and lie where it
/// reads them.
llvm::StringRef findObstacle(tt::DotOp dot, const gpu::MatrixUnit &unit, unsigned warps, bool readsBuffers) {
  llvm::ArrayRef<int64_t> shape = typeOf(dot.getD()).getShape();
  unsigned rank = shape.size();
  int64_t rows = shape[rank - 2] / unit.rows, columns = shape[rank - 1] / unit.columns;
  if (rows < 1 || columns < 1 || typeOf(dot.getA()).getShape().back() < unit.depth)
    return "the tile is smaller than what it computes at once";
  if (!unit.readsShared)
    return {};
  if (!readsBuffers)
    return "it is switched off (DISABLE_MMA_V3)";
  if (rank != 2)
    return "it does not multiply batches of matrices";
  unsigned groups = warps / unit.groupWarps;
  if (groups < 1)
    return "four warps compute together, and the program has fewer";
  if (rows * columns < groups)
    return "there are more groups of warps than tiles";
  if (!comesFromMemory(dot.getB(), dot))
    return "it reads the right operand from shared memory, and this one is computed";
  if (!canReadShared(dot.getB(), 1, unit))
    return "it cannot read the right operand in the order that it has in memory";
  if (comesFromMemory(dot.getA(), dot) && !canReadShared(dot.getA(), 0, unit))
    return "it cannot read the left operand in the order that it has in memory";
  return {};
}

gpu::ProductTypes typesOf(tt::DotOp dot) {
  auto elementOf = [](Value value) { return typeOf(value).getElementType(); };
  return {elementOf(dot.getA()), elementOf(dot.getB()), elementOf(dot.getD()), dot.getInputPrecision()};
}

/// The unit that computes `dot`, one that reads buffers only if `readsBuffers`; none where no unit does.
std::optional<gpu::MatrixUnit> findUnit(tt::DotOp dot, const gpu::TargetInfo &target, bool readsBuffers) {
  for (const gpu::MatrixUnit &unit : target.findMatrixUnits(typesOf(dot)))
    if (findObstacle(dot, unit, getNumWarps(dot), readsBuffers).empty())
      return unit;
  return std::nullopt;
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

/// Says by what the product is computed, and how long each of the units that there are would take.
void reportDecision(tt::DotOp dot, const std::optional<gpu::MatrixUnit> &unit, Attribute encoding, bool readsBuffers,
                    const gpu::TargetInfo &target) {
  remarks::InFlightRemark remark = remarks::decided(dot, remarks::product, "Unit");
  if (!remark)
    return;
  double flops = analysis::countFlops(dot);
  Builder builder(dot.getContext());
  SmallVector<Attribute> candidates;
  auto addCandidate = [&](llvm::StringRef instruction, double rate, llvm::StringRef obstacle) {
    SmallVector<NamedAttribute> facts{
        builder.getNamedAttr("instruction", builder.getStringAttr(instruction)),
        builder.getNamedAttr("clocks", builder.getF64FloatAttr(flops / rate)),
    };
    if (!obstacle.empty())
      facts.push_back(builder.getNamedAttr("obstacle", builder.getStringAttr(obstacle)));
    candidates.push_back(builder.getDictionaryAttr(facts));
  };
  for (const gpu::MatrixUnit &candidate : target.findMatrixUnits(typesOf(dot)))
    addCandidate(candidate.instruction, candidate.flops, findObstacle(dot, candidate, getNumWarps(dot), readsBuffers));
  addCandidate(ordinaryUnits, target.machine().ordinaryFlops(), "");

  llvm::ArrayRef<int64_t> shape = typeOf(dot.getD()).getShape();
  remark << remarks::Fact("m", shape[shape.size() - 2]) << remarks::Fact("n", shape.back())
         << remarks::Fact("k", typeOf(dot.getA()).getShape().back())
         << remarks::Fact("left", typeOf(dot.getA()).getElementType())
         << remarks::Fact("right", typeOf(dot.getB()).getElementType())
         << remarks::Fact("accumulator", typeOf(dot.getD()).getElementType()) << remarks::Fact("flops", int64_t(flops))
         << remarks::Fact("instruction", unit ? target.getInstruction(*unit, encoding) : ordinaryUnits.str())
         << remarks::Fact("encoding", encoding) << remarks::Fact("warps", getNumWarps(dot))
         << remarks::Fact("candidates", builder.getArrayAttr(candidates));
}

/// Says why a better unit than `unit` does not compute the product, where there is one.
void reportObstacle(tt::DotOp dot, const std::optional<gpu::MatrixUnit> &unit, bool readsBuffers,
                    const gpu::TargetInfo &target) {
  gpu::ProductTypes types = typesOf(dot);
  SmallVector<gpu::MatrixUnit> units = target.findMatrixUnits(types);
  llvm::StringRef chosen = unit ? unit->instruction : llvm::StringRef(ordinaryUnits), reason;
  bool isRounded = types.left.isF32() && types.precision == tt::InputPrecision::IEEE;
  types.precision = tt::InputPrecision::TF32;
  bool hasRoundedUnit = isRounded && !target.findMatrixUnits(types).empty();
  std::string better = "matrix units";
  if (units.empty()) {
    reason = hasRoundedUnit ? "matrix units do not multiply f32 without rounding it"
                            : "no matrix unit of the target multiplies these element types";
  } else if (!unit || unit->instruction != units.front().instruction) {
    reason = findObstacle(dot, units.front(), getNumWarps(dot), readsBuffers);
    better = units.front().instruction;
  } else {
    reason = target.explainMissingUnit(typesOf(dot));
    better = "a faster unit";
  }
  if (reason.empty())
    return;
  remarks::InFlightRemark remark = remarks::missed(dot, remarks::product, "Unit");
  remark << remarks::add("the product uses {0} and not {1}", chosen, better) << remarks::reason("{0}", reason);
  if (hasRoundedUnit)
    remark << remarks::suggest(
        "`input_precision=\"tf32\"` rounds operands to 10 bits, \"tf32x3\" multiplies three times");
}

struct TritonGPUAccelerateMatmul : impl::TritonGPUAccelerateMatmulBase<TritonGPUAccelerateMatmul>, base::OptionalPass {
  using TritonGPUAccelerateMatmulBase::TritonGPUAccelerateMatmulBase;

  void runOnOperation() override {
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) {
      if (isa_and_nonnull<BlockedEncodingAttr>(typeOf(dot.getD()).getEncoding()))
        dots.push_back(dot);
    });
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    // All layouts are chosen before any product changes, since chains are read off the products.
    SmallVector<Layout> layouts;
    for (tt::DotOp dot : dots)
      layouts.push_back(chooseLayout(dot, *target));
    if (remarks::areWanted(getOperation()))
      for (auto [dot, layout] : llvm::zip_equal(dots, layouts)) {
        reportDecision(dot, layout.unit, layout.encoding, warpGroupDots, *target);
        reportObstacle(dot, layout.unit, warpGroupDots, *target);
      }
    for (auto [dot, layout] : llvm::zip_equal(dots, layouts))
      replaceDot(dot, layout);
  }

private:
  struct Layout {
    std::optional<gpu::MatrixUnit> unit; ///< none: ordinary units
    Attribute encoding;
  };

  Layout chooseLayout(tt::DotOp dot, const gpu::TargetInfo &target) {
    if (std::optional<gpu::MatrixUnit> unit = findUnit(dot, target, warpGroupDots))
      return {unit, target.getMatrixEncoding(&getContext(), *unit, typeOf(dot.getD()).getShape(),
                                             distributeWarps(dot, *unit, getNumWarps(dot)))};
    return {std::nullopt, ordinaryEncoding(typeOf(dot.getD()), getNumWarps(dot), getThreadsPerWarp(dot))};
  }

  void replaceDot(tt::DotOp dot, const Layout &layout) {
    OpBuilder builder(dot);
    auto operand = [&](Value value, unsigned index) {
      unsigned kWidth = layout.unit ? layout.unit->kWidth : 0;
      return convertTo(builder, layout.unit ? widen(builder, value, *layout.unit) : value,
                       DotOperandEncodingAttr::get(&getContext(), index, layout.encoding, kWidth));
    };
    RankedTensorType type = typeOf(dot.getD());
    Value accumulator = convertTo(builder, dot.getC(), layout.encoding), result;
    if (layout.unit && layout.unit->readsShared) {
      Value left = comesFromMemory(dot.getA(), dot) ? createOperandBuffer(builder, dot.getA()) : operand(dot.getA(), 0);
      result = WarpGroupDotOp::create(builder, dot.getLoc(), withEncoding(type, layout.encoding), left,
                                      createOperandBuffer(builder, dot.getB()), accumulator, dot.getInputPrecision(),
                                      dot.getMaxNumImpreciseAcc());
    } else {
      result =
          tt::DotOp::create(builder, dot.getLoc(), withEncoding(type, layout.encoding), operand(dot.getA(), 0),
                            operand(dot.getB(), 1), accumulator, dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
    }
    dot.replaceAllUsesWith(convertTo(builder, result, type.getEncoding()));
    dot.erase();
  }
};

} // namespace

} // namespace triton::ttg
