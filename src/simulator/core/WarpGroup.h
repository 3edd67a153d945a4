// The common work of four warps, which execute the same matrix products in the same order.
#pragma once

#include "simulator/core/Barrier.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

namespace triton::simulator {

struct DecodedInstruction;

/// As a barrier, the group ends phase n when all of its warps have closed their n-th group of products, because a warp
/// that waits for products waits for those of all four warps. The group orders nothing else.
class WarpGroup final : public Barrier {
public:
  static constexpr unsigned size = 4;

  /// `agent` does the products; its time is the number of a group of products, counted from 1.
  WarpGroup(unsigned number, unsigned members, unsigned warps, unsigned agent);

  /// One of the group's common instructions, with those operands that must agree.
  struct Step {
    const DecodedInstruction *instruction = nullptr;
    std::array<uint64_t, 2> operands{};
    bool operator==(const Step &) const = default;
  };

  /// A warp executes its next step. Returns what another warp of the group executed as the same step, if that is
  /// different.
  std::optional<Step> execute(const Warp &warp, const Step &step);
  /// A warp closes its next group of products.
  void commit(const Warp &warp);
  /// Nobody waits for a warp that has ended.
  void memberEnded(const Warp &warp);
  /// Called when all warps have ended, by the last of them. Reports steps that not all warps have executed.
  void reportMissing(Warp &last) const;

  std::string describe() const override;

  const unsigned agent;

private:
  bool isComplete() const override;

  const unsigned number, members;
  std::array<uint64_t, size> counts{};    ///< of steps, by warp
  std::array<uint64_t, size> committed{}; ///< groups, by warp
  uint64_t first = 0;                     ///< the number of the first in `steps`
  std::deque<Step> steps;                 ///< that not all have executed
};

} // namespace triton::simulator
