#include "backends/cpu/emitters/InlineExponential.h"
#include "backends/cpu/emitters/LaneBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;

/// base^x = 2^n * p(r) with n = round(x * log2(base)) and r = x - n * log(2), where log has the given base. The
/// polynomials have the smallest possible maximal error over |r| <= log(2) / 2, with the leading coefficients fixed.
struct ExponentialConstants {
  double lowest, highest;              ///< below, the result is 0; above, it is infinity
  double scale;                        ///< log2(base)
  double reductionHigh, reductionLow;  ///< their sum is log(2); n * high is exact. 0 when r = x - n
  llvm::ArrayRef<double> coefficients; ///< of r^0, r^1, ...
};

constexpr double exp32Coefficients[] = {1.0,
                                        1.0,
                                        0x1.fffff80000000p-2,
                                        0x1.55548e0000000p-3,
                                        0x1.555b5c0000000p-5,
                                        0x1.123bdc0000000p-7,
                                        0x1.687b460000000p-10};
constexpr double exp64Coefficients[] = {1.0,
                                        1.0,
                                        0x1.000000000000cp-1,
                                        0x1.5555555555513p-3,
                                        0x1.555555555005cp-5,
                                        0x1.1111111121c13p-7,
                                        0x1.6c16c18594c0cp-10,
                                        0x1.a01a0149f02f3p-13,
                                        0x1.a01996cf3e7d3p-16,
                                        0x1.71dee01759243p-19,
                                        0x1.28b00fb94eb72p-22,
                                        0x1.adeb6c3e5b2a0p-26};
constexpr double exp2On32Coefficients[] = {1.0,
                                           0x1.62e4300000000p-1,
                                           0x1.ebfbdc0000000p-3,
                                           0x1.c6aed60000000p-5,
                                           0x1.3b2cc40000000p-7,
                                           0x1.5f44dc0000000p-10,
                                           0x1.4258d80000000p-13};
constexpr double exp2On64Coefficients[] = {1.0,
                                           0x1.62e42fefa39efp-1,
                                           0x1.ebfbdff82c5a5p-3,
                                           0x1.c6b08d7049f9ap-5,
                                           0x1.3b2ab6fba003cp-7,
                                           0x1.5d87fe78d8b25p-10,
                                           0x1.4309130efd703p-13,
                                           0x1.ffcbfb7be98cep-17,
                                           0x1.62bfc74e00e60p-20,
                                           0x1.b526d06f03cc6p-24,
                                           0x1.e61bc8c752284p-28,
                                           0x1.e729e73834a78p-32};

ExponentialConstants constantsFor(ExponentialBase base, bool isDouble) {
  constexpr double log2OfE = 0x1.71547652b82fep0;
  if (base == ExponentialBase::E)
    return isDouble ? ExponentialConstants{-746,
                                           710,
                                           log2OfE,
                                           0x1.62e42fee00000p-1,
                                           0x1.a39ef35793c76p-33,
                                           exp64Coefficients}
                    : ExponentialConstants{-104, 90, log2OfE, 0.693359375, -2.12194440e-4, exp32Coefficients};
  return isDouble ? ExponentialConstants{-1075, 1025, 1, 0, 0, exp2On64Coefficients}
                  : ExponentialConstants{-150, 129, 1, 0, 0, exp2On32Coefficients};
}

class ExponentialEmitter {
public:
  ExponentialEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, const TargetDescription &target)
      : lanes(builder, loc, value), element(mlir::getElementTypeOrSelf(value.getType())), target(target) {}

  mlir::Value emit(mlir::Value x, const ExponentialConstants &constants) {
    // Comparing with the bound on the left keeps a NaN, as the minimum instruction does.
    mlir::Value highest = number(constants.highest);
    x = lanes.select(lanes.compare(arith::CmpFPredicate::OLT, highest, x), highest, x);
    // Masked scores are -inf in half the lanes of causal attention. Computing their zeros by underflow is what many
    // processors do in microcode, so that one such lane costs more than all the others.
    mlir::Value isNonzero = lanes.compare(arith::CmpFPredicate::UGE, x, number(constants.lowest));
    // Where the scaling is one instruction, the last selection becomes its mask, and the other lanes may be anything.
    if (!scalesByInstruction())
      x = lanes.select(isNonzero, x, number(0));
    mlir::Value scaled = constants.scale == 1 ? x : lanes.emit<arith::MulFOp>(x, number(constants.scale));
    mlir::Value n = mlir::math::RoundEvenOp::create(lanes.builder, lanes.loc, scaled);
    mlir::Value rest = reduce(x, n, constants);
    mlir::Value result = number(constants.coefficients.back());
    for (double coefficient : llvm::reverse(constants.coefficients.drop_back()))
      result = multiplyAdd(result, rest, number(coefficient));
    return lanes.select(isNonzero, scaleByPowerOfTwo(result, n), number(0));
  }

private:
  mlir::Value number(double value) { return lanes.number(element, value); }

  /// Without the instruction, a fused operation would be a library call for each lane.
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c) {
    if (target.hasFma)
      return mlir::math::FmaOp::create(lanes.builder, lanes.loc, a, b, c);
    return lanes.emit<arith::AddFOp>(lanes.emit<arith::MulFOp>(a, b), c);
  }

  mlir::Value reduce(mlir::Value x, mlir::Value n, const ExponentialConstants &constants) {
    if (constants.reductionHigh == 0)
      return lanes.emit<arith::SubFOp>(x, n);
    x = multiplyAdd(n, number(-constants.reductionHigh), x);
    return multiplyAdd(n, number(-constants.reductionLow), x);
  }

  int64_t vectorBits() const { return lanes.lanes() * element.getIntOrFloatBitWidth(); }
  bool scalesByInstruction() const { return target.hasAvx512 && (vectorBits() == 512 || vectorBits() == 256); }

  mlir::Value scaleByPowerOfTwo(mlir::Value x, mlir::Value n) {
    bool isDouble = element.isF64();
    if (scalesByInstruction())
      return scaleByInstruction(x, n);
    // In two steps, because 2^n alone may be subnormal or infinite although the result is not.
    unsigned bits = isDouble ? 64 : 32, mantissa = isDouble ? 52 : 23;
    mlir::Value exponent = arith::FPToSIOp::create(lanes.builder, lanes.loc, lanes.integerType(bits), n);
    mlir::Value half = lanes.emit<arith::ShRSIOp>(exponent, lanes.integer(bits, 1));
    for (mlir::Value part : {half, lanes.emit<arith::SubIOp>(exponent, half)}) {
      mlir::Value biased = lanes.emit<arith::AddIOp>(part, lanes.integer(bits, isDouble ? 1023 : 127));
      mlir::Value power = lanes.emit<arith::ShLIOp>(biased, lanes.integer(bits, mantissa));
      x = lanes.emit<arith::MulFOp>(x, lanes.bitcast(power, element));
    }
    return x;
  }

  /// `vscalefps` and `vscalefpd`: x * 2^n for floating-point n, rounded once.
  mlir::Value scaleByInstruction(mlir::Value x, mlir::Value n) {
    constexpr int64_t currentRounding = 4;
    // A mask has at least eight bits.
    llvm::SmallVector<mlir::Value> operands{x, n, x, lanes.scalarInteger(std::max<int64_t>(lanes.lanes(), 8), -1)};
    if (vectorBits() == 512)
      operands.push_back(lanes.scalarInteger(32, currentRounding));
    std::string name =
        ("llvm.x86.avx512.mask.scalef." + llvm::Twine(element.isF64() ? "pd." : "ps.") + llvm::Twine(vectorBits()))
            .str();
    return lanes.callIntrinsic(name, x.getType(), operands);
  }

  LaneBuilder lanes;
  mlir::Type element;
  const TargetDescription &target;
};

} // namespace

mlir::Value emitExponential(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, ExponentialBase base,
                            const TargetDescription &target) {
  bool isDouble = mlir::getElementTypeOrSelf(value.getType()).isF64();
  return ExponentialEmitter(builder, loc, value, target).emit(value, constantsFor(base, isDouble));
}

} // namespace triton::cpu
