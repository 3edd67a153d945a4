#include "gpu/copies/CopyRings.h"

#include "analysis/ExclusiveBlocks.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/Budget.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/SharedOperands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

MemDescType getSlotType(tt::MappedLoadOp load) {
  auto type = cast<RankedTensorType>(load.getType());
  MemDescType operand = getOperandBufferType(type, getOperandEncoding(type, /*fastest=*/1));
  return MemDescType::get(operand.getContext(), operand.getShape(), operand.getElementType(), operand.getEncoding(),
                          operand.getMemorySpace(), /*mutableMemory=*/true);
}

int64_t CopyRing::slotBytes() const {
  int64_t bytes = 0;
  for (MemDescType type : types)
    bytes += int64_t(analysis::getBufferBytes(type));
  return bytes;
}

/// What uses the block that `value` holds, other than by showing it in another way, as operations of `block`.
static void appendUses(Value value, Block *block, llvm::SetVector<Operation *> &uses) {
  for (Operation *user : value.getUsers()) {
    bool isView = isa<LocalAllocOp, MemDescTransOp>(user);
    if (isView)
      appendUses(user->getResult(0), block, uses);
    else
      uses.insert(block->findAncestorOpInBlock(*user));
  }
}

static llvm::SetVector<Operation *> findUses(tt::MappedLoadOp load) {
  llvm::SetVector<Operation *> uses;
  appendUses(load.getResult(), load->getBlock(), uses);
  if (uses.empty())
    uses.insert(load);
  return uses;
}

static bool isEarlier(Operation *left, Operation *right) { return left->isBeforeInBlock(right); }

Operation *CopySite::findFirstUse() { return *llvm::min_element(findUses(loads.front()), isEarlier); }

Operation *CopySite::findLastUse() {
  Operation *last = loads.back();
  for (tt::MappedLoadOp load : loads)
    for (Operation *use : findUses(load))
      if (isEarlier(last, use))
        last = use;
  return last;
}

static SmallVector<CopySite> findSites(tt::FuncOp function) {
  llvm::MapVector<Operation *, CopySite> byFirstUse;
  function.walk(
      [&](tt::MappedLoadOp load) { byFirstUse[*llvm::min_element(findUses(load), isEarlier)].loads.push_back(load); });
  return llvm::map_to_vector(byFirstUse, [](auto &entry) { return std::move(entry.second); });
}

static SmallVector<MemDescType> getTypes(const CopySite &site) {
  return llvm::map_to_vector(site.loads, [](tt::MappedLoadOp load) { return getSlotType(load); });
}

/// Slots as the innermost loop around the site asks for; one outside of loops. A loop that runs once needs no more than
/// it has iterations. Others go on with blocks of the next round.
static int64_t countSlots(CopySite &site, unsigned numStages) {
  auto loop = site.loads.front()->getParentOfType<scf::ForOp>();
  if (!loop)
    return 1;
  int64_t slots = std::max<int64_t>(1, analysis::getStages(loop, numStages));
  return loop->getParentOfType<LoopLikeOpInterface>() ? slots : analysis::limitToIterations(loop, slots);
}

/// What the function needs beside the rings.
static int64_t findOtherBytes(tt::FuncOp function) {
  std::size_t buffers = 0, scratch = 0;
  function.walk([&](Operation *op) {
    std::size_t needed = analysis::getScratchBytes(op);
    scratch = std::max(scratch, isa<ConvertLayoutOp>(op) ? Budget::bytesOfConversion(needed) : needed);
    auto alloc = dyn_cast<LocalAllocOp>(op);
    if (alloc && !(alloc.getSrc() && alloc.getSrc().getDefiningOp<tt::MappedLoadOp>()))
      buffers += analysis::getBufferBytes(alloc.getType());
  });
  return int64_t(buffers + scratch + Budget::bytesOfBarriers());
}

/// Of a function with `rings`.
static int64_t countSharedBytes(tt::FuncOp function, llvm::ArrayRef<CopyRing> rings) {
  int64_t total = findOtherBytes(function);
  for (const CopyRing &ring : rings)
    total += ring.slots * ring.slotBytes();
  return total;
}

int64_t findFreeBytes(tt::FuncOp function, unsigned numStages, std::size_t capacity) {
  return int64_t(capacity) - countSharedBytes(function, planCopyRings(function, numStages, capacity));
}

SmallVector<CopyRing> planCopyRings(tt::FuncOp function, unsigned numStages, std::size_t capacity) {
  SmallVector<CopyRing> rings;
  for (CopySite &site : findSites(function)) {
    SmallVector<MemDescType> types = getTypes(site);
    auto *shared = llvm::find_if(rings, [&](CopyRing &ring) {
      return ring.types == types && llvm::all_of(ring.sites, [&](CopySite &other) {
               return analysis::excludeEachOther(site.block(), other.block());
             });
    });
    if (shared == rings.end()) {
      rings.push_back({{}, types});
      shared = &rings.back();
    }
    shared->slots = shared->wantedSlots = std::max(shared->slots, countSlots(site, numStages));
    shared->sites.push_back(std::move(site));
  }
  auto bytes = [](const CopyRing &ring) { return ring.slots * ring.slotBytes(); };
  int64_t total = countSharedBytes(function, rings);
  while (total > int64_t(capacity)) {
    CopyRing *largest = nullptr;
    for (CopyRing &ring : rings)
      if (ring.slots > 1 && (!largest || bytes(ring) > bytes(*largest)))
        largest = &ring;
    if (!largest)
      break; // The allocation reports what does not fit.
    total -= largest->slotBytes();
    --largest->slots;
  }
  return rings;
}

} // namespace triton::ttg
