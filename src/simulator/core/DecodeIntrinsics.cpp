#include "simulator/core/Decoder.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"

namespace triton::simulator {

llvm::Error Decoder::decodeWithList(const llvm::CallInst &call, Handler handler) {
  if (!handler)
    return unsupported(call);
  OperandList *list = operandList();
  for (const llvm::Use &argument : call.args()) {
    llvm::Expected<Registers> registers = read(argument.get());
    if (!registers)
      return registers.takeError();
    llvm::SmallVector<llvm::Type *> components;
    flatten(argument->getType(), components);
    for (auto [offset, component] : llvm::zip_equal(*registers, components)) {
      list->inputs.push_back(offset);
      list->inputBytes.push_back(uint8_t(elementBytes(component)));
    }
  }
  if (!call.getType()->isVoidTy()) {
    Registers results = defineNew(&call);
    llvm::SmallVector<llvm::Type *> components;
    flatten(call.getType(), components);
    list->outputs.assign(results.begin(), results.end());
    for (llvm::Type *component : components)
      list->outputBytes.push_back(uint8_t(elementBytes(component)));
  }
  emit(handler).detail = list;
  return llvm::Error::success();
}

llvm::Error Decoder::decodeCall(const llvm::CallInst &call) {
  if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return target.decodeAssembly(*this, call, *assembly);
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return unsupported(call, "a call through a pointer");
  llvm::StringRef name = callee->getName();
  llvm::Expected<bool> isOfTarget = target.decodeCall(*this, call, name);
  if (!isOfTarget)
    return isOfTarget.takeError();
  if (*isOfTarget)
    return llvm::Error::success();
  if (name.consume_front("llvm."))
    return decodeIntrinsic(call, name);
  return unsupported(call, "an external function");
}

/// Intrinsics that do not change what a simulated kernel computes.
static bool isIgnored(llvm::StringRef name) {
  return name.starts_with("dbg.") || name.starts_with("lifetime.") || name.starts_with("experimental.noalias") ||
         name.starts_with("donothing") || name.starts_with("prefetch");
}

/// Whether a call computes the same in a register wider than its integers, whose other bits are zero or the sign.
static bool acceptsOddWidths(const llvm::CallInst &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::abs:
  case llvm::Intrinsic::bitreverse:
  case llvm::Intrinsic::ctpop:
  case llvm::Intrinsic::smax:
  case llvm::Intrinsic::smin:
  case llvm::Intrinsic::umax:
  case llvm::Intrinsic::umin:
    return true;
  case llvm::Intrinsic::cttz: // only where zero is poison
    return llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne();
  default:
    return false;
  }
}

/// A target-independent elementwise intrinsic: the family is the part of its name before the type suffix.
Handler Decoder::findElementwiseIntrinsic(llvm::StringRef name, llvm::Type *type) const {
  auto [family, rest] = name.split('.');
  if (rest.starts_with("sat."))
    family = name.take_front(family.size() + llvm::StringRef(".sat").size());
  std::optional<FloatFormat> format = floatFormat(type);
  if (!format)
    return findIntegerIntrinsic(family, elementBytes(type));
  if (family == "fmuladd")
    family = "fma";
  std::string operation = (family + flushSuffix(*format)).str();
  Handler handler = findFloatUnary(operation, *format);
  return handler ? handler : findFloatIntrinsic(operation, *format);
}

llvm::Error Decoder::decodeIntrinsic(const llvm::CallInst &call, llvm::StringRef name) {
  if (isIgnored(name))
    return llvm::Error::success();
  if (name.starts_with("masked.load"))
    return decodeMaskedAccess(call, false);
  if (name.starts_with("masked.store"))
    return decodeMaskedAccess(call, true);
  if (name == "assume") {
    llvm::Expected<RegisterOffset> condition = readScalar(call.getArgOperand(0));
    if (!condition)
      return condition.takeError();
    emit(assumptionHandler(), 0, {*condition});
    return llvm::Error::success();
  }
  if (name == "trap" || name == "debugtrap" || name == "ubsantrap") {
    emit(trapHandler());
    return llvm::Error::success();
  }
  if (name.starts_with("expect")) {
    llvm::Expected<Registers> value = read(call.getArgOperand(0));
    if (!value)
      return value.takeError();
    define(&call, *value);
    return llvm::Error::success();
  }
  if (const auto *checked = llvm::dyn_cast<llvm::WithOverflowInst>(&call))
    return decodeWithOverflow(*checked);
  llvm::Type *type = call.getType()->getScalarType();
  if (name.starts_with("fptosi.sat") || name.starts_with("fptoui.sat"))
    return decodeElementwise(call, {call.getArgOperand(0)},
                             findFloatToInteger(*floatFormat(call.getArgOperand(0)->getType()), elementBytes(type),
                                                name.starts_with("fptosi")));
  if (name.starts_with("is.fpclass"))
    if (std::optional<FloatFormat> format = floatFormat(call.getArgOperand(0)->getType()))
      return decodeElementwise(call, {call.getArgOperand(0), call.getArgOperand(1)}, findFloatClass(*format));
  if (name.starts_with("scmp.") || name.starts_with("ucmp."))
    return decodeThreeWayCompare(call, name.starts_with("scmp."));
  if (llvm::StringRef operation = name; operation.consume_front("vector.reduce."))
    return decodeVectorReduction(call, operation.split('.').first);
  if (hasOddWidth(type) && !acceptsOddWidths(call))
    return unsupported(call, "an integer of this width");
  Handler handler = findElementwiseIntrinsic(name, type);
  llvm::SmallVector<const llvm::Value *, 3> operands;
  // The flags of ctlz, cttz and abs only say what is poison.
  bool hasFlag = name.starts_with("ctlz") || name.starts_with("cttz") || name.starts_with("abs.");
  for (unsigned i = 0; i + (hasFlag ? 1 : 0) < call.arg_size(); ++i)
    operands.push_back(call.getArgOperand(i));
  return decodeElementwise(call, operands, handler);
}

/// The outputs are the wrapped results, then whether each wrapped.
llvm::Error Decoder::decodeWithOverflow(const llvm::WithOverflowInst &call) {
  llvm::Type *type = call.getLHS()->getType();
  unsigned bytes = elementBytes(type->getScalarType());
  Handler compute = findIntegerBinary(call.getBinaryOp(), bytes),
          overflow = findIntegerOverflow(call.getBinaryOp(), call.isSigned(), bytes);
  if (hasOddWidth(type) || !compute || !overflow)
    return unsupported(call);
  llvm::Expected<Registers> left = read(call.getLHS()), right = read(call.getRHS());
  if (!left)
    return llvm::joinErrors(left.takeError(), right.takeError());
  if (!right)
    return right.takeError();
  Registers results = defineNew(&call);
  std::size_t count = left->size();
  for (std::size_t i = 0; i < count; ++i) {
    emit(compute, results[i], {(*left)[i], (*right)[i]});
    emit(overflow, results[count + i], {(*left)[i], (*right)[i]});
  }
  return llvm::Error::success();
}

/// Combines the integers of a vector, the first two first.
llvm::Error Decoder::decodeVectorReduction(const llvm::CallInst &call, llvm::StringRef operation) {
  unsigned bytes = elementBytes(call.getType()), opcode = llvm::StringSwitch<unsigned>(operation)
                                                              .Case("add", llvm::Instruction::Add)
                                                              .Case("mul", llvm::Instruction::Mul)
                                                              .Case("and", llvm::Instruction::And)
                                                              .Case("or", llvm::Instruction::Or)
                                                              .Case("xor", llvm::Instruction::Xor)
                                                              .Default(0);
  Handler handler = opcode != 0 ? findIntegerBinary(opcode, bytes) : findIntegerIntrinsic(operation, bytes);
  if (!call.getType()->isIntegerTy() || hasOddWidth(call.getType()) || !handler)
    return unsupported(call);
  llvm::Expected<Registers> elements = read(call.getArgOperand(0));
  if (!elements)
    return elements.takeError();
  RegisterOffset combined = elements->front();
  for (RegisterOffset element : llvm::drop_begin(*elements)) {
    RegisterOffset next = allocateRegister(bytes);
    emit(handler, next, {combined, element});
    combined = next;
  }
  define(&call, {combined});
  return llvm::Error::success();
}

/// The result is -1, 0 or 1 if the first operand is less than, equal to or greater than the second.
llvm::Error Decoder::decodeThreeWayCompare(const llvm::CallInst &call, bool isSigned) {
  using Predicate = llvm::CmpInst::Predicate;
  llvm::Type *compared = call.getArgOperand(0)->getType();
  llvm::Expected<Registers> first = read(call.getArgOperand(0)), second = read(call.getArgOperand(1));
  if (!first)
    return llvm::joinErrors(first.takeError(), second.takeError());
  if (!second)
    return second.takeError();
  if (isSigned) {
    *first = extendSign(compared, *first);
    *second = extendSign(compared, *second);
  }
  unsigned comparedBytes = elementBytes(compared->getScalarType()),
           bytes = elementBytes(call.getType()->getScalarType());
  Handler less = findIntegerCompare(isSigned ? Predicate::ICMP_SLT : Predicate::ICMP_ULT, comparedBytes),
          greater = findIntegerCompare(isSigned ? Predicate::ICMP_SGT : Predicate::ICMP_UGT, comparedBytes);
  if (!less || !greater)
    return unsupported(call);
  auto minusOne = llvm::maskTrailingOnes<uint64_t>(call.getType()->getScalarSizeInBits());
  for (auto [result, a, b] : llvm::zip_equal(defineNew(&call), *first, *second)) {
    RegisterOffset isLess = allocateRegister(0), isGreater = allocateRegister(0), notLess = allocateRegister(bytes);
    emit(less, isLess, {a, b});
    emit(greater, isGreater, {a, b});
    emit(findSelect(bytes), notLess, {isGreater, constantRegister(1, bytes), constantRegister(0, bytes)});
    emit(findSelect(bytes), result, {isLess, constantRegister(minusOne, bytes), notLess});
  }
  return llvm::Error::success();
}

llvm::Error Decoder::decodeMaskedAccess(const llvm::CallInst &call, bool isStore) {
  const llvm::Value *pointer = call.getArgOperand(isStore ? 1 : 0);
  const llvm::Value *maskValue = call.getArgOperand(isStore ? 2 : 1);
  const llvm::Value *values = call.getArgOperand(isStore ? 0 : 2); // a load's pass-through
  llvm::Expected<RegisterOffset> address = readScalar(pointer);
  if (!address)
    return address.takeError();
  llvm::Expected<Registers> masks = read(maskValue), given = read(values);
  if (!masks)
    return llvm::joinErrors(masks.takeError(), given.takeError());
  if (!given)
    return given.takeError();
  llvm::SmallVector<llvm::Type *> components;
  flatten(values->getType(), components);
  unsigned bytes = elementBytes(components.front());
  AccessShape shape{bytes, unsigned(components.size()), isShared(pointer->getType()), true};
  Handler handler = isStore ? findStore(shape) : findLoad(shape);
  if (!handler)
    return unsupported(call);
  RegisterOffset first = isStore ? makeConsecutive(*this, *given, bytes) : defineNew(&call).front();
  OperandList *list = operandList();
  list->inputs.assign(masks->begin(), masks->end());
  if (!isStore)
    list->inputs.insert(list->inputs.end(), given->begin(), given->end());
  DecodedInstruction &access = isStore ? emit(handler, 0, {*address, first}) : emit(handler, first, {*address});
  access.immediate = int64_t(uint64_t(shape.count) << 32 | call.getParamAlign(isStore ? 1 : 0).valueOrOne().value());
  access.detail = list;
  return llvm::Error::success();
}

} // namespace triton::simulator
