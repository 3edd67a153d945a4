// Looks for what a report must say while a launch runs again in the same order: the other side of a race, or who has
// written a byte.
#pragma once

#include "simulator/core/AccessStamp.h"
#include "simulator/core/Report.h"

#include <array>
#include <optional>
#include <vector>

namespace triton::simulator {

class Program;

/// An access of global memory that a thread is about to do.
struct WatchedAccess {
  uintptr_t address;
  std::size_t size;
  AccessKind kind;
  const std::array<uint32_t, 3> &program;
  uint32_t thread, location;
  const WarpClock &clock;

  std::byte *memory() const { return reinterpret_cast<std::byte *>(address); }
};

/// Watches the accesses of global memory while a launch runs again.
class AccessWatch {
public:
  virtual ~AccessWatch() = default;
  /// Returns where the thread reads or writes, which need not be the memory that it means.
  virtual std::byte *note(const WatchedAccess &access) = 0;
};

/// Finds who writes a byte last.
class WriteWatch final : public AccessWatch {
public:
  WriteWatch(const Program &program, uintptr_t watched) : program(program), watched(watched) {}
  std::byte *note(const WatchedAccess &access) override;

  /// Where it was written last, by whom.
  Finding last{};

private:
  const Program &program;
  uintptr_t watched;
};

class RaceWatch final : public AccessWatch {
public:
  /// Watches the places of the findings that are races.
  RaceWatch(const Program &program, std::vector<Finding> &findings);

  bool isEmpty() const { return races.empty(); }
  std::byte *note(const WatchedAccess &access) override;
  /// Lets the findings say who the others were.
  void complete();

private:
  struct Side {
    std::array<uint32_t, 3> program{};
    uint32_t thread = 0, location = 0;
    bool writes = false;
    bool areBothStrong = false; ///< so that they race only by their scopes
  };
  struct Race {
    Finding *finding;
    std::optional<Side> other; ///< the last access by another warp, as far as the launch has run
    bool isOver = false;       ///< the access of the finding has been seen
  };

  const Program &program;
  std::vector<Race> races;
};

} // namespace triton::simulator
