// What four warps do together: they execute the same matrix products in the same order.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

namespace triton::simulator {

struct DecodedInstruction;
class Warp;

class WarpGroup {
public:
  static constexpr unsigned size = 4;

  /// One of the group's common instructions, with what must agree of its operands.
  struct Step {
    const DecodedInstruction *instruction = nullptr;
    std::array<uint64_t, 2> operands{};
    bool operator==(const Step &) const = default;
  };

  /// A warp executes its next step. What another warp of the group executed as the same step, if that is different.
  std::optional<Step> execute(const Warp &warp, const Step &step);
  /// All warps have ended, this one last. Reports steps that not all have executed.
  void end(Warp &last) const;

private:
  std::array<uint64_t, size> counts{}; ///< of steps, by warp
  uint64_t first = 0;                  ///< the number of the first in `steps`
  std::deque<Step> steps;              ///< that not all have executed
};

} // namespace triton::simulator
