// Accumulates reductions per thread and combines the threads' parts once after the loop, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/CombinePlan.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/ir/Dialect.h"
#include "gpu/layouts/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/EncodingInference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUOPTIMIZETHREADLOCALITY
#include "gpu/layouts/Passes.h.inc"

namespace {

/// A factor of the carried value in an iteration.
struct Scaling {
  arith::MulFOp product;
  Value factor;
};

/// A value that a loop carries. Each iteration scales it and combines it with the reduction of a tile.
struct Accumulation {
  tt::ReduceOp reduction;
  ConvertLayoutOp conversion; ///< of the reduction to the layout of the carried value; null: it has that layout
  Operation *combination = nullptr;
  SmallVector<Scaling> scalings; ///< in the order of execution
};

bool isIdempotent(Operation *op) {
  return isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::MinSIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp>(op);
}

/// Combinations in any order and grouping. Those that are not idempotent have the neutral element 0.
bool isReorderable(Operation *op) { return isIdempotent(op) || isa<arith::AddFOp, arith::AddIOp, arith::XOrIOp>(op); }

/// Whether `value` is the loop's `argument` times factors and has no other use. Collects the factors.
bool isScaled(Value value, BlockArgument argument, SmallVectorImpl<Scaling> &scalings) {
  if (!value.hasOneUse())
    return false;
  if (value == argument)
    return true;
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || product->getBlock() != argument.getOwner())
    return false;
  for (auto [carried, factor] : {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
    if (isScaled(carried, argument, scalings)) {
      scalings.push_back({product, factor});
      return true;
    }
  return false;
}

/// The reduction of one tensor by the operation of `combination`, and by nothing else.
tt::ReduceOp matchReduction(Value value, Operation *combination) {
  if (auto conversion = value.getDefiningOp<ConvertLayoutOp>(); conversion && value.hasOneUse())
    value = conversion.getSrc();
  auto reduction = value.getDefiningOp<tt::ReduceOp>();
  if (!reduction || !value.hasOneUse() || reduction->getBlock() != combination->getBlock() ||
      reduction->getNumOperands() != 1)
    return {};
  Operation *combiner = reduction.getSingleCombiner();
  return combiner && combiner->getName() == combination->getName() ? reduction : tt::ReduceOp();
}

std::optional<Accumulation> matchAccumulation(scf::ForOp loop, unsigned index) {
  BlockArgument argument = loop.getRegionIterArg(index);
  Value yielded = loop.getBody()->getTerminator()->getOperand(index);
  Operation *combination = yielded.getDefiningOp();
  if (!combination || combination->getBlock() != loop.getBody() || !yielded.hasOneUse() || !isReorderable(combination))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    Value reduced = combination->getOperand(side);
    Accumulation found{matchReduction(reduced, combination), reduced.getDefiningOp<ConvertLayoutOp>(), combination, {}};
    if (found.reduction && isScaled(combination->getOperand(1 - side), argument, found.scalings) &&
        (found.scalings.empty() || isa<arith::AddFOp>(combination)))
      return found;
  }
  return std::nullopt;
}

class ThreadLocalAccumulation {
public:
  ThreadLocalAccumulation(scf::ForOp loop, unsigned index, Accumulation accumulation)
      : loop(loop), index(index), accumulation(std::move(accumulation)), builder(loop),
        location(this->accumulation.combination->getLoc()), axis(this->accumulation.reduction.getAxis()) {}

  /// Does not change the loop if the reduction stays within threads or its layout cannot be used.
  void run() {
    RankedTensorType tile = accumulation.reduction.getInputTypes().front();
    std::optional<SmallVector<analysis::AxisBit>> bits = analysis::findAxisBits(toLinearLayout(tile), axis);
    if (!bits || llvm::all_of(*bits, isOfRegister))
      return;
    Type original = loop.getResult(index).getType();
    builder.setInsertionPoint(accumulation.combination);
    Value part = reduceInThread(accumulation.reduction->getOperand(0), *bits);
    partType = cast<RankedTensorType>(part.getType());

    builder.setInsertionPoint(loop);
    loop.getInitArgsMutable()[index].assign(spreadStart(loop.getInitArgs()[index]));
    BlockArgument carried = loop.getRegionIterArg(index);
    carried.setType(partType);
    loop.getResult(index).setType(partType);
    builder.setInsertionPoint(accumulation.combination);
    accumulate(carried, part);
    gather(original);
  }

private:
  static bool isOfRegister(const analysis::AxisBit &bit) { return bit.source == analysis::AxisBit::Source::Register; }

  Value reshape(Value value, llvm::ArrayRef<int64_t> shape) {
    auto from = cast<RankedTensorType>(value.getType());
    if (from.getShape() == shape)
      return value;
    RankedTensorType to = tt::inferTensorType(from, shape, [&](const tt::EncodingInferenceInterface &encodings) {
      return encodings.reshape(from.getShape(), from.getEncoding(), shape);
    });
    return tt::ReshapeOp::create(builder, location, to, value);
  }

  Value reduce(Value value, unsigned dimension) {
    auto from = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape.erase(shape.begin() + dimension);
    Type to = from.getElementType();
    if (!shape.empty())
      to = tt::inferTensorType(from, shape, [&](const tt::EncodingInferenceInterface &encodings) {
        return encodings.reduce(from.getShape(), from.getEncoding(), dimension);
      });
    auto copy = cast<tt::ReduceOp>(builder.clone(*accumulation.reduction));
    copy->setOperands(value);
    copy.setAxis(dimension);
    copy->getResult(0).setType(to);
    return copy->getResult(0);
  }

  /// Combines what each thread holds along the axis. Cuts the axis where the bits of its coordinate change between
  /// registers and others, and reduces the pieces that are registers.
  Value reduceInThread(Value tile, llvm::ArrayRef<analysis::AxisBit> bits) {
    SmallVector<int64_t> whole(cast<RankedTensorType>(tile.getType()).getShape());
    SmallVector<std::pair<bool, int64_t>> pieces; // from the slowest, whether of registers, and extent
    for (const analysis::AxisBit &bit : llvm::reverse(bits)) {
      if (pieces.empty() || pieces.back().first != isOfRegister(bit))
        pieces.push_back({isOfRegister(bit), 1});
      pieces.back().second *= 2;
    }
    SmallVector<int64_t> cut(whole.begin(), whole.begin() + axis), kept = cut;
    int64_t parts = 1;
    for (auto [inThread, extent] : pieces) {
      cut.push_back(extent);
      parts *= inThread ? 1 : extent;
    }
    kept.push_back(parts);
    cut.append(whole.begin() + axis + 1, whole.end());
    kept.append(whole.begin() + axis + 1, whole.end());
    Value value = reshape(tile, cut);
    for (unsigned piece = pieces.size(); piece-- > 0;)
      if (pieces[piece].first)
        value = reduce(value, axis + piece);
    return reshape(value, kept);
  }

  /// Repeats a value for each result as a value for each part.
  Value spread(Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    auto type = RankedTensorType::get(partType.getShape(), element, partType.getEncoding());
    if (!isa<RankedTensorType>(value.getType()))
      return tt::SplatOp::create(builder, location, type, value);
    Value column = convertTo(builder, value, SliceEncodingAttr::get(type.getContext(), axis, type.getEncoding()));
    column = tt::ExpandDimsOp::create(builder, location, column, axis);
    return tt::BroadcastOp::create(builder, location, type, column);
  }

  /// The number of each part, along the axis.
  Value numberParts() {
    SmallVector<Attribute> encodings{partType.getEncoding()};
    for (unsigned dimension = partType.getRank(); dimension-- > 0;)
      if (dimension != axis)
        encodings.push_back(SliceEncodingAttr::get(partType.getContext(), dimension, encodings.back()));
    int64_t parts = partType.getDimSize(axis);
    auto type = RankedTensorType::get({parts}, builder.getI32Type(), encodings.back());
    Value number = tt::MakeRangeOp::create(builder, location, type, 0, int32_t(parts));
    for (unsigned dimension = 0; dimension < partType.getRank(); ++dimension)
      if (dimension != axis)
        number = tt::ExpandDimsOp::create(builder, location, number, dimension);
    return tt::BroadcastOp::create(builder, location, partType.clone(builder.getI32Type()), number);
  }

  /// The initial values of the parts, whose combination is `start`.
  Value spreadStart(Value start) {
    if (isIdempotent(accumulation.combination))
      return spread(start);
    Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(partType));
    if (matchPattern(start, m_Zero()) || matchPattern(start, m_PosZeroFloat()))
      return zero;
    Value numbers = numberParts();
    Value none = arith::ConstantOp::create(builder, location, builder.getZeroAttr(numbers.getType()));
    Value isFirst = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, numbers, none);
    return arith::SelectOp::create(builder, location, isFirst, spread(start), zero);
  }

  /// The work of an iteration, on parts.
  void accumulate(Value carried, Value part) {
    auto onParts = [&](Operation *op, Value left, Value right) {
      Operation *copy = builder.clone(*op);
      copy->setOperands({left, right});
      copy->getResult(0).setType(partType);
      return copy->getResult(0);
    };
    Value value = carried;
    for (const Scaling &scaling : accumulation.scalings)
      value = onParts(scaling.product, value, spread(scaling.factor));
    value = onParts(accumulation.combination, value, part);
    loop.getBody()->getTerminator()->setOperand(index, value);
    accumulation.combination->erase();
    if (accumulation.conversion)
      accumulation.conversion->erase();
    for (const Scaling &scaling : llvm::reverse(accumulation.scalings))
      scaling.product->erase();
  }

  /// Combines the parts after the loop.
  void gather(Type original) {
    builder.setInsertionPointAfter(loop);
    Value parts = loop.getResult(index);
    Value whole = reduce(parts, axis);
    Operation *reduction = whole.getDefiningOp();
    Value result = whole;
    if (auto tensor = dyn_cast<RankedTensorType>(original))
      result = convertTo(builder, whole, tensor.getEncoding());
    parts.replaceAllUsesExcept(result, reduction);
    accumulation.reduction->erase();
  }

  scf::ForOp loop;
  unsigned index;
  Accumulation accumulation;
  OpBuilder builder;
  Location location;
  unsigned axis;
  RankedTensorType partType; ///< of the parts: along the axis, it has an element for each thread that holds a part
};

struct TritonGPUOptimizeThreadLocality : impl::TritonGPUOptimizeThreadLocalityBase<TritonGPUOptimizeThreadLocality>,
                                         base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    getOperation().walk([](scf::ForOp loop) {
      for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
        if (std::optional<Accumulation> accumulation = matchAccumulation(loop, index))
          ThreadLocalAccumulation(loop, index, std::move(*accumulation)).run();
    });
  }
};

} // namespace

} // namespace triton::ttg
