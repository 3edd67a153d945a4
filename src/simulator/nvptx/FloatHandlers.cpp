// Floating-point instructions that only NVIDIA has.
#include "simulator/core/FloatFormats.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

namespace {

/// `.xorsign.abs`: the extremum of the magnitudes with the sign of the product. The result is a NaN only if both
/// operands are.
template <bool maximum> struct ExtremumXorSign {
  template <typename Value> static Value apply(Value a, Value b) {
    bool negative = std::signbit(a) != std::signbit(b);
    return std::copysign(extremum<maximum, Value>(std::fabs(a), std::fabs(b)), negative ? Value(-1) : Value(1));
  }
};

/// `.NaN.xorsign.abs`: the same, but the result is a NaN if one of the operands is.
template <bool maximum> struct ExtremumXorSignNaN {
  template <typename Value> static Value apply(Value a, Value b) {
    return a != a || b != b ? a + b : ExtremumXorSign<maximum>::apply(a, b);
  }
};

/// div.full and div.approx: a * s * (1 / (b * s)), rounded at the end, where the reciprocal is an f32 and `s` keeps it
/// in range. div.approx lets the reciprocals of large numbers become zero. This was measured. It is exact except where
/// rcp.approx itself is not correctly rounded.
template <bool full> struct DivideApproximately {
  template <typename Value> static Value apply(Value a, Value b) {
    double scale = std::fabs(b) < 0x1p-126 ? 0x1p24 : full && std::fabs(b) > 0x1p126 ? 0.25 : 1.0;
    float reciprocal = float(1.0 / (double(b) * scale));
    return Value(float(double(a) * scale * (full ? reciprocal : flush(reciprocal))));
  }
};

} // namespace

Handler findFloatOperation(llvm::StringRef name, FloatFormat format) {
  Handler handler = findFloatUnary(name, format);
  if (!handler)
    handler = findFloatIntrinsic(name, format);
  if (handler)
    return handler;
  bool flushes = name.consume_back(".ftz");
#define TRITON_CASE(name, Operation) Case(name, TRITON_FLOAT_BINARY(format, flushes, Operation))
  return llvm::StringSwitch<Handler>(name)
      .TRITON_CASE("div.full", DivideApproximately<true>)
      .TRITON_CASE("div.approx", DivideApproximately<false>)
      .TRITON_CASE("minnum.xorsign", ExtremumXorSign<false>)
      .TRITON_CASE("maxnum.xorsign", ExtremumXorSign<true>)
      .TRITON_CASE("minimum.xorsign", ExtremumXorSignNaN<false>)
      .TRITON_CASE("maximum.xorsign", ExtremumXorSignNaN<true>)
      .Default(nullptr);
#undef TRITON_CASE
}

} // namespace triton::simulator::nvptx
