#include "backends/cpu/Passes.h"
#include "backends/cpu/emitters/LaneBuilder.h"

#include "mlir/IR/Matchers.h"

namespace triton::cpu {

#define GEN_PASS_DEF_CONVERTDIVISION
#include "backends/cpu/Passes.h.inc"

namespace {

namespace arith = mlir::arith;

bool isDivision(mlir::Operation *op) {
  return llvm::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
}
bool isSigned(mlir::Operation *op) { return llvm::isa<arith::DivSIOp, arith::RemSIOp>(op); }
bool isRemainder(mlir::Operation *op) { return llvm::isa<arith::RemSIOp, arith::RemUIOp>(op); }

/// The quotient in floating point is exact after truncation: f64 represents all of i32, f32 all of i16, and a quotient
/// that is not an integer is farther from the next integer than its rounding error.
mlir::Value divideAsFloats(LaneBuilder &lanes, mlir::Operation *op, unsigned bits) {
  mlir::OpBuilder &builder = lanes.builder;
  mlir::Value a = op->getOperand(0), b = op->getOperand(1);
  mlir::Type type = lanes.type(bits > 16 ? mlir::Type(builder.getF64Type()) : mlir::Type(builder.getF32Type()));
  auto toFloat = [&](mlir::Value value) -> mlir::Value {
    if (isSigned(op))
      return arith::SIToFPOp::create(builder, lanes.loc, type, value);
    return arith::UIToFPOp::create(builder, lanes.loc, type, value);
  };
  mlir::Value quotient = lanes.emit<arith::DivFOp>(toFloat(a), toFloat(b)), result;
  if (isSigned(op))
    result = arith::FPToSIOp::create(builder, lanes.loc, a.getType(), quotient);
  else
    result = arith::FPToUIOp::create(builder, lanes.loc, a.getType(), quotient);
  if (!isRemainder(op))
    return result;
  return lanes.emit<arith::SubIOp>(a, lanes.emit<arith::MulIOp>(result, b));
}

/// A divisor for which the instruction does not trap. It equals the operand wherever the division has a result.
mlir::Value safeDivisor(LaneBuilder &lanes, mlir::Operation *op, unsigned bits) {
  mlir::Value a = op->getOperand(0), b = op->getOperand(1);
  auto equals = [&](mlir::Value value, const llvm::APInt &constant) {
    return lanes.compare(arith::CmpIPredicate::eq, value, lanes.integer(constant));
  };
  mlir::Value traps = equals(b, llvm::APInt::getZero(bits));
  if (isSigned(op)) {
    mlir::Value overflows = lanes.emit<arith::AndIOp>(equals(a, llvm::APInt::getSignedMinValue(bits)),
                                                      equals(b, llvm::APInt::getAllOnes(bits)));
    traps = lanes.emit<arith::OrIOp>(traps, overflows);
  }
  return lanes.select(traps, lanes.integer(bits, 1), b);
}

void convertDivision(mlir::Operation *op) {
  mlir::Value divisor = op->getOperand(1);
  llvm::APInt constant;
  if (mlir::matchPattern(divisor, mlir::m_ConstantInt(&constant)) && !constant.isZero() && !constant.isAllOnes())
    return; // LLVM multiplies by the reciprocal.
  mlir::OpBuilder builder(op);
  LaneBuilder lanes(builder, op->getLoc(), divisor);
  unsigned bits = mlir::getElementTypeOrSelf(divisor.getType()).getIntOrFloatBitWidth();
  if (!llvm::isa<mlir::VectorType>(divisor.getType()) || bits > 32)
    return op->setOperand(1, safeDivisor(lanes, op, bits));
  op->replaceAllUsesWith(mlir::ValueRange{divideAsFloats(lanes, op, bits)});
  op->erase();
}

struct ConvertDivisionPass : impl::ConvertDivisionBase<ConvertDivisionPass> {
  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> divisions;
    getOperation().walk([&](mlir::Operation *op) {
      if (isDivision(op) && !mlir::getElementTypeOrSelf(op->getResult(0).getType()).isIndex())
        divisions.push_back(op);
    });
    llvm::for_each(divisions, convertDivision);
  }
};

} // namespace
} // namespace triton::cpu
