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

void KernelLowering::lowerNested(Block &block, Block *into, llvm::function_ref<void()> carryOut) {
  size_t mark = bufferChanges.size();
  int64_t scratchBefore = scratchUsed;
  b.setInsertionPointToEnd(into);
  lowerBlock(block, carryOut);
  forgetBuffersSince(mark, block.getParent());
  scratchUsed = scratchBefore; // Outside of the region, its buffers are not needed any more.
}

void KernelLowering::writeCarried(ArrayRef<Value> values, ArrayRef<Buffer> targets) {
  struct Write {
    Value value;
    Buffer target;
    Closure closure;
  };
  SmallVector<Write> writes;
  for (auto [value, target] : llvm::zip(values, targets)) {
    const Buffer *known = bufferOf(value);
    if (known && known->base == target.base)
      continue;
    writes.push_back({value, target, closureOf(Root::copyOf(value))});
  }
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  // A value that does not read a target element by element in the same loop goes through a separate buffer.
  for (Write &write : writes) {
    bool disturbs = llvm::any_of(writes, [&](const Write &other) {
      return llvm::any_of(write.closure.uses, [&](auto &use) {
        const Buffer *read = bufferOf(use.first);
        return read && read->base == other.target.base &&
               (!use.second.isIdentity || shapeOf(other.value) != shapeOf(write.value));
      });
    });
    if (!disturbs)
      continue;
    Buffer own = allocate(cast<RankedTensorType>(write.value.getType()));
    materializeInto(write.value, own);
    setBuffer(write.value, own);
    write.closure = closureOf(Root::copyOf(write.value));
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
    emitGroup(group);
  }
}

/// The tensors among `values`.
static SmallVector<Value> tensorsIn(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, isTensor));
}

SmallVector<Value> KernelLowering::scalarsIn(ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    if (!isTensor(value))
      result.push_back(scalar(value));
  return result;
}

SmallVector<Buffer> KernelLowering::allocateFor(ValueRange values) {
  SmallVector<Buffer> result;
  for (Value value : tensorsIn(values))
    result.push_back(allocate(cast<RankedTensorType>(value.getType())));
  return result;
}

/// Binds block arguments or results: the tensors to `tensors` and the scalars to `values`, each in order.
void KernelLowering::bind(ValueRange names, ArrayRef<Buffer> tensors, ValueRange values) {
  for (Value name : names) {
    if (isTensor(name)) {
      setBuffer(name, tensors.front());
      tensors = tensors.drop_front();
    } else {
      scalars.map(name, values.front());
      values = values.drop_front();
    }
  }
}

void KernelLowering::lowerFor(scf::ForOp op) {
  llvm::SaveAndRestore savedTables(tables);
  prepareForRegions(op);
  SmallVector<Buffer> carried = allocateFor(op.getInitArgs());
  writeCarried(tensorsIn(op.getInitArgs()), carried);
  emitKeptChoice(op);
  emitAheadStart(op);
  Location loc = op.getLoc();
  auto loop = scf::ForOp::create(b, loc, scalar(op.getLowerBound()), scalar(op.getUpperBound()), scalar(op.getStep()),
                                 scalarsIn(op.getInitArgs()), nullptr, op.getUnsignedCmp());
  OpBuilder::InsertionGuard guard(b);
  scalars.map(op.getInductionVar(), loop.getInductionVar());
  bind(op.getRegionIterArgs(), carried, loop.getRegionIterArgs());
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  emitInterruptCheck(loc, emptied(loop.getBody()));
  lowerNested(*op.getBody(), loop.getBody(), [&] {
    writeCarried(tensorsIn(yield.getOperands()), carried);
    scf::YieldOp::create(b, loc, scalarsIn(yield.getOperands()));
  });
  bind(op.getResults(), carried, loop.getResults());
}

void KernelLowering::lowerIf(scf::IfOp op) {
  prepareForRegions(op);
  SmallVector<Buffer> results = allocateFor(op.getResults());
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    if (!isa<RankedTensorType>(type))
      types.push_back(laneType(type));
  bool hasElse = !op.getElseRegion().empty();
  Location loc = op.getLoc();
  auto branch = scf::IfOp::create(b, loc, types, scalar(op.getCondition()), /*addThenBlock=*/true, hasElse);
  OpBuilder::InsertionGuard guard(b);
  auto lower = [&](Region &region, Block *into) {
    lowerNested(region.front(), emptied(into), [&] {
      ValueRange yielded = region.front().getTerminator()->getOperands();
      writeCarried(tensorsIn(yielded), results);
      scf::YieldOp::create(b, loc, scalarsIn(yielded));
    });
  };
  lower(op.getThenRegion(), branch.thenBlock());
  if (hasElse)
    lower(op.getElseRegion(), branch.elseBlock());
  bind(op.getResults(), results, branch.getResults());
}

void KernelLowering::lowerWhile(scf::WhileOp op) {
  llvm::SaveAndRestore savedTables(tables);
  prepareForRegions(op);
  SmallVector<Buffer> carried = allocateFor(op.getInits()), results = allocateFor(op.getResults());
  writeCarried(tensorsIn(op.getInits()), carried);
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    if (!isa<RankedTensorType>(type))
      types.push_back(laneType(type));
  Location loc = op.getLoc();
  auto loop = scf::WhileOp::create(b, loc, types, scalarsIn(op.getInits()), nullptr, nullptr);
  OpBuilder::InsertionGuard guard(b);
  bind(op.getBeforeArguments(), carried, loop.getBeforeArguments());
  scf::ConditionOp condition = op.getConditionOp();
  emitInterruptCheck(loc, emptied(loop.getBeforeBody()));
  lowerNested(*op.getBeforeBody(), loop.getBeforeBody(), [&] {
    writeCarried(tensorsIn(condition.getArgs()), results);
    scf::ConditionOp::create(b, loc, scalar(condition.getCondition()), scalarsIn(condition.getArgs()));
  });
  bind(op.getAfterArguments(), results, loop.getAfterArguments());
  lowerNested(*op.getAfterBody(), emptied(loop.getAfterBody()), [&] {
    ValueRange yielded = op.getYieldOp().getOperands();
    writeCarried(tensorsIn(yielded), carried);
    scf::YieldOp::create(b, loc, scalarsIn(yielded));
  });
  bind(op.getResults(), results, loop.getResults());
}

} // namespace triton::cpu
