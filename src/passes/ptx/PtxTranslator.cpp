// Registers, operands, moves, and which instruction is of which kind.
#include "passes/ptx/PtxTranslator.h"

#include "ir/Dialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using triton::ptx::PtxInstruction;

namespace triton::tt {

unsigned bitsOf(Value value) { return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(); }

PtxType PtxTranslator::parseType(llvm::StringRef name) const {
  if (name == "pred")
    return {'p', 1, false, {}};
  PtxType type;
  type.isPacked = name.consume_back("x2");
  if (name == "bf16")
    type.format = b.getBF16Type();
  else if (name == "f16")
    type.format = b.getF16Type();
  else if (name == "f32")
    type.format = b.getF32Type();
  else if (name == "f64")
    type.format = b.getF64Type();
  if (type.format) {
    type.kind = 'f';
    type.bits = type.format.getWidth();
    return type;
  }
  unsigned bits = 0;
  bool isInteger = name.size() >= 2 && llvm::StringRef("sub").contains(name[0]) &&
                   !name.drop_front().getAsInteger(10, bits) && llvm::is_contained({8u, 16u, 32u, 64u}, bits);
  if (isInteger && !type.isPacked)
    return {name[0], bits, false, {}};
  return {};
}

//===--- Values -------------------------------------------------------------------------------------------------===//

Value PtxTranslator::constant(TypedAttr element) {
  if (!shape)
    return make<arith::ConstantOp>(element);
  return make<arith::ConstantOp>(DenseElementsAttr::get(cast<ShapedType>(typed(element.getType())), element));
}

Value PtxTranslator::integer(unsigned bits, uint64_t value) {
  return constant(
      b.getIntegerAttr(b.getIntegerType(bits), APInt(bits, value, /*isSigned=*/false, /*implicitTrunc=*/true)));
}

Value PtxTranslator::number(FloatType type, double value) { return constant(b.getFloatAttr(type, value)); }

Value PtxTranslator::bitcast(Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  return make<BitcastOp>(typed(element), value);
}

Value PtxTranslator::resize(Value value, unsigned bits, bool isSigned) {
  Type type = typed(b.getIntegerType(bits));
  if (bitsOf(value) == bits)
    return value;
  if (bitsOf(value) > bits)
    return make<arith::TruncIOp>(type, value);
  return isSigned ? make<arith::ExtSIOp>(type, value) : make<arith::ExtUIOp>(type, value);
}

Value PtxTranslator::combine(llvm::ArrayRef<Value> parts) {
  unsigned bits = 0, offset = 0;
  for (Value part : parts)
    bits += bitsOf(part);
  Value whole;
  for (Value part : parts) {
    Value moved = resize(part, bits, /*isSigned=*/false);
    if (offset != 0)
      moved = make<arith::ShLIOp>(moved, integer(bits, offset));
    whole = whole ? make<arith::OrIOp>(whole, moved) : moved;
    offset += bitsOf(part);
  }
  return whole;
}

Value PtxTranslator::cut(Value whole, unsigned offset, unsigned bits) {
  if (offset != 0)
    whole = make<arith::ShRUIOp>(whole, integer(bitsOf(whole), offset));
  return resize(whole, bits, /*isSigned=*/false);
}

//===--- Registers and operands ---------------------------------------------------------------------------------===//

/// `.reg .b32 t<4>` declares t0 to t3. What a register has before it is written does not matter.
bool PtxTranslator::declare(const ptx::PtxDeclaration &declaration) {
  PtxType type = parseType(declaration.type);
  if (!type.kind)
    return false;
  Value initial = integer(type.registerBits(), 0);
  auto [name, rest] = declaration.name.split('<');
  if (rest.empty()) {
    registers[name] = initial;
    return true;
  }
  unsigned count = 0;
  if (rest.rtrim('>').getAsInteger(10, count) || count > 4096)
    return false;
  for (unsigned i = 0; i < count; ++i)
    registers[(name + llvm::Twine(i)).str()] = initial;
  return true;
}

Value *PtxTranslator::find(llvm::StringRef name) {
  unsigned index = 0;
  llvm::StringRef digits = name;
  if (digits.consume_front("$") && !digits.trim("{}").getAsInteger(10, index) && index < operands.size())
    return &operands[index];
  auto found = registers.find(name);
  return found == registers.end() ? nullptr : &found->second;
}

Value PtxTranslator::source(const PtxInstruction &instruction, unsigned index, const PtxType &type) {
  if (index >= instruction.operands.size() || instruction.operands[index].size() != 1)
    return {};
  return sourceNamed(instruction.operands[index][0], type);
}

Value PtxTranslator::sourceNamed(llvm::StringRef name, const PtxType &type) {
  if (!name.empty() && (llvm::isDigit(name[0]) || name[0] == '-')) {
    bool isWideFloat = type.format && type.bits >= 32;
    std::optional<uint64_t> bits = ptx::parseImmediate(name, isWideFloat ? type.bits / 8 : 0);
    return bits ? integer(type.registerBits(), *bits) : Value();
  }
  Value *found = find(name);
  return found && bitsOf(*found) == type.registerBits() ? *found : Value();
}

SmallVector<Value, 3> PtxTranslator::sources(const PtxInstruction &instruction, const PtxType &type, unsigned count) {
  SmallVector<Value, 3> values;
  if (instruction.operands.size() != 1 + count)
    return values;
  for (unsigned i = 1; i <= count; ++i)
    values.push_back(source(instruction, i, type));
  if (llvm::is_contained(values, Value()))
    values.clear();
  return values;
}

//===--- Instructions -------------------------------------------------------------------------------------------===//

/// mov of registers and immediates, and to and from `{low, high}`.
bool PtxTranslator::move(const PtxInstruction &instruction, Value guard) {
  PtxType type = parseType(instruction.modifiers.size() == 1 ? instruction.modifiers[0] : "");
  if (!type.kind || instruction.operands.size() != 2)
    return false;
  const ptx::PtxOperand &to = instruction.operands[0], &from = instruction.operands[1];
  SmallVector<Value> parts;
  for (llvm::StringRef name : from) {
    Value *found = from.size() == 1 ? nullptr : find(name);
    auto partBits = unsigned(type.registerBits() / from.size()); // of a number
    Value part = found              ? *found
                 : from.size() == 1 ? source(instruction, 1, type)
                                    : sourceNamed(name, {'b', partBits, false, {}});
    if (!part)
      return false;
    parts.push_back(part);
  }
  Value whole = combine(parts);
  SmallVector<Value *> targets;
  unsigned bits = 0;
  for (llvm::StringRef name : to) {
    targets.push_back(find(name));
    if (!targets.back())
      return false;
    bits += bitsOf(*targets.back());
  }
  if (bits != bitsOf(whole))
    return false;
  unsigned offset = 0;
  for (Value *target : targets) {
    unsigned width = bitsOf(*target);
    Value part = cut(whole, offset, width);
    *target = guard ? Value(make<arith::SelectOp>(guard, part, *target)) : part;
    offset += width;
  }
  return true;
}

Value PtxTranslator::compute(const PtxInstruction &instruction) {
  llvm::StringRef opcode = instruction.opcode;
  if (instruction.modifiers.empty())
    return {};
  if (opcode == "prmt")
    return permute(instruction);
  PtxType type = parseType(instruction.modifiers.back());
  if (!type.kind)
    return {};
  if (opcode == "mov")
    return source(instruction, 1, type);
  if (opcode == "lop3")
    return computeLogic(instruction);
  if (opcode == "shf")
    return shiftPair(instruction);
  if (opcode == "setp")
    return compare(instruction, type);
  if (opcode == "selp")
    return select(instruction, type);
  return type.format ? computeFloat(instruction, type) : computeInteger(instruction, type);
}

/// Gives a register, which may be wider, a value. Elements whose guard is false keep their old ones.
bool PtxTranslator::write(llvm::StringRef name, Value value, Value guard, bool isSigned) {
  Value *target = find(name);
  if (!target || bitsOf(*target) < bitsOf(value))
    return false;
  value = resize(value, bitsOf(*target), isSigned);
  *target = guard ? Value(make<arith::SelectOp>(guard, value, *target)) : value;
  return true;
}

bool PtxTranslator::fail(const PtxInstruction &instruction) {
  if (unknown.empty())
    unknown = instruction.text.str();
  return false;
}

bool PtxTranslator::access(const PtxInstruction &instruction, Value guard) {
  if (!accessesMemory || instruction.modifiers.empty())
    return false;
  if (instruction.opcode == "ld")
    return load(instruction, guard);
  if (instruction.opcode == "st" || (instruction.opcode == "multimem" && instruction.modifiers[0] == "st"))
    return store(instruction, guard);
  return instruction.opcode == "atom" || instruction.opcode == "red" ? updateAtomically(instruction, guard)
                                                                     : orderMemory(instruction);
}

bool PtxTranslator::translate(const PtxInstruction &instruction) {
  std::optional<Value> guard = guardOf(instruction);
  if (!guard)
    return false;
  llvm::StringRef opcode = instruction.opcode;
  if (opcode == "bra")
    return branch(instruction, *guard);
  if (llvm::is_contained({"ld", "st", "multimem", "atom", "red", "membar", "fence"}, opcode))
    return access(instruction, *guard);
  if (opcode == "mov" && instruction.predicate.empty())
    return move(instruction, *guard);
  if (instruction.operands.size() < 2 || instruction.operands[0].size() != 1)
    return false;
  llvm::StringRef name = instruction.operands[0][0];
  Value *target = find(name);
  if (!target)
    return false;
  Value result = opcode == "cvt" ? convert(instruction, bitsOf(*target)) : compute(instruction);
  return result && bitsOf(result) == bitsOf(*target) && write(name, result, *guard, /*isSigned=*/false);
}

} // namespace triton::tt
