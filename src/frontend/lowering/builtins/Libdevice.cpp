#include "frontend/lowering/builtins/Libdevice.h"
#include "frontend/lowering/builtins/Functions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace triton::frontend {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;

using Operands = llvm::ArrayRef<mlir::Value>;
/// Emits the function as an operation on operands of one of its combinations of dtypes.
using Emitter = mlir::Value (*)(Lowering &lowering, Operands operands, mlir::Type resultType);

template <typename Op> mlir::Value emitUnary(Lowering &lowering, Operands operands, mlir::Type resultType) {
  return lowering.create<Op>(resultType, operands[0]);
}
template <typename Op> mlir::Value emitBinary(Lowering &lowering, Operands operands, mlir::Type resultType) {
  return lowering.create<Op>(resultType, operands[0], operands[1]);
}
template <typename Op> mlir::Value emitTernary(Lowering &lowering, Operands operands, mlir::Type resultType) {
  return lowering.create<Op>(resultType, operands[0], operands[1], operands[2]);
}

/// Small constant powers become products, which are also more exact than a power function.
mlir::Value emitProductPower(Lowering &lowering, mlir::Value base, uint64_t exponent) {
  mlir::Value square = exponent > 1 ? lowering.create<arith::MulFOp>(base, base) : base;
  if (exponent < 3)
    return square;
  return lowering.create<arith::MulFOp>(square, exponent == 3 ? base : square);
}

/// Computes a power with an int32 exponent by one with a float exponent. An f32 cannot distinguish odd exponents beyond
/// 2**24 from even ones, so the sign is set separately: it is that of the base exactly when the exponent is odd.
mlir::Value emitIntegerPower(Lowering &lowering, mlir::Value base, mlir::Value exponent) {
  llvm::APInt constant;
  bool isConstant = mlir::matchPattern(exponent, mlir::m_ConstantInt(&constant));
  if (isConstant && constant.sge(1) && constant.sle(4))
    return emitProductPower(lowering, base, constant.getZExtValue());
  mlir::Type type = base.getType();
  mlir::Value power = lowering.create<math::PowFOp>(base, lowering.createOrFold<arith::SIToFPOp>(type, exponent));
  bool isExact = mlir::getElementTypeOrSelf(type).isF64() || (isConstant && constant.abs().ule(1 << 24));
  if (isExact)
    return power;
  mlir::Type boolean = tt::withElementType(type, lowering.builder.getI1Type());
  mlir::Value isOdd = lowering.create<arith::TruncIOp>(boolean, exponent);
  mlir::Value withSign = lowering.create<math::CopySignOp>(power, base);
  return lowering.create<arith::SelectOp>(isOdd, withSign, power);
}

mlir::Value emitPower(Lowering &lowering, Operands operands, mlir::Type resultType) {
  if (mlir::getElementTypeOrSelf(operands[1].getType()).isInteger())
    return emitIntegerPower(lowering, operands[0], operands[1]);
  return lowering.create<math::PowFOp>(resultType, operands[0], operands[1]);
}

/// The bit count of a 64-bit integer is an int32.
template <typename Op> mlir::Value emitCount(Lowering &lowering, Operands operands, mlir::Type resultType) {
  mlir::Value count = lowering.create<Op>(operands[0]);
  return count.getType() == resultType ? count : lowering.create<arith::TruncIOp>(resultType, count);
}

mlir::Value emitAbsolute(Lowering &lowering, Operands operands, mlir::Type resultType) {
  if (mlir::getElementTypeOrSelf(resultType).isInteger())
    return lowering.create<math::AbsIOp>(operands[0]);
  return lowering.create<math::AbsFOp>(operands[0]);
}

/// The sign bit moved to the bottom of the float's bits.
mlir::Value emitSignBit(Lowering &lowering, Operands operands, mlir::Type resultType) {
  unsigned width = mlir::getElementTypeOrSelf(operands[0].getType()).getIntOrFloatBitWidth();
  mlir::Type integer = tt::withElementType(resultType, lowering.builder.getIntegerType(width));
  mlir::Value bits = lowering.create<tt::BitcastOp>(integer, operands[0]);
  mlir::TypedAttr amount = lowering.builder.getIntegerAttr(mlir::getElementTypeOrSelf(integer), width - 1);
  if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(integer))
    amount = mlir::SplatElementsAttr::get(shaped, amount);
  mlir::Value sign = lowering.create<arith::ShRUIOp>(bits, lowering.create<arith::ConstantOp>(amount));
  return integer == resultType ? sign : lowering.create<arith::TruncIOp>(resultType, sign);
}

struct Declaration {
  Emitter emit;
  llvm::StringRef overloads;
};

constexpr Declaration declarations[] = {
#define TRITON_LIBDEVICE(name, emit, parameters, overloads) {emit, overloads},
#include "frontend/lowering/builtins/Libdevice.def"
};

/// One combination of dtypes: `symbol(fp32,i32)->fp32`.
struct Overload {
  llvm::StringRef symbol;
  llvm::SmallVector<ScalarType, 4> operands;
  ScalarType result;
};

ScalarType scalarType(llvm::StringRef name) { return *parseScalarType(std::string_view(name.data(), name.size())); }

llvm::SmallVector<Overload, 4> parseOverloads(llvm::StringRef text) {
  llvm::SmallVector<Overload, 4> overloads;
  llvm::SmallVector<llvm::StringRef, 4> entries;
  text.split(entries, ' ');
  for (llvm::StringRef entry : entries) {
    auto [symbol, signature] = entry.split('(');
    auto [operands, result] = signature.split(")->");
    Overload overload{symbol, {}, scalarType(result)};
    llvm::SmallVector<llvm::StringRef, 4> types;
    operands.split(types, ',');
    for (llvm::StringRef type : types)
      overload.operands.push_back(scalarType(type));
    overloads.push_back(std::move(overload));
  }
  return overloads;
}

bool matches(const Overload &overload, llvm::ArrayRef<Tensor> operands) {
  return llvm::all_of(llvm::zip_equal(overload.operands, operands), [](auto pair) {
    auto &[type, operand] = pair;
    return operand.type.element == ElementType{type};
  });
}

/// The overload for these operands: an exact match, otherwise the first whose types can represent all operands.
const Overload *choose(llvm::ArrayRef<Overload> overloads, llvm::ArrayRef<Tensor> operands) {
  for (const Overload &overload : overloads)
    if (matches(overload, operands))
      return &overload;
  for (const Overload &overload : overloads) {
    bool fits = llvm::all_of(llvm::zip_equal(overload.operands, operands), [](auto pair) {
      auto &[type, operand] = pair;
      const ElementType &element = operand.type.element;
      return !element.isPointer() && isFloat(type) == isFloat(element.scalar) &&
             bitWidth(type) >= bitWidth(element.scalar);
    });
    if (fits)
      return &overload;
  }
  return nullptr;
}

llvm::SmallVector<Tensor, 4> operandsOf(Lowering &lowering, CallArguments &arguments) {
  llvm::SmallVector<Tensor, 4> operands;
  TensorType block;
  for (const BuiltinParameter &parameter : arguments.builtin.parameterList()) {
    operands.push_back(builtin::tensorArgument(lowering, arguments, parameter.name));
    block = commonType(lowering, block, operands.back().type);
  }
  for (Tensor &operand : operands)
    operand = broadcastWithRank(lowering, operand, block);
  return operands;
}

std::string describeOverloads(llvm::ArrayRef<Overload> overloads) {
  std::string text;
  for (const Overload &overload : overloads) {
    text += text.empty() ? "(" : " or (";
    for (auto [index, type] : llvm::enumerate(overload.operands))
      text += (index ? ", " : "") + std::string(longName(type));
    text += ")";
  }
  return text;
}

Value callLibrary(Lowering &lowering, CallArguments &arguments);

} // namespace

static Builtin functions[] = {
#define TRITON_LIBDEVICE(name, emit, parameters, overloads)                                                            \
  {name, "Device library", "triton.language.extra.libdevice", NoFlags, parameters, "tensor", "", callLibrary},
#include "frontend/lowering/builtins/Libdevice.def"
};

namespace {

Value callLibrary(Lowering &lowering, CallArguments &arguments) {
  const Declaration &declaration = declarations[&arguments.builtin - functions];
  llvm::SmallVector<Overload, 4> overloads = parseOverloads(declaration.overloads);
  llvm::SmallVector<Tensor, 4> operands = operandsOf(lowering, arguments);
  const Overload *overload = choose(overloads, operands);
  if (!overload) {
    std::string seen;
    for (const Tensor &operand : operands)
      seen += (seen.empty() ? "(" : ", ") + TensorType(operand.type.element).str();
    lowering.error(diagnostics::ExternTypes, arguments.builtin.displayName(), describeOverloads(overloads), seen + ")");
  }
  llvm::SmallVector<mlir::Value, 4> values;
  for (auto [operand, type] : llvm::zip_equal(operands, overload->operands))
    values.push_back(cast(lowering, operand, ElementType{type}).value);
  TensorType type = operands.front().type.withElement(ElementType{overload->result});
  mlir::Type resultType = lowering.irType(type);
  if (declaration.emit)
    return Tensor{declaration.emit(lowering, values, resultType), type};
  return Tensor{lowering.create<tt::ExternElementwiseOp>(resultType, values, "", "", overload->symbol, true), type};
}

} // namespace

llvm::ArrayRef<Builtin> libdeviceFunctions() { return functions; }

std::string libdeviceDocumentation(const Builtin &builtin) {
  return "The library function `" + builtin.name.str() + "` of each element. Operand dtypes: " +
         describeOverloads(parseOverloads(declarations[&builtin - functions].overloads)) + ".";
}

const Builtin *findLibdeviceFunction(llvm::StringRef name) {
  static const llvm::StringMap<const Builtin *> index = [] {
    llvm::StringMap<const Builtin *> map;
    for (const Builtin &builtin : functions)
      map[builtin.name] = &builtin;
    return map;
  }();
  return index.lookup(name);
}

} // namespace triton::frontend
