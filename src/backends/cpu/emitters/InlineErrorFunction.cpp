#include "backends/cpu/emitters/InlineErrorFunction.h"
#include "backends/cpu/emitters/LaneBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;

constexpr int64_t pieces = 16;
/// Beyond, the result is 1 to half a unit of its last place.
constexpr double lastPieceEnd = 3.875;
/// Adding it rounds to a multiple of 1/4 and leaves that multiple, counted, in the last bits.
constexpr double roundToQuarters = 0x1.8p21;

/// erf(i / 4 + d) = sum of coefficients[k][i] * d^k for |d| <= 1/8. The polynomials interpolate at the Chebyshev nodes;
/// that of the first piece is odd, so that small values keep their relative accuracy.
constexpr float coefficients[][pieces] = {
    {0, 0x1.1af54ep-2, 0x1.0a7ef6p-1, 0x1.6c1c98p-1, 0x1.af767ap-1, 0x1.d8865ep-1, 0x1.eea556p-1, 0x1.f92d08p-1,
     0x1.fd9ae2p-1, 0x1.ff4048p-1, 0x1.ffcaa8p-1, 0x1.fff2dp-1, 0x1.fffd1ap-1, 0x1.ffff7p-1, 0x1.ffffe8p-1,
     0x1.fffffcp-1},
    {0x1.20dd74p+0, 0x1.0f5d16p+0, 0x1.c1efcap-1, 0x1.492e42p-1, 0x1.a911fp-2, 0x1.e4653p-3, 0x1.e72372p-4,
     0x1.b0553p-5, 0x1.529b9ep-6, 0x1.d4143ap-8, 0x1.1d8318p-9, 0x1.3360dp-11, 0x1.2408fp-13, 0x1.e9b6p-16,
     0x1.6a599p-18, 0x1.d93764p-21},
    {0, -0x1.0f5ba2p-2, -0x1.c1eep-2, -0x1.edc46ep-2, -0x1.a9121ap-2, -0x1.2ecp-2, -0x1.6d5bfap-3, -0x1.7a4bd6p-4,
     -0x1.529bc4p-5, -0x1.0749b8p-6, -0x1.64dd6ep-8, -0x1.a695cep-10, -0x1.b5f20cp-12, -0x1.8dbcacp-14, -0x1.3cdff4p-16,
     -0x1.bb478cp-19},
    {-0x1.81265p-2, -0x1.3c96bp-2, -0x1.2bf594p-3, 0x1.b6ddc8p-6, 0x1.1b6034p-3, 0x1.571cbep-3, 0x1.1c2a5ap-3,
     0x1.7149a2p-4, 0x1.8b0bdcp-5, 0x1.63efc6p-6, 0x1.119d02p-7, 0x1.69cc4ep-9, 0x1.9db016p-11, 0x1.9a97f6p-13,
     0x1.62bba6p-15, 0x1.0b571ep-17},
    {0, 0x1.021e9p-3, 0x1.748dbep-3, 0x1.3351a8p-3, 0x1.1bd098p-4, -0x1.7318f2p-8, -0x1.69a6b6p-5, -0x1.885478p-5,
     -0x1.1a1468p-5, -0x1.39c54cp-6, -0x1.1caf06p-7, -0x1.b024cp-9, -0x1.1654eap-10, -0x1.330062p-12, -0x1.23bb22p-14,
     -0x1.dfbefcp-17},
    {0x1.cb9d1ep-4, 0x1.4659aap-4, 0x1.e82d32p-8, -0x1.b0a364p-5, -0x1.19edaap-4, -0x1.81ced4p-5, -0x1.eac212p-7,
     0x1.a8da2p-8, 0x1.aa4ec4p-7, 0x1.5cb6p-7, 0x1.91bbap-8, 0x1.6b30aap-9, 0x1.0ce208p-10, 0x1.4d3aa8p-12,
     0x1.5e2afp-14, 0x1.3aa7e4p-16},
};

/// What is left of `magnitude` when its nearest multiple of 1/4 is subtracted: `vreduceps`.
mlir::Value emitRest(const LaneBuilder &lanes, mlir::Value magnitude) {
  constexpr int64_t nearestQuarter = 2 << 4, withoutExceptions = 8, currentRounding = 4;
  return lanes.callIntrinsic("llvm.x86.avx512.mask.reduce.ps.512", magnitude.getType(),
                             {magnitude, lanes.scalarInteger(32, nearestQuarter | withoutExceptions), magnitude,
                              lanes.scalarInteger(pieces, -1), lanes.scalarInteger(32, currentRounding)});
}

} // namespace

mlir::Value emitErrorFunction(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                              const TargetDescription &target) {
  auto type = llvm::dyn_cast<mlir::VectorType>(value.getType());
  if (!target.hasAvx512 || !type || type.getNumElements() != pieces || !type.getElementType().isF32())
    return {};
  LaneBuilder lanes(builder, loc, value);
  mlir::Type single = builder.getF32Type(), integer = builder.getI32Type();
  mlir::Value sign = lanes.emit<arith::AndIOp>(lanes.bitcast(value, integer), lanes.integer(32, uint64_t(1) << 31));
  mlir::Value magnitude = mlir::math::AbsFOp::create(builder, loc, value);
  mlir::Value round = lanes.number(single, roundToQuarters);
  mlir::Value rounded = lanes.emit<arith::AddFOp>(magnitude, round);
  mlir::Value rest = emitRest(lanes, magnitude);
  // The instruction looks only at the last four bits of each index.
  mlir::Value piece = lanes.bitcast(rounded, integer);
  mlir::Value result;
  for (const auto &row : llvm::reverse(coefficients)) {
    mlir::Value table =
        arith::ConstantOp::create(builder, loc, mlir::DenseElementsAttr::get(type, llvm::ArrayRef(row)));
    mlir::Value coefficient = lanes.callIntrinsic("llvm.x86.avx512.permvar.sf.512", type, {table, piece});
    result = result ? mlir::math::FmaOp::create(builder, loc, result, rest, coefficient).getResult() : coefficient;
  }
  mlir::Value isBeyond = lanes.compare(arith::CmpFPredicate::OGT, magnitude, lanes.number(single, lastPieceEnd));
  result = lanes.select(isBeyond, lanes.number(single, 1), result);
  return lanes.bitcast(lanes.emit<arith::OrIOp>(lanes.bitcast(result, integer), sign), single);
}

} // namespace triton::cpu
