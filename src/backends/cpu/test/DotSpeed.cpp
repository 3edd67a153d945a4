// Prints how fast dots run from the first cache, and larger ones from the second.
#include "TestKernel.h"

#include "backends/cpu/emitters/DotEmitter.h"

#include "mlir/IR/BuiltinTypes.h"

#include <chrono>
#include <cstdio>

namespace triton::cpu::test {
namespace {

struct AlignedBuffer {
  explicit AlignedBuffer(std::size_t size) : bytes(size + 64, 0) {}
  void *data() { return reinterpret_cast<void *>(llvm::alignTo(uintptr_t(bytes.data()), 64)); }
  std::vector<uint8_t> bytes;
};

double secondsPerCall(const TestKernel &kernel, AlignedBuffer &a, AlignedBuffer &b, AlignedBuffer &c,
                      AlignedBuffer &s) {
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 50; ++i)
      kernel((uint8_t *)a.data(), (uint8_t *)b.data(), (uint8_t *)c.data(), (uint8_t *)s.data());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 50);
  }
  return best;
}

using TypeMaker = mlir::Type (*)(mlir::MLIRContext *);

double measure(TypeMaker operand, TypeMaker accumulator, int64_t m, int64_t n, int64_t k, bool transposeB) {
  const TargetDescription &target = llvm::cantFail(describeTarget(""));
  AlignedBuffer a(m * k * 8), b(k * n * 8), c(m * n * 8), scratch((m * k + k * n + n) * 8);
  TestKernel kernel(4, "", [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange pointers) {
    mlir::MLIRContext *context = builder.getContext();
    DotPlan plan = planDot({m, n, k, operand(context), operand(context), accumulator(context)}, target);
    emitDot(builder, loc, plan, {pointers[0], k}, transposeB ? DotMatrix{pointers[1], 1, k} : DotMatrix{pointers[1], n},
            {pointers[2], n}, {pointers[3]});
  });
  return 2e-9 * m * n * k / secondsPerCall(kernel, a, b, c, scratch);
}

} // namespace

int printSpeeds() {
  const struct {
    const char *name;
    TypeMaker operand, accumulator;
  } types[] = {{"f32", typeOf<mlir::Float32Type>, typeOf<mlir::Float32Type>},
               {"f64", typeOf<mlir::Float64Type>, typeOf<mlir::Float64Type>},
               {"f16", typeOf<mlir::Float16Type>, typeOf<mlir::Float32Type>},
               {"bf16", typeOf<mlir::BFloat16Type>, typeOf<mlir::Float32Type>},
               {"e5m2", typeOf<mlir::Float8E5M2Type>, typeOf<mlir::Float32Type>},
               {"i8", integerOf<8>, integerOf<32>}};
  for (const auto &type : types) {
    auto rate = [&](int64_t m, int64_t n, int64_t k, bool transposeB) {
      return measure(type.operand, type.accumulator, m, n, k, transposeB);
    };
    std::printf("%-5s 64x64x32 %6.1f, 128x128x64 %6.1f, 256x256x256 %6.1f, 64x64x64 with B transposed %6.1f GFLOP/s\n",
                type.name, rate(64, 64, 32, false), rate(128, 128, 64, false), rate(256, 256, 256, false),
                rate(64, 64, 64, true));
  }
  return 0;
}

} // namespace triton::cpu::test

int main() { return triton::cpu::test::printSpeeds(); }
