// Barriers in shared memory, which count arrivals of threads and bytes of asynchronous copies.
#pragma once

#include "simulator/core/Barrier.h"
#include "simulator/core/SharedMemory.h"

namespace triton::simulator {

/// A phase of the barrier ends when all expected arrivals and as many bytes as were announced have come. A waiter names
/// only the parity of a phase, so it must not miss the ends of two phases.
class MemoryBarrier final : public Barrier {
public:
  static constexpr uint32_t mostArrivals = (1u << 20) - 1;

  /// `agent` stands for the copies that this barrier counts. Its time is the number of the phase in which they end.
  /// `warp`, which is one of `warps`, initializes the barrier.
  MemoryBarrier(std::size_t offset, uint32_t arrivals, const Warp &warp, unsigned warps, unsigned agent);

  /// What an arrival returns about the state before it.
  struct Token {
    Phase phase;
    uint32_t pending;
  };
  /// A thread arrives `count` times. If it `drops`, it does not arrive in later phases.
  Token arrive(Warp &warp, unsigned lane, uint32_t count, bool drops, bool releases, uint32_t location);
  /// The current phase now waits for this many more bytes.
  void expectBytes(int64_t count);
  /// Bytes have arrived, by a copy that the warp started.
  void completeBytes(Warp &warp, int64_t count, uint32_t location);
  /// An agent arrives once for the warp: what it had done at this time happens before the end of the phase.
  void arriveFor(Warp &warp, Agent agent, uint32_t location);
  /// The agent and its time for the barrier's copies of the current phase.
  Agent agent() const { return {number, uint32_t(phase()) + 1}; }
  bool hasParity(uint32_t parity) const { return (phase() & 1) == (parity & 1); }
  /// The warp has executed a fence after its initializations.
  void fenceInitialization(const Warp &warp);
  /// Whether the initialization happens before what the warp does now.
  bool isKnownTo(const Warp &warp) const;
  /// Whether a copy that the warp starts now may use the barrier.
  bool isVisibleToProxy(const Warp &warp) const;
  /// A warp waits for the current phase.
  void addWaiter(Warp &warp) { waiters.push_back(&warp); }

  std::string describe() const override;

private:
  bool isComplete() const override { return pending == 0 && bytes == 0; }
  void complete() override;

  unsigned number;
  unsigned initializer;   ///< a warp of the cluster
  uint32_t initializedAt; ///< its time
  bool isFenced = false;  ///< its initialization
  uint32_t expected, pending;
  int64_t bytes = 0;           ///< announced and not arrived; or negative
  std::vector<Warp *> waiters; ///< since the barrier was made; most have continued
};

} // namespace triton::simulator
