#include "simulator/core/WrappedOffsets.h"

#include "simulator/core/Warp.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace triton::simulator {

namespace {

/// Computes integers of a lane without wrapping. A register still holds what an access has used, because each value has
/// a register of its own.
class ExactIntegers {
public:
  ExactIntegers(const Warp &warp, unsigned lane) : warp(warp), lane(lane) {}

  int32_t given(uint32_t index) const { return warp.read<int32_t>(integer(index).value)[lane]; }

  /// The exact value. Values beyond 64 bits count as the largest, which has wrapped as well.
  int64_t exact(uint32_t index) {
    if (auto known = values.find(index); known != values.end())
      return known->second;
    const NarrowInteger &node = integer(index);
    int64_t value = given(index);
    if (node.kind != NarrowInteger::Kind::Given) {
      int64_t a = exact(node.operands[0]), b = exact(node.operands[1]);
      value = combine(node.kind, a, b);
      if (!wrapped && value != given(index) && a == given(node.operands[0]) && b == given(node.operands[1]))
        wrapped = index;
    }
    return values[index] = value;
  }

  std::string describe() const {
    const NarrowInteger &node = integer(*wrapped);
    static constexpr const char *signs[] = {"", "+", "-", "*", "<<"};
    int64_t a = given(node.operands[0]), b = given(node.operands[1]);
    return llvm::formatv("{0} {1} {2} is {3} in {4}", a, signs[unsigned(node.kind)], b, values.at(*wrapped),
                         warp.describeLocation(node.location))
        .str();
  }

  std::optional<uint32_t> wrapped; ///< the first whose operands have not wrapped

private:
  const NarrowInteger &integer(uint32_t index) const { return warp.program.narrowIntegers[index]; }

  static int64_t combine(NarrowInteger::Kind kind, int64_t a, int64_t b) {
    int64_t value = 0;
    bool isTooLarge = false;
    switch (kind) {
    case NarrowInteger::Kind::Sum:
      isTooLarge = __builtin_add_overflow(a, b, &value);
      break;
    case NarrowInteger::Kind::Difference:
      isTooLarge = __builtin_sub_overflow(a, b, &value);
      break;
    case NarrowInteger::Kind::Shifted:
      isTooLarge = b < 0 || b > 31 || __builtin_mul_overflow(a, int64_t(1) << b, &value);
      break;
    default:
      isTooLarge = __builtin_mul_overflow(a, b, &value);
    }
    return isTooLarge ? std::numeric_limits<int64_t>::max() : value;
  }

  const Warp &warp;
  unsigned lane;
  std::map<uint32_t, int64_t> values;
};

} // namespace

std::optional<std::string> describeWrap(const Warp &warp, uint32_t instruction, unsigned lane) {
  auto offsets = warp.program.narrowOffsets.find(instruction);
  if (offsets == warp.program.narrowOffsets.end())
    return std::nullopt;
  for (uint32_t offset : offsets->second) {
    ExactIntegers integers(warp, lane);
    int64_t exact = integers.exact(offset), given = integers.given(offset);
    if (exact != given && integers.wrapped)
      return integers.describe();
  }
  return std::nullopt;
}

} // namespace triton::simulator
