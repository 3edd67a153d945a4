// Lets blocks go through buffers, from where bulk copies store them, see Passes.td.
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/Budget.h"
#include "gpu/analysis/SharedOperands.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/copies/CopyRings.h"
#include "gpu/copies/Passes.h"
#include "gpu/copies/TensorMaps.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUBUFFERMAPPEDSTORES
#include "gpu/copies/Passes.h.inc"

namespace {

RankedTensorType typeOf(tt::MappedStoreOp store) { return cast<RankedTensorType>(store.getSrc().getType()); }

//===----------------------------------------------------------------------===//
// Stores that need not wait for each other
//===----------------------------------------------------------------------===//

/// A sum of a value and a constant.
std::pair<Value, int64_t> splitSum(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {Value(), constant.getSExtValue()};
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
    return {sum.getLhs(), constant.getSExtValue()};
  return {value, 0};
}

/// Whether two stores to one array may happen in any order: their blocks have no element in common, or both are
/// reductions of one kind.
bool areIndependent(tt::MappedStoreOp left, tt::MappedStoreOp right) {
  if (left.getKind() && left.getKind() == right.getKind())
    return true;
  if (left.getMap() != right.getMap())
    return false;
  auto block = left.getMap().getAs<DenseI32ArrayAttr>("block").asArrayRef();
  for (auto [first, second, extent] : llvm::zip_equal(left.getIndices(), right.getIndices(), block)) {
    auto [base, offset] = splitSum(first);
    auto [otherBase, otherOffset] = splitSum(second);
    if (base == otherBase && std::abs(offset - otherOffset) >= extent)
      return true;
  }
  return false;
}

/// Stores of one block of code, of tensors of one type, none of which must wait for another.
using StoreGroup = SmallVector<tt::MappedStoreOp>;

bool canJoin(const StoreGroup &group, tt::MappedStoreOp store) {
  return llvm::all_of(group, [&](tt::MappedStoreOp other) {
    return typeOf(other) == typeOf(store) && (other.getBase() != store.getBase() || areIndependent(other, store));
  });
}

bool holdsStores(Operation &op) {
  return op.getNumRegions() != 0 && op.walk([](tt::MappedStoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

void appendGroups(Block &block, SmallVectorImpl<StoreGroup> &groups) {
  StoreGroup open;
  auto close = [&] {
    if (!open.empty())
      groups.push_back(std::exchange(open, {}));
  };
  for (Operation &op : block) {
    if (holdsStores(op)) {
      close();
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          appendGroups(inner, groups);
    } else if (auto store = dyn_cast<tt::MappedStoreOp>(op)) {
      if (!canJoin(open, store))
        close();
      open.push_back(store);
    }
  }
  close();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// How blocks of one type go through buffers.
struct BufferPlan {
  int64_t rows = 0, columns = 0; ///< of a part of a block, which a buffer holds
  int64_t slots = 0;
};

/// The layout of the first `extent` columns, or rows; none where threads do not hold each group of so many alike.
std::optional<layout::LinearLayout> takeFirst(RankedTensorType type, unsigned dimension, int64_t extent) {
  layout::LinearLayout whole = toLinearLayout(type);
  SmallVector<layout::Input> inputs(whole.inputs());
  unsigned left = 0;
  for (layout::Input &input : inputs)
    for (std::size_t bit = input.bases.size(); bit-- > 0;) {
      const layout::Basis &basis = input.bases[bit];
      int32_t step = basis[dimension];
      if (step < extent)
        continue;
      if (input.name != "register" || basis[1 - dimension] != 0 || step % extent != 0 || !llvm::isPowerOf2_32(step))
        return std::nullopt;
      input.bases.erase(input.bases.begin() + bit);
      ++left;
    }
  if (int64_t(1) << left != type.getDimSize(dimension) / extent)
    return std::nullopt;
  SmallVector<layout::Output> outputs(whole.outputs());
  outputs[dimension].size = int32_t(extent);
  return layout::LinearLayout(inputs, outputs);
}

MemDescType getBufferType(RankedTensorType type, const BufferPlan &plan) {
  NvmmaSharedEncodingAttr encoding = getOperandEncoding(type, /*fastest=*/1);
  return MemDescType::get(type.getContext(), {plan.slots, plan.rows, plan.columns}, type.getElementType(), encoding,
                          SharedMemorySpaceAttr::get(type.getContext()), /*mutableMemory=*/true);
}

int64_t bytesOf(RankedTensorType type, const BufferPlan &plan) {
  return int64_t(analysis::getBufferBytes(getBufferType(type, plan)));
}

/// The largest buffers that fit into `free` bytes; the smallest where none do. `blocks` of this type stand side by
/// side.
BufferPlan planBuffers(RankedTensorType type, int64_t blocks, int64_t free) {
  BufferPlan whole{type.getDimSize(0), type.getDimSize(1), blocks};
  SmallVector<BufferPlan> plans{whole};
  if (blocks > 2)
    plans.push_back({whole.rows, whole.columns, 2});
  BufferPlan part{whole.rows, whole.columns, 2};
  int64_t fewestColumns = getOperandEncoding(type, /*fastest=*/1).getPieceElements();
  while (part.columns / 2 >= fewestColumns && takeFirst(type, 1, part.columns / 2)) {
    part.columns /= 2;
    plans.push_back(part);
  }
  // Where the columns belong to different warps, as in results of transposed products, rows do not.
  constexpr int64_t fewestRows = 8;
  while (part.rows / 2 >= fewestRows && takeFirst(type, 0, part.rows / 2)) {
    part.rows /= 2;
    plans.push_back(part);
  }
  plans.push_back({part.rows, part.columns, 1});
  auto fitting = llvm::find_if(plans, [&](const BufferPlan &plan) { return bytesOf(type, plan) <= free; });
  return fitting == plans.end() ? plans.back() : *fitting;
}

class StoreBuffers {
public:
  StoreBuffers(tt::FuncOp function, SmallVector<StoreGroup> groups)
      : function(function), groups(std::move(groups)), builder(function), maps(function) {}

  void run(int64_t free) {
    llvm::MapVector<RankedTensorType, int64_t> blocks; // the most that stand side by side
    for (StoreGroup &group : groups) {
      int64_t &most = blocks[typeOf(group.front())];
      most = std::max<int64_t>(most, group.size());
    }
    builder.setInsertionPointToStart(&function.getBody().front());
    for (auto [type, count] : blocks) {
      BufferPlan plan = planBuffers(type, count, free);
      free -= bytesOf(type, plan);
      Value ring = LocalAllocOp::create(builder, function.getLoc(), getBufferType(type, plan), Value());
      buffers[type] = {plan, ring};
      rings.push_back(ring);
    }
    for (StoreGroup &group : groups)
      lower(group);
    function.walk([&](tt::ReturnOp end) {
      builder.setInsertionPoint(end);
      AsyncStoreWaitOp::create(builder, end.getLoc(), rings, 0, /*onlyReads=*/true);
    });
  }

private:
  struct Buffers {
    BufferPlan plan;
    Value ring;
  };

  void lower(StoreGroup &group) {
    int64_t part = 0;
    for (tt::MappedStoreOp store : group) {
      const BufferPlan &plan = buffers[typeOf(store)].plan;
      for (int64_t row = 0; row < typeOf(store).getDimSize(0); row += plan.rows)
        for (int64_t column = 0; column < typeOf(store).getDimSize(1); column += plan.columns)
          storePart(store, row, column, part++);
      store.erase();
    }
  }

  /// Of `value` the columns from `first` on, as many as `extent`.
  Value takeColumns(Value value, int64_t first, int64_t extent) {
    auto type = cast<RankedTensorType>(value.getType());
    if (extent == type.getDimSize(1))
      return value;
    auto encoding = LinearEncodingAttr::get(type.getContext(), *takeFirst(type, 1, extent));
    auto part = RankedTensorType::get({type.getDimSize(0), extent}, type.getElementType(), encoding);
    return TakeColumnsOp::create(builder, value.getLoc(), part, value, int32_t(first));
  }

  Value takeRows(Value value, int64_t first, int64_t extent) {
    if (extent == cast<RankedTensorType>(value.getType()).getDimSize(0))
      return value;
    constexpr std::array<int32_t, 2> exchange{1, 0};
    Value columns = tt::TransOp::create(builder, value.getLoc(), value, exchange);
    return tt::TransOp::create(builder, value.getLoc(), takeColumns(columns, first, extent), exchange);
  }

  Value advance(Value index, int64_t by) {
    if (by == 0)
      return index;
    Location loc = index.getLoc();
    return arith::AddIOp::create(builder, loc, index, arith::ConstantIntOp::create(builder, loc, by, 32));
  }

  /// Part number `part` of its group: what begins at `row` and `column`.
  void storePart(tt::MappedStoreOp store, int64_t row, int64_t column, int64_t part) {
    Location loc = store.getLoc();
    RankedTensorType type = typeOf(store);
    auto [plan, ring] = buffers[type];
    builder.setInsertionPoint(store);
    // What was stored before the group must have been stored: its blocks may be those of the group.
    if (part == 0)
      AsyncStoreWaitOp::create(builder, loc, rings, 0, /*onlyReads=*/false);
    else if (part >= plan.slots)
      AsyncStoreWaitOp::create(builder, loc, ring, int32_t(plan.slots - 1), /*onlyReads=*/true);
    Value value = takeRows(takeColumns(store.getSrc(), column, plan.columns), row, plan.rows);
    auto ringType = cast<MemDescType>(ring.getType());
    auto slotType = MemDescType::get(type.getContext(), ringType.getShape().drop_front(), type.getElementType(),
                                     ringType.getEncoding(), ringType.getMemorySpace(), /*mutableMemory=*/true);
    Value slot = arith::ConstantIntOp::create(builder, loc, part % plan.slots, 32);
    Value view = MemDescIndexOp::create(builder, loc, slotType, ring, slot);
    LocalStoreOp::create(builder, loc, value, view);
    SmallVector<Value> indices(store.getIndices());
    indices[indices.size() - 2] = advance(indices[indices.size() - 2], row);
    indices.back() = advance(indices.back(), column);
    AsyncMappedStoreOp::create(builder, loc, maps.get(store.getMap(), slotType, loc), indices, view, store.getBase(),
                               store.getShape(), store.getStrides(), store.getKindAttr());
  }

  tt::FuncOp function;
  SmallVector<StoreGroup> groups;
  OpBuilder builder;
  TensorMaps maps;
  llvm::DenseMap<RankedTensorType, Buffers> buffers;
  SmallVector<Value> rings;
};

struct TritonGPUBufferMappedStores : impl::TritonGPUBufferMappedStoresBase<TritonGPUBufferMappedStores> {
  using TritonGPUBufferMappedStoresBase::TritonGPUBufferMappedStoresBase;

  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      SmallVector<StoreGroup> groups;
      for (Block &block : function.getBody())
        appendGroups(block, groups);
      if (groups.empty())
        continue;
      const gpu::Machine &machine = target->machine();
      int64_t free = findFreeBytes(function, numStages, machine.sharedBytes);
      // Large buffers must not keep a second program from the multiprocessor.
      Budget budget(machine, getNumWarps(function));
      int64_t used = int64_t(machine.sharedBytes) - free, freeOfHalf = budget.sharedBytesOfHalf() - used;
      if (freeOfHalf >= tuned::fewestStoreBytes && budget.canShareMultiprocessor(function, used))
        free = freeOfHalf;
      StoreBuffers(function, std::move(groups)).run(free);
    }
  }
};

} // namespace

} // namespace triton::ttg
