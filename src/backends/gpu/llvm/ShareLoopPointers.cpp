#include "backends/gpu/llvm/Passes.h"
#include "gpu/analysis/TunedNumbers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

namespace triton::backends {
namespace {

/// How far, and in which memory, an iteration moves a pointer.
struct Step {
  unsigned addressSpace;
  llvm::Type *element;
  llvm::Value *count; ///< of elements
  auto operator<=>(const Step &) const = default;
};

/// A pointer that a loop carries begins at `offset` bytes from a base.
struct Place {
  llvm::PHINode *pointer;
  int64_t offset;
};

/// The pointers that move by the same step, by the base at which they begin.
using PlacesByBase = llvm::MapVector<llvm::Value *, llvm::SmallVector<Place>>;

std::optional<Step> stepOf(const llvm::Loop &loop, llvm::PHINode &phi) {
  auto *type = llvm::dyn_cast<llvm::PointerType>(phi.getType());
  auto *next = llvm::dyn_cast<llvm::GetElementPtrInst>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!type || !next || next->getPointerOperand() != &phi || next->getNumIndices() != 1)
    return std::nullopt;
  llvm::Value *count = next->getOperand(1);
  if (!loop.isLoopInvariant(count) || count->getType()->isVectorTy())
    return std::nullopt;
  return Step{type->getAddressSpace(), next->getSourceElementType(), count};
}

class LoopPointers {
public:
  LoopPointers(const llvm::Loop &loop, const llvm::DataLayout &data) : loop(loop), data(data) {}

  bool share() {
    if (!loop.getLoopPreheader() || !loop.getLoopLatch())
      return false;
    llvm::MapVector<Step, PlacesByBase, std::map<Step, unsigned>> groups;
    for (llvm::PHINode &phi : loop.getHeader()->phis())
      if (std::optional<Step> step = stepOf(loop, phi))
        add(groups[*step], phi);
    bool changed = false;
    for (auto &[step, bases] : groups)
      // Fewer are not worth registers for the distance.
      changed |= bases.size() >= tuned::fewestBases ? carryDistance(step, bases) : carryOnePointer(bases);
    // Also where bases were computed: the same extension before the loop would be taken for that in it.
    for (llvm::WeakTrackingVH &value : unused)
      if (value)
        llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
    return changed;
  }

private:
  void add(PlacesByBase &bases, llvm::PHINode &phi) const {
    llvm::Value *first = phi.getIncomingValueForBlock(loop.getLoopPreheader());
    llvm::APInt offset(data.getIndexTypeSizeInBits(first->getType()), 0);
    llvm::Value *base = first->stripAndAccumulateConstantOffsets(data, offset, /*AllowNonInbounds=*/true);
    bases[base].push_back({&phi, offset.getSExtValue()});
  }

  /// Of pointers with the same base, the loop carries the first.
  bool carryOnePointer(PlacesByBase &bases) {
    bool changed = false;
    llvm::IRBuilder<> builder(loop.getHeader(), loop.getHeader()->getFirstInsertionPt());
    for (auto &[base, places] : bases) {
      const Place &first = places.front();
      for (const Place &place : llvm::drop_begin(places)) {
        replace(place.pointer, builder.CreatePtrAdd(first.pointer, bytes(builder, place.offset - first.offset)));
        changed = true;
      }
    }
    return changed;
  }

  /// The loop carries how many bytes the pointers have moved. Where bases are places in one array, the array moves, and
  /// the places stay.
  bool carryDistance(const Step &step, PlacesByBase &bases) {
    llvm::Value *distance = emitDistance(step);
    llvm::IRBuilder<> builder(loop.getHeader(), loop.getHeader()->getFirstInsertionPt());
    llvm::DenseMap<llvm::Value *, llvm::Value *> arrays;
    auto move = [&](llvm::Value *base) {
      auto *place = llvm::dyn_cast<llvm::GetElementPtrInst>(base);
      if (!place || place->getNumIndices() != 1)
        return builder.CreatePtrAdd(base, distance);
      llvm::Value *&array = arrays[place->getPointerOperand()];
      if (!array)
        array = builder.CreatePtrAdd(place->getPointerOperand(), distance);
      return builder.CreateGEP(place->getSourceElementType(), array, extendHere(builder, place->getOperand(1)));
    };
    for (auto &[base, places] : bases) {
      llvm::Value *moved = move(base);
      for (const Place &place : places)
        replace(place.pointer, place.offset == 0 ? moved : builder.CreatePtrAdd(moved, bytes(builder, place.offset)));
    }
    return true;
  }

  /// An offset that is extended in the loop, where address computations do it on the way.
  static llvm::Value *extendHere(llvm::IRBuilder<> &builder, llvm::Value *index) {
    auto *extension = llvm::dyn_cast<llvm::CastInst>(index);
    if (!extension || !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(extension))
      return index;
    return builder.Insert(extension->clone());
  }

  llvm::Value *emitDistance(const Step &step) const {
    llvm::IRBuilder<> before(loop.getLoopPreheader()->getTerminator());
    llvm::Value *moved = before.CreateMul(before.CreateSExtOrTrunc(step.count, before.getInt64Ty()),
                                          bytes(before, int64_t(data.getTypeAllocSize(step.element).getFixedValue())));
    llvm::BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
    llvm::PHINode *distance = llvm::IRBuilder<>(header, header->begin()).CreatePHI(moved->getType(), 2);
    llvm::IRBuilder<> after(latch->getTerminator());
    distance->addIncoming(bytes(before, 0), loop.getLoopPreheader());
    distance->addIncoming(after.CreateAdd(distance, moved), latch);
    return distance;
  }

  static llvm::Value *bytes(llvm::IRBuilder<> &builder, int64_t count) { return builder.getInt64(uint64_t(count)); }

  void replace(llvm::PHINode *pointer, llvm::Value *moved) {
    unused.append({pointer->getIncomingValueForBlock(loop.getLoopLatch()),
                   pointer->getIncomingValueForBlock(loop.getLoopPreheader())});
    pointer->replaceAllUsesWith(moved);
    pointer->eraseFromParent();
  }

  const llvm::Loop &loop;
  const llvm::DataLayout &data;
  llvm::SmallVector<llvm::WeakTrackingVH> unused; ///< what pointers that are gone were in other iterations
};

} // namespace

llvm::PreservedAnalyses ShareLoopPointersPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (const llvm::Loop *loop : loops.getLoopsInPreorder())
      changed |= LoopPointers(*loop, module.getDataLayout()).share();
  }
  return base::preservedIf(!changed);
}

} // namespace triton::backends
