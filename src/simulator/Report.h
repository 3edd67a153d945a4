// What the simulator finds wrong with a kernel, and its rendering.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace triton::simulator {

enum class FindingKind : uint8_t {
  OutOfBounds,
  Misaligned,
  UninitializedShared,
  SharedRace,
  GlobalRace,
  DivergentBarrier,
  Deadlock,
  AssertionFailed,
  Trap,
};

/// A place in the kernel's source.
struct SourceLocation {
  std::string file;
  unsigned line = 0, column = 0;
};

struct Finding {
  FindingKind kind;
  SourceLocation location;
  std::array<uint32_t, 3> program{}; ///< program id of the thread that was caught
  uint32_t thread = 0;               ///< its index in the program
  std::string detail;                ///< what was seen, e.g. the address and the array it misses

  /// `file:line:column: out-of-bounds load in program (3, 0, 0), thread 17: <detail>`
  std::string str() const;
};

/// Collects findings of one launch from several host threads: of each kind and place the one in the first program, so
/// that the report does not depend on host scheduling.
class Report {
public:
  static constexpr std::size_t limit = 64;
  void add(Finding finding);
  /// In the order of source position, at most `limit`.
  std::vector<Finding> findings() const;
  bool has(FindingKind kind) const;
  void clear();

private:
  mutable std::mutex mutex;
  std::map<std::tuple<std::string, unsigned, unsigned, FindingKind>, Finding> all;
};

} // namespace triton::simulator
