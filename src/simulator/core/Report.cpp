#include "simulator/core/Report.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <tuple>

namespace triton::simulator {

llvm::StringRef title(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "access out of bounds";
  case FindingKind::WrappedOffset:
    return "int32 offset that wraps";
  case FindingKind::UseAfterFree:
    return "use after free";
  case FindingKind::Misaligned:
    return "misaligned access";
  case FindingKind::UninitializedShared:
    return "read of uninitialized shared memory";
  case FindingKind::UnwrittenGlobal:
    return "use of uninitialized memory";
  case FindingKind::SharedRace:
    return "race on shared memory";
  case FindingKind::GlobalRace:
    return "race on global memory";
  case FindingKind::StoreConflict:
    return "different values stored to one place";
  case FindingKind::DivergentBarrier:
    return "barrier reached by a part of a warp";
  case FindingKind::DivergentWarpGroup:
    return "product executed by a part of a warp group";
  case FindingKind::PartialWarp:
    return "instruction executed by a part of a warp";
  case FindingKind::DifferentCopies:
    return "copies of a matrix operand that differ";
  case FindingKind::BarrierMisuse:
    return "wrong use of an mbarrier";
  case FindingKind::InvalidCopy:
    return "invalid asynchronous copy";
  case FindingKind::MissingProxyFence:
    return "missing fence before an asynchronous operation";
  case FindingKind::MissingProductFence:
    return "missing fence before a product";
  case FindingKind::ResultInFlight:
    return "use of a product that has not ended";
  case FindingKind::TensorMemoryMisuse:
    return "wrong use of tensor memory";
  case FindingKind::TensorMemoryRace:
    return "race on tensor memory";
  case FindingKind::TensorMemoryLeak:
    return "tensor memory not freed";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::DivisionByZero:
    return "integer division by zero";
  case FindingKind::OrderDependence:
    return "results that depend on the order of programs";
  case FindingKind::WrongAssumption:
    return "assumption that does not hold";
  case FindingKind::AssertionFailed:
    return "assertion failed";
  case FindingKind::Trap:
    return "trap";
  }
  llvm_unreachable("all kinds are listed");
}

llvm::StringRef Finding::remedy() const {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "mask the elements beyond the end of the array; memory that the kernel reaches through a table of addresses "
           "is "
           "named with `triton.testing.accessible_memory`";
  case FindingKind::WrappedOffset:
    return "compute the offset in 64 bits: convert the first factor with `.to(tl.int64)`";
  case FindingKind::UseAfterFree:
    return "keep the array alive until the kernel has ended";
  case FindingKind::Misaligned:
    return "make the address the multiple that `tl.multiple_of`, or the argument when the kernel was compiled, "
           "promised";
  case FindingKind::UninitializedShared:
    return "write these bytes first, and put a barrier between the write and the read";
  case FindingKind::UnwrittenGlobal:
    return "write these elements before the launch, or mask them: a product with zero does not, because zero times NaN "
           "is NaN";
  case FindingKind::SharedRace:
    return "put a barrier between the two accesses; if one is asynchronous, wait for it before the other";
  case FindingKind::GlobalRace:
    return "let each program have elements of its own, use atomic operations, order programs by atomic operations that "
           "release what one has done (`sem`) and acquire it in the other, with a `scope` that holds both, or put "
           "`tl.debug_barrier()` between accesses of one program";
  case FindingKind::StoreConflict:
    return "let a mask choose the element that is stored, or combine the elements by a reduction or an atomic "
           "operation";
  case FindingKind::DivergentBarrier:
    return "move it to where all threads come by";
  case FindingKind::DivergentWarpGroup:
    return "let all threads of four neighbouring warps, the first of which has a number that is a multiple of 4, "
           "execute the same products on the same operands";
  case FindingKind::PartialWarp:
    return "move it to where all lanes of the warp come by";
  case FindingKind::DifferentCopies:
    return "give the upper lanes of the warp the same rows and columns as its first 16 lanes";
  case FindingKind::BarrierMisuse:
    return "initialize the mbarrier with the number of arrivals of each phase, announce as many bytes as come, and let "
           "every thread wait for each phase or for none";
  case FindingKind::InvalidCopy:
    return "the first coordinate times the size of an element must be a multiple of 16 bytes, and boxes that are "
           "stored "
           "begin at coordinates that are not negative";
  case FindingKind::MissingProxyFence:
    return "let each thread that wrote execute `fence.proxy.async` after its writes and before the barrier";
  case FindingKind::MissingProductFence:
    return "execute `wgmma.fence` between the instruction that writes the register and the product";
  case FindingKind::ResultInFlight:
    return "wait for the product first: with `wgmma.wait_group` for its group, or in tensor memory at the mbarrier at "
           "which `tcgen05.commit` arrives";
  case FindingKind::TensorMemoryMisuse:
    return "reserve columns before they are used, write them before they are read, and let each warp access the lanes "
           "of its number modulo 4";
  case FindingKind::TensorMemoryRace:
    return "put `tcgen05.wait`, `tcgen05.fence::before_thread_sync` and a barrier between the two accesses";
  case FindingKind::TensorMemoryLeak:
    return "let the warp that reserved the columns execute `tcgen05.dealloc` when all have used them";
  case FindingKind::Deadlock:
    return "let the one that is waited for run first, and change what the others wait for";
  case FindingKind::DivisionByZero:
    return "mask these elements, or give the load of the divisor `other=1`; GPUs do not stop, and the result is "
           "undefined";
  case FindingKind::OrderDependence:
    return "let each program store what it computes, and add in a fixed order; atomic sums of floats depend on theirs";
  case FindingKind::WrongAssumption:
    return "remove `tl.assume`, which lets the compiler rely on the condition, or launch the kernel only where it "
           "holds";
  case FindingKind::AssertionFailed:
  case FindingKind::Trap:
    return "";
  }
  llvm_unreachable("all kinds are listed");
}

std::string Finding::message() const {
  std::string ofDevice = device ? llvm::formatv(" of device {0}", *device).str() : "";
  return llvm::formatv("{0} in program ({1}, {2}, {3}){4}, thread {5}: {6}", title(kind), program[0], program[1],
                       program[2], ofDevice, thread, detail)
      .str();
}

std::string Finding::str() const {
  std::string place = location.line == 0
                          ? std::string("<unknown>")
                          : llvm::formatv("{0}:{1}:{2}", location.file, location.line, location.column).str();
  return place + ": " + message();
}

void Report::add(Finding finding) {
  std::lock_guard lock(mutex);
  auto key = std::make_pair(finding.location, finding.kind);
  auto order = [](const Finding &f) { return std::make_tuple(f.program[2], f.program[1], f.program[0]); };
  auto [known, inserted] = all.try_emplace(std::move(key), finding);
  if (inserted)
    return;
  bool isWithinProgram = known->second.access.isWithinProgram && finding.access.isWithinProgram;
  if (order(finding) < order(known->second))
    known->second = std::move(finding);
  known->second.access.isWithinProgram = isWithinProgram;
}

std::vector<Finding> Report::findings() const {
  std::lock_guard lock(mutex);
  std::vector<Finding> sorted;
  for (const auto &[key, finding] : all)
    if (sorted.size() < limit)
      sorted.push_back(finding);
  return sorted;
}

bool Report::has(FindingKind kind) const {
  std::lock_guard lock(mutex);
  return std::any_of(all.begin(), all.end(), [&](const auto &entry) { return entry.second.kind == kind; });
}

void Report::clear() {
  std::lock_guard lock(mutex);
  all.clear();
}

} // namespace triton::simulator
