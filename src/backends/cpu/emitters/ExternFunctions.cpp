#include "backends/cpu/emitters/ExternFunctions.h"
#include "backends/cpu/emitters/InlineExponential.h"
#include "backends/cpu/emitters/LaneBuilder.h"
#include "backends/cpu/emitters/MathCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;

class ExternEmitter {
public:
  ExternEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands, mlir::Type resultElement,
                const TargetDescription &target)
      : lanes(builder, loc, operands.front()), builder(builder), loc(loc), v(operands),
        element(mlir::getElementTypeOrSelf(operands.front().getType())), resultElement(resultElement), target(target) {}

  mlir::Value emit(llvm::StringRef name) {
    if (name.ends_with("_rn") && !name.contains('2'))
      name = name.drop_back(3); // What the operations below do anyway.
    if (mlir::Value result = emitReinterpretation(name))
      return result;
    if (!llvm::isa<mlir::FloatType>(element))
      return emitInteger(name);
    if (mlir::Value result = emitFloatToInteger(name))
      return result;
    name.consume_front("fast_");
    bool isSingle = element.isF32();
    if (mlir::Value result = emitArithmetic(name))
      return result;
    if (isSingle && !name.consume_back("f"))
      return {};
    if (mlir::Value result = emitPredicate(name))
      return result;
    if (mlir::Value result = emitInstruction(name))
      return result;
    if (mlir::Value result = emitComposed(name))
      return result;
    return emitLibrary(name);
  }

private:
  mlir::Value number(double value) { return lanes.number(element, value); }
  template <typename Op> mlir::Value unary() { return Op::create(builder, loc, v[0]); }
  template <typename Op> mlir::Value binary() { return Op::create(builder, loc, v[0], v[1]); }

  mlir::Value library(llvm::StringRef name, mlir::ValueRange operands) {
    return emitMathCall(builder, loc, *findMathFunction(name), operands, target);
  }

  mlir::Value emitLibrary(llvm::StringRef name) {
    if (name == "exp" || name == "exp2")
      return emitExponential(builder, loc, v[0], name == "exp" ? ExponentialBase::E : ExponentialBase::Two, target);
    const MathFunction *function = findMathFunction(name);
    return function && function->operands == v.size() ? emitMathCall(builder, loc, *function, v, target)
                                                      : mlir::Value();
  }

  mlir::Value emitArithmetic(llvm::StringRef name) {
    name = name.size() > 1 && (name[0] == 'f' || name[0] == 'd') ? name.drop_front() : name;
    if (v.size() == 2) {
      if (name == "add")
        return binary<arith::AddFOp>();
      if (name == "sub")
        return binary<arith::SubFOp>();
      if (name == "mul")
        return binary<arith::MulFOp>();
      if (name == "div" || name == "ivide" || name == "ividef") // fdividef, after its first letter
        return binary<arith::DivFOp>();
    }
    if (v.size() == 1 && (name == "rcp" || name == "rcpf"))
      return lanes.emit<arith::DivFOp>(number(1), v[0]);
    return {};
  }

  mlir::Value emitInstruction(llvm::StringRef name) {
    if (v.size() == 3 && name == "fma")
      return math::FmaOp::create(builder, loc, v[0], v[1], v[2]);
    if (v.size() == 2)
      return name == "copysign" ? binary<math::CopySignOp>()
             : name == "fmin"   ? binary<arith::MinNumFOp>()
             : name == "fmax"   ? binary<arith::MaxNumFOp>()
                                : mlir::Value();
    return name == "floor"                         ? unary<math::FloorOp>()
           : name == "ceil"                        ? unary<math::CeilOp>()
           : name == "trunc"                       ? unary<math::TruncOp>()
           : name == "rint" || name == "nearbyint" ? unary<math::RoundEvenOp>()
           : name == "round"                       ? unary<math::RoundOp>()
           : name == "sqrt" || name == "fsqrt"     ? unary<math::SqrtOp>()
           : name == "rsqrt"                       ? unary<math::RsqrtOp>()
           : name == "fabs" || name == "abs"       ? unary<math::AbsFOp>()
                                                   : mlir::Value();
  }

  /// Functions that neither library has, from ones that it has.
  mlir::Value emitComposed(llvm::StringRef name) {
    if (name == "saturate")
      return lanes.emit<arith::MaxNumFOp>(lanes.emit<arith::MinNumFOp>(v[0], number(1)), number(0));
    if (name == "rcbrt")
      return lanes.emit<arith::DivFOp>(number(1), library("cbrt", v));
    if (name == "rhypot")
      return lanes.emit<arith::DivFOp>(number(1), library("hypot", v));
    if (name == "normcdf") {
      mlir::Value scaled = lanes.emit<arith::MulFOp>(v[0], number(-std::numbers::sqrt2 / 2));
      return lanes.emit<arith::MulFOp>(number(0.5), library("erfc", scaled));
    }
    if (name == "sinpi" || name == "cospi") {
      // Reduced to one period before the inexact factor comes in.
      mlir::Value half = lanes.emit<arith::MulFOp>(v[0], number(0.5));
      mlir::Value periods = math::RoundEvenOp::create(builder, loc, half);
      mlir::Value rest = lanes.emit<arith::SubFOp>(v[0], lanes.emit<arith::MulFOp>(periods, number(2)));
      return library(name.drop_back(2), lanes.emit<arith::MulFOp>(rest, number(std::numbers::pi)));
    }
    return {};
  }

  mlir::Value asResult(mlir::Value condition) {
    if (resultElement.isInteger(1))
      return condition;
    return arith::ExtUIOp::create(builder, loc, lanes.type(resultElement), condition);
  }

  mlir::Value emitPredicate(llvm::StringRef name) {
    bool isSingle = element.isF32();
    unsigned bits = isSingle ? 32 : 64;
    mlir::Value infinity = number(std::numeric_limits<double>::infinity());
    if (name == "isnan" || name == "isnand")
      return asResult(lanes.compare(arith::CmpFPredicate::UNO, v[0], v[0]));
    if (name == "isinf" || name == "isinfd")
      return asResult(lanes.compare(arith::CmpFPredicate::OEQ, unary<math::AbsFOp>(), infinity));
    if (name == "finite" || name == "isfinited")
      return asResult(lanes.compare(arith::CmpFPredicate::OLT, unary<math::AbsFOp>(), infinity));
    if (name == "signbit" || name == "signbitd")
      return asResult(lanes.compare(arith::CmpIPredicate::slt, lanes.bitcast(v[0], builder.getIntegerType(bits)),
                                    lanes.integer(bits, 0)));
    return {};
  }

  mlir::Value emitReinterpretation(llvm::StringRef name) {
    return llvm::StringSwitch<bool>(name)
                   .Cases({"int_as_float", "float_as_int", "uint_as_float", "float_as_uint"}, true)
                   .Cases({"longlong_as_double", "double_as_longlong"}, true)
                   .Default(false)
               ? lanes.bitcast(v[0], resultElement)
               : mlir::Value();
  }

  /// `float2int_rd` and its like: the last two letters give the direction of rounding.
  mlir::Value emitFloatToInteger(llvm::StringRef name) {
    if (!name.starts_with("float2") && !name.starts_with("double2"))
      return {};
    llvm::StringRef direction = name.take_back(3), to = name.substr(name.find('2') + 1).drop_back(3);
    if (llvm::isa<mlir::FloatType>(resultElement))
      return direction == "_rn" ? mlir::Value(arith::TruncFOp::create(builder, loc, lanes.type(resultElement), v[0]))
                                : mlir::Value();
    mlir::Value rounded = direction == "_rn"   ? unary<math::RoundEvenOp>()
                          : direction == "_rd" ? unary<math::FloorOp>()
                          : direction == "_ru" ? unary<math::CeilOp>()
                          : direction == "_rz" ? v[0]
                                               : mlir::Value();
    if (!rounded)
      return {};
    if (to.starts_with("u"))
      return arith::FPToUIOp::create(builder, loc, lanes.type(resultElement), rounded);
    return arith::FPToSIOp::create(builder, loc, lanes.type(resultElement), rounded);
  }

  mlir::Value emitInteger(llvm::StringRef name) {
    unsigned bits = element.getIntOrFloatBitWidth();
    if (llvm::isa<mlir::FloatType>(resultElement)) {
      if (!name.ends_with("_rn"))
        return {};
      if (name.starts_with("u"))
        return arith::UIToFPOp::create(builder, loc, lanes.type(resultElement), v[0]);
      return arith::SIToFPOp::create(builder, loc, lanes.type(resultElement), v[0]);
    }
    bool isLong = bits == 64;
    if (name == (isLong ? "llabs" : "abs"))
      return unary<math::AbsIOp>();
    if (name == (isLong ? "brevll" : "brev"))
      return mlir::LLVM::BitReverseOp::create(builder, loc, v[0].getType(), v[0]);
    if (name == (isLong ? "popcll" : "popc"))
      return lanes.resize(unary<math::CtPopOp>(), 32);
    if (name == (isLong ? "clzll" : "clz"))
      return lanes.resize(unary<math::CountLeadingZerosOp>(), 32);
    if (name == (isLong ? "ffsll" : "ffs")) {
      // One more than the index of the lowest set bit, 0 when there is none.
      mlir::Value next = lanes.emit<arith::AddIOp>(unary<math::CountTrailingZerosOp>(), lanes.integer(bits, 1));
      mlir::Value isZero = lanes.compare(arith::CmpIPredicate::eq, v[0], lanes.integer(bits, 0));
      return lanes.resize(lanes.select(isZero, lanes.integer(bits, 0), next), 32);
    }
    return emitIntegerPair(name, bits);
  }

  mlir::Value emitIntegerPair(llvm::StringRef name, unsigned bits) {
    if (v.size() != 2)
      return {};
    if (name == "mulhi" || name == "mul64hi")
      return arith::MulSIExtendedOp::create(builder, loc, v[0], v[1]).getHigh();
    if (name == "umulhi" || name == "umul64hi")
      return arith::MulUIExtendedOp::create(builder, loc, v[0], v[1]).getHigh();
    if (name == "mul24" || name == "umul24") {
      mlir::Value unused = lanes.integer(bits, 8), product[2];
      for (unsigned i = 0; i < 2; ++i) {
        mlir::Value high = lanes.emit<arith::ShLIOp>(v[i], unused);
        product[i] =
            name == "mul24" ? lanes.emit<arith::ShRSIOp>(high, unused) : lanes.emit<arith::ShRUIOp>(high, unused);
      }
      return lanes.emit<arith::MulIOp>(product[0], product[1]);
    }
    return name == "min" || name == "llmin"     ? binary<arith::MinSIOp>()
           : name == "max" || name == "llmax"   ? binary<arith::MaxSIOp>()
           : name == "umin" || name == "ullmin" ? binary<arith::MinUIOp>()
           : name == "umax" || name == "ullmax" ? binary<arith::MaxUIOp>()
                                                : mlir::Value();
  }

  LaneBuilder lanes;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::ValueRange v;
  mlir::Type element, resultElement;
  const TargetDescription &target;
};

} // namespace

mlir::Value emitExternFunction(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef symbol,
                               mlir::ValueRange operands, mlir::Type resultElement, const TargetDescription &target) {
  symbol.consume_front("__nv_");
  if (operands.empty())
    return {};
  return ExternEmitter(builder, loc, operands, resultElement, target).emit(symbol);
}

} // namespace triton::cpu
