// Barriers as objects with phases. Arriving and waiting are separate: a warp that arrives need not wait, and a warp
// that waits need not arrive. A barrier of another kind, such as one that counts bytes, derives from Barrier and says
// when a phase is over.
#pragma once

#include "simulator/core/Synchronization.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace triton::simulator {

class Warp;

/// For reports: "warp 2", "warps 0 to 3 and 5".
std::string namesOfWarps(llvm::ArrayRef<unsigned> sorted);

class Barrier {
public:
  using Phase = uint64_t;

  /// The `warps` synchronize with each other, by this barrier or another. In reports, `name` follows "at".
  Barrier(std::string name, unsigned warps) : gathered(warps), released{gathered, gathered}, ownName(std::move(name)) {}
  Barrier(const Barrier &) = delete;
  Barrier &operator=(const Barrier &) = delete;
  virtual ~Barrier() = default;

  const std::string &name() const { return ownName; }
  Phase phase() const { return current; }
  bool isOver(Phase phase) const { return phase < current; }

  /// A warp arrives. What it has done happens before what is done by warps that wait for the phase, which is returned.
  /// If the arrival does not release, this holds only for what the warp had done at its last fence of `scope`.
  Phase arrive(Warp &warp, uint32_t location, bool releases, Scope scope = Scope::Device);
  /// A warp that has waited for this phase continues. If it does not acquire, its next acquire fence orders what the
  /// barrier has gathered.
  void leave(Warp &warp, Phase phase, bool acquires = true) const;

  /// The warps that have arrived in this phase and those that have not, for reports: "warp 0 has arrived at ..., warp 1
  /// has not".
  virtual std::string describe() const = 0;

protected:
  struct Arrival {
    Warp *warp;
    uint32_t location;
    unsigned lane;
  };

  /// Whether everything that ends the current phase has arrived.
  virtual bool isComplete() const = 0;
  /// Called before a phase ends.
  virtual void complete() {}
  /// Called when something on which `isComplete` depends has changed, other than the arrival of a warp.
  void endCompletePhase();

  std::vector<Arrival> arrivals; ///< of the current phase
  uint64_t time = 0;             ///< simulated, at which the last of them came
  VectorClock gathered;          ///< what happens before the end of the current phase

private:
  VectorClock released[2];                ///< by the last two phases, indexed by their parity
  mutable ClusterClocks releasedInAll[2]; ///< the same with the own cluster's times, made when a warp asks for it
  uint64_t ends[2] = {};                  ///< simulated times of the last two phases
  std::string ownName;
  Phase current = 0;
};

/// A barrier that counts warps: all warps of a group, or the number that the arriving warps say.
class WarpBarrier final : public Barrier {
public:
  enum class Group : uint8_t { Program, Cluster };

  /// `members` is the number of warps in the group. `warps` is the number of warps that synchronize with each other.
  WarpBarrier(std::string name, Group group, unsigned members, unsigned warps)
      : Barrier(std::move(name), warps), group(group), members(members) {}

  /// A warp arrives. It expects `count` warps in all or, without a count, each member that has not ended.
  Phase arrive(Warp &warp, std::optional<unsigned> count, uint32_t location, bool releases);
  /// A member has ended and will not arrive again.
  void memberEnded(const Warp &warp);

  std::string describe() const override;

private:
  bool isComplete() const override;
  void complete() override;
  unsigned numberOf(const Warp &warp) const;

  Group group;
  unsigned members;
  std::optional<unsigned> expected; ///< by the warps that have arrived in this phase
  std::vector<const Warp *> ended;
};

} // namespace triton::simulator
