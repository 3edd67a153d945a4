// Each function has one definition, on the host (numerics/HostFunctions.h). Those that vector instructions or libmvec
// compute are emitted as such; the others are calls for each lane.
#include "backends/cpu/emitters/ExternFunctions.h"
#include "backends/cpu/emitters/InlineExponential.h"
#include "backends/cpu/emitters/LaneBuilder.h"
#include "backends/cpu/emitters/MathCalls.h"
#include "numerics/HostFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;

std::string hostSymbol(llvm::StringRef symbol) {
  symbol.consume_front("__nv_");
  return ("__nv_" + symbol).str();
}

mlir::Type typeOf(mlir::MLIRContext *context, numerics::Scalar scalar) {
  switch (scalar) {
  case numerics::Scalar::Int32:
    return mlir::IntegerType::get(context, 32);
  case numerics::Scalar::Int64:
    return mlir::IntegerType::get(context, 64);
  case numerics::Scalar::Float32:
    return mlir::Float32Type::get(context);
  case numerics::Scalar::Float64:
    return mlir::Float64Type::get(context);
  }
  llvm_unreachable("all types are listed");
}

class ExternEmitter {
public:
  ExternEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands, mlir::Type resultElement,
                const TargetDescription &target)
      : lanes(builder, loc, operands.front()), builder(builder), loc(loc), v(operands),
        element(mlir::getElementTypeOrSelf(operands.front().getType())), resultElement(resultElement), target(target) {}

  /// Emits the function as instructions or calls of libmvec; null if there is no such form.
  mlir::Value emitVector(llvm::StringRef name) {
    if (mlir::Value result = emitReinterpretation(name))
      return result;
    if (!llvm::isa<mlir::FloatType>(element))
      return emitInteger(name);
    if (mlir::Value result = emitRounded(name))
      return result;
    if (mlir::Value result = emitFloatToInteger(name))
      return result;
    name.consume_front("fast_");
    if (element.isF32() && !name.consume_back("f"))
      return {};
    if (mlir::Value result = emitPredicate(name))
      return result;
    if (mlir::Value result = emitInstruction(name))
      return result;
    return emitLibrary(name);
  }

  mlir::Value emitCalls(const std::string &symbol, const numerics::HostFunction &function) {
    mlir::Type type = typeOf(builder.getContext(), function.result);
    mlir::Value result = emitCallByLane(builder, loc, symbol, v, type);
    if (type == resultElement)
      return result;
    return lanes.compare(arith::CmpIPredicate::ne, result, lanes.integer(32, 0)); // a predicate
  }

private:
  mlir::Value number(double value) { return lanes.number(element, value); }
  template <typename Op> mlir::Value unary() { return Op::create(builder, loc, v[0]); }
  template <typename Op> mlir::Value binary() { return Op::create(builder, loc, v[0], v[1]); }
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type, mlir::ValueRange operands) {
    return mlir::LLVM::CallIntrinsicOp::create(builder, loc, type, builder.getStringAttr(name), operands).getResult(0);
  }

  mlir::Value emitLibrary(llvm::StringRef name) {
    if (name == "exp" || name == "exp2")
      return emitExponential(builder, loc, v[0], name == "exp" ? ExponentialBase::E : ExponentialBase::Two, target);
    // In f32, libm's functions of one number have larger errors than those that are computed in f64.
    const MathFunction *function = findMathFunction(name);
    bool isUsable =
        function && function->operands == v.size() && (function->hasVectorForm || v.size() == 2 || element.isF64());
    return isUsable ? emitMathCall(builder, loc, *function, v, target) : mlir::Value();
  }

  /// `value`, which must not become part of a fused operation.
  mlir::Value fenced(mlir::Value value) { return intrinsic("llvm.arithmetic.fence", value.getType(), value); }

  /// `fadd_rn` and similar functions, which are never fused.
  mlir::Value emitRounded(llvm::StringRef name) {
    if (!name.consume_back("_rn") || name.contains('2'))
      return {};
    if (name == "fma" || name == "fmaf")
      return math::FmaOp::create(builder, loc, v[0], v[1], v[2]);
    llvm::StringRef operation = name.drop_front(); // the letter of the type
    if (operation == "sqrt")
      return unary<math::SqrtOp>();
    if (operation == "rcp")
      return lanes.emit<arith::DivFOp>(number(1), v[0]);
    if (operation == "div")
      return binary<arith::DivFOp>();
    if (operation == "mul")
      return fenced(binary<arith::MulFOp>());
    if (operation == "add")
      return lanes.emit<arith::AddFOp>(fenced(v[0]), fenced(v[1]));
    return operation == "sub" ? lanes.emit<arith::SubFOp>(fenced(v[0]), fenced(v[1])) : mlir::Value();
  }

  mlir::Value emitInstruction(llvm::StringRef name) {
    if (v.size() == 3)
      return name == "fma" ? math::FmaOp::create(builder, loc, v[0], v[1], v[2]).getResult() : mlir::Value();
    if (name == "ldexp" || name == "scalbn")
      return intrinsic("llvm.ldexp", v[0].getType(), v);
    if (v.size() == 2)
      return name == "copysign"   ? binary<math::CopySignOp>()
             : name == "fmin"     ? binary<arith::MinNumFOp>()
             : name == "fmax"     ? binary<arith::MaxNumFOp>()
             : name == "fdividef" ? binary<arith::DivFOp>()
                                  : mlir::Value();
    if (name == "saturate") // NaN becomes zero.
      return lanes.emit<arith::MinNumFOp>(lanes.emit<arith::MaxNumFOp>(v[0], number(0)), number(1));
    return name == "floor"                         ? unary<math::FloorOp>()
           : name == "ceil"                        ? unary<math::CeilOp>()
           : name == "trunc"                       ? unary<math::TruncOp>()
           : name == "rint" || name == "nearbyint" ? unary<math::RoundEvenOp>()
           : name == "round"                       ? unary<math::RoundOp>()
           : name == "sqrt"                        ? unary<math::SqrtOp>()
           : name == "rsqrt"                       ? unary<math::RsqrtOp>()
           : name == "fabs"                        ? unary<math::AbsFOp>()
                                                   : mlir::Value();
  }

  mlir::Value asResult(mlir::Value condition) {
    if (resultElement.isInteger(1))
      return condition;
    return arith::ExtUIOp::create(builder, loc, lanes.type(resultElement), condition);
  }

  mlir::Value emitPredicate(llvm::StringRef name) {
    unsigned bits = element.getIntOrFloatBitWidth();
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
    if (name == "double2loint" || name == "double2hiint") {
      mlir::Value bits = lanes.bitcast(v[0], builder.getIntegerType(64));
      if (name == "double2hiint")
        bits = lanes.emit<arith::ShRUIOp>(bits, lanes.integer(64, 32));
      return lanes.resize(bits, 32);
    }
    if (name == "hiloint2double") {
      mlir::Value high = lanes.emit<arith::ShLIOp>(lanes.resize(v[0], 64), lanes.integer(64, 32));
      return lanes.bitcast(lanes.emit<arith::OrIOp>(high, lanes.resize(v[1], 64)), resultElement);
    }
    return llvm::StringSwitch<bool>(name)
                   .Cases({"int_as_float", "float_as_int", "uint_as_float", "float_as_uint"}, true)
                   .Cases({"longlong_as_double", "double_as_longlong"}, true)
                   .Default(false)
               ? lanes.bitcast(v[0], resultElement)
               : mlir::Value();
  }

  /// `float2int_rd` and similar functions: the last two letters give the direction of rounding.
  mlir::Value emitFloatToInteger(llvm::StringRef name) {
    bool isConversion = name.starts_with("float2") || name.starts_with("double2");
    if (name == "double2float_rn")
      return arith::TruncFOp::create(builder, loc, lanes.type(resultElement), v[0]);
    if (!resultElement.isInteger() || !(isConversion || name.starts_with("llr")))
      return {};
    llvm::StringRef direction = name.take_back(3), to = name.substr(name.find('2') + 1);
    mlir::Value rounded = name.starts_with("llround")                        ? unary<math::RoundOp>()
                          : name.starts_with("llrint") || direction == "_rn" ? unary<math::RoundEvenOp>()
                          : direction == "_rd"                               ? unary<math::FloorOp>()
                          : direction == "_ru"                               ? unary<math::CeilOp>()
                                                                             : v[0];
    bool isUnsigned = isConversion && to.starts_with("u");
    mlir::Value whole =
        intrinsic(isUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat", lanes.type(resultElement), rounded);
    // NaN gives zero if neither type has more than 32 bits, else the top bit, as on GPUs.
    unsigned bits = resultElement.getIntOrFloatBitWidth();
    if (bits == 32 && element.isF32())
      return whole;
    mlir::Value isNaN = lanes.compare(arith::CmpFPredicate::UNO, v[0], v[0]);
    return lanes.select(isNaN, lanes.integer(llvm::APInt::getSignMask(bits)), whole);
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
    if (name == "sad" || name == "usad") {
      bool isSigned = name == "sad";
      mlir::Value larger = isSigned ? binary<arith::MaxSIOp>() : binary<arith::MaxUIOp>();
      mlir::Value smaller = isSigned ? binary<arith::MinSIOp>() : binary<arith::MinUIOp>();
      return lanes.emit<arith::AddIOp>(v[2], lanes.emit<arith::SubIOp>(larger, smaller));
    }
    return v.size() == 2 ? emitIntegerPair(name, bits) : mlir::Value();
  }

  mlir::Value emitIntegerPair(llvm::StringRef name, unsigned bits) {
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
    if (name.ends_with("hadd")) {
      // The mean is the bits that both have, plus half of those that only one has.
      mlir::Value one = lanes.integer(bits, 1), differing = binary<arith::XOrIOp>();
      mlir::Value half = name.starts_with("u") ? lanes.emit<arith::ShRUIOp>(differing, one)
                                               : lanes.emit<arith::ShRSIOp>(differing, one);
      return name.ends_with("rhadd") ? lanes.emit<arith::SubIOp>(binary<arith::OrIOp>(), half)
                                     : lanes.emit<arith::AddIOp>(binary<arith::AndIOp>(), half);
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

bool isExternFunction(llvm::StringRef symbol, mlir::TypeRange operandElements, mlir::Type resultElement) {
  const numerics::HostFunction *function = numerics::findHostFunction(hostSymbol(symbol));
  if (!function || operandElements.empty() || function->operands.size() != operandElements.size())
    return false;
  mlir::MLIRContext *context = resultElement.getContext();
  for (auto [scalar, element] : llvm::zip_equal(function->operands, operandElements))
    if (typeOf(context, scalar) != element)
      return false;
  bool isPredicate = resultElement.isInteger(1) && function->result == numerics::Scalar::Int32;
  return isPredicate || typeOf(context, function->result) == resultElement;
}

mlir::Value emitExternFunction(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef symbol,
                               mlir::ValueRange operands, mlir::Type resultElement, const TargetDescription &target) {
  std::string name = hostSymbol(symbol);
  ExternEmitter emitter(builder, loc, operands, resultElement, target);
  if (mlir::Value result = emitter.emitVector(llvm::StringRef(name).drop_front(strlen("__nv_"))))
    return result;
  return emitter.emitCalls(name, *numerics::findHostFunction(name));
}

} // namespace triton::cpu
