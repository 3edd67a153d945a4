// Integers of 65 to 128 bits, with which LLVM writes the upper halves of products, carries, and sums over the
// iterations of loops: two registers, the low half first. Bits beyond the width are zero.
#include "simulator/core/Decoder.h"

#include "llvm/IR/Instructions.h"

namespace triton::simulator {

using llvm::Instruction;

bool Decoder::isWide(const llvm::Type *type) {
  return type->isIntegerTy() && type->getIntegerBitWidth() > 64 && type->getIntegerBitWidth() <= 128;
}

/// Emits an instruction whose result is a new register.
static RegisterOffset emitNew(Decoder &decoder, Handler handler, llvm::ArrayRef<RegisterOffset> operands,
                              unsigned bytes) {
  RegisterOffset result = decoder.allocateRegister(bytes);
  decoder.emit(handler, result, operands);
  return result;
}

llvm::Expected<Registers> Decoder::decodeWideCast(const llvm::CastInst &cast, const Registers &source) {
  bool isWidth = llvm::isa<llvm::TruncInst, llvm::ZExtInst, llvm::SExtInst>(cast);
  if (isWidth && isWide(cast.getSrcTy()) && isWide(cast.getDestTy()))
    return source;
  llvm::Type *narrow = isWide(cast.getSrcTy()) ? cast.getDestTy() : cast.getSrcTy();
  unsigned bytes = elementBytes(narrow);
  if (!narrow->isIntegerTy() || bytes > 8)
    return unsupported(cast);
  if (cast.getOpcode() == Instruction::Trunc)
    return Registers{emitNew(*this, findIntegerCast(Instruction::Trunc, 8, bytes), {source[0]}, bytes)};
  bool isSigned = cast.getOpcode() == Instruction::SExt;
  if (!isSigned && cast.getOpcode() != Instruction::ZExt)
    return unsupported(cast);
  RegisterOffset low = emitNew(*this, findIntegerCast(cast.getOpcode(), bytes, 8), {source[0]}, 8);
  RegisterOffset high = constantRegister(0, 8);
  if (isSigned)
    high = emitNew(*this, findIntegerBinary(Instruction::AShr, 8), {low, constantRegister(63, 8)}, 8);
  return Registers{low, high};
}

/// By a constant.
llvm::Expected<Registers> Decoder::decodeWideShift(const Instruction &shift, const Registers &value) {
  auto *distance = llvm::dyn_cast<llvm::ConstantInt>(shift.getOperand(1));
  if (!distance || distance->getValue().uge(128))
    return unsupported(shift);
  bool isLeft = shift.getOpcode() == Instruction::Shl;
  unsigned count = unsigned(distance->getZExtValue());
  auto shiftBy = [&](unsigned opcode, RegisterOffset half, unsigned bits) {
    return emitNew(*this, findIntegerBinary(opcode, 8), {half, constantRegister(bits, 8)}, 8);
  };
  RegisterOffset filled =
      shift.getOpcode() == Instruction::AShr ? shiftBy(Instruction::AShr, value[1], 63) : constantRegister(0, 8);
  if (count >= 64) {
    RegisterOffset moved = shiftBy(shift.getOpcode(), value[isLeft ? 0 : 1], count - 64);
    return isLeft ? Registers{filled, moved} : Registers{moved, filled};
  }
  RegisterOffset both = emitNew(*this, findIntegerIntrinsic(isLeft ? "fshl" : "fshr", 8),
                                {value[1], value[0], constantRegister(count, 8)}, 8);
  return isLeft ? Registers{shiftBy(Instruction::Shl, value[0], count), both}
                : Registers{both, shiftBy(shift.getOpcode(), value[1], count)};
}

/// Moves the bytes of a list of registers into registers of another size.
static void emitRegroup(Decoder &decoder, llvm::ArrayRef<RegisterOffset> from, unsigned fromBytes,
                        llvm::ArrayRef<RegisterOffset> to, unsigned toBytes) {
  OperandList *list = decoder.operandList();
  list->inputs.assign(from.begin(), from.end());
  list->inputBytes.assign(from.size(), uint8_t(fromBytes));
  list->outputs.assign(to.begin(), to.end());
  list->outputBytes.assign(to.size(), uint8_t(toBytes));
  decoder.emit(regroupBytes()).detail = list;
}

/// The halves are put together and taken apart again.
static Registers divideWide(Decoder &decoder, unsigned opcode, const Registers &a, const Registers &b) {
  RegisterOffset dividend = decoder.allocateRegister(16), divisor = decoder.allocateRegister(16);
  emitRegroup(decoder, a, 8, dividend, 16);
  emitRegroup(decoder, b, 8, divisor, 16);
  RegisterOffset result = emitNew(decoder, findIntegerBinary(opcode, 16), {dividend, divisor}, 16);
  Registers halves{decoder.allocateRegister(8), decoder.allocateRegister(8)};
  emitRegroup(decoder, result, 16, halves, 8);
  return halves;
}

llvm::Expected<Registers> Decoder::decodeWideBinary(const Instruction &instruction, const Registers &a,
                                                    const Registers &b) {
  auto binary = [&](unsigned opcode, RegisterOffset x, RegisterOffset y) {
    return emitNew(*this, findIntegerBinary(opcode, 8), {x, y}, 8);
  };
  switch (unsigned opcode = instruction.getOpcode()) {
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return Registers{binary(opcode, a[0], b[0]), binary(opcode, a[1], b[1])};
  case Instruction::Add:
  case Instruction::Sub: {
    RegisterOffset carries = emitNew(*this, findIntegerOverflow(opcode, /*isSigned=*/false, 8), {a[0], b[0]}, 0);
    RegisterOffset carry = emitNew(*this, findIntegerCast(Instruction::ZExt, 0, 8), {carries}, 8);
    return Registers{binary(opcode, a[0], b[0]), binary(opcode, binary(opcode, a[1], b[1]), carry)};
  }
  case Instruction::Mul: {
    RegisterOffset high = emitNew(*this, findIntegerIntrinsic("mulhi.u", 8), {a[0], b[0]}, 8);
    RegisterOffset crossed =
        binary(Instruction::Add, binary(Instruction::Mul, a[0], b[1]), binary(Instruction::Mul, a[1], b[0]));
    return Registers{binary(Instruction::Mul, a[0], b[0]), binary(Instruction::Add, high, crossed)};
  }
  case Instruction::UDiv:
  case Instruction::URem:
  case Instruction::SDiv:
  case Instruction::SRem:
    return divideWide(*this, opcode, a, b);
  default:
    return unsupported(instruction);
  }
}

/// The upper halves decide, or the lower ones where they are equal.
static RegisterOffset compareWide(Decoder &decoder, llvm::CmpInst::Predicate predicate, const Registers &a,
                                  const Registers &b) {
  using Predicate = llvm::CmpInst::Predicate;
  auto compare = [&](Predicate how, unsigned half) {
    return emitNew(decoder, findIntegerCompare(how, 8), {a[half], b[half]}, 0);
  };
  auto combine = [&](unsigned opcode, RegisterOffset x, RegisterOffset y) {
    return emitNew(decoder, findIntegerBinary(opcode, 0), {x, y}, 0);
  };
  if (llvm::ICmpInst::isEquality(predicate))
    return combine(predicate == Predicate::ICMP_EQ ? Instruction::And : Instruction::Or, compare(predicate, 0),
                   compare(predicate, 1));
  RegisterOffset low = compare(llvm::ICmpInst::getUnsignedPredicate(predicate), 0);
  RegisterOffset decided = compare(llvm::CmpInst::getStrictPredicate(predicate), 1);
  return combine(Instruction::Or, decided, combine(Instruction::And, compare(Predicate::ICMP_EQ, 1), low));
}

llvm::Error Decoder::decodeWideInteger(const Instruction &instruction) {
  auto readOperand = [&](unsigned index) -> llvm::Expected<Registers> {
    llvm::Expected<Registers> registers = read(instruction.getOperand(index));
    if (!registers || !readsSign(instruction))
      return registers;
    return extendSign(instruction.getOperand(index)->getType(), *registers);
  };
  llvm::Expected<Registers> first = readOperand(0);
  if (!first)
    return first.takeError();
  llvm::Expected<Registers> result = Registers();
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    result = decodeWideCast(*cast, *first);
  } else if (instruction.isShift()) {
    result = decodeWideShift(instruction, *first);
  } else if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction); compare || instruction.isBinaryOp()) {
    llvm::Expected<Registers> second = readOperand(1);
    if (!second)
      return second.takeError();
    result = compare ? Registers{compareWide(*this, compare->getPredicate(), *first, *second)}
                     : decodeWideBinary(instruction, *first, *second);
  } else {
    return unsupported(instruction);
  }
  if (!result)
    return result.takeError();
  llvm::Type *type = instruction.getType();
  if (unsigned width = type->getIntegerBitWidth(); isWide(type) && width < 128)
    (*result)[1] = emitNew(*this, findIntegerBinary(Instruction::And, 8),
                           {(*result)[1], constantRegister(llvm::maskTrailingOnes<uint64_t>(width - 64), 8)}, 8);
  else
    keepOddWidth(instruction, result->front());
  define(&instruction, *result);
  return llvm::Error::success();
}

} // namespace triton::simulator
