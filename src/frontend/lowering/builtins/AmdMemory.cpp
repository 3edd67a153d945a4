// Accesses of global memory by a base and offsets, which Gluon has for AMD's GPUs.
#include "frontend/lowering/builtins/Functions.h"
#include "frontend/lowering/builtins/Memory.h"
#include "gpu/ir/Dialect.h"

namespace triton::frontend::builtin {
Tensor bufferPointers(Lowering &lowering, CallArguments &arguments, bool forWriting) {
  std::string callee = arguments.builtin.displayName();
  requireVendor(lowering, arguments, amd);
  const Tensor *base = arguments["ptr"].tensor(), *offsets = arguments["offsets"].tensor();
  if (!base || !base->type.isScalar() || !base->type.element.isPointer())
    lowering.error(arguments.range("ptr"), diagnostics::ArgumentKind, callee, std::string("ptr"),
                   std::string("a pointer to one element"), arguments["ptr"].describe());
  if (forWriting && base->type.element.isConst)
    lowering.error(arguments.range("ptr"), diagnostics::WriteToConst, callee, base->type.str());
  bool hasOffsets = offsets && !offsets->type.isScalar() &&
                    (offsets->type.element == ElementType{ScalarType::Int32} ||
                     offsets->type.element == ElementType{ScalarType::UInt32});
  if (!hasOffsets)
    lowering.error(arguments.range("offsets"), diagnostics::BufferOffsets, callee, arguments["offsets"].describe());
  return asBytes(lowering, *binaryOperator(lowering, ast::BinaryOperator::Add, *base, *offsets).tensor());
}

/// Operands are broadcast to the offsets, not the other way round.
void checkBufferShape(Lowering &lowering, CallArguments &arguments, const Tensor &pointers) {
  if (const TensorType &offsets = arguments["offsets"].tensor()->type; pointers.type.shape != offsets.shape)
    lowering.error(arguments.range("offsets"), diagnostics::BufferOffsets, arguments.builtin.displayName(),
                   offsets.str() + " where other operands have the shape of " + pointers.type.str());
}

Value bufferLoad(Lowering &lowering, CallArguments &arguments) {
  Tensor pointers = bufferPointers(lowering, arguments, /*forWriting=*/false);
  ElementType element = arguments["ptr"].tensor()->type.element.pointee();
  if (arguments["mask"].isNone() && !arguments["other"].isNone())
    lowering.error(arguments.range("other"), diagnostics::OtherWithoutMask, arguments.builtin.displayName());
  mlir::Value mask, other;
  if (arguments["other"].isNone()) {
    mask = broadcastMask(lowering, arguments, pointers);
  } else {
    Tensor value = cast(lowering, convertTo(lowering, arguments["other"], element), pointers.type.element.pointee());
    mask = broadcastMask(lowering, arguments, pointers, "other", value);
    other = value.value;
  }
  checkBufferShape(lowering, arguments, pointers);
  auto loaded = lowering.create<tt::LoadOp>(pointers.value, mask, other,
                                            cacheModifier(lowering, arguments, /*isStore=*/false, "cache"),
                                            tt::EvictionPolicy::Normal, /*isVolatile=*/false);
  return cast(lowering, Tensor{loaded, pointers.type.withElement(pointers.type.element.pointee())}, element);
}

Value bufferStore(Lowering &lowering, CallArguments &arguments) {
  Tensor pointers = bufferPointers(lowering, arguments, /*forWriting=*/true);
  ElementType element = arguments["ptr"].tensor()->type.element.pointee();
  Tensor value =
      cast(lowering, convertTo(lowering, arguments["stored_value"], element), pointers.type.element.pointee());
  mlir::Value mask = broadcastMask(lowering, arguments, pointers, "stored_value", value);
  checkBufferShape(lowering, arguments, pointers);
  lowering.create<tt::StoreOp>(pointers.value, value.value, mask,
                               cacheModifier(lowering, arguments, /*isStore=*/true, "cache"),
                               tt::EvictionPolicy::Normal);
  return Value();
}

} // namespace triton::frontend::builtin
