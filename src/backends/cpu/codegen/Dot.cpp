// Matrix products. The operands are put into buffers, and the accumulator is updated in place where nothing else needs
// its old value.
#include "backends/cpu/codegen/Lowering.h"

#include "backends/cpu/emitters/DotEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

/// A buffer that contains the third operand and may be overwritten with the result. If the operand is lazy, the buffer
/// is filled here.
static std::optional<Buffer> accumulatorInPlace(Lowering &lowering, tt::DotOp op) {
  Group none;
  lowering.done.insert(op); // the operation's own use does not count
  Value accumulator = op.getC();
  auto isFree = [&](const Buffer &buffer) {
    return llvm::none_of(lowering.buffers, [&](auto &entry) {
      Region *home = entry.first.getParentRegion();
      bool isVisible = home->isAncestor(lowering.currentBlock->getParent());
      return entry.second.base == buffer.base && isVisible && isNeededOutside(lowering, entry.first, none);
    });
  };
  auto type = cast<RankedTensorType>(accumulator.getType());
  auto isFactor = [&](const Buffer &buffer) {
    return llvm::any_of(ValueRange{op.getA(), op.getB()}, [&](Value factor) {
      if (const Buffer *read = bufferOf(lowering, factor))
        return read->base == buffer.base;
      Closure closure = closureOf(lowering, Root::copyOf(factor)); // it is packed while the product runs
      return llvm::any_of(closure.uses, [&](auto &use) {
        const Buffer *read = bufferOf(lowering, use.first);
        return read && read->base == buffer.base;
      });
    });
  };
  auto isUsable = [&](const Buffer &buffer) {
    return buffer.isRowMajor(type.getShape()) && isFree(buffer) && !isFactor(buffer);
  };
  if (const Buffer *buffer = bufferOf(lowering, accumulator))
    return isUsable(*buffer) ? std::optional(*buffer) : std::nullopt;
  // A lazy operand, such as a rescaled accumulator, is computed directly in the buffer in which the loop carries the
  // result.
  auto loop = dyn_cast<scf::ForOp>(lowering.currentBlock->getParentOp());
  if (!loop)
    return std::nullopt;
  for (auto [yielded, argument] : llvm::zip(loop.getYieldedValues(), loop.getRegionIterArgs())) {
    const Buffer *carried = bufferOf(lowering, argument);
    if (yielded != op.getD() || !carried || !isUsable(*carried))
      continue;
    Closure closure = closureOf(lowering, Root::copyOf(accumulator));
    bool isElementByElement = llvm::all_of(closure.uses, [&](auto &use) {
      const Buffer *read = bufferOf(lowering, use.first);
      return !read || read->base != carried->base || use.second.isIdentity;
    });
    if (!isElementByElement)
      continue;
    Buffer target = *carried;
    materializeInto(lowering, accumulator, target);
    return target;
  }
  return std::nullopt;
}

/// The plan of a product; of a narrow result, that of the product in f32.
DotPlan planOf(Lowering &lowering, tt::DotOp op) {
  auto aType = cast<RankedTensorType>(op.getA().getType()), bType = cast<RankedTensorType>(op.getB().getType());
  int64_t rank = aType.getRank();
  Type result = cast<RankedTensorType>(op.getD().getType()).getElementType();
  if (isNarrowFloat(result))
    result = lowering.b.getF32Type();
  return planDot({aType.getShape()[rank - 2], bType.getShape()[rank - 1], aType.getShape()[rank - 1],
                  aType.getElementType(), bType.getElementType(), result},
                 *lowering.options.target, lowering.options.fuse);
}

void prepareTiles(Lowering &lowering, Location loc) {
  OpBuilder &b = lowering.b;
  WalkResult walk = lowering.kernel.walk([&](tt::DotOp op) {
    return planOf(lowering, op).method == DotMethod::Tiles ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!walk.wasInterrupted())
    return;
  lowering.programs.tileForm = emitTileForm(b, loc);
  emitLoadTileForm(b, loc, lowering.programs.tileForm);
}

unsigned columnsToPack(Lowering &lowering, tt::DotOp op) {
  auto load = op.getB().getDefiningOp<tt::LoadOp>();
  if (!load || load.getIsVolatile() || !load->hasOneUse() || bufferOf(lowering, op.getB()) ||
      load->getBlock() != op->getBlock() || cast<RankedTensorType>(load.getType()).getRank() != 2)
    return 0;
  // A mask that covers whole rows costs one selection of the address. Others are better split off as edges of loops.
  bool hasWholeRows = !load.getMask() || lowering.analysis.laneForm(load.getMask(), 1).kind == LaneForm::Kind::Uniform;
  LaneForm form = lowering.analysis.laneForm(load.getPtr(), 1);
  DotPlan plan = planOf(lowering, op);
  if (!hasWholeRows || form.kind != LaneForm::Kind::Affine || form.step != 1)
    return 0;
  return form.isOfChunks ? plan.lanes : packedColumns(plan);
}

bool comesPacked(const Lowering &lowering, tt::DotOp op) {
  return llvm::any_of(lowering.supplies, [&](const auto &supply) { return supply->packs(op); });
}

void preparePacking(Lowering &lowering, tt::DotOp op) {
  flush(lowering);
  prepareClosure(lowering, Root::copyOf(op.getB()));
}

void packWhereLoaded(Lowering &lowering, tt::DotOp op, Value buffer) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Value matrix = op.getB();
  DotPlan plan = planOf(lowering, op);
  int64_t group = groupSize(plan), width = columnsToPack(lowering, op), columns = plan.shape.n;
  constexpr int64_t unrolledVectors = 4; // as in other nests
  int64_t step = std::min(columns, unrolledVectors * width);
  Location loc = op.getLoc();
  openNest(lowering);
  overSteps(lowering, loc, plan.shape.k, group, [&](Coordinate row) {
    Value k = arith::DivUIOp::create(b, loc, coordinateValue(lowering, loc, row, b.getI64Type()),
                                     lanes.constantI64(loc, group));
    overSteps(lowering, loc, columns, step, [&](Coordinate column) {
      for (int64_t first = 0; first < step; first += width) {
        TileIndex index{{row, column}, /*laneDim=*/1, unsigned(width)};
        index.at[1].offset = first;
        SmallVector<Value, 4> rows;
        for (index.at[0].offset = 0; index.at[0].offset < group; ++index.at[0].offset)
          rows.push_back(lanes.toVector(loc, evaluate(lowering, matrix, index), width));
        emitPackedColumns(b, loc, plan, rows, k, coordinateValue(lowering, loc, index.at[1], b.getI64Type()), buffer);
      }
    });
  });
  closeNest(lowering);
}

static void emitProduct(Lowering &lowering, tt::DotOp op, const Buffer &accumulator) {
  OpBuilder &b = lowering.b;
  Location loc = op.getLoc();
  auto aType = cast<RankedTensorType>(op.getA().getType());
  int64_t rank = aType.getRank();
  Buffer left = *bufferOf(lowering, op.getA());
  DotPlan plan = planOf(lowering, op);
  Value packed = plan.scratchBytes ? allocateBytes(lowering, plan.scratchBytes) : Value();
  if (!comesPacked(lowering, op) && columnsToPack(lowering, op) != 0) {
    preparePacking(lowering, op);
    packWhereLoaded(lowering, op, lowering.lanes.offsetPointer(loc, packed, plan.packedABytes, b.getI8Type()));
  }
  ProductOperands operands;
  for (const auto &supply : lowering.supplies)
    supply->emitBeforeProduct(lowering, op, operands);
  openNest(lowering);
  for (const auto &supply : lowering.supplies)
    supply->emitInProduct(lowering, op, operands);
  overElements(lowering, loc, aType.getShape().drop_back(2), [&](TileIndex index) {
    index.at.resize(rank);
    auto matrix = [&](const Buffer &buffer) {
      return DotMatrix{bufferPointer(lowering, loc, buffer, index).value, buffer.strides[rank - 2],
                       buffer.strides[rank - 1]};
    };
    DotMatrix c = matrix(accumulator);
    c.columnStride = 1; // also if there is only one column
    const Buffer *right = operands.packed ? nullptr : bufferOf(lowering, op.getB());
    emitDot(b, loc, plan, matrix(left), right ? matrix(*right) : DotMatrix{}, c,
            {packed, operands.packed, operands.ahead}, lowering.options.fuse);
  });
  closeNest(lowering);
}

/// An accumulator of less than 32 bits: the product is computed in f32, then added and rounded once.
static void lowerNarrowDot(Lowering &lowering, tt::DotOp op) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  auto type = cast<RankedTensorType>(op.getD().getType());
  Location loc = op.getLoc();
  Buffer product = allocate(lowering, RankedTensorType::get(type.getShape(), b.getF32Type())),
         result = allocate(lowering, type);
  int64_t lastDim = type.getRank() - 1;
  unsigned count = std::min<int64_t>(lowering.options.target->lanes(32), type.getShape()[lastDim]);
  openNest(lowering);
  overVectors(lowering, loc, type.getShape(), lastDim, count, [&](const TileIndex &index) {
    writeBuffer(lowering, loc, product, index, Lanes::uniform(lanes.zero(loc, b.getF32Type())));
  });
  closeNest(lowering);
  emitProduct(lowering, op, product);
  const Buffer addend = materialize(lowering, op.getC());
  openNest(lowering);
  overVectors(lowering, loc, type.getShape(), lastDim, count, [&](const TileIndex &index) {
    auto read = [&](const Buffer &buffer) {
      return lanes.toVector(loc, readBuffer(lowering, loc, buffer, index), index.lanes);
    };
    Value sum = arith::AddFOp::create(b, loc, lanes.widen(loc, read(addend), type.getElementType()), read(product));
    writeBuffer(lowering, loc, result, index, Lanes::vector(lanes.narrow(loc, sum, type.getElementType())));
  });
  closeNest(lowering);
  setBuffer(lowering, op.getD(), result);
}

void lowerDot(Lowering &lowering, tt::DotOp op) {
  materialize(lowering, op.getA());
  if (!comesPacked(lowering, op) && columnsToPack(lowering, op) == 0)
    materialize(lowering, op.getB());
  auto type = cast<RankedTensorType>(op.getD().getType());
  if (isNarrowFloat(type.getElementType()))
    return lowerNarrowDot(lowering, op);
  std::optional<Buffer> target = accumulatorInPlace(lowering, op);
  if (!target) {
    target = allocate(lowering, type);
    materializeInto(lowering, op.getC(), *target);
  }
  emitProduct(lowering, op, *target);
  setBuffer(lowering, op.getD(), *target);
}

} // namespace triton::cpu
