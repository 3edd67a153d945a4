// Chooses the stores that bulk copies do through maps that the launch makes, see Passes.td.
#include "analysis/MemoryUse.h"
#include "base/OptionalPass.h"
#include "gpu/analysis/Budget.h"
#include "gpu/copies/DescriptorMaps.h"
#include "gpu/copies/Passes.h"
#include "ir/Reached.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONSELECTMAPPEDSTORES
#include "gpu/copies/Passes.h.inc"

namespace {

int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * std::max(8u, tensor.getElementTypeBitWidth()) / 8;
}

/// What the operands of products take at least.
int64_t countOperandBytes(tt::FuncOp function) {
  int64_t bytes = 0;
  function.walk([&](tt::DotOp dot) { bytes += bytesOf(dot.getA().getType()) + bytesOf(dot.getB().getType()); });
  return bytes;
}

/// A block that is stored through a descriptor, or that an atomic operation combines with what is there.
struct BlockStore {
  Value descriptor, block;
  SmallVector<Value> indices;
  tt::DescriptorReduceKindAttr kind; ///< null: it is stored

  static std::optional<BlockStore> find(Operation *op) {
    if (auto store = dyn_cast<tt::DescriptorStoreOp>(op))
      return BlockStore{store.getDesc(), store.getSrc(), store.getIndices(), {}};
    if (auto reduce = dyn_cast<tt::DescriptorReduceOp>(op))
      return BlockStore{reduce.getDesc(), reduce.getSrc(), reduce.getIndices(), reduce.getKindAttr()};
    return std::nullopt;
  }

  /// Whether copies do it as fast as threads do. Measured on an H200: additions to floats of 16 bits, within 2 %, and
  /// threads are free for the next tile; atomic operations on 32 bits take threads 2 to 8 % less time.
  bool isFastByCopies() const {
    Type element = cast<tt::TensorDescType>(descriptor.getType()).getBlockType().getElementType();
    return !kind || (kind.getValue() == tt::DescriptorReduceKind::Add && (element.isF16() || element.isBF16()));
  }
};

struct Candidate {
  BlockStore store;
  DictionaryAttr map;
  BlockArgument base;

  Type type() const { return store.block.getType(); }
};
using Candidates = llvm::MapVector<Operation *, Candidate>;

/// Whether nothing but `candidates` accesses what `pointer` points to.
bool isOnlyStored(Value pointer, const Candidates &candidates) {
  return holdsForAllReached(pointer, [&](Value next, SmallVectorImpl<Value> &sums) {
    return llvm::all_of(next.getUsers(), [&](Operation *user) {
      if (auto sum = dyn_cast<tt::AddPtrOp>(user)) {
        sums.push_back(sum.getResult());
        return true;
      }
      auto descriptor = dyn_cast<tt::MakeTensorDescOp>(user);
      return descriptor &&
             llvm::all_of(descriptor->getUsers(), [&](Operation *access) { return candidates.contains(access); });
    });
  });
}

struct TritonSelectMappedStores : impl::TritonSelectMappedStoresBase<TritonSelectMappedStores>, base::OptionalPass {
  using TritonSelectMappedStoresBase::TritonSelectMappedStoresBase;

  void runOnOperation() override {
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      if (!function.isPrivate() && !function.isExternal())
        select(function, axisInfo);
  }

private:
  void select(tt::FuncOp function, const analysis::AxisInfoAnalysis &axisInfo) {
    bool hasMovers = false;
    Operation *order = nullptr; // What a copy has stored would have to be there then.
    function.walk([&](Operation *op) {
      hasMovers |= isa<tt::MappedLoadOp>(op);
      if (!order && analysis::getMemoryUse(op).orders())
        order = op;
    });
    Candidates candidates = findCandidates(function, axisInfo);
    llvm::DenseSet<Value> shared; // with other accesses
    for (BlockArgument argument : function.getArguments())
      if (!isOnlyStored(argument, candidates))
        shared.insert(argument);
    llvm::DenseSet<Value> fitting = findFitting(function, candidates, shared);
    for (auto &[store, candidate] : candidates) {
      if (!hasMovers)
        reportPointers(store, "only kernels whose loads are bulk copies (TMA) store by such", nullptr);
      else if (order)
        reportPointers(store, "this orders accesses of memory, and copies end at some time of their own", order);
      else if (shared.contains(candidate.base))
        reportPointers(store, "the kernel accesses the argument that holds its array in other ways as well", nullptr);
      else if (!fitting.contains(candidate.base))
        reportPointers(store, "shared memory does not hold the block beside the operands of products", nullptr);
      else
        replace(store, candidate);
    }
  }

  /// The arguments for whose blocks there is room. Blocks of one type share it; all stores through an argument are
  /// copies or none is, so that they keep their order.
  llvm::DenseSet<Value> findFitting(tt::FuncOp function, const Candidates &candidates,
                                    const llvm::DenseSet<Value> &shared) const {
    int64_t taken = countOperandBytes(function);
    llvm::DenseSet<Type> placed;
    llvm::DenseSet<Value> fitting;
    for (BlockArgument argument : function.getArguments()) {
      llvm::SetVector<Type> types;
      for (auto &[store, candidate] : candidates)
        if (candidate.base == argument && !placed.contains(candidate.type()))
          types.insert(candidate.type());
      int64_t needed = 0;
      for (Type type : types)
        needed += bytesOf(type);
      if (shared.contains(argument) || taken + needed > Budget::bytesOfBlocks(sharedBytes))
        continue;
      taken += needed;
      placed.insert_range(types);
      fitting.insert(argument);
    }
    return fitting;
  }

  /// The stores that are fit for copies by themselves; says of others why they are not.
  static Candidates findCandidates(tt::FuncOp function, const analysis::AxisInfoAnalysis &axisInfo) {
    Candidates candidates;
    function.walk([&](Operation *op) {
      std::optional<BlockStore> store = BlockStore::find(op);
      if (!store)
        return;
      llvm::StringRef obstacle;
      auto descriptor = store->descriptor.getDefiningOp<tt::MakeTensorDescOp>();
      if (!descriptor)
        reportPointers(op, "its descriptor is not the same at each execution", nullptr);
      else if (!store->isFastByCopies())
        reportPointers(op, "but for additions to floats of 16 bits, atomic operations of threads are faster", nullptr);
      else if (!hasCopiedShape(descriptor, cast<RankedTensorType>(store->block.getType())))
        reportPointers(op, "maps do not describe blocks of this shape and element type", nullptr);
      else if (!beginsAligned(descriptor, store->indices, axisInfo))
        reportPointers(op, "the block is not known to begin at a multiple of 16 bytes of its rows", nullptr);
      else if (std::optional<DescriptorMap> described = describeMap(descriptor, MapAlignment::Analyzed, obstacle);
               !described)
        reportPointers(op, obstacle, nullptr);
      else if (!described->hasWholePieces) // Measured on an H200: what lies behind the end of a row is overwritten.
        reportPointers(op, "copies write whole pieces of 16 bytes, and rows are not known to end with one", nullptr);
      else
        candidates[op] = {*store, described->map, described->base};
    });
    return candidates;
  }

  static void replace(Operation *op, const Candidate &candidate) {
    const BlockStore &store = candidate.store;
    auto descriptor = store.descriptor.getDefiningOp<tt::MakeTensorDescOp>();
    OpBuilder builder(op);
    tt::MappedStoreOp::create(builder, op->getLoc(), descriptor.getBase(), descriptor.getShape(),
                              descriptor.getStrides(), candidate.map, store.indices, store.block, store.kind);
    op->erase();
  }
};

} // namespace

} // namespace triton::ttg
