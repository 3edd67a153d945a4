// Arithmetic and conversions that round toward zero, down or up, by the host's rounding mode. Libraries of functions
// use them to reduce arguments.
#include "numerics/DirectedRounding.h"
#include "simulator/core/FloatFormats.h"
#include "simulator/core/Warp.h"

#include "llvm/ADT/StringSwitch.h"

#include <cfenv>
#include <cmath>

#pragma STDC FENV_ACCESS ON

namespace triton::simulator {

namespace {

using numerics::compute;
using numerics::Operation;
using numerics::RoundingMode;

template <Operation operation, typename Value, int mode>
void execute(Warp &warp, const DecodedInstruction &instruction) {
  using Format = std::conditional_t<std::is_same_v<Value, double>, DoubleFormat, SingleFormat>;
  const auto *a = warp.read<Value>(instruction.operands[0]);
  const auto *b = operation == Operation::Reciprocal || operation == Operation::SquareRoot
                      ? a
                      : warp.read<Value>(instruction.operands[1]);
  const auto *c = operation == Operation::Fma ? warp.read<Value>(instruction.operands[2]) : b;
  RoundingMode rounding(mode);
  warp.forEachLane<Value>(instruction.result, [=](unsigned lane) {
    return Format::store(lastNaN(compute<operation, Value>(a[lane], b[lane], c[lane]), a[lane], b[lane], c[lane]));
  });
}

template <Operation operation, typename Value> Handler findMode(llvm::StringRef rounding) {
  return llvm::StringSwitch<Handler>(rounding)
      .Case("rz", &execute<operation, Value, FE_TOWARDZERO>)
      .Case("rm", &execute<operation, Value, FE_DOWNWARD>)
      .Case("rp", &execute<operation, Value, FE_UPWARD>)
      .Default(nullptr);
}

template <typename Value> Handler findOperation(llvm::StringRef name) {
  auto [operation, rounding] = name.split('.');
  return llvm::StringSwitch<Handler>(operation)
      .Case("add", findMode<Operation::Add, Value>(rounding))
      .Case("sub", findMode<Operation::Subtract, Value>(rounding))
      .Case("mul", findMode<Operation::Multiply, Value>(rounding))
      .Case("fma", findMode<Operation::Fma, Value>(rounding))
      .Case("div", findMode<Operation::Divide, Value>(rounding))
      .Case("rcp", findMode<Operation::Reciprocal, Value>(rounding))
      .Case("sqrt", findMode<Operation::SquareRoot, Value>(rounding))
      .Default(nullptr);
}

template <typename From, typename To, int mode> void convert(Warp &warp, const DecodedInstruction &instruction) {
  const auto *values = warp.read<From>(instruction.operands[0]);
  RoundingMode rounding(mode);
  warp.forEachLane<To>(instruction.result, [=](unsigned lane) -> To {
    To converted = numerics::convert<From, To>(values[lane]);
    if constexpr (std::is_same_v<To, float>)
      return canonical(converted);
    return converted;
  });
}

template <typename From, typename To> Handler findConversionMode(llvm::StringRef rounding) {
  return llvm::StringSwitch<Handler>(rounding)
      .Case("rn", &convert<From, To, FE_TONEAREST>)
      .Case("rz", &convert<From, To, FE_TOWARDZERO>)
      .Case("rm", &convert<From, To, FE_DOWNWARD>)
      .Case("rp", &convert<From, To, FE_UPWARD>)
      .Default(nullptr);
}

} // namespace

Handler findDirectedCast(llvm::StringRef name) {
  auto [types, rounding] = name.split('.');
  return llvm::StringSwitch<Handler>(types)
      .Case("i2f", findConversionMode<int32_t, float>(rounding))
      .Case("ui2f", findConversionMode<uint32_t, float>(rounding))
      .Case("ll2f", findConversionMode<int64_t, float>(rounding))
      .Case("ull2f", findConversionMode<uint64_t, float>(rounding))
      .Case("i2d", findConversionMode<int32_t, double>(rounding))
      .Case("ui2d", findConversionMode<uint32_t, double>(rounding))
      .Case("ll2d", findConversionMode<int64_t, double>(rounding))
      .Case("ull2d", findConversionMode<uint64_t, double>(rounding))
      .Case("d2f", findConversionMode<double, float>(rounding))
      .Default(nullptr);
}

Handler findDirectedRounding(llvm::StringRef name, FloatFormat format) {
  if (format == FloatFormat::Single)
    return findOperation<float>(name);
  return format == FloatFormat::Double ? findOperation<double>(name) : nullptr;
}

} // namespace triton::simulator
