#include "gpu/tiles/TileAxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::ttg {

llvm::ArrayRef<int64_t> TileAxes::shapeOf(Value value) {
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    return tensor.getShape();
  if (auto descriptor = dyn_cast<tt::TensorDescType>(value.getType()))
    return descriptor.getBlockType().getShape();
  return {};
}

TileAxes::TileAxes(tt::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    add(argument);
    keepWhole(argument); // The launch knows its shape.
  }
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          add(argument);
    for (Value result : op->getResults())
      add(result);
  });
  function.walk([&](Operation *op) { visit(op); });
  finish();
}

void TileAxes::add(Value value) {
  if (shapeOf(value).empty())
    return;
  firstOf.try_emplace(value, unsigned(extents.size()));
  all.push_back(value);
  llvm::append_range(extents, shapeOf(value));
  classes.grow(unsigned(extents.size()));
}

void TileAxes::finish() {
  classes.compress();
  llvm::SmallVector<int64_t> extentsOfDimensions = std::move(extents);
  extents.assign(classes.getNumClasses(), 0);
  for (auto [dimension, extent] : llvm::enumerate(extentsOfDimensions))
    extents[classes[unsigned(dimension)]] = extent;
  whole.resize(classes.getNumClasses());
  for (unsigned dimension : wholeDimensions)
    whole.set(classes[dimension]);
  for (Value value : all) { // No block could take a part of both.
    unsigned first = firstOf.at(value), end = first + unsigned(shapeOf(value).size());
    for (unsigned one = first; one < end; ++one)
      for (unsigned other = one + 1; other < end; ++other)
        if (classes[one] == classes[other])
          whole.set(classes[one]);
  }
}

std::optional<unsigned> TileAxes::findDimension(Value value, unsigned axisClass) const {
  auto found = firstOf.find(value);
  if (found != firstOf.end())
    for (unsigned dimension = 0; dimension < shapeOf(value).size(); ++dimension)
      if (classes[found->second + dimension] == axisClass)
        return dimension;
  return std::nullopt;
}

void TileAxes::tie(Value a, unsigned dimensionOfA, Value b, unsigned dimensionOfB) {
  classes.join(firstOf.at(a) + dimensionOfA, firstOf.at(b) + dimensionOfB);
}

void TileAxes::tieAll(Value a, Value b) {
  for (unsigned dimension = 0; dimension < shapeOf(a).size(); ++dimension)
    tie(a, dimension, b, dimension);
}

void TileAxes::tieEach(ValueRange a, ValueRange b) {
  for (auto [one, other] : llvm::zip_equal(a, b))
    tieAll(one, other);
}

void TileAxes::keepWhole(Value value, unsigned dimension) { wholeDimensions.push_back(firstOf.at(value) + dimension); }

void TileAxes::keepWhole(ValueRange values) {
  for (Value value : values)
    for (unsigned dimension = 0; dimension < shapeOf(value).size(); ++dimension)
      keepWhole(value, dimension);
}

/// All tensors of the operation have one shape.
void TileAxes::tieElements(Operation *op) {
  Value first;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (!shapeOf(value).empty()) {
        if (first)
          tieAll(first, value);
        first = value;
      }
}

void TileAxes::visitLoop(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    tieEach(loop.getInitArgs(), loop.getRegionIterArgs());
    tieEach(loop.getInitArgs(), loop.getBody()->getTerminator()->getOperands());
    return tieEach(loop.getInitArgs(), loop.getResults());
  }
  auto loop = cast<scf::WhileOp>(op);
  tieEach(loop.getInits(), loop.getBeforeArguments());
  tieEach(loop.getInits(), loop.getYieldOp().getOperands());
  tieEach(loop.getConditionOp().getArgs(), loop.getAfterArguments());
  tieEach(loop.getConditionOp().getArgs(), loop.getResults());
}

/// Whether element `i` of each result depends on elements `i` of the operands alone.
static bool isElementwise(Operation *op) {
  if (auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op))
    return assembly.getPackedElement() == 1;
  if (auto map = dyn_cast<tt::MapElementwiseOp>(op))
    return map.getPack() == 1;
  return op->hasTrait<OpTrait::Elementwise>() || isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op);
}

void TileAxes::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<tt::FuncOp, tt::SplatOp, tt::MakeRangeOp, tt::MakeTensorDescOp, tt::AssertOp, scf::YieldOp,
            scf::ConditionOp>([](Operation *) {})
      .Case([&](arith::ConstantOp constant) {
        if (!isa<SplatElementsAttr>(constant.getValue()))
          keepWhole(constant->getResults());
      })
      .Case([&](tt::ExpandDimsOp expand) {
        for (unsigned dimension = 0; dimension < shapeOf(expand.getSrc()).size(); ++dimension)
          tie(expand.getSrc(), dimension, expand.getResult(), dimension + (dimension >= expand.getAxis()));
      })
      .Case([&](tt::BroadcastOp broadcast) {
        for (unsigned dimension = 0; dimension < shapeOf(broadcast.getSrc()).size(); ++dimension)
          if (shapeOf(broadcast.getSrc())[dimension] == shapeOf(broadcast.getResult())[dimension])
            tie(broadcast.getSrc(), dimension, broadcast.getResult(), dimension);
      })
      .Case([&](tt::TransOp transposed) {
        for (auto [dimension, source] : llvm::enumerate(transposed.getOrder()))
          tie(transposed.getResult(), unsigned(dimension), transposed.getSrc(), unsigned(source));
      })
      .Case([&](tt::ReshapeOp reshape) {
        llvm::ArrayRef<int64_t> from = shapeOf(reshape.getSrc()), to = shapeOf(reshape.getResult());
        unsigned same = 0; // leading dimensions that stay what they are
        while (!reshape.getAllowReorder() && same < std::min(from.size(), to.size()) && from[same] == to[same]) {
          tie(reshape.getSrc(), same, reshape.getResult(), same);
          ++same;
        }
        for (unsigned dimension = same; dimension < from.size(); ++dimension)
          keepWhole(reshape.getSrc(), dimension);
        for (unsigned dimension = same; dimension < to.size(); ++dimension)
          keepWhole(reshape.getResult(), dimension);
      })
      .Case([&](tt::ReduceOp reduce) {
        for (Value source : reduce->getOperands()) {
          tieAll(reduce->getOperand(0), source);
          keepWhole(source, reduce.getAxis());
        }
        for (Value result : reduce->getResults())
          for (unsigned dimension = 0; dimension < shapeOf(result).size(); ++dimension)
            tie(reduce->getOperand(0), dimension + (dimension >= reduce.getAxis()), result, dimension);
      })
      .Case([&](tt::ScanOp scan) {
        tieElements(scan);
        keepWhole(scan->getOperand(0), scan.getAxis());
      })
      .Case([&](tt::DotOp dot) {
        unsigned rank = unsigned(shapeOf(dot.getD()).size()), row = rank - 2, column = rank - 1;
        tieAll(dot.getC(), dot.getD());
        if (rank == 3) {
          tie(dot.getA(), 0, dot.getD(), 0);
          tie(dot.getB(), 0, dot.getD(), 0);
        }
        tie(dot.getA(), row, dot.getD(), row);
        tie(dot.getB(), column, dot.getD(), column);
        keepWhole(dot.getA(), column);
        keepWhole(dot.getB(), row);
      })
      .Case<tt::JoinOp, tt::SplitOp>([&](Operation *each) {
        bool joins = isa<tt::JoinOp>(each);
        Value wide = joins ? each->getResult(0) : each->getOperand(0);
        unsigned last = unsigned(shapeOf(wide).size()) - 1;
        for (Value narrow : joins ? ValueRange(each->getOperands()) : ValueRange(each->getResults()))
          for (unsigned dimension = 0; dimension < last; ++dimension)
            tie(narrow, dimension, wide, dimension);
        keepWhole(wide, last);
      })
      .Case<tt::DescriptorLoadOp, tt::DescriptorStoreOp, tt::DescriptorReduceOp>([&](auto access) {
        Value block = access->getNumResults() ? Value(access->getResult(0)) : Value(access->getOperand(1));
        unsigned lacking = unsigned(shapeOf(access.getDesc()).size() - shapeOf(block).size()); // of extent 1
        for (unsigned dimension = 0; dimension < shapeOf(block).size(); ++dimension)
          tie(block, dimension, access.getDesc(), dimension + lacking);
      })
      .Case<scf::ForOp, scf::WhileOp>([&](Operation *loop) { visitLoop(loop); })
      .Case([&](scf::IfOp branch) {
        if (branch.getNumResults() == 0)
          return;
        tieEach(branch.getResults(), branch.thenYield().getOperands());
        tieEach(branch.getResults(), branch.elseYield().getOperands());
      })
      .Default([&](Operation *other) {
        if (isElementwise(other))
          return tieElements(other);
        keepWhole(other->getOperands());
        keepWhole(other->getResults());
      });
}

} // namespace triton::ttg
