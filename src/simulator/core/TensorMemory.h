// The memory of matrix units: 128 lanes of 512 columns of 32 bits. Programs reserve columns and give them back. Units
// work beside the warps that start them, as agents (VectorClock.h).
#pragma once

#include "simulator/core/SharedMemory.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace triton::simulator {

class TensorMemory {
public:
  static constexpr unsigned lanes = 128, columns = 512, leastColumns = 32;
  /// Warp n reaches lanes 32 * (n % 4) and the following.
  static constexpr unsigned lanesOfWarp = 32;
  /// Lanes whose accesses are recorded together.
  static constexpr unsigned lanesOfPart = 16, parts = lanes / lanesOfPart;

  TensorMemory() : words(lanes * columns), shadows(parts * columns) {}

  uint32_t &word(unsigned lane, unsigned column) { return words[lane * columns + column]; }

  /// The first of so many columns that nobody has reserved.
  std::optional<unsigned> reserve(unsigned count, uint32_t location);
  /// False if these columns were not reserved together.
  bool release(unsigned first, unsigned count);
  unsigned reservedColumns() const;
  /// Where columns were reserved that nobody has given back.
  std::optional<uint32_t> firstReservation() const;
  bool isReserved(unsigned first, unsigned count) const;
  bool mayReserve = true; ///< The program has not given up the right.

  /// In ascending order of severity.
  enum class Outcome : uint8_t { Fine, Unwritten, Race, InFlight };
  /// Records an access of a part's lanes in a column by a warp, whose clock is given, or by the agent of its unit.
  Outcome read(unsigned part, unsigned column, Agent reader, const WarpClock &clock);
  Outcome write(unsigned part, unsigned column, Agent writer, const WarpClock &clock);

  /// What the unit does for a warp: its agent, and how often it has said at a barrier that all is done. Products end in
  /// their order.
  struct Unit {
    unsigned agent;
    uint32_t commits = 0;
    Agent now() const { return {agent, commits + 1}; }
  };
  std::map<unsigned, Unit> units; ///< by the number of the warp

private:
  struct Shadow {
    Agent writer{0, 0}; ///< time 0: never
    llvm::SmallVector<Agent, 2> readers;
  };
  struct Reservation {
    unsigned count;
    uint32_t location;
  };
  static bool isSeen(const Agent &other, Agent self, const WarpClock &clock) {
    return other.time == 0 || other.number == self.number || clock.hasSeen(other.number, other.time);
  }
  static Outcome outcomeOf(const Agent &other, const WarpClock &clock) {
    return clock.isAgent(other.number) ? Outcome::InFlight : Outcome::Race;
  }
  Shadow &shadow(unsigned part, unsigned column) { return shadows[part * columns + column]; }

  std::vector<uint32_t> words;
  std::vector<Shadow> shadows;
  std::map<unsigned, Reservation> reservations; ///< by the first column
};

} // namespace triton::simulator
