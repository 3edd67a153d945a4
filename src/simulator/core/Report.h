// The errors that the simulator finds in a kernel, and how they are printed.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace triton::simulator {

enum class FindingKind : uint8_t {
  OutOfBounds,
  WrappedOffset,
  UseAfterFree,
  Misaligned,
  UninitializedShared,
  UnwrittenGlobal,
  SharedRace,
  GlobalRace,
  StoreConflict,
  DivergentBarrier,
  DivergentWarpGroup,
  PartialWarp,
  DifferentCopies,
  BarrierMisuse,
  InvalidCopy,
  MissingProxyFence,
  MissingProductFence,
  ResultInFlight,
  TensorMemoryMisuse,
  TensorMemoryRace,
  TensorMemoryLeak,
  Deadlock,
  DivisionByZero,
  OrderDependence,
  WrongAssumption,
  AssertionFailed,
  Trap,
};

/// A place in a source file; line 0: unknown.
struct SourcePosition {
  std::string file;
  unsigned line = 0, column = 0;
  auto operator<=>(const SourcePosition &) const = default;
};

/// A place in the kernel's source, and the calls through which it was inlined.
struct SourceLocation : SourcePosition {
  std::vector<SourcePosition> callers; ///< the nearest comes first
  auto operator<=>(const SourceLocation &) const = default;
};

/// `access out of bounds`
llvm::StringRef title(FindingKind kind);

/// What the access of a race touches.
struct RacingAccess {
  uintptr_t address = 0;
  std::size_t bytes = 0;
  bool writes = false;
  bool isWithinProgram = false; ///< all that was seen of the race are ordinary accesses of one program (or cluster)
  bool isStrong = false;
};

struct Finding {
  FindingKind kind{};
  SourceLocation location;
  std::array<uint32_t, 3> program{};   ///< program id of the thread that made the error
  uint32_t thread = 0;                 ///< its index in the program
  std::string detail;                  ///< what was seen, e.g. the address and the array it misses
  RacingAccess access = {};            ///< of a race on global memory
  std::optional<unsigned> device = {}; ///< that ran the program, of several

  /// `access out of bounds in program (3, 0, 0), thread 17: <detail>`
  std::string message() const;
  /// How to correct the error.
  llvm::StringRef remedy() const;
  /// `file:line:column: <message>`
  std::string str() const;
};

/// Collects findings of one launch from several host threads. Of each kind and place it keeps the finding in the first
/// program, so that the report does not depend on host scheduling.
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
  std::map<std::pair<SourceLocation, FindingKind>, Finding> all;
};

} // namespace triton::simulator
