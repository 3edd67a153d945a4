#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/Memory.h"

namespace triton::frontend::builtin {
namespace {

tt::MemSemantic orderingArgument(Lowering &lowering, CallArguments &arguments) {
  static constexpr llvm::StringLiteral names[] = {"", "acq_rel", "acquire", "release", "relaxed"};
  static constexpr tt::MemSemantic orderings[] = {tt::MemSemantic::AcquireRelease, tt::MemSemantic::AcquireRelease,
                                                  tt::MemSemantic::Acquire, tt::MemSemantic::Release,
                                                  tt::MemSemantic::Relaxed};
  return orderings[choiceArgument(lowering, arguments, "sem", names)];
}

tt::MemSyncScope scopeArgument(Lowering &lowering, CallArguments &arguments) {
  static constexpr llvm::StringLiteral names[] = {"", "gpu", "cta", "sys"};
  static constexpr tt::MemSyncScope scopes[] = {tt::MemSyncScope::GPU, tt::MemSyncScope::GPU, tt::MemSyncScope::CTA,
                                                tt::MemSyncScope::System};
  return scopes[choiceArgument(lowering, arguments, "scope", names)];
}

/// The ordering of an operation that only reads or only writes: the one that it requires, or none.
tt::MemSemantic orderingArgument(Lowering &lowering, CallArguments &arguments, tt::MemSemantic own) {
  llvm::StringLiteral acquiring[] = {"", "acquire", "relaxed"}, releasing[] = {"", "release", "relaxed"};
  bool isRead = own == tt::MemSemantic::Acquire;
  return choiceArgument(lowering, arguments, "sem", isRead ? acquiring : releasing) == 2 ? tt::MemSemantic::Relaxed
                                                                                         : own;
}

/// Which element types an operation takes.
enum class Elements { Any, Numbers, Integers };

/// Pointer, value and mask of a read-modify-write, broadcast to one shape.
struct Access {
  Tensor pointer, value;
  mlir::Value mask;
  ElementType element;
};

/// Whether a base and offsets say where, as in Gluon for AMD's GPUs.
bool isOfBuffer(CallArguments &arguments) { return arguments.builtin.name.starts_with("amd."); }

void checkElement(Lowering &lowering, CallArguments &arguments, const ElementType &element, Elements allowed) {
  ScalarType type = element.scalar;
  unsigned width = element.isPointer() ? 64 : bitWidth(type);
  bool isHalf = !element.isPointer() && isFloat(type) && width == 16;
  bool isAdd = arguments.builtin.name.ends_with("atomic_add"),
       isExchange = arguments.builtin.name.ends_with("atomic_xchg");
  bool valid = width >= 32 || (isHalf && (isAdd || isExchange));
  if (element.isPointer())
    valid = allowed == Elements::Any;
  else if (allowed == Elements::Integers)
    valid = valid && isInteger(type);
  if (!valid)
    lowering.error(arguments.range(isOfBuffer(arguments) ? "ptr" : "pointer"), diagnostics::AtomicType,
                   arguments.builtin.displayName(), TensorType(element).str());
}

Access accessOf(Lowering &lowering, CallArguments &arguments, Elements allowed) {
  Access access;
  bool hasOffsets = isOfBuffer(arguments);
  llvm::StringRef value = hasOffsets ? "value" : "val";
  access.pointer = hasOffsets ? bufferPointers(lowering, arguments, true) : pointerArgument(lowering, arguments, true);
  access.element = access.pointer.type.element.pointee();
  checkElement(lowering, arguments, access.element, allowed);
  {
    RangeScope scope(lowering, arguments.range(value));
    access.value = convertTo(lowering, arguments[value], access.element);
  }
  access.mask = broadcastMask(lowering, arguments, access.pointer, value, access.value);
  if (hasOffsets)
    checkBufferShape(lowering, arguments, access.pointer);
  return access;
}

Tensor emit(Lowering &lowering, CallArguments &arguments, tt::RMWOp op, const Access &access) {
  mlir::Value old = lowering.create<tt::AtomicRMWOp>(
      access.value.value.getType(), op, access.pointer.value, access.value.value, access.mask,
      orderingArgument(lowering, arguments), scopeArgument(lowering, arguments));
  return {old, access.value.type};
}

Value emitInteger(Lowering &lowering, CallArguments &arguments, tt::RMWOp op) {
  return emit(lowering, arguments, op, accessOf(lowering, arguments, Elements::Integers));
}

/// Computes the maximum or minimum of floats on integers. Floats without a sign have the order of their bits as signed
/// integers; those with a sign, of which -0 is one, have the reverse order of their bits as unsigned integers.
Value emitFloatExtremum(Lowering &lowering, CallArguments &arguments, const Access &access, bool isMax) {
  bool isWide = bitWidth(access.element.scalar) == 64;
  ElementType signedType{isWide ? ScalarType::Int64 : ScalarType::Int32};
  ElementType unsignedType{isWide ? ScalarType::UInt64 : ScalarType::UInt32};
  auto pointerTo = [](ElementType element) { return ElementType{element.scalar, 1, false}; };
  Access parts[2] = {access, access};
  Value isNonNegative =
      comparison(lowering, ast::CompareOperator::GtE, bitcast(lowering, access.value, signedType), Value::integer(0));
  Tensor old[2];
  for (int negative = 0; negative < 2; ++negative) {
    ElementType type = negative ? unsignedType : signedType;
    Value side = negative ? unaryOperator(lowering, ast::UnaryOperator::Invert, isNonNegative) : isNonNegative;
    if (access.mask)
      side = binaryOperator(lowering, ast::BinaryOperator::BitAnd, side,
                            Tensor{access.mask, access.value.type.withElement(ElementType{ScalarType::Int1})});
    parts[negative].pointer = cast(lowering, access.pointer, pointerTo(type));
    parts[negative].value = bitcast(lowering, access.value, type);
    parts[negative].mask = side.tensor()->value;
    tt::RMWOp op = negative ? (isMax ? tt::RMWOp::UMin : tt::RMWOp::UMax) : (isMax ? tt::RMWOp::Max : tt::RMWOp::Min);
    old[negative] = bitcast(lowering, emit(lowering, arguments, op, parts[negative]), access.element);
  }
  return Tensor{lowering.create<mlir::arith::SelectOp>(isNonNegative.tensor()->value, old[0].value, old[1].value),
                access.value.type};
}

Value emitExtremum(Lowering &lowering, CallArguments &arguments, bool isMax) {
  Access access = accessOf(lowering, arguments, Elements::Numbers);
  ScalarType type = access.element.scalar;
  if (isFloat(type))
    return emitFloatExtremum(lowering, arguments, access, isMax);
  if (kind(type) == ScalarKind::Signed)
    return emit(lowering, arguments, isMax ? tt::RMWOp::Max : tt::RMWOp::Min, access);
  return emit(lowering, arguments, isMax ? tt::RMWOp::UMax : tt::RMWOp::UMin, access);
}

} // namespace

Value atomicAdd(Lowering &lowering, CallArguments &arguments) {
  Access access = accessOf(lowering, arguments, Elements::Numbers);
  return emit(lowering, arguments, isFloat(access.element.scalar) ? tt::RMWOp::FAdd : tt::RMWOp::Add, access);
}

Value atomicMax(Lowering &lowering, CallArguments &arguments) { return emitExtremum(lowering, arguments, true); }
Value atomicMin(Lowering &lowering, CallArguments &arguments) { return emitExtremum(lowering, arguments, false); }

Value atomicAnd(Lowering &lowering, CallArguments &arguments) {
  return emitInteger(lowering, arguments, tt::RMWOp::And);
}
Value atomicOr(Lowering &lowering, CallArguments &arguments) { return emitInteger(lowering, arguments, tt::RMWOp::Or); }
Value atomicXor(Lowering &lowering, CallArguments &arguments) {
  return emitInteger(lowering, arguments, tt::RMWOp::Xor);
}

Value atomicExchange(Lowering &lowering, CallArguments &arguments) {
  return emit(lowering, arguments, tt::RMWOp::Exchange, accessOf(lowering, arguments, Elements::Any));
}

Value atomicCompareAndSwap(Lowering &lowering, CallArguments &arguments) {
  Tensor pointer = pointerArgument(lowering, arguments, true);
  ElementType element = pointer.type.element.pointee();
  if (!element.isPointer() && bitWidth(element.scalar) < 16)
    lowering.error(arguments.range("pointer"), diagnostics::AtomicType, std::string("tl.atomic_cas"),
                   TensorType(element).str());
  // A number takes the element type. Tensors are not converted.
  auto operand = [&](llvm::StringRef name) {
    RangeScope scope(lowering, arguments.range(name));
    const Value &value = arguments[name];
    Tensor tensor = value.isNumber() ? convertTo(lowering, value, element) : tensorArgument(lowering, arguments, name);
    if (lowering.irType(tensor.type.element) != lowering.irType(element))
      lowering.error(diagnostics::CompareAndSwapType, name.str(), tensor.type.str(), TensorType(element).str());
    return tensor;
  };
  Tensor compared = operand("cmp"), value = operand("val");
  bringToOneShape(lowering, arguments, pointer, {{"cmp", &compared}, {"val", &value}});
  mlir::Value old =
      lowering.create<tt::AtomicCASOp>(value.value.getType(), pointer.value, compared.value, value.value,
                                       orderingArgument(lowering, arguments), scopeArgument(lowering, arguments));
  return Tensor{old, value.type};
}

/// Pointers and their element type, of an operation that moves numbers.
static std::pair<Tensor, ElementType> numbersArgument(Lowering &lowering, CallArguments &arguments, bool forWriting) {
  Tensor pointer = pointerArgument(lowering, arguments, forWriting);
  ElementType element = pointer.type.element.pointee();
  if (element.isPointer())
    lowering.error(arguments.range("pointer"), diagnostics::AtomicType, arguments.builtin.displayName(),
                   TensorType(element).str());
  return {pointer, element};
}

Value atomicLoad(Lowering &lowering, CallArguments &arguments) {
  auto [pointer, element] = numbersArgument(lowering, arguments, /*forWriting=*/false);
  mlir::Value mask = broadcastMask(lowering, arguments, pointer);
  Tensor bytes = asBytes(lowering, pointer);
  TensorType loaded = bytes.type.withElement(bytes.type.element.pointee());
  mlir::Value value = lowering.create<tt::AtomicLoadOp>(lowering.irType(loaded), bytes.value, mask,
                                                        orderingArgument(lowering, arguments, tt::MemSemantic::Acquire),
                                                        scopeArgument(lowering, arguments));
  return cast(lowering, Tensor{value, loaded}, element);
}

Value atomicStore(Lowering &lowering, CallArguments &arguments) {
  auto [pointer, element] = numbersArgument(lowering, arguments, /*forWriting=*/true);
  Tensor value;
  {
    RangeScope scope(lowering, arguments.range("val"));
    value = convertTo(lowering, arguments["val"], element);
  }
  mlir::Value mask = broadcastMask(lowering, arguments, pointer, "val", value);
  Tensor bytes = asBytes(lowering, pointer);
  lowering.create<tt::AtomicStoreOp>(bytes.value, cast(lowering, value, bytes.type.element.pointee()).value, mask,
                                     orderingArgument(lowering, arguments, tt::MemSemantic::Release),
                                     scopeArgument(lowering, arguments));
  return Value();
}

/// The timeout in nanoseconds as i64; null if there is none.
static mlir::Value timeoutArgument(Lowering &lowering, CallArguments &arguments) {
  const Value &given = arguments["timeout_ns"];
  if (given.isNone())
    return {};
  RangeScope scope(lowering, arguments.range("timeout_ns"));
  Tensor timeout = tensorArgument(lowering, arguments, "timeout_ns");
  if (!timeout.type.isScalar() || timeout.type.element.isPointer() || !isInteger(timeout.type.element.scalar))
    lowering.error(diagnostics::PollTimeout, given.describe());
  if (given.isNumber() && integerArgument(lowering, arguments, "timeout_ns") < 0)
    lowering.error(diagnostics::PollTimeout, std::to_string(integerArgument(lowering, arguments, "timeout_ns")));
  return cast(lowering, timeout, ElementType{ScalarType::Int64}).value;
}

Value atomicPoll(Lowering &lowering, CallArguments &arguments) {
  auto [pointer, element] = numbersArgument(lowering, arguments, /*forWriting=*/false);
  if (!isInteger(element.scalar) || bitWidth(element.scalar) < 16)
    lowering.error(arguments.range("pointer"), diagnostics::PolledType, element.str());
  Tensor expected;
  {
    RangeScope scope(lowering, arguments.range("expected_value"));
    expected = convertTo(lowering, arguments["expected_value"], element);
  }
  bringToOneShape(lowering, arguments, pointer, {{"expected_value", &expected}});
  mlir::Value timeout = timeoutArgument(lowering, arguments);
  TensorType reached = pointer.type.withElement(ElementType{ScalarType::Int1});
  mlir::Value result = lowering.create<tt::AtomicPollOp>(
      lowering.irType(reached), pointer.value, expected.value, timeout,
      orderingArgument(lowering, arguments, tt::MemSemantic::Acquire), scopeArgument(lowering, arguments));
  return Tensor{result, reached};
}

} // namespace triton::frontend::builtin
