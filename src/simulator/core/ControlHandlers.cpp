#include "simulator/core/Handlers.h"
#include "simulator/core/Warp.h"

#include <cstring>

namespace triton::simulator {

static void jump(Warp &warp, const DecodedInstruction &instruction) {
  warp.jump(*static_cast<const BranchTargets *>(instruction.detail)->taken);
}

static void branch(Warp &warp, const DecodedInstruction &instruction) {
  const auto &targets = *static_cast<const BranchTargets *>(instruction.detail);
  warp.branch(*targets.taken, *targets.notTaken, warp.readMask(instruction.operands[0]));
}

static void switchTo(Warp &warp, const DecodedInstruction &instruction) {
  const auto &targets = *static_cast<const SwitchTargets *>(instruction.detail);
  const std::byte *values = warp.read<std::byte>(instruction.operands[0]);
  llvm::SmallVector<std::pair<const Edge *, LaneMask>, 8> edges;
  LaneMask rest = warp.active;
  for (auto [value, edge] : targets.cases) {
    LaneMask matching = 0;
    warp.forActiveLanes([&, value = value](unsigned lane) {
      uint64_t laneValue = 0;
      std::memcpy(&laneValue, values + lane * targets.bytes, targets.bytes);
      matching |= LaneMask(laneValue == value) << lane;
    });
    edges.push_back({edge, matching & rest});
    rest &= ~matching;
  }
  edges.push_back({targets.otherwise, rest});
  for (auto [edge, lanes] : edges)
    if (lanes == warp.active)
      return warp.jump(*edge);
  warp.branchMany(edges);
}

static void returnFromKernel(Warp &warp, const DecodedInstruction &) { warp.retire(warp.active); }

static void trap(Warp &warp, const DecodedInstruction &instruction) {
  const auto *message = static_cast<const std::string *>(instruction.detail);
  warp.report(FindingKind::Trap, instruction.location, warp.firstLane(),
              message ? *message : "the kernel stopped itself");
  warp.retire(warp.active);
}

static void failAssertion(Warp &warp, const DecodedInstruction &instruction) {
  warp.report(FindingKind::AssertionFailed, instruction.location, warp.firstLane(), "");
  warp.retire(warp.active);
}

static void assume(Warp &warp, const DecodedInstruction &instruction) {
  if (LaneMask wrong = warp.active & ~warp.readMask(instruction.operands[0]); wrong != 0) [[unlikely]]
    warp.report(FindingKind::WrongAssumption, instruction.location, unsigned(__builtin_ctzll(wrong)),
                "the condition is false");
}

static void nothing(Warp &, const DecodedInstruction &) {}

Handler jumpHandler() { return &jump; }
Handler branchHandler() { return &branch; }
Handler switchHandler() { return &switchTo; }
Handler returnHandler() { return &returnFromKernel; }
Handler trapHandler() { return &trap; }
Handler failedAssertionHandler() { return &failAssertion; }
Handler assumptionHandler() { return &assume; }
Handler nothingHandler() { return &nothing; }

} // namespace triton::simulator
