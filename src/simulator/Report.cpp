#include "simulator/Report.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace triton::simulator {

static llvm::StringRef title(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "access out of bounds";
  case FindingKind::Misaligned:
    return "misaligned access";
  case FindingKind::UninitializedShared:
    return "read of uninitialized shared memory";
  case FindingKind::SharedRace:
    return "race on shared memory";
  case FindingKind::GlobalRace:
    return "race on global memory";
  case FindingKind::DivergentBarrier:
    return "barrier reached by a part of a warp";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::AssertionFailed:
    return "assertion failed";
  case FindingKind::Trap:
    return "trap";
  }
  llvm_unreachable("all kinds are listed");
}

std::string Finding::str() const {
  std::string place = location.line == 0
                          ? std::string("<unknown>")
                          : llvm::formatv("{0}:{1}:{2}", location.file, location.line, location.column).str();
  return llvm::formatv("{0}: {1} in program ({2}, {3}, {4}), thread {5}: {6}", place, title(kind), program[0],
                       program[1], program[2], thread, detail)
      .str();
}

void Report::add(Finding finding) {
  std::lock_guard lock(mutex);
  auto key = std::make_tuple(finding.location.file, finding.location.line, finding.location.column, finding.kind);
  auto order = [](const Finding &f) { return std::make_tuple(f.program[2], f.program[1], f.program[0]); };
  auto [known, inserted] = all.try_emplace(std::move(key), finding);
  if (!inserted && order(finding) < order(known->second))
    known->second = std::move(finding);
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
