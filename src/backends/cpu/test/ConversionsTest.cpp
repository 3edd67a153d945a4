// Compares conversions with LLVM's arbitrary-precision floats: every 8-bit and 16-bit code in every direction, and f32
// values around every rounding boundary of the narrow formats, for the host and for processors without conversion
// instructions.
#include "TestKernel.h"

#include "backends/cpu/emitters/Conversions.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace triton::cpu::test {
namespace {

using llvm::APFloat;

struct Format {
  FloatFormat format;
  const char *name;
  unsigned bits;
  const llvm::fltSemantics *semantics;
  mlir::Type (*storage)(mlir::MLIRContext *);
};

const Format formats[] = {
    {FloatFormat::E5M2, "e5m2", 8, &APFloat::Float8E5M2(), integerOf<8>},
    {FloatFormat::E5M2FNUZ, "e5m2fnuz", 8, &APFloat::Float8E5M2FNUZ(), integerOf<8>},
    {FloatFormat::E4M3FN, "e4m3fn", 8, &APFloat::Float8E4M3FN(), integerOf<8>},
    {FloatFormat::E4M3FNUZ, "e4m3fnuz", 8, &APFloat::Float8E4M3FNUZ(), integerOf<8>},
    {FloatFormat::F16, "f16", 16, &APFloat::IEEEhalf(), integerOf<16>},
    {FloatFormat::BF16, "bf16", 16, &APFloat::BFloat(), integerOf<16>},
};
const char *const processors[] = {"", "x86-64", "x86-64-v2", "x86-64-v3"};

std::vector<uint8_t> toBytes(const std::vector<uint32_t> &codes, unsigned bits) {
  std::vector<uint8_t> bytes(codes.size() * bits / 8);
  for (std::size_t i = 0; i < codes.size(); ++i)
    std::memcpy(&bytes[i * bits / 8], &codes[i], bits / 8);
  return bytes;
}

uint32_t codeAt(const std::vector<uint8_t> &bytes, std::size_t index, unsigned bits) {
  uint32_t code = 0;
  std::memcpy(&code, &bytes[index * bits / 8], bits / 8);
  return code;
}

/// What emitConversion promises beyond IEEE rounding: in a format without infinity, overflow gives the largest finite
/// value.
uint32_t expectedCode(float value, const Format &format, Rounding rounding) {
  APFloat reference(value);
  bool ignored;
  APFloat limit = APFloat::getLargest(*format.semantics, std::signbit(value));
  bool hasInfinity = APFloat::semanticsHasInf(*format.semantics);
  reference.convert(*format.semantics,
                    rounding == Rounding::NearestEven ? APFloat::rmNearestTiesToEven : APFloat::rmTowardZero, &ignored);
  if (!hasInfinity && !std::isnan(value) && (reference.isNaN() || reference.isInfinity()))
    reference = limit;
  return reference.bitcastToAPInt().getZExtValue();
}

/// Values of f32 that are at, beside and between the values of `format`, and special ones.
std::vector<float> interestingValues(const Format &format) {
  std::vector<float> values = {0.0f, -0.0f, INFINITY, -INFINITY, 1e-45f, -1e-45f, 1e38f, -1e38f, 3.4028235e38f};
  float previous = 0;
  for (uint32_t code = 0; code < 1u << (format.bits - 1); code += format.bits == 16 ? 3 : 1) {
    APFloat exact(*format.semantics, llvm::APInt(format.bits, code));
    if (!exact.isFinite())
      continue;
    float value = exact.convertToFloat(), middle = previous / 2 + value / 2;
    for (float v : {value, middle}) {
      for (float w : {v, std::nextafter(v, INFINITY), std::nextafter(v, -INFINITY)}) {
        values.push_back(w);
        values.push_back(-w);
      }
    }
    previous = value;
  }
  APFloat largest = APFloat::getLargest(*format.semantics);
  for (float factor : {1.03f, 1.0625f, 1.13f, 1.25f, 2.0f, 1024.0f})
    values.push_back(largest.convertToFloat() * factor);
  while (values.size() % 64)
    values.push_back(1);
  return values;
}

void checkWidening(const Format &format, const char *arch, unsigned lanes) {
  std::size_t count = std::size_t(1) << format.bits;
  std::vector<uint32_t> codes(count);
  for (std::size_t i = 0; i < count; ++i)
    codes[i] = i;
  std::vector<uint8_t> input = toBytes(codes, format.bits);
  std::vector<float> output(count, -7);
  const TargetDescription &target = llvm::cantFail(describeTarget(arch));
  TestKernel kernel =
      makeElementwiseKernel(count, lanes, arch, {typeOf<mlir::Float32Type>, format.storage},
                            [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands) {
                              return emitConversion(builder, loc, operands[0], format.format, FloatFormat::F32,
                                                    Rounding::NearestEven, target);
                            });
  kernel(output.data(), input.data());
  unsigned failures = 0;
  for (std::size_t i = 0; i < count && failures < 5; ++i) {
    APFloat exact(*format.semantics, llvm::APInt(format.bits, i));
    bool ignored;
    exact.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &ignored);
    bool same = exact.isNaN() ? std::isnan(output[i])
                              : std::bit_cast<uint32_t>(output[i]) == exact.bitcastToAPInt().getZExtValue();
    EXPECT_TRUE(same) << format.name << " on `" << arch << "`, lanes " << lanes << ": code " << i << " gave "
                      << output[i];
    failures += !same;
  }
}

TEST(Conversions, WideningIsExactForEveryCode) {
  for (const char *arch : processors)
    for (const Format &format : formats)
      for (unsigned lanes : {1, 16})
        checkWidening(format, arch, lanes);
}

void checkNarrowing(const Format &format, const char *arch, Rounding rounding, unsigned lanes) {
  std::vector<float> values = interestingValues(format);
  values.back() = NAN;
  std::vector<uint8_t> output(values.size() * format.bits / 8, 0xcc);
  const TargetDescription &target = llvm::cantFail(describeTarget(arch));
  TestKernel kernel = makeElementwiseKernel(
      values.size(), lanes, arch, {format.storage, typeOf<mlir::Float32Type>},
      [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands) {
        return emitConversion(builder, loc, operands[0], FloatFormat::F32, format.format, rounding, target);
      });
  kernel(output.data(), values.data());
  unsigned failures = 0;
  for (std::size_t i = 0; i < values.size() && failures < 5; ++i) {
    uint32_t code = codeAt(output, i, format.bits);
    APFloat got(*format.semantics, llvm::APInt(format.bits, code));
    bool same = std::isnan(values[i]) ? got.isNaN() : code == expectedCode(values[i], format, rounding);
    EXPECT_TRUE(same) << format.name << " on `" << arch << "`, rounding " << int(rounding) << ", lanes " << lanes
                      << ": " << values[i] << " gave code " << code << ", not "
                      << expectedCode(values[i], format, rounding);
    failures += !same;
  }
}

TEST(Conversions, NarrowingRoundsAsTheReference) {
  for (const char *arch : processors)
    for (const Format &format : formats)
      for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero})
        for (unsigned lanes : {1, 16})
          checkNarrowing(format, arch, rounding, lanes);
}

void checkNarrowingOfDoubles(const std::vector<double> &values, const Format &format, const char *arch,
                             Rounding rounding, unsigned lanes) {
  const TargetDescription &target = llvm::cantFail(describeTarget(arch));
  std::vector<uint8_t> output(values.size() * format.bits / 8);
  TestKernel kernel = makeElementwiseKernel(
      values.size(), lanes, arch, {format.storage, typeOf<mlir::Float64Type>},
      [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands) {
        return emitConversion(builder, loc, operands[0], FloatFormat::F64, format.format, rounding, target);
      });
  kernel(output.data(), values.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    APFloat reference(values[i]);
    bool ignored;
    reference.convert(*format.semantics,
                      rounding == Rounding::NearestEven ? APFloat::rmNearestTiesToEven : APFloat::rmTowardZero,
                      &ignored);
    if (!APFloat::semanticsHasInf(*format.semantics) && reference.isNaN())
      reference = APFloat::getLargest(*format.semantics, std::signbit(values[i]));
    EXPECT_EQ(codeAt(output, i, format.bits), reference.bitcastToAPInt().getZExtValue())
        << format.name << " of " << values[i] << " on `" << arch << "`, rounding " << int(rounding) << ", lanes "
        << lanes;
  }
}

TEST(Conversions, DoubleRoundsOnce) {
  // 1 + half of a bf16 step + a bit that f32 cannot represent. Rounding through f32 would make a tie and round down.
  std::vector<double> values = {
      1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8 - 0x1p-40, -(1 + 0x1p-8 + 0x1p-40), 0x1p-140, 1e300, -1e300, 0.1, 3.0e38};
  for (const char *arch : processors)
    for (const Format &format : formats)
      for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero})
        for (unsigned lanes : {1, 8})
          checkNarrowingOfDoubles(values, format, arch, rounding, lanes);
}

TEST(Conversions, Bias15FormatSaturatesAtItsLargestValue) {
  const TargetDescription &target = llvm::cantFail(describeTarget(""));
  std::vector<float> values = {0,        1,          -1.75f, 1.8f, 1e9f,     -INFINITY, NAN,     0x1p-14f,
                               0x1p-17f, 0x1.8p-17f, 0.5f,   1.5f, 0x1p-18f, -0x1p-17f, 1.0625f, 1.1875f};
  std::vector<uint8_t> expected = {0x00, 0x78, 0xfe, 0x7e, 0x7e, 0xfe, 0x7e, 0x08,
                                   0x01, 0x02, 0x70, 0x7c, 0x00, 0x81, 0x78, 0x7a};
  std::vector<uint8_t> codes(16);
  TestKernel encode =
      makeElementwiseKernel(16, 16, "", {integerOf<8>, typeOf<mlir::Float32Type>},
                            [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands) {
                              return emitConversion(builder, loc, operands[0], FloatFormat::F32, FloatFormat::E4M3B15,
                                                    Rounding::NearestEven, target);
                            });
  encode(codes.data(), values.data());
  EXPECT_EQ(codes, expected);
}

} // namespace
} // namespace triton::cpu::test
