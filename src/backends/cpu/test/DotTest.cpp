// Dots of many shapes, types, layouts and processors against a reference in double precision.
#include "TestKernel.h"
#include "TileEmulation.h"

#include "backends/cpu/emitters/Conversions.h"
#include "backends/cpu/emitters/DotEmitter.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>

namespace triton::cpu::test {
namespace {

using llvm::APFloat;
using TypeMaker = mlir::Type (*)(mlir::MLIRContext *);

struct DotCase {
  const char *name;
  TypeMaker operand, accumulator;
  const llvm::fltSemantics *semantics; ///< of the operands; null: integers
  unsigned bits;
  double tolerance; ///< relative to the sum of the products' magnitudes
};

const DotCase cases[] = {
    {"f32", typeOf<mlir::Float32Type>, typeOf<mlir::Float32Type>, &APFloat::IEEEsingle(), 32, 1e-6},
    {"f64", typeOf<mlir::Float64Type>, typeOf<mlir::Float64Type>, &APFloat::IEEEdouble(), 64, 1e-14},
    {"f16", typeOf<mlir::Float16Type>, typeOf<mlir::Float32Type>, &APFloat::IEEEhalf(), 16, 1e-6},
    {"bf16", typeOf<mlir::BFloat16Type>, typeOf<mlir::Float32Type>, &APFloat::BFloat(), 16, 1e-6},
    {"e5m2", typeOf<mlir::Float8E5M2Type>, typeOf<mlir::Float32Type>, &APFloat::Float8E5M2(), 8, 1e-6},
    {"e4m3fn", typeOf<mlir::Float8E4M3FNType>, typeOf<mlir::Float32Type>, &APFloat::Float8E4M3FN(), 8, 1e-6},
    {"i8", integerOf<8>, integerOf<32>, nullptr, 8, 0},
    {"i16", integerOf<16>, integerOf<32>, nullptr, 16, 0},
};

/// A matrix of one of the types above, with the values that its codes stand for.
struct Operand {
  std::vector<uint8_t> bytes;
  std::vector<double> values;
};

Operand makeOperand(const DotCase &test, std::size_t count, std::mt19937 &random) {
  Operand operand{std::vector<uint8_t>(count * test.bits / 8), std::vector<double>(count)};
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (std::size_t i = 0; i < count; ++i) {
    uint64_t code;
    if (test.semantics) {
      APFloat value(uniform(random));
      bool ignored;
      value.convert(*test.semantics, APFloat::rmNearestTiesToEven, &ignored);
      code = value.bitcastToAPInt().getZExtValue();
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &ignored);
      operand.values[i] = value.convertToDouble();
    } else {
      int64_t value = test.bits == 8 ? int8_t(random()) : int16_t(random() % 2048) - 1024;
      code = uint64_t(value);
      operand.values[i] = double(value);
    }
    std::memcpy(&operand.bytes[i * test.bits / 8], &code, test.bits / 8);
  }
  return operand;
}

/// A product in a kernel that does nothing else: matrix units have their form around it.
void emitOnlyDot(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, const DotMatrix &a,
                 const DotMatrix &b, const DotMatrix &c, mlir::Value scratch) {
  bool usesTiles = plan.method == DotMethod::Tiles;
  if (usesTiles)
    emitLoadTileForm(builder, loc, emitTileForm(builder, loc));
  emitDot(builder, loc, plan, a, b, c, {scratch});
  if (usesTiles)
    emitReleaseTiles(builder, loc);
}

void checkDot(const DotCase &test, int64_t m, int64_t n, int64_t k, bool transposeA, bool transposeB,
              const TargetDescription &target) {
  std::mt19937 random(m * 7 + n * 3 + k);
  Operand a = makeOperand(test, m * k, random), b = makeOperand(test, k * n, random);
  bool isInteger = !test.semantics;
  unsigned accumulatorBytes = test.bits == 64 ? 8 : 4;
  int64_t stride = n + 3; // rows of the accumulator need not be adjacent
  std::vector<uint8_t> c(m * stride * accumulatorBytes);
  auto initial = [&](int64_t i, int64_t j) { return double((i * 5 + j) % 7); };
  auto element = [&](int64_t i, int64_t j) { return &c[(i * stride + j) * accumulatorBytes]; };
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double value = initial(i, j);
      int32_t integer = int32_t(value);
      float single = float(value);
      const void *source = isInteger ? (void *)&integer : accumulatorBytes == 8 ? (void *)&value : (void *)&single;
      std::memcpy(element(i, j), source, accumulatorBytes);
    }
  std::vector<uint8_t> scratch;
  TestKernel kernel(4, target, [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange pointers) {
    mlir::MLIRContext *context = builder.getContext();
    DotPlan plan = planDot({m, n, k, test.operand(context), test.operand(context), test.accumulator(context)}, target);
    scratch.resize(plan.scratchBytes + 64);
    emitOnlyDot(builder, loc, plan, transposeA ? DotMatrix{pointers[0], 1, m} : DotMatrix{pointers[0], k},
                transposeB ? DotMatrix{pointers[1], 1, k} : DotMatrix{pointers[1], n}, DotMatrix{pointers[2], stride},
                pointers[3]);
  });
  ASSERT_TRUE(bool(kernel));
  auto *aligned = reinterpret_cast<uint8_t *>(llvm::alignTo(uintptr_t(scratch.data()), 64));
  kernel(a.bytes.data(), b.bytes.data(), c.data(), aligned);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double exact = initial(i, j), magnitude = 1;
      for (int64_t l = 0; l < k; ++l) {
        double product = a.values[transposeA ? l * m + i : i * k + l] * b.values[transposeB ? j * k + l : l * n + j];
        exact += product;
        magnitude += std::fabs(product);
      }
      double got;
      if (isInteger) {
        int32_t integer;
        std::memcpy(&integer, element(i, j), 4);
        got = integer;
      } else if (accumulatorBytes == 8) {
        std::memcpy(&got, element(i, j), 8);
      } else {
        float single;
        std::memcpy(&single, element(i, j), 4);
        got = single;
      }
      ASSERT_LE(std::fabs(got - exact), test.tolerance * magnitude)
          << test.name << " " << m << "x" << n << "x" << k << (transposeA ? " A^T" : "") << (transposeB ? " B^T" : "")
          << " on `" << target.cpu << "` at " << i << "," << j << ": " << got << " not " << exact;
    }
}

void checkDot(const DotCase &test, int64_t m, int64_t n, int64_t k, bool transposeA, bool transposeB,
              const char *arch) {
  checkDot(test, m, n, k, transposeA, transposeB, llvm::cantFail(describeTarget(arch)));
}

TEST(Dot, SquareTiles) {
  for (const DotCase &test : cases)
    checkDot(test, 64, 64, 32, false, false, "");
}

TEST(Dot, EveryLayout) {
  for (const DotCase &test : cases)
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true})
        checkDot(test, 32, 32, 32, transposeA, transposeB, "");
}

TEST(Dot, LongAndShortExtents) {
  const int64_t shapes[][3] = {{1, 1, 1},   {1, 16, 2}, {16, 1, 16}, {2, 4, 8},   {128, 8, 16}, {8, 128, 4},
                               {16, 2, 64}, {4, 64, 1}, {32, 16, 2}, {1, 256, 4}, {64, 4, 4}};
  for (const DotCase &test : cases)
    for (const auto &[m, n, k] : shapes)
      checkDot(test, m, n, k, false, false, "");
}

TEST(Dot, ShortExtentsTransposed) {
  for (const DotCase &test : cases)
    for (int64_t extent : {1, 2, 4, 8})
      checkDot(test, 16, extent, extent * 2, true, true, "");
}

TEST(Dot, ProcessorsWithLess) {
  for (const char *arch : {"x86-64", "x86-64-v2", "x86-64-v3"})
    for (const DotCase &test : cases) {
      checkDot(test, 32, 32, 32, false, false, arch);
      checkDot(test, 8, 16, 16, true, true, arch);
    }
}

TEST(Dot, PanelsThatTheCacheHoldsInParts) {
  for (const char *arch : {"", "x86-64", "x86-64-v3"}) {
    TargetDescription target = llvm::cantFail(describeTarget(arch));
    target.firstCacheBytes = 4096;
    // Panels in parts are for vectors: a host with matrix units would choose those.
    target.hasTileBFloat16 = target.hasTileFloat16 = target.hasTileInt8 = false;
    for (const DotCase &test : cases) {
      mlir::MLIRContext context;
      DotPlan plan =
          planDot({32, 128, 128, test.operand(&context), test.operand(&context), test.accumulator(&context)}, target);
      EXPECT_LT(plan.panelColumns, plan.shape.n) << test.name;
      EXPECT_LT(plan.panelRows, plan.shape.k) << test.name;
      for (bool transposeB : {false, true})
        checkDot(test, 32, 128, 128, false, transposeB, target);
      checkDot(test, 64, 256, 256, true, false, target);
    }
  }
}

TEST(Dot, MatrixUnits) {
  const TargetDescription &host = llvm::cantFail(describeTarget(""));
  if (host.vectorBits < 512)
    GTEST_SKIP() << "AMX comes with AVX-512, which code around its instructions uses";
  static TargetDescription target = host;
  target.hasTileBFloat16 = target.hasTileFloat16 = target.hasTileInt8 = true;
  target.features += std::string(target.features.empty() ? "" : ",") + "+amx-tile,+amx-bf16,+amx-fp16,+amx-int8";
  TileEmulation emulation;
  const int64_t shapes[][3] = {{16, 16, 64}, {16, 64, 64}, {64, 16, 128}, {32, 32, 64}};
  for (const DotCase &test : llvm::make_filter_range(cases, [](const DotCase &test) { return test.bits <= 16; })) {
    for (const auto &[m, n, k] : shapes)
      checkDot(test, m, n, k, false, false, target);
    for (bool transposeA : {false, true})
      checkDot(test, 32, 64, 128, transposeA, true, target);
  }
  EXPECT_TRUE(host.hasTileInt8 || TileEmulation::products() > 0);
  checkDot(cases[3], 8, 16, 64, false, false, target); // smaller than a tile
  checkDot(cases[3], 16, 16, 16, false, false, target);
}

TEST(Dot, OuterProductsWhereTheyPay) {
  const TargetDescription &target = llvm::cantFail(describeTarget("apple-m4"));
  mlir::MLIRContext context;
  auto plan = [&](const DotCase &test, int64_t m, int64_t n, int64_t k, bool fuse = true) {
    return planDot({m, n, k, test.operand(&context), test.operand(&context), test.accumulator(&context)}, target, fuse);
  };
  for (const DotCase &test : cases) {
    bool isKnown = std::string_view(test.name) != "i16";
    EXPECT_EQ(plan(test, 32, 32, 32).method == DotMethod::OuterProducts, isKnown) << test.name;
    for (const auto &[m, n, k] : {std::array{16, 16, 32}, std::array{8, 128, 64}, std::array{128, 8, 64}})
      EXPECT_NE(plan(test, m, n, k).method, DotMethod::OuterProducts) << test.name;
    // Single products are fused; those of groups are not rounded anyway.
    bool isSingle = isKnown && groupSize(plan(test, 32, 32, 32)) == 1;
    EXPECT_EQ(plan(test, 32, 32, 32, false).method == DotMethod::OuterProducts, isKnown && !isSingle) << test.name;
  }
  EXPECT_NE(plan(cases[6], 128, 128, 2).method, DotMethod::OuterProducts) << "less than a group";
  EXPECT_EQ(plan(cases[0], 16, 128, 64).tileVectors, 4);
  EXPECT_EQ(plan(cases[0], 128, 128, 64).tileRows, 2);
}

TEST(Dot, ExtremeIntegersAreExact) {
  // The product -128 * -128 is wrong with saturating forms of the instruction.
  const TargetDescription &target = llvm::cantFail(describeTarget(""));
  std::vector<int8_t> a(16 * 64, -128), b(64 * 16, -128);
  std::vector<int32_t> c(16 * 16, 0);
  alignas(64) uint8_t scratch[8192];
  TestKernel kernel(4, "", [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange pointers) {
    mlir::Type i8 = builder.getI8Type();
    DotPlan plan = planDot({16, 16, 64, i8, i8, builder.getI32Type()}, target);
    ASSERT_LE(plan.scratchBytes, int64_t(sizeof(scratch)));
    emitOnlyDot(builder, loc, plan, {pointers[0], 64}, {pointers[1], 16}, {pointers[2], 16}, pointers[3]);
  });
  kernel(a.data(), b.data(), c.data(), scratch);
  for (int32_t value : c)
    EXPECT_EQ(value, 64 * 128 * 128);
}

} // namespace
} // namespace triton::cpu::test
