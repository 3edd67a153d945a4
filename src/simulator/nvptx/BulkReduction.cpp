#include "simulator/nvptx/BulkReduction.h"

#include "simulator/core/FloatFormats.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cstring>

namespace triton::simulator::nvptx {

using Reduction = BulkCopy::Reduction;

std::optional<Reduction> parseReduction(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Reduction>>(name)
      .Case("add", Reduction::Add)
      .Case("min", Reduction::Min)
      .Case("max", Reduction::Max)
      .Case("inc", Reduction::Increment)
      .Case("dec", Reduction::Decrement)
      .Case("and", Reduction::And)
      .Case("or", Reduction::Or)
      .Case("xor", Reduction::Xor)
      .Default(std::nullopt);
}

/// Replaces each element by `combine(element, operand)`.
template <typename T, typename Combine>
static bool forEach(std::byte *destination, const std::byte *source, std::size_t count, Combine combine) {
  for (std::size_t i = 0; i < count; ++i) {
    T before, operand;
    std::memcpy(&before, destination + i * sizeof(T), sizeof(T));
    std::memcpy(&operand, source + i * sizeof(T), sizeof(T));
    T after = combine(before, operand);
    std::memcpy(destination + i * sizeof(T), &after, sizeof(T));
  }
  return true;
}

template <typename T>
static bool reduceIntegers(Reduction reduction, std::byte *destination, const std::byte *source, std::size_t count) {
  auto apply = [&](auto combine) { return forEach<T>(destination, source, count, combine); };
  switch (reduction) {
  case Reduction::Add:
    return apply([](T a, T b) { return T(uint64_t(a) + uint64_t(b)); });
  case Reduction::Min:
    return apply([](T a, T b) { return std::min(a, b); });
  case Reduction::Max:
    return apply([](T a, T b) { return std::max(a, b); });
  case Reduction::Increment:
    return apply([](T a, T b) { return a >= b ? T(0) : T(a + 1); });
  case Reduction::Decrement:
    return apply([](T a, T b) { return a == 0 || a > b ? b : T(a - 1); });
  case Reduction::And:
    return apply([](T a, T b) { return T(a & b); });
  case Reduction::Or:
    return apply([](T a, T b) { return T(a | b); });
  case Reduction::Xor:
    return apply([](T a, T b) { return T(a ^ b); });
  }
  __builtin_unreachable();
}

template <typename Format>
static bool reduceFloats(Reduction reduction, std::byte *destination, const std::byte *source, std::size_t count) {
  auto apply = [&](auto combine) {
    return forEach<typename Format::Storage>(destination, source, count, [&](auto a, auto b) {
      return Format::store(combine(Format::load(a), Format::load(b)));
    });
  };
  switch (reduction) {
  case Reduction::Add:
    return apply([](auto a, auto b) { return a + b; });
  case Reduction::Min:
    return apply([](auto a, auto b) { return extremum<false>(a, b); });
  case Reduction::Max:
    return apply([](auto a, auto b) { return extremum<true>(a, b); });
  default:
    return false;
  }
}

bool reduceElements(Reduction reduction, TensorMap::ElementType type, std::byte *destination, const std::byte *source,
                    std::size_t count) {
  using enum TensorMap::ElementType;
  switch (type) {
  case U32:
    return reduceIntegers<uint32_t>(reduction, destination, source, count);
  case I32:
    return reduceIntegers<int32_t>(reduction, destination, source, count);
  case U64:
    return reduceIntegers<uint64_t>(reduction, destination, source, count);
  case I64:
    return reduceIntegers<int64_t>(reduction, destination, source, count);
  case F16:
    return reduceFloats<HalfFormat>(reduction, destination, source, count);
  case BF16:
    return reduceFloats<BFloatFormat>(reduction, destination, source, count);
  case F32:
  case F32Flushed:
    return reduceFloats<SingleFormat>(reduction, destination, source, count);
  case F64:
    return reduceFloats<DoubleFormat>(reduction, destination, source, count);
  case U8:
  case U16:
  case TF32:
  case TF32Flushed:
    return false;
  }
  __builtin_unreachable();
}

} // namespace triton::simulator::nvptx
