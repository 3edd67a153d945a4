// Barriers as objects with phases. Arriving and waiting are separate: who arrives need not wait, and who waits need not
// arrive. A barrier of another kind, such as one that counts bytes, derives from Barrier and says when a phase is over.
#pragma once

#include "simulator/core/VectorClock.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace triton::simulator {

class Warp;

class Barrier {
public:
  using Phase = uint64_t;

  /// `warps` synchronize with one another, by this barrier or another; `name` follows "at" in reports.
  Barrier(std::string name, unsigned warps) : gathered(warps), released{gathered, gathered}, ownName(std::move(name)) {}
  Barrier(const Barrier &) = delete;
  Barrier &operator=(const Barrier &) = delete;
  virtual ~Barrier() = default;

  const std::string &name() const { return ownName; }
  Phase phase() const { return current; }
  bool isOver(Phase phase) const { return phase < current; }

  /// A warp arrives: what it has done, or had done at its last fence unless the arrival releases, happens before what
  /// those do who wait for the phase, which is returned.
  Phase arrive(Warp &warp, uint32_t location, bool releases);
  /// A warp goes on that has waited for this phase.
  void leave(Warp &warp, Phase phase) const;

  /// Who has arrived in this phase and who has not, for reports: "warp 0 has arrived at ..., warp 1 has not".
  virtual std::string describe() const = 0;

protected:
  struct Arrival {
    Warp *warp;
    uint32_t location;
    unsigned lane;
  };

  /// Whether all has come that ends the current phase.
  virtual bool isComplete() const = 0;
  /// Called before a phase ends.
  virtual void complete() {}
  /// To be called when something has come that `isComplete` looks at, other than the arrival of a warp.
  void endCompletePhase();

  std::vector<Arrival> arrivals; ///< of the current phase
  VectorClock gathered;          ///< what happens before the end of the current phase

private:
  VectorClock released[2]; ///< by the last two phases, at the place of their parity
  std::string ownName;
  Phase current = 0;
};

/// A barrier that counts warps: all of a group, or as many as those who arrive say.
class WarpBarrier final : public Barrier {
public:
  enum class Group : uint8_t { Program, Cluster };

  /// `members` warps of the group of `warps` that synchronize with one another.
  WarpBarrier(std::string name, Group group, unsigned members, unsigned warps)
      : Barrier(std::move(name), warps), group(group), members(members) {}

  /// A warp arrives and expects `count` warps in all, or each member that has not ended.
  Phase arrive(Warp &warp, std::optional<unsigned> count, uint32_t location, bool releases);
  /// A member has ended and will not arrive any more.
  void memberEnded(const Warp &warp);

  std::string describe() const override;

private:
  bool isComplete() const override;
  void complete() override;
  unsigned numberOf(const Warp &warp) const;

  Group group;
  unsigned members;
  std::optional<unsigned> expected; ///< by those who have arrived in this phase
  std::vector<const Warp *> ended;
};

} // namespace triton::simulator
