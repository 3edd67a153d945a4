// Casts between numbers, pointers and bits.
#include "gpu/lowering/DotOperands.h"
#include "gpu/lowering/Elementwise.h"
#include "gpu/lowering/FloatConversions.h"
#include "gpu/lowering/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::gpu {

template <typename Op> static std::pair<FloatType, FloatType> floatTypes(Op op) {
  return {cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType())),
          cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()))};
}

template <typename Op> static LogicalResult lowerFloatCast(Op op, Emitter &emitter) {
  auto [from, to] = floatTypes(op);
  bool towardZero = false;
  if constexpr (std::is_same_v<Op, tt::FpToFpOp>)
    towardZero = op.getRounding() == tt::RoundingMode::TowardZero;
  // Each value is converted once, with its neighbours. Registers of a splat, and other registers that are equal, hold
  // the same value.
  llvm::MapVector<Value, Value> converted;
  for (Value value : emitter.registers(op->getOperand(0)))
    converted.insert({value, Value()});
  Registers values = convertFloats(emitter, llvm::to_vector(llvm::make_first_range(converted)), from, to, towardZero);
  for (auto [entry, value] : llvm::zip_equal(converted, values))
    entry.second = value;
  Registers results;
  for (Value value : emitter.registers(op->getOperand(0)))
    results.push_back(converted.lookup(value));
  emitter.define(op->getResult(0), std::move(results));
  return success();
}

/// Floats of 8 or 16 bits are converted through f32, which is exact for the numbers that they can represent.
template <typename Op, typename Target> static LogicalResult lowerFloatToInteger(Op op, Emitter &emitter) {
  auto from = cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  FloatType through = from.getWidth() < 32 ? Float32Type::get(emitter.context()) : from;
  auto to = cast<IntegerType>(emitter.convertElement(op.getType()));
  // The hardware converts to at least 16 bits. Narrower results are the low bits.
  Type wide = to.getWidth() < 32 ? emitter.b.getI32Type() : to;
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    Value value = Target::create(emitter.b, wide, convertFloat(emitter, operands[0], from, through));
    return wide == to ? value : LLVM::TruncOp::create(emitter.b, to, value).getResult();
  });
}

/// Converts neighbours of 8 bits together, if all differ and the target has steps for that.
static Registers convertBytes(Value integers, Emitter &emitter, bool isSigned, FloatType to) {
  llvm::ArrayRef<Value> bytes = emitter.registers(integers);
  llvm::SmallDenseSet<Value, 16> different(bytes.begin(), bytes.end());
  if (!getElementTypeOrSelf(integers.getType()).isInteger(8) || bytes.size() == 1 || different.size() != bytes.size() ||
      equalRegisterBits(emitter, integers) != 0)
    return {};
  auto signedness = isSigned ? IntegerType::Signed : IntegerType::Unsigned;
  return emitter.target().emitDecodeBytes(emitter, bytes, IntegerType::get(emitter.context(), 8, signedness), to);
}

/// Conversions to 8 and 16 bits go through f32. An integer of more than 24 bits is then rounded twice, as everywhere in
/// the language.
template <typename Op, typename Target> static LogicalResult lowerIntegerToFloat(Op op, Emitter &emitter) {
  auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  constexpr bool isSigned = std::is_same_v<Target, LLVM::SIToFPOp>;
  if (Registers converted = convertBytes(op->getOperand(0), emitter, isSigned, to); !converted.empty()) {
    emitter.define(op->getResult(0), std::move(converted));
    return success();
  }
  FloatType through = to.getWidth() < 32 ? Float32Type::get(emitter.context()) : to;
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    Value integer = operands[0];
    if (integer.getType().isInteger(1)) // a set bit is 1, or -1 when signed
      integer = isSigned ? LLVM::SExtOp::create(emitter.b, emitter.b.getI32Type(), integer).getResult()
                         : LLVM::ZExtOp::create(emitter.b, emitter.b.getI32Type(), integer).getResult();
    return convertFloat(emitter, Target::create(emitter.b, through, integer), through, to);
  });
}

template <typename Op> static LogicalResult lowerBitcast(Op op, Emitter &emitter) {
  Type to = emitter.convertElement(op.getType());
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    if (operands[0].getType() == to)
      return operands[0];
    if (isa<LLVM::LLVMPointerType>(to))
      return LLVM::AddrSpaceCastOp::create(emitter.b, to, operands[0]);
    return LLVM::BitcastOp::create(emitter.b, to, operands[0]);
  });
}

template <typename Op, typename Target> static LogicalResult lowerCast(Op op, Emitter &emitter) {
  Type to = emitter.convertElement(op->getResult(0).getType());
  return lowerElementwise(op, emitter,
                          [&](ValueRange operands) -> Value { return Target::create(emitter.b, to, operands[0]); });
}

static LogicalResult lowerIndexCast(arith::IndexCastOp op, Emitter &emitter) {
  auto to = cast<IntegerType>(emitter.convertElement(op.getType()));
  return lowerElementwise(op, emitter, [&](ValueRange operands) -> Value {
    unsigned from = operands[0].getType().getIntOrFloatBitWidth();
    if (from == to.getWidth())
      return operands[0];
    return from < to.getWidth() ? LLVM::SExtOp::create(emitter.b, to, operands[0]).getResult()
                                : LLVM::TruncOp::create(emitter.b, to, operands[0]).getResult();
  });
}

static LogicalResult lowerExtension(arith::ExtFOp op, Emitter &emitter) {
  return isWidenedByProduct(op) ? success() : lowerFloatCast(op, emitter);
}

void addConversionLowerings(LoweringTable &table) {
  table.add<arith::ExtFOp, lowerExtension>();
  table.add<arith::TruncFOp, lowerFloatCast<arith::TruncFOp>>();
  table.add<tt::FpToFpOp, lowerFloatCast<tt::FpToFpOp>>();
  table.add<arith::FPToSIOp, lowerFloatToInteger<arith::FPToSIOp, LLVM::FPToSIOp>>();
  table.add<arith::FPToUIOp, lowerFloatToInteger<arith::FPToUIOp, LLVM::FPToUIOp>>();
  table.add<arith::SIToFPOp, lowerIntegerToFloat<arith::SIToFPOp, LLVM::SIToFPOp>>();
  table.add<arith::UIToFPOp, lowerIntegerToFloat<arith::UIToFPOp, LLVM::UIToFPOp>>();
  table.add<arith::ExtSIOp, lowerCast<arith::ExtSIOp, LLVM::SExtOp>>();
  table.add<arith::ExtUIOp, lowerCast<arith::ExtUIOp, LLVM::ZExtOp>>();
  table.add<arith::TruncIOp, lowerCast<arith::TruncIOp, LLVM::TruncOp>>();
  table.add<arith::BitcastOp, lowerBitcast<arith::BitcastOp>>();
  table.add<tt::BitcastOp, lowerBitcast<tt::BitcastOp>>();
  table.add<arith::IndexCastOp, lowerIndexCast>();
  table.add<tt::IntToPtrOp, lowerCast<tt::IntToPtrOp, LLVM::IntToPtrOp>>();
  table.add<tt::PtrToIntOp, lowerCast<tt::PtrToIntOp, LLVM::PtrToIntOp>>();
}

} // namespace triton::gpu
