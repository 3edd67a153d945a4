// triton-find-disjoint-arguments: turns what is known of the arguments' storages into the pairs of arguments between
// which it can matter.
#include "analysis/DisjointArguments.h"
#include "analysis/StoredArguments.h"
#include "passes/tt/Passes.h"

#include "ir/AttributeNames.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONFINDDISJOINTARGUMENTS
#include "passes/tt/Passes.h.inc"

namespace {

/// The arguments through which a loop reads, and those through which it writes.
struct LoopAccesses {
  llvm::BitVector read, written;
};

class FindDisjointArguments : public impl::TritonFindDisjointArgumentsBase<FindDisjointArguments> {
public:
  void runOnOperation() override {
    for (FuncOp function : getOperation().getOps<FuncOp>())
      if (!function.isExternal())
        run(function);
  }

private:
  void run(FuncOp function) {
    SmallVector<std::optional<int64_t>> storages = takeStorages(function);
    if (llvm::none_of(storages, [](const auto &storage) { return storage.has_value(); }))
      return;
    origins.clear();
    llvm::SetVector<analysis::ArgumentPair> pairs;
    function.walk<WalkOrder::PreOrder>([&](LoopLikeOpInterface loop) {
      LoopAccesses accesses = findAccesses(function, loop);
      if (holdsBarrier(loop)) // It orders the loads of the loop after all that the kernel writes.
        accesses.written |= findAccesses(function, function).written;
      addPairs(accesses, storages, pairs);
      return WalkResult::skip(); // it holds the accesses of the loops inside of it
    });
    SmallVector<int32_t> numbers;
    for (auto [written, other] : pairs)
      numbers.append({int32_t(written), int32_t(other)});
    if (!numbers.empty())
      function->setAttr(analysis::disjointPairsAttribute, DenseI32ArrayAttr::get(&getContext(), numbers));
  }

  /// Removes the numbers, because later stages ask for pairs only.
  static SmallVector<std::optional<int64_t>> takeStorages(FuncOp function) {
    SmallVector<std::optional<int64_t>> storages(function.getNumArguments());
    for (auto [index, storage] : llvm::enumerate(storages)) {
      auto number = function.getArgAttrOfType<IntegerAttr>(unsigned(index), tt::storageAttribute);
      if (!number)
        continue;
      storage = number.getInt();
      function.removeArgAttr(unsigned(index), tt::storageAttribute);
    }
    return storages;
  }

  static void addPairs(const LoopAccesses &accesses, llvm::ArrayRef<std::optional<int64_t>> storages,
                       llvm::SetVector<analysis::ArgumentPair> &pairs) {
    for (unsigned written : accesses.written.set_bits())
      for (unsigned other = 0; other < storages.size(); ++other) {
        bool isAccessed = accesses.read.test(other) || accesses.written.test(other);
        bool isKnown = storages[written] && storages[other] && *storages[written] != *storages[other];
        if (isAccessed && isKnown && !pairs.contains({other, written}))
          pairs.insert({written, other});
      }
  }

  static bool holdsBarrier(Operation *loop) {
    return loop->walk([](gpu::BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  /// The accesses of `op`, a loop or a function.
  LoopAccesses findAccesses(FuncOp function, Operation *op) {
    LoopAccesses accesses{llvm::BitVector(function.getNumArguments()), llvm::BitVector(function.getNumArguments())};
    op->walk([&](MemoryEffectOpInterface access) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      access.getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects) {
        Value pointer = effect.getValue();
        if (!pointer)
          continue;
        if (isa<MemoryEffects::Write>(effect.getEffect()))
          accesses.written |= originsOf(function, pointer);
        else if (isa<MemoryEffects::Read>(effect.getEffect()))
          accesses.read |= originsOf(function, pointer);
      }
    });
    return accesses;
  }

  const llvm::BitVector &originsOf(FuncOp function, Value pointer) {
    auto [found, isNew] = origins.try_emplace(pointer);
    if (isNew)
      found->second = analysis::findArgumentsOf(function, pointer);
    return found->second;
  }

  llvm::DenseMap<Value, llvm::BitVector> origins;
};

} // namespace

} // namespace triton::tt
