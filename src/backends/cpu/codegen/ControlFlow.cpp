// Loops and branches. Scalars remain values; a tensor that enters or leaves a region is kept in a buffer.
#include "backends/cpu/codegen/Lowering.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace triton::cpu {

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

static Block *emptied(Block *block) {
  if (!block->empty())
    block->getTerminator()->erase();
  return block;
}

/// Lowers a region's block into `into`, which is left without a terminator and with the insertion point at its end.
static void lowerNested(Lowering &lowering, Block &block, Block *into, llvm::function_ref<void()> carryOut) {
  size_t mark = lowering.bufferChanges.size();
  int64_t scratchBefore = lowering.scratch.used;
  lowering.b.setInsertionPointToEnd(into);
  lowerBlock(lowering, block, carryOut);
  forgetBuffersSince(lowering, mark, block.getParent());
  lowering.scratch.used = scratchBefore; // Outside of the region, its buffers are not needed any more.
}

/// Writes `values` to `targets` (tensors) at the end of a block. The computation of the values may read the targets.
static void writeCarried(Lowering &lowering, ArrayRef<Value> values, ArrayRef<Buffer> targets) {
  struct Write {
    Value value;
    Buffer target;
    Closure closure;
  };
  SmallVector<Write> writes;
  for (auto [value, target] : llvm::zip(values, targets)) {
    const Buffer *known = bufferOf(lowering, value);
    if (known && known->base == target.base)
      continue;
    writes.push_back({value, target, closureOf(lowering, Root::copyOf(value))});
  }
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  // A value that does not read a target element by element in the same loop goes through a separate buffer.
  for (Write &write : writes) {
    bool disturbs = llvm::any_of(writes, [&](const Write &other) {
      return llvm::any_of(write.closure.uses, [&](auto &use) {
        const Buffer *read = bufferOf(lowering, use.first);
        return read && read->base == other.target.base &&
               (!use.second.isIdentity || shapeOf(other.value) != shapeOf(write.value));
      });
    });
    if (!disturbs)
      continue;
    Buffer own = allocate(lowering, cast<RankedTensorType>(write.value.getType()));
    materializeInto(lowering, write.value, own);
    setBuffer(lowering, write.value, own);
    write.closure = closureOf(lowering, Root::copyOf(write.value));
  }
  while (!writes.empty()) {
    Group group;
    group.shape = llvm::to_vector(shapeOf(writes.front().value));
    llvm::erase_if(writes, [&](Write &write) {
      if (shapeOf(write.value) != ArrayRef(group.shape))
        return false;
      group.roots.push_back(Root::copyOf(write.value, write.target));
      group.closures.push_back(std::move(write.closure));
      return true;
    });
    emitGroup(lowering, group);
  }
}

/// The tensors among `values`.
static SmallVector<Value> tensorsIn(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, isTensor));
}

static SmallVector<Value> scalarsIn(Lowering &lowering, ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    if (!isTensor(value))
      result.push_back(scalar(lowering, value));
  return result;
}

static SmallVector<Buffer> allocateFor(Lowering &lowering, ValueRange values) {
  SmallVector<Buffer> result;
  for (Value value : tensorsIn(values))
    result.push_back(allocate(lowering, cast<RankedTensorType>(value.getType())));
  return result;
}

/// Binds block arguments or results: the tensors to `tensors` and the scalars to `values`, each in order.
static void bind(Lowering &lowering, ValueRange names, ArrayRef<Buffer> tensors, ValueRange values) {
  for (Value name : names) {
    if (isTensor(name)) {
      setBuffer(lowering, name, tensors.front());
      tensors = tensors.drop_front();
    } else {
      lowering.scalars.map(name, values.front());
      values = values.drop_front();
    }
  }
}

void lowerFor(Lowering &lowering, scf::ForOp op) {
  OpBuilder &b = lowering.b;
  llvm::SaveAndRestore savedTables(lowering.tables);
  prepareForRegions(lowering, op);
  SmallVector<Buffer> carried = allocateFor(lowering, op.getInitArgs());
  writeCarried(lowering, tensorsIn(op.getInitArgs()), carried);
  for (const auto &supply : lowering.supplies)
    supply->emitLoopStart(lowering, op);
  Location loc = op.getLoc();
  auto loop = scf::ForOp::create(b, loc, scalar(lowering, op.getLowerBound()), scalar(lowering, op.getUpperBound()),
                                 scalar(lowering, op.getStep()), scalarsIn(lowering, op.getInitArgs()), nullptr,
                                 op.getUnsignedCmp());
  OpBuilder::InsertionGuard guard(b);
  lowering.scalars.map(op.getInductionVar(), loop.getInductionVar());
  bind(lowering, op.getRegionIterArgs(), carried, loop.getRegionIterArgs());
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  emitInterruptCheck(lowering, loc, emptied(loop.getBody()));
  lowerNested(lowering, *op.getBody(), loop.getBody(), [&] {
    writeCarried(lowering, tensorsIn(yield.getOperands()), carried);
    scf::YieldOp::create(b, loc, scalarsIn(lowering, yield.getOperands()));
  });
  bind(lowering, op.getResults(), carried, loop.getResults());
}

void lowerIf(Lowering &lowering, scf::IfOp op) {
  OpBuilder &b = lowering.b;
  prepareForRegions(lowering, op);
  SmallVector<Buffer> results = allocateFor(lowering, op.getResults());
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    if (!isa<RankedTensorType>(type))
      types.push_back(laneType(type));
  bool hasElse = !op.getElseRegion().empty();
  Location loc = op.getLoc();
  auto branch = scf::IfOp::create(b, loc, types, scalar(lowering, op.getCondition()), /*addThenBlock=*/true, hasElse);
  OpBuilder::InsertionGuard guard(b);
  auto lower = [&](Region &region, Block *into) {
    lowerNested(lowering, region.front(), emptied(into), [&] {
      ValueRange yielded = region.front().getTerminator()->getOperands();
      writeCarried(lowering, tensorsIn(yielded), results);
      scf::YieldOp::create(b, loc, scalarsIn(lowering, yielded));
    });
  };
  lower(op.getThenRegion(), branch.thenBlock());
  if (hasElse)
    lower(op.getElseRegion(), branch.elseBlock());
  bind(lowering, op.getResults(), results, branch.getResults());
}

void lowerWhile(Lowering &lowering, scf::WhileOp op) {
  OpBuilder &b = lowering.b;
  llvm::SaveAndRestore savedTables(lowering.tables);
  prepareForRegions(lowering, op);
  SmallVector<Buffer> carried = allocateFor(lowering, op.getInits()), results = allocateFor(lowering, op.getResults());
  writeCarried(lowering, tensorsIn(op.getInits()), carried);
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    if (!isa<RankedTensorType>(type))
      types.push_back(laneType(type));
  Location loc = op.getLoc();
  auto loop = scf::WhileOp::create(b, loc, types, scalarsIn(lowering, op.getInits()), nullptr, nullptr);
  OpBuilder::InsertionGuard guard(b);
  bind(lowering, op.getBeforeArguments(), carried, loop.getBeforeArguments());
  scf::ConditionOp condition = op.getConditionOp();
  emitInterruptCheck(lowering, loc, emptied(loop.getBeforeBody()));
  lowerNested(lowering, *op.getBeforeBody(), loop.getBeforeBody(), [&] {
    writeCarried(lowering, tensorsIn(condition.getArgs()), results);
    scf::ConditionOp::create(b, loc, scalar(lowering, condition.getCondition()),
                             scalarsIn(lowering, condition.getArgs()));
  });
  bind(lowering, op.getAfterArguments(), results, loop.getAfterArguments());
  lowerNested(lowering, *op.getAfterBody(), emptied(loop.getAfterBody()), [&] {
    ValueRange yielded = op.getYieldOp().getOperands();
    writeCarried(lowering, tensorsIn(yielded), carried);
    scf::YieldOp::create(b, loc, scalarsIn(lowering, yielded));
  });
  bind(lowering, op.getResults(), results, loop.getResults());
}

} // namespace triton::cpu
