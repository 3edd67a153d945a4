// Lets blocks go through buffers, from where bulk copies store them, see Passes.td.
#include "gpu/analysis/Allocation.h"
#include "gpu/passes/CopyRings.h"
#include "gpu/passes/Passes.h"
#include "gpu/passes/SharedOperands.h"
#include "gpu/passes/TensorMaps.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUBUFFERMAPPEDSTORES
#include "gpu/passes/Passes.h.inc"

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

/// Whether two stores through one map store blocks that have no element in common.
bool areApart(tt::MappedStoreOp left, tt::MappedStoreOp right) {
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
    return typeOf(other) == typeOf(store) && (other.getBase() != store.getBase() || areApart(other, store));
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
  int64_t columns = 0; ///< of a part of a block, which a buffer holds
  int64_t slots = 0;
};

/// The layout of the first `columns` columns; none where threads do not hold each group of so many columns alike.
std::optional<layout::LinearLayout> takeColumns(RankedTensorType type, int64_t columns) {
  layout::LinearLayout whole = toLinearLayout(type);
  SmallVector<layout::Input> inputs(whole.inputs());
  unsigned left = 0;
  for (layout::Input &input : inputs)
    for (std::size_t bit = input.bases.size(); bit-- > 0;) {
      const layout::Basis &basis = input.bases[bit];
      if (basis[1] < columns)
        continue;
      if (input.name != "register" || basis[0] != 0 || basis[1] % columns != 0 || !llvm::isPowerOf2_32(basis[1]))
        return std::nullopt;
      input.bases.erase(input.bases.begin() + bit);
      ++left;
    }
  if (int64_t(1) << left != type.getDimSize(1) / columns)
    return std::nullopt;
  SmallVector<layout::Output> outputs(whole.outputs());
  outputs[1].size = int32_t(columns);
  return layout::LinearLayout(inputs, outputs);
}

RankedTensorType getPartType(RankedTensorType type, int64_t columns) {
  if (columns == type.getDimSize(1))
    return type;
  return RankedTensorType::get({type.getDimSize(0), columns}, type.getElementType(),
                               LinearEncodingAttr::get(type.getContext(), *takeColumns(type, columns)));
}

MemDescType getBufferType(RankedTensorType type, const BufferPlan &plan) {
  NvmmaSharedEncodingAttr encoding = getOperandEncoding(type, /*fastest=*/1);
  return MemDescType::get(type.getContext(), {plan.slots, type.getDimSize(0), plan.columns}, type.getElementType(),
                          encoding, SharedMemorySpaceAttr::get(type.getContext()), /*mutableMemory=*/true);
}

int64_t bytesOf(RankedTensorType type, const BufferPlan &plan) {
  return int64_t(analysis::getBufferBytes(getBufferType(type, plan)));
}

/// The largest buffers that fit into `free` bytes; the smallest where none do. `blocks` of this type stand side by
/// side.
BufferPlan planBuffers(RankedTensorType type, int64_t blocks, int64_t free) {
  int64_t all = type.getDimSize(1), piece = getOperandEncoding(type, /*fastest=*/1).getPieceElements();
  SmallVector<BufferPlan> plans{{all, blocks}};
  if (blocks > 2)
    plans.push_back({all, 2});
  int64_t smallest = all;
  for (int64_t columns = all / 2; columns >= piece && takeColumns(type, columns); columns /= 2) {
    plans.push_back({columns, 2});
    smallest = columns;
  }
  plans.push_back({smallest, 1});
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
      for (int64_t column = 0; column < typeOf(store).getDimSize(1); column += buffers[typeOf(store)].plan.columns)
        storePart(store, column, part++);
      store.erase();
    }
  }

  /// Part number `part` of its group: the columns from `column` on.
  void storePart(tt::MappedStoreOp store, int64_t column, int64_t part) {
    Location loc = store.getLoc();
    RankedTensorType type = typeOf(store);
    auto [plan, ring] = buffers[type];
    builder.setInsertionPoint(store);
    // What was stored before the group must have been stored: its blocks may be those of the group.
    if (part == 0)
      AsyncStoreWaitOp::create(builder, loc, rings, 0, /*onlyReads=*/false);
    else if (part >= plan.slots)
      AsyncStoreWaitOp::create(builder, loc, ring, int32_t(plan.slots - 1), /*onlyReads=*/true);
    Value value = store.getSrc();
    if (plan.columns != type.getDimSize(1))
      value = TakeColumnsOp::create(builder, loc, getPartType(type, plan.columns), value, int32_t(column));
    auto ringType = cast<MemDescType>(ring.getType());
    auto slotType = MemDescType::get(type.getContext(), ringType.getShape().drop_front(), type.getElementType(),
                                     ringType.getEncoding(), ringType.getMemorySpace(), /*mutableMemory=*/true);
    Value slot = arith::ConstantIntOp::create(builder, loc, part % plan.slots, 32);
    Value view = MemDescIndexOp::create(builder, loc, slotType, ring, slot);
    LocalStoreOp::create(builder, loc, value, view);
    SmallVector<Value> indices(store.getIndices());
    if (column != 0)
      indices.back() =
          arith::AddIOp::create(builder, loc, indices.back(), arith::ConstantIntOp::create(builder, loc, column, 32));
    AsyncMappedStoreOp::create(builder, loc, maps.get(store.getMap(), slotType, loc), indices, view, store.getBase(),
                               store.getShape(), store.getStrides());
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
      int64_t free = findFreeBytes(function, numStages, target->machine().sharedBytes);
      StoreBuffers(function, std::move(groups)).run(free);
    }
  }
};

} // namespace

} // namespace triton::ttg
