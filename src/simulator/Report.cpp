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
  auto key = std::make_tuple(finding.kind, finding.location.file, finding.location.line, finding.location.column);
  if (all.size() >= limit || !seen.insert(key).second)
    return;
  all.push_back(std::move(finding));
}

std::vector<Finding> Report::findings() const {
  std::lock_guard lock(mutex);
  std::vector<Finding> sorted = all;
  std::sort(sorted.begin(), sorted.end(), [](const Finding &a, const Finding &b) {
    return std::tie(a.location.file, a.location.line, a.location.column, a.kind) <
           std::tie(b.location.file, b.location.line, b.location.column, b.kind);
  });
  return sorted;
}

bool Report::empty() const {
  std::lock_guard lock(mutex);
  return all.empty();
}

} // namespace triton::simulator
