// PTX arithmetic, logic and comparisons as operations of arith and math.
#include "passes/ptx/PtxTranslator.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using triton::ptx::PtxInstruction;

namespace triton::tt {

//===--- Integers -----------------------------------------------------------------------------------------------===//

Value PtxTranslator::multiply(const PtxInstruction &instruction, const PtxType &type) {
  bool isMad = instruction.opcode == "mad", isSigned = type.kind == 's', isWide = instruction.has("wide");
  SmallVector<Value, 3> factors = {source(instruction, 1, type), source(instruction, 2, type)};
  if (!factors[0] || !factors[1] || instruction.operands.size() != (isMad ? 4u : 3u))
    return {};
  Value product;
  if (instruction.has("lo")) {
    product = make<arith::MulIOp>(factors[0], factors[1]);
  } else if (instruction.has("hi") && !isSigned) {
    product = make<MulhiUIOp>(factors[0], factors[1]);
  } else if ((isWide || instruction.has("hi")) && type.bits <= 32) {
    for (Value &factor : factors)
      factor = resize(factor, 2 * type.bits, isSigned);
    product = make<arith::MulIOp>(factors[0], factors[1]);
    if (!isWide)
      product = cut(product, type.bits, type.bits);
  }
  if (!isMad || !product)
    return product;
  Value added = source(instruction, 3, {type.kind, bitsOf(product), false, {}});
  return added ? make<arith::AddIOp>(product, added) : Value();
}

/// The amount is a u32, whatever the type of the operand. An amount that is too large gives zero, or the sign.
Value PtxTranslator::shift(const PtxInstruction &instruction, const PtxType &type) {
  Value a = source(instruction, 1, type), amount = source(instruction, 2, {'u', 32, false, {}});
  if (!a || !amount || instruction.operands.size() != 3)
    return {};
  bool keepsSign = instruction.opcode == "shr" && type.kind == 's';
  Value last = integer(32, type.bits - 1);
  Value isTooLarge = make<arith::CmpIOp>(arith::CmpIPredicate::ugt, amount, last);
  Value limited = resize(make<arith::MinUIOp>(amount, last), type.bits, /*isSigned=*/false);
  if (keepsSign)
    return make<arith::ShRSIOp>(a, limited);
  Value shifted = instruction.opcode == "shl" ? make<arith::ShLIOp>(a, limited) : make<arith::ShRUIOp>(a, limited);
  return make<arith::SelectOp>(isTooLarge, integer(type.bits, 0), shifted);
}

/// prmt: each nibble of the selector chooses one of the eight bytes of a and b; its last bit repeats the byte's sign.
Value PtxTranslator::permute(const PtxInstruction &instruction) {
  SmallVector<Value, 3> given = sources(instruction, {'b', 32, false, {}}, 3);
  if (given.empty() || instruction.modifiers.size() != 1)
    return {};
  Value bytes = combine({given[0], given[1]}), result;
  for (unsigned i = 0; i < 4; ++i) {
    Value choice = make<arith::ShRUIOp>(given[2], integer(32, 4 * i));
    Value place = make<arith::ShLIOp>(make<arith::AndIOp>(choice, integer(32, 7)), integer(32, 3));
    Value byte = resize(make<arith::ShRUIOp>(bytes, resize(place, 64, false)), 8, false);
    Value sign = make<arith::ShRSIOp>(byte, integer(8, 7));
    Value isSign =
        make<arith::CmpIOp>(arith::CmpIPredicate::ne, make<arith::AndIOp>(choice, integer(32, 8)), integer(32, 0));
    byte = resize(make<arith::SelectOp>(isSign, sign, byte), 32, false);
    byte = make<arith::ShLIOp>(byte, integer(32, 8 * i));
    result = result ? make<arith::OrIOp>(result, byte) : byte;
  }
  return result;
}

/// shf: both halves are shifted, and the higher (l) or lower one (r) is the result. The amount is taken modulo 32.
Value PtxTranslator::shiftPair(const PtxInstruction &instruction) {
  SmallVector<Value, 3> given = sources(instruction, {'b', 32, false, {}}, 3);
  if (given.empty() || !instruction.has("wrap"))
    return {};
  Value pair = combine({given[0], given[1]});
  Value amount = resize(make<arith::AndIOp>(given[2], integer(32, 31)), 64, false);
  if (instruction.has("l"))
    return cut(make<arith::ShLIOp>(pair, amount), 32, 32);
  return cut(make<arith::ShRUIOp>(pair, amount), 0, 32);
}

/// lop3: any function of three bits, given by its table. Combines the terms of the inputs for which it is true.
Value PtxTranslator::computeLogic(const PtxInstruction &instruction) {
  SmallVector<Value, 3> given = sources(instruction, {'b', 32, false, {}}, 4);
  if (given.empty())
    return {};
  APInt constant;
  auto splat = given[3].getDefiningOp<SplatOp>();
  if (!matchPattern(splat ? splat.getSrc() : given[3], m_ConstantInt(&constant)))
    return {};
  uint64_t table = constant.getZExtValue();
  Value ones = integer(32, ~uint64_t(0)), sum = integer(32, 0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!((table >> row) & 1))
      continue;
    Value term = ones;
    for (unsigned input = 0; input < 3; ++input) {
      bool isSet = (row >> (2 - input)) & 1;
      term = make<arith::AndIOp>(term, isSet ? given[input] : make<arith::XOrIOp>(given[input], ones));
    }
    sum = make<arith::OrIOp>(sum, term);
  }
  return sum;
}

Value PtxTranslator::computeInteger(const PtxInstruction &instruction, const PtxType &type) {
  llvm::StringRef opcode = instruction.opcode;
  if (instruction.has("sat") || instruction.has("cc"))
    return {};
  if (opcode == "mul" || opcode == "mad")
    return multiply(instruction, type);
  if (opcode == "shl" || opcode == "shr")
    return shift(instruction, type);
  if (opcode == "fns")
    return findNthSet(instruction);
  if (llvm::is_contained({"popc", "clz", "brev", "bfind"}, opcode))
    return computeBits(instruction, type);
  if (llvm::is_contained({"not", "neg", "abs"}, opcode)) {
    SmallVector<Value, 3> given = sources(instruction, type, 1);
    if (given.empty())
      return {};
    if (opcode == "not")
      return make<arith::XOrIOp>(given[0], integer(type.bits, ~uint64_t(0)));
    if (opcode == "neg")
      return make<arith::SubIOp>(integer(type.bits, 0), given[0]);
    return make<math::AbsIOp>(given[0]);
  }
  SmallVector<Value, 3> given = sources(instruction, type, 2);
  if (given.empty())
    return {};
  bool isSigned = type.kind == 's';
  Value x = given[0], y = given[1];
  if (opcode == "add")
    return make<arith::AddIOp>(x, y);
  if (opcode == "sub")
    return make<arith::SubIOp>(x, y);
  if (opcode == "and")
    return make<arith::AndIOp>(x, y);
  if (opcode == "or")
    return make<arith::OrIOp>(x, y);
  if (opcode == "xor")
    return make<arith::XOrIOp>(x, y);
  if (opcode == "div")
    return isSigned ? make<arith::DivSIOp>(x, y) : make<arith::DivUIOp>(x, y);
  if (opcode == "rem")
    return isSigned ? make<arith::RemSIOp>(x, y) : make<arith::RemUIOp>(x, y);
  if (opcode == "min")
    return isSigned ? make<arith::MinSIOp>(x, y) : make<arith::MinUIOp>(x, y);
  if (opcode == "max")
    return isSigned ? make<arith::MaxSIOp>(x, y) : make<arith::MaxUIOp>(x, y);
  return {};
}

//===--- Comparisons --------------------------------------------------------------------------------------------===//

static std::optional<arith::CmpFPredicate> floatPredicate(llvm::StringRef relation) {
  using Predicate = arith::CmpFPredicate;
  return llvm::StringSwitch<std::optional<Predicate>>(relation)
      .Case("eq", Predicate::OEQ)
      .Case("ne", Predicate::ONE)
      .Case("lt", Predicate::OLT)
      .Case("le", Predicate::OLE)
      .Case("gt", Predicate::OGT)
      .Case("ge", Predicate::OGE)
      .Case("equ", Predicate::UEQ)
      .Case("neu", Predicate::UNE)
      .Case("ltu", Predicate::ULT)
      .Case("leu", Predicate::ULE)
      .Case("gtu", Predicate::UGT)
      .Case("geu", Predicate::UGE)
      .Case("num", Predicate::ORD)
      .Case("nan", Predicate::UNO)
      .Default(std::nullopt);
}

static std::optional<arith::CmpIPredicate> integerPredicate(llvm::StringRef relation, bool isSigned) {
  using Predicate = arith::CmpIPredicate;
  return llvm::StringSwitch<std::optional<Predicate>>(relation)
      .Case("eq", Predicate::eq)
      .Case("ne", Predicate::ne)
      .Cases({"lt", "lo"}, isSigned ? Predicate::slt : Predicate::ult)
      .Cases({"le", "ls"}, isSigned ? Predicate::sle : Predicate::ule)
      .Cases({"gt", "hi"}, isSigned ? Predicate::sgt : Predicate::ugt)
      .Cases({"ge", "hs"}, isSigned ? Predicate::sge : Predicate::uge)
      .Default(std::nullopt);
}

Value PtxTranslator::compare(const PtxInstruction &instruction, const PtxType &type) {
  SmallVector<Value, 3> given = sources(instruction, type, 2);
  if (given.empty() || type.isPacked || instruction.modifiers.size() != 2)
    return {};
  llvm::StringRef relation = instruction.modifiers[0];
  if (!type.format) {
    auto predicate = integerPredicate(relation, type.kind == 's');
    return predicate ? make<arith::CmpIOp>(*predicate, given[0], given[1]) : Value();
  }
  auto predicate = floatPredicate(relation);
  if (!predicate)
    return {};
  return make<arith::CmpFOp>(*predicate, bitcast(given[0], type.format), bitcast(given[1], type.format));
}

Value PtxTranslator::select(const PtxInstruction &instruction, const PtxType &type) {
  Value x = source(instruction, 1, type), y = source(instruction, 2, type),
        condition = source(instruction, 3, {'p', 1, false, {}});
  if (!x || !y || !condition || instruction.operands.size() != 4)
    return {};
  return make<arith::SelectOp>(condition, x, y);
}

//===--- Floats -------------------------------------------------------------------------------------------------===//

static unsigned floatArity(llvm::StringRef opcode) {
  if (opcode == "fma" || opcode == "mad")
    return 3;
  return llvm::is_contained({"add", "sub", "mul", "div", "min", "max", "copysign"}, opcode) ? 2 : 1;
}

/// Functions of one number.
Value PtxTranslator::applyFunction(const PtxInstruction &instruction, Value x) {
  llvm::StringRef opcode = instruction.opcode;
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  bool isExact = instruction.has("rn") && type.isF32();
  if (opcode == "neg")
    return make<arith::NegFOp>(x);
  if (opcode == "abs")
    return make<math::AbsFOp>(x);
  if (opcode == "sqrt")
    return isExact ? make<PreciseSqrtOp>(x) : make<math::SqrtOp>(x);
  if (opcode == "rcp")
    return isExact ? make<PreciseDivFOp>(number(type, 1), x) : make<arith::DivFOp>(number(type, 1), x);
  if (opcode == "rsqrt")
    return make<math::RsqrtOp>(x);
  if (opcode == "ex2")
    return make<math::Exp2Op>(x);
  if (opcode == "lg2")
    return make<math::Log2Op>(x);
  if (opcode == "sin")
    return make<math::SinOp>(x);
  if (opcode == "cos")
    return make<math::CosOp>(x);
  return opcode == "tanh" ? make<math::TanhOp>(x) : Value();
}

/// Sums and products whose rounding is given must not be fused with others: they are written as fused ones themselves,
/// which LLVM makes sums and products of that it fuses no further.
Value PtxTranslator::applyFloat(const PtxInstruction &instruction, llvm::ArrayRef<Value> given) {
  llvm::StringRef opcode = instruction.opcode;
  auto type = cast<FloatType>(getElementTypeOrSelf(given[0].getType()));
  if (given.size() == 1)
    return applyFunction(instruction, given[0]);
  Value x = given[0], y = given[1];
  bool isExact = instruction.has("rn");
  if (instruction.has("xorsign"))
    return applyToMagnitudes(instruction, x, y);
  if (opcode == "add")
    return isExact ? make<math::FmaOp>(x, number(type, 1), y) : make<arith::AddFOp>(x, y);
  if (opcode == "sub")
    return isExact ? make<math::FmaOp>(make<arith::NegFOp>(y), number(type, 1), x) : make<arith::SubFOp>(x, y);
  if (opcode == "mul")
    return isExact ? make<math::FmaOp>(x, y, number(type, -0.0)) : make<arith::MulFOp>(x, y);
  if (opcode == "fma" || opcode == "mad")
    return make<math::FmaOp>(x, y, given[2]);
  if (opcode == "div")
    return isExact && type.isF32() ? make<PreciseDivFOp>(x, y) : make<arith::DivFOp>(x, y);
  if (opcode == "min")
    return instruction.has("NaN") ? make<arith::MinimumFOp>(x, y) : make<arith::MinNumFOp>(x, y);
  if (opcode == "max")
    return instruction.has("NaN") ? make<arith::MaximumFOp>(x, y) : make<arith::MaxNumFOp>(x, y);
  return opcode == "copysign" ? make<math::CopySignOp>(y, x) : Value();
}

/// `sat` makes zero of NaN, which `relu` keeps.
Value PtxTranslator::limit(const PtxInstruction &instruction, Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  if (instruction.has("relu"))
    x = make<arith::MaximumFOp>(x, number(type, 0));
  if (instruction.has("sat"))
    x = make<arith::MinNumFOp>(make<arith::MaxNumFOp>(x, number(type, 0)), number(type, 1));
  return x;
}

/// min and max with `xorsign.abs`: of the magnitudes, with the product's sign.
Value PtxTranslator::applyToMagnitudes(const PtxInstruction &instruction, Value x, Value y) {
  Type integers = b.getIntegerType(bitsOf(x));
  Value signs =
      bitcast(make<arith::XOrIOp>(bitcast(x, integers), bitcast(y, integers)), getElementTypeOrSelf(x.getType()));
  x = make<math::AbsFOp>(x);
  y = make<math::AbsFOp>(y);
  bool isMin = instruction.opcode == "min";
  Value magnitude;
  if (instruction.has("NaN"))
    magnitude = isMin ? make<arith::MinimumFOp>(x, y) : make<arith::MaximumFOp>(x, y);
  else
    magnitude = isMin ? make<arith::MinNumFOp>(x, y) : make<arith::MaxNumFOp>(x, y);
  return make<math::CopySignOp>(magnitude, signs);
}

Value PtxTranslator::computeFloat(const PtxInstruction &instruction, const PtxType &type) {
  for (llvm::StringRef modifier : {"rz", "rm", "rp"})
    if (instruction.has(modifier))
      return {};
  SmallVector<Value, 3> given = sources(instruction, type, floatArity(instruction.opcode));
  if (given.empty())
    return {};
  SmallVector<Value, 2> halves;
  for (unsigned half = 0; half < (type.isPacked ? 2 : 1); ++half) {
    SmallVector<Value, 3> numbers;
    for (Value operand : given)
      numbers.push_back(bitcast(cut(operand, half * type.bits, type.bits), type.format));
    Value result = applyFloat(instruction, numbers);
    if (!result)
      return {};
    halves.push_back(bitcast(limit(instruction, result), b.getIntegerType(type.bits)));
  }
  return combine(halves);
}

} // namespace triton::tt
