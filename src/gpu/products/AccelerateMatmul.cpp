// Puts matrix products on matrix units, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/analysis/ProductCost.h"
#include "gpu/analysis/ProgramWork.h"
#include "gpu/analysis/SharedOperands.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Products.h"
#include "gpu/ir/Scales.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/EncodingInference.h"
#include "ir/Remarks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUACCELERATEMATMUL
#include "gpu/products/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

constexpr llvm::StringLiteral ordinaryUnits = "ordinary units";

/// `operand` with elements that the unit multiplies. Units that read buffers multiply what lies there.
Value widen(OpBuilder &builder, Value operand, const gpu::MatrixUnit &unit) {
  RankedTensorType type = typeOf(operand);
  bool fits = unit.keepsOperands && type.getElementTypeBitWidth() == unit.operand.getIntOrFloatBitWidth();
  if (type.getElementType() == unit.operand || unit.readsShared || fits)
    return operand;
  return tt::FpToFpOp::create(builder, operand.getLoc(), type.clone(unit.operand), operand, tt::RoundingModeAttr());
}

/// Whether the result of `dot` becomes an operand of another product, or one of its operands is the result of one. Then
/// rows should stay in their warps, so that reductions along a row and the next product need no exchange.
bool isChained(Operation *dot) {
  auto feedsOperand = [](Operation *from, Operation *to) {
    if (to == from)
      return false;
    llvm::SetVector<Operation *> behind;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return op->getBlock() == to->getBlock(); };
    for (Value operand : to->getOperands().take_front(2)) {
      (void)getBackwardSlice(operand, &behind, options);
      if (Operation *definition = operand.getDefiningOp())
        behind.insert(definition);
    }
    return behind.contains(from);
  };
  bool chained = false;
  dot->getParentOfType<FunctionOpInterface>().walk([&](Operation *other) {
    chained |= isRegisterProduct(other) && (feedsOperand(dot, other) || feedsOperand(other, dot));
  });
  return chained;
}

/// A product as a unit computes it: as `dot` says, or transposed, D^T = B^T A^T.
struct Orientation {
  Orientation(Operation *dot, bool isTransposed)
      : dot(dot), isTransposed(isTransposed), left(isTransposed ? dot->getOperand(1) : dot->getOperand(0)),
        right(isTransposed ? dot->getOperand(0) : dot->getOperand(1)), depthOfLeft(isTransposed ? 0 : 1),
        depthOfRight(1 - depthOfLeft) {
    llvm::ArrayRef<int64_t> shape = typeOf(dot->getResult(0)).getShape().take_back(2);
    rows = shape[isTransposed ? 1 : 0];
    columns = shape[isTransposed ? 0 : 1];
  }

  Operation *dot;
  bool isTransposed;
  Value left, right;                  ///< before they are transposed
  unsigned depthOfLeft, depthOfRight; ///< their dimensions that are K
  int64_t rows, columns;              ///< of the result
};

/// The ways to see `dot`. Where threads hand over the left operand, either operand from memory can be that one; the
/// results of chained products should lie as other products need them.
SmallVector<Orientation, 2> findOrientations(Operation *dot, const gpu::MatrixUnit &unit, bool isChained) {
  SmallVector<Orientation, 2> found{{dot, false}};
  bool isLoaded = comesFromMemory(dot->getOperand(0), dot) && comesFromMemory(dot->getOperand(1), dot);
  if (unit.takesLeftFromThreads && !isChained && typeOf(dot->getResult(0)).getRank() == 2 && isLoaded)
    found.emplace_back(dot, true);
  return found;
}

/// Whether the right operand goes to its buffer in another order than it has in memory, element by element.
bool turnsRight(const Orientation &product, const gpu::MatrixUnit &unit) {
  return unit.takesLeftFromThreads && !canReadShared(product.right, product.depthOfRight, /*isLeft=*/false, unit) &&
         findOwnLoad(product.right);
}

/// Why `unit` cannot compute a product, empty where it can: the tensors fill one of its tiles, and are where it
/// reads them.
llvm::StringRef findObstacle(const Orientation &product, const gpu::MatrixUnit &unit, unsigned warps,
                             bool readsBuffers) {
  Operation *dot = product.dot;
  unsigned rank = typeOf(dot->getResult(0)).getRank();
  llvm::StringRef refusal = unit.refuses({product.rows, product.columns, analysis::getDepth(dot), rank, warps});
  if (!refusal.empty() || !unit.readsShared)
    return refusal;
  if (!readsBuffers)
    return "it is switched off (DISABLE_MMA_V3)";
  if (!canReadShared(product.right, product.depthOfRight, /*isLeft=*/false, unit) && !turnsRight(product, unit))
    return "it cannot read the right operand in the order that it has in memory";
  if (unit.operand.isF32() && !comesFromMemory(product.right, dot))
    return "it would cut off what the right operand is computed to";
  if (comesFromMemory(product.left, dot) && !canReadShared(product.left, product.depthOfLeft, /*isLeft=*/true, unit))
    return "it cannot read the left operand in the order that it has in memory";
  return {};
}

/// How a product is computed.
struct Choice {
  std::optional<gpu::MatrixUnit> unit; ///< none: ordinary units
  bool isTransposed = false, turnsRight = false;
  analysis::ProductPlan plan; ///< of the unit
  Attribute encoding;         ///< of the result
  analysis::Product product;

  /// Of equally fast ways the one that turns fewer elements.
  std::pair<double, int64_t> cost() const { return {plan.clocks(), turnsRight ? product.depth * product.columns : 0}; }
};

/// A product on ordinary units: square tiles of results, for which a thread needs the fewest rows and columns.
BlockedEncodingAttr ordinaryEncoding(RankedTensorType type, unsigned warps, unsigned lanes) {
  unsigned rank = type.getRank(), row = rank - 2, column = rank - 1;
  SmallVector<unsigned> perThread(rank, 1), threads(rank, 1), warpsPerCTA(rank, 1);
  SmallVector<int64_t> left(type.getShape());
  constexpr int64_t tile = tuned::tileOfThread;
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

/// The product, for the cost model.
analysis::Product describe(const Orientation &oriented, bool isChained) {
  Operation *dot = oriented.dot;
  analysis::Product product;
  product.rows = oriented.rows;
  product.columns = oriented.columns;
  product.depth = analysis::getDepth(dot);
  product.batches = typeOf(dot->getResult(0)).getNumElements() / (product.rows * product.columns);
  product.isLeftComputed = !comesFromMemory(oriented.left, dot);
  product.isLeftAcross = !product.isLeftComputed && getMemoryOrder(oriented.left).front() != oriented.depthOfLeft;
  product.isChained = isChained;
  return product;
}

/// What was compared for a product: the ways to compute it, the best of each unit first.
class Comparison {
public:
  Comparison(MLIRContext *context, const gpu::Machine &machine) : builder(context), machine(machine) {}

  void add(const gpu::MatrixUnit &unit, const analysis::Product &product, bool isTransposed, unsigned warps) {
    for (const analysis::ProductPlan &plan : analysis::planProduct(product, unit, warps, machine)) {
      SmallVector<NamedAttribute> facts{text("instruction", analysis::nameInstruction(unit, plan.columns)),
                                        number("row_warps", plan.rowWarps),
                                        number("column_warps", plan.columnWarps),
                                        number("matrix_clocks", plan.matrixClocks),
                                        number("shared_clocks", plan.sharedClocks),
                                        number("exchange_clocks", plan.exchangeClocks),
                                        number("clocks", plan.clocks())};
      if (plan.batchWarps > 1)
        facts.push_back(number("batch_warps", plan.batchWarps));
      if (isTransposed)
        facts.push_back(builder.getNamedAttr("transposed", builder.getBoolAttr(true)));
      append(facts);
    }
  }

  void addObstacle(const gpu::MatrixUnit &unit, llvm::StringRef obstacle) {
    append({text("instruction", unit.instruction), text("obstacle", obstacle)});
  }

  void addOrdinary(double flops) {
    append({text("instruction", ordinaryUnits), number("clocks", flops / machine.ordinaryFlops())});
  }

  Attribute take() { return builder.getArrayAttr(candidates); }

private:
  NamedAttribute text(llvm::StringRef name, llvm::StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  }
  NamedAttribute number(llvm::StringRef name, unsigned value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  NamedAttribute number(llvm::StringRef name, double value) {
    return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
  }
  void append(llvm::ArrayRef<NamedAttribute> facts) { candidates.push_back(builder.getDictionaryAttr(facts)); }

  Builder builder;
  const gpu::Machine &machine;
  SmallVector<Attribute> candidates;
};

/// Says how the product is computed, and how long all the ways that there are would take.
void reportDecision(Operation *dot, const Choice &choice, bool readsBuffers, const gpu::TargetInfo &target) {
  remarks::InFlightRemark remark = remarks::decided(dot, remarks::product, "Unit");
  if (!remark)
    return;
  double flops = analysis::countFlops(dot);
  gpu::ProductTypes types = analysis::typesOfProduct(dot);
  Comparison comparison(dot->getContext(), target.machine());
  bool isChained = choice.product.isChained;
  for (const gpu::MatrixUnit &unit : target.findMatrixUnits(types)) {
    bool isPossible = false;
    for (const Orientation &oriented : findOrientations(dot, unit, isChained)) {
      if (!findObstacle(oriented, unit, getNumWarps(dot), readsBuffers).empty())
        continue;
      comparison.add(unit, describe(oriented, isChained), oriented.isTransposed, getNumWarps(dot));
      isPossible = true;
    }
    if (!isPossible)
      comparison.addObstacle(unit, findObstacle({dot, false}, unit, getNumWarps(dot), readsBuffers));
  }
  comparison.addOrdinary(flops);
  std::string instruction =
      choice.unit ? analysis::nameInstruction(*choice.unit, choice.plan.columns) : ordinaryUnits.str();
  llvm::ArrayRef<int64_t> shape = typeOf(dot->getResult(0)).getShape().take_back(2);
  remark << remarks::Fact("m", shape[0]) << remarks::Fact("n", shape[1]) << remarks::Fact("k", choice.product.depth)
         << remarks::Fact("left", types.left) << remarks::Fact("right", types.right)
         << remarks::Fact("accumulator", types.accumulator) << remarks::Fact("flops", int64_t(flops))
         << remarks::Fact("instruction", instruction) << remarks::Fact("encoding", choice.encoding)
         << remarks::Fact("warps", getNumWarps(dot));
  if (choice.unit)
    remark << remarks::Fact("row_warps", int64_t(choice.plan.rowWarps))
           << remarks::Fact("column_warps", int64_t(choice.plan.columnWarps));
  if (choice.unit && choice.plan.batchWarps > 1)
    remark << remarks::Fact("batch_warps", int64_t(choice.plan.batchWarps));
  if (choice.isTransposed)
    remark << remarks::Fact("transposed", true);
  remark << remarks::Fact("candidates", comparison.take());
}

/// Says why a better unit than `unit` does not compute the product, where there is one.
void reportObstacle(Operation *dot, const std::optional<gpu::MatrixUnit> &unit, bool readsBuffers,
                    const gpu::TargetInfo &target) {
  gpu::ProductTypes types = analysis::typesOfProduct(dot);
  SmallVector<gpu::MatrixUnit> units = target.findMatrixUnits(types);
  llvm::StringRef chosen = unit ? unit->instruction : llvm::StringRef(ordinaryUnits), reason;
  bool isRounded = types.left && types.left.isF32() && types.precision == tt::InputPrecision::IEEE;
  types.precision = tt::InputPrecision::TF32;
  bool hasRoundedUnit = isRounded && !target.findMatrixUnits(types).empty();
  std::string better = "matrix units";
  if (units.empty()) {
    reason = hasRoundedUnit ? "matrix units do not multiply f32 without rounding it"
                            : "no matrix unit of the target multiplies these element types";
  } else if (!unit || unit->instruction != units.front().instruction) {
    reason = findObstacle({dot, false}, units.front(), getNumWarps(dot), readsBuffers);
    better = units.front().instruction;
  } else {
    reason = target.explainMissingUnit(analysis::typesOfProduct(dot));
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
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<Operation *> dots;
    getOperation().walk([&](Operation *op) {
      if (isRegisterProduct(op) && isa<BlockedEncodingAttr>(typeOf(op->getResult(0)).getEncoding()))
        dots.push_back(op);
    });
    // All layouts are chosen before any product changes, since chains are read off the products.
    SmallVector<Choice> choices;
    for (Operation *dot : dots)
      choices.push_back(choose(dot, /*mayBeChained=*/dots.size() > 1, *target));
    for (auto [dot, choice] : llvm::zip_equal(dots, choices))
      if (isa<tt::DotScaledOp>(dot) && !choice.unit) {
        dot->emitError("the target has no matrix unit for this scaled product; stage ttir takes such products apart");
        return signalPassFailure();
      }
    if (remarks::areWanted(getOperation()))
      for (auto [dot, choice] : llvm::zip_equal(dots, choices)) {
        reportDecision(dot, choice, warpGroupDots, *target);
        reportObstacle(dot, choice.unit, warpGroupDots, *target);
      }
    for (auto [dot, choice] : llvm::zip_equal(dots, choices))
      replaceDot(dot, choice);
  }

private:
  /// The cheapest way to compute `dot`; of equal ones, that of the unit that the target names first.
  Choice choose(Operation *dot, bool mayBeChained, const gpu::TargetInfo &target) {
    unsigned warps = getNumWarps(dot);
    bool chained = mayBeChained && isChained(dot);
    Choice choice;
    choice.product = describe({dot, false}, chained);
    for (const gpu::MatrixUnit &unit : target.findMatrixUnits(analysis::typesOfProduct(dot)))
      for (const Orientation &oriented : findOrientations(dot, unit, chained)) {
        if (!findObstacle(oriented, unit, warps, warpGroupDots).empty())
          continue;
        analysis::Product product = describe(oriented, chained);
        analysis::ProductPlan plan = analysis::planProduct(product, unit, warps, target.machine()).front();
        Choice other{unit, oriented.isTransposed, turnsRight(oriented, unit), plan, {}, product};
        if (!choice.unit || other.cost() < choice.cost())
          choice = other;
      }
    if (!choice.unit) {
      choice.encoding = ordinaryEncoding(typeOf(dot->getResult(0)), warps, getThreadsPerWarp(dot));
      return choice;
    }
    SmallVector<unsigned> split(typeOf(dot->getResult(0)).getRank() - 2, 1);
    if (!split.empty())
      split.front() = choice.plan.batchWarps;
    split.append({choice.plan.rowWarps, choice.plan.columnWarps});
    choice.encoding = target.getMatrixEncoding(&getContext(), *choice.unit, split, choice.plan.columns);
    return choice;
  }

  void replaceDot(Operation *op, const Choice &choice) {
    OpBuilder builder(op);
    auto dot = dyn_cast<tt::DotOp>(op);
    Value result = !dot ? createScaledDot(builder, cast<tt::DotScaledOp>(op), choice)
                   : choice.unit && choice.unit->readsShared ? createGroupDot(builder, dot, choice)
                                                             : createWarpDot(builder, dot, choice);
    op->getResult(0).replaceAllUsesWith(convertTo(builder, result, typeOf(op->getResult(0)).getEncoding()));
    op->erase();
  }

  /// `value` in the layout of an operand of the product.
  Value createOperand(OpBuilder &builder, Value value, unsigned index, const Choice &choice) {
    unsigned kWidth = choice.unit ? choice.unit->kWidth : 0;
    return convertTo(builder, choice.unit ? widen(builder, value, *choice.unit) : value,
                     DotOperandEncodingAttr::get(&getContext(), index, choice.encoding, kWidth));
  }

  /// A product whose operands are in registers.
  Value createWarpDot(OpBuilder &builder, tt::DotOp dot, const Choice &choice) {
    Value accumulator = convertTo(builder, dot.getC(), choice.encoding);
    return tt::DotOp::create(builder, dot.getLoc(), accumulator.getType(),
                             createOperand(builder, dot.getA(), 0, choice),
                             createOperand(builder, dot.getB(), 1, choice), accumulator, dot.getInputPrecision(),
                             dot.getMaxNumImpreciseAcc());
  }

  /// A product whose operands are in buffers, except for a computed left one.
  Value createGroupDot(OpBuilder &builder, tt::DotOp dot, const Choice &choice) {
    Orientation oriented(dot, choice.isTransposed);
    auto orient = [&](Value value) -> Value {
      return choice.isTransposed ? tt::TransOp::create(builder, dot.getLoc(), value, llvm::ArrayRef<int32_t>{1, 0})
                                 : value;
    };
    Value left = choice.product.isLeftComputed ? createOperand(builder, oriented.left, 0, choice)
                                               : createOperandBuffer(builder, orient(oriented.left));
    Value right = choice.turnsRight ? createTurnedBuffer(builder, orient(oriented.right), 0)
                                    : createOperandBuffer(builder, orient(oriented.right));
    Value accumulator = convertTo(builder, orient(dot.getC()), choice.encoding);
    auto product =
        WarpGroupDotOp::create(builder, dot.getLoc(), cast<RankedTensorType>(accumulator.getType()), left, right,
                               accumulator, /*addsC=*/Value(), dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
    return orient(product.getD());
  }

  static Value convertScale(OpBuilder &builder, Value scale, unsigned operand, const Choice &choice) {
    return scale ? convertTo(builder, scale, getScaleEncoding(typeOf(scale).getShape(), choice.encoding, operand))
                 : scale;
  }

  /// TTIR has left scaled products for which there are units.
  Value createScaledDot(OpBuilder &builder, tt::DotScaledOp dot, const Choice &choice) {
    auto operand = [&](Value value, unsigned index) {
      return convertTo(builder, value,
                       DotOperandEncodingAttr::get(&getContext(), index, choice.encoding, choice.unit->kWidth));
    };
    Value left = operand(dot.getA(), 0), right = operand(dot.getB(), 1),
          accumulator = convertTo(builder, dot.getC(), choice.encoding),
          leftScale = convertScale(builder, dot.getAScale(), 0, choice),
          rightScale = convertScale(builder, dot.getBScale(), 1, choice);
    return tt::DotScaledOp::create(builder, dot.getLoc(), accumulator.getType(), left, right, accumulator, leftScale,
                                   rightScale, dot.getAElemType(), dot.getBElemType(), dot.getFastMath(),
                                   dot.getLhsKPack(), dot.getRhsKPack());
  }
};

} // namespace

} // namespace triton::ttg
