// PTX instructions that count, find and reverse bits, as operations of arith and math.
#include "passes/ptx/PtxTranslator.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using triton::ptx::PtxInstruction;

namespace triton::tt {

Value PtxTranslator::reverseBits(Value value) {
  unsigned bits = bitsOf(value);
  for (unsigned width = 1; width < bits; width *= 2) { // exchanges neighbours of this width
    uint64_t low = 0;
    for (unsigned at = 0; at < bits; at += 2 * width)
      low |= ((uint64_t(1) << width) - 1) << at;
    Value mask = integer(bits, low), amount = integer(bits, width);
    Value up = make<arith::ShLIOp>(make<arith::AndIOp>(value, mask), amount);
    value = make<arith::OrIOp>(up, make<arith::AndIOp>(make<arith::ShRUIOp>(value, amount), mask));
  }
  return value;
}

/// The place of the `number`th set bit, the first being number 1; all ones if there is none.
Value PtxTranslator::placeOfBit(Value mask, Value number) {
  Value place = integer(32, 0), left = number;
  for (unsigned width = 16; width != 0; width /= 2) { // goes on in the half that has the bit
    Value half = make<arith::AndIOp>(make<arith::ShRUIOp>(mask, place), integer(32, (uint64_t(1) << width) - 1));
    Value count = make<math::CtPopOp>(half);
    Value isAbove = make<arith::CmpIOp>(arith::CmpIPredicate::ugt, left, count);
    Value zero = integer(32, 0);
    left = make<arith::SubIOp>(left, make<arith::SelectOp>(isAbove, count, zero));
    place = make<arith::AddIOp>(place, make<arith::SelectOp>(isAbove, integer(32, width), zero));
  }
  Value atLeastOne = make<arith::CmpIOp>(arith::CmpIPredicate::sgt, number, integer(32, 0));
  Value enough = make<arith::CmpIOp>(arith::CmpIPredicate::sle, number, make<math::CtPopOp>(mask));
  return make<arith::SelectOp>(make<arith::AndIOp>(atLeastOne, enough), place, integer(32, ~uint32_t(0)));
}

/// fns: from the bit `base` on, upwards the `offset`th set bit, downwards the one of that number if it is negative, or
/// the bit `base` itself if it is zero.
Value PtxTranslator::findNthSet(const PtxInstruction &instruction) {
  SmallVector<Value, 3> given = sources(instruction, {'b', 32, false, {}}, 3);
  if (given.empty())
    return {};
  Value mask = given[0], base = given[1], offset = given[2];
  Value zero = integer(32, 0), one = integer(32, 1), last = integer(32, 31);
  Value isInside = make<arith::CmpIOp>(arith::CmpIPredicate::ule, base, last);
  Value place = make<arith::SelectOp>(isInside, base, zero);
  Value isUp = make<arith::CmpIOp>(arith::CmpIPredicate::sgt, offset, zero);
  Value isDown = make<arith::CmpIOp>(arith::CmpIPredicate::slt, offset, zero);
  Value ones = integer(32, ~uint32_t(0));
  Value above = make<arith::ShLIOp>(ones, place);
  Value below = make<arith::ShRUIOp>(ones, make<arith::SubIOp>(last, place));
  Value itself = make<arith::ShLIOp>(one, place);
  Value range = make<arith::SelectOp>(isUp, above, make<arith::SelectOp>(isDown, below, itself));
  Value bits = make<arith::AndIOp>(mask, make<arith::SelectOp>(isInside, range, zero));
  // The nth from the top is this one from the bottom.
  Value fromBottom = make<arith::AddIOp>(make<arith::AddIOp>(make<math::CtPopOp>(bits), offset), one);
  Value number = make<arith::SelectOp>(isUp, offset, make<arith::SelectOp>(isDown, fromBottom, one));
  return placeOfBit(bits, number);
}

/// popc, clz, brev and bfind. Counts and places are a u32, whatever the type of the operand.
Value PtxTranslator::computeBits(const PtxInstruction &instruction, const PtxType &type) {
  llvm::StringRef opcode = instruction.opcode;
  SmallVector<Value, 3> given = sources(instruction, type, 1);
  if (given.empty() || type.bits < 32)
    return {};
  if (opcode == "brev")
    return reverseBits(given[0]);
  if (opcode == "popc")
    return resize(make<math::CtPopOp>(given[0]), 32, false);
  Value zeros = resize(make<math::CountLeadingZerosOp>(given[0]), 32, false);
  if (opcode == "clz")
    return zeros;
  if (type.kind != 'u') // bfind looks for the sign's opposite
    return {};
  Value place = make<arith::SubIOp>(integer(32, type.bits - 1), zeros); // all ones where no bit is set
  if (!instruction.has("shiftamt"))
    return place;
  Value isNone = make<arith::CmpIOp>(arith::CmpIPredicate::eq, zeros, integer(32, type.bits));
  return make<arith::SelectOp>(isNone, place, zeros);
}

} // namespace triton::tt
