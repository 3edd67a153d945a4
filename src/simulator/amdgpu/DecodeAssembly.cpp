// Inline assembly of users and libraries. Instructions without an equivalent here are refused.
#include "simulator/amdgpu/AssemblyDecoder.h"
#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Handlers.h"
#include "simulator/core/FloatFormats.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::amdgpu {

std::optional<LaneType> parseLaneType(llvm::StringRef name) {
  unsigned bits = 0;
  if (name == "bf16")
    return LaneType{'f', 2, FloatFormat::BFloat};
  if (name.size() < 3 || !llvm::StringRef("fuib").contains(name[0]) || name.drop_front().getAsInteger(10, bits) ||
      !llvm::is_contained({16u, 32u, 64u}, bits))
    return std::nullopt;
  LaneType type{name[0], bits / 8, std::nullopt};
  if (type.kind == 'f')
    type.format = bits == 16 ? FloatFormat::Half : bits == 32 ? FloatFormat::Single : FloatFormat::Double;
  return type;
}

//===--- Operands -----------------------------------------------------------------------------------------------===//

/// Results come first, then arguments. An argument that is tied to a result is the initial value of the result.
llvm::Error AssemblyDecoder::bindOperands(const llvm::InlineAsm &assembly) {
  auto bytesOf = [&](llvm::Type *type) {
    return type->isPointerTy() ? 8 : decoder.elementBytes(type->getScalarType());
  };
  if (auto *results = llvm::dyn_cast<llvm::StructType>(call.getType())) {
    Registers all = decoder.defineNew(&call);
    llvm::ArrayRef<RegisterOffset> rest(all);
    for (llvm::Type *type : results->elements()) {
      llvm::SmallVector<llvm::Type *> components;
      decoder.flatten(type, components);
      operands.push_back({Registers(rest.take_front(components.size())), bytesOf(type), true});
      rest = rest.drop_front(components.size());
    }
  } else if (!call.getType()->isVoidTy()) {
    operands.push_back({decoder.defineNew(&call), bytesOf(call.getType()), true});
  }
  std::size_t results = operands.size(), argument = 0;
  for (const llvm::InlineAsm::ConstraintInfo &constraint : assembly.ParseConstraints()) {
    if (constraint.isIndirect)
      return decoder.refuse("inline assembly with memory as operands");
    if (constraint.Type != llvm::InlineAsm::isInput)
      continue;
    const llvm::Value *value = call.getArgOperand(argument++);
    llvm::Expected<Registers> registers = decoder.read(value);
    if (!registers)
      return registers.takeError();
    AssemblyValue input{std::move(*registers), bytesOf(value->getType())};
    unsigned tied = 0;
    if (!constraint.Codes.empty() && !llvm::StringRef(constraint.Codes[0]).getAsInteger(10, tied) && tied < results)
      regroup(input, operands[tied]);
    operands.push_back(std::move(input));
  }
  return llvm::Error::success();
}

llvm::Expected<AssemblyValue> AssemblyDecoder::find(llvm::StringRef name) const {
  unsigned index = 0;
  llvm::StringRef number = name;
  if (number.consume_front("$") && !number.trim("{}").getAsInteger(10, index) && index < operands.size())
    return operands[index];
  return decoder.refuse("the operand `" + name + "` in inline assembly");
}

llvm::Expected<AssemblyValue> AssemblyDecoder::findResult(const AssemblyInstruction &instruction) const {
  llvm::Expected<AssemblyValue> result = find(instruction.operands.front().name);
  if (result && !result->isResult)
    return decoder.refuse("`" + instruction.text + "` in inline assembly: it writes an input");
  return result;
}

/// Integers stand for their bits also where a float is expected, as the assembler takes them.
static std::optional<uint64_t> parseNumber(llvm::StringRef text, const LaneType &type) {
  int64_t integer = 0;
  uint64_t wide = 0;
  if (!text.getAsInteger(0, integer))
    return uint64_t(integer);
  if (!text.getAsInteger(0, wide))
    return wide;
  double number = 0;
  if (text.getAsDouble(number) || (type.bytes == 8 && !type.format))
    return std::nullopt;
  if (type.bytes == 8)
    return bitCast<uint64_t>(number);
  if (type.bytes == 4)
    return bitCast<uint32_t>(float(number));
  return type.format == FloatFormat::BFloat ? bfloatFromFloat(float(number)) : halfFromFloat(float(number));
}

llvm::Expected<RegisterOffset> AssemblyDecoder::source(const AssemblyInstruction &instruction, unsigned index,
                                                       const LaneType &type) {
  if (index >= instruction.operands.size() || instruction.operands[index].name.empty())
    return decoder.refuse("`" + instruction.text + "` in inline assembly");
  const AssemblyOperand &operand = instruction.operands[index];
  RegisterOffset value = 0;
  if (llvm::isDigit(operand.name.front()) || llvm::StringRef("-.").contains(operand.name.front())) {
    std::optional<uint64_t> bits = parseNumber(operand.name, type);
    if (!bits)
      return decoder.refuse("the number `" + operand.name + "` in inline assembly");
    value = decoder.constantRegister(*bits & llvm::maskTrailingOnes<uint64_t>(8 * type.bytes), type.bytes);
  } else {
    llvm::Expected<AssemblyValue> found = find(operand.name);
    if (!found)
      return found.takeError();
    // An instruction on 16 bits takes the low half of a register.
    bool isHalf = type.bytes == 2 && found->bytes() == 4;
    if (found->bytes() != type.bytes && !isHalf)
      return decoder.refuse("`" + instruction.text + "` in inline assembly: `" + operand.name + "` is of another size");
    AssemblyValue whole{{decoder.allocateRegister(type.bytes)}, type.bytes};
    if (isHalf)
      whole.parts.push_back(decoder.allocateRegister(type.bytes));
    regroup(*found, whole);
    value = whole.parts.front();
  }
  if ((operand.isNegated || operand.isAbsolute) && !type.format)
    return decoder.refuse("`" + instruction.text + "` in inline assembly");
  if (operand.isAbsolute)
    value = apply(findFloatUnary("fabs", *type.format), type.bytes, {value});
  return operand.isNegated ? apply(findFloatUnary("fneg", *type.format), type.bytes, {value}) : value;
}

llvm::Expected<AssemblyDecoder::Sources> AssemblyDecoder::sources(const AssemblyInstruction &instruction,
                                                                  const LaneType &type) {
  Sources result;
  for (unsigned i = 1; i < instruction.operands.size(); ++i) {
    llvm::Expected<RegisterOffset> value = source(instruction, i, type);
    if (!value)
      return value.takeError();
    result.push_back(*value);
  }
  return result;
}

llvm::Error AssemblyDecoder::give(const AssemblyInstruction &instruction, RegisterOffset value, unsigned bytes) {
  llvm::Expected<AssemblyValue> result = findResult(instruction);
  if (!result)
    return result.takeError();
  bool isHalf = bytes == 2 && result->bytes() == 4;
  if (result->bytes() != bytes && !isHalf)
    return decoder.refuse("`" + instruction.text + "` in inline assembly: its result has another size");
  AssemblyValue whole{{value}, bytes};
  if (isHalf)
    whole.parts.push_back(decoder.constantRegister(0, bytes));
  regroup(whole, *result);
  return llvm::Error::success();
}

/// The lanes of a condition, which only vcc can hold.
llvm::Expected<RegisterOffset> AssemblyDecoder::mask(llvm::StringRef name) {
  if (name != "vcc" && name != "vcc_lo")
    return decoder.refuse("the operand `" + name + "` in inline assembly");
  if (!condition)
    condition = decoder.allocateRegister(0);
  return *condition;
}

void AssemblyDecoder::regroup(const AssemblyValue &from, const AssemblyValue &to) {
  if (from.partBytes == to.partBytes && from.parts.size() == to.parts.size()) {
    for (auto [source, target] : llvm::zip_equal(from.parts, to.parts))
      decoder.emit(findCopy(from.partBytes), target, {source});
    return;
  }
  OperandList *list = decoder.operandList();
  list->inputs.assign(from.parts.begin(), from.parts.end());
  list->outputs.assign(to.parts.begin(), to.parts.end());
  list->inputBytes.assign(from.parts.size(), uint8_t(from.partBytes));
  list->outputBytes.assign(to.parts.size(), uint8_t(to.partBytes));
  decoder.emit(regroupBytes()).detail = list;
}

Registers AssemblyDecoder::split(RegisterOffset value, unsigned bytes, unsigned pieceBytes) {
  Registers pieces;
  for (unsigned i = 0; i < bytes / pieceBytes; ++i)
    pieces.push_back(decoder.allocateRegister(pieceBytes));
  regroup({{value}, bytes}, {pieces, pieceBytes});
  return pieces;
}

RegisterOffset AssemblyDecoder::join(llvm::ArrayRef<RegisterOffset> pieces, unsigned pieceBytes) {
  unsigned bytes = pieceBytes * unsigned(pieces.size());
  RegisterOffset value = decoder.allocateRegister(bytes);
  regroup({Registers(pieces), pieceBytes}, {{value}, bytes});
  return value;
}

RegisterOffset AssemblyDecoder::apply(Handler handler, unsigned bytes, llvm::ArrayRef<RegisterOffset> values) {
  isUnknown |= handler == nullptr;
  RegisterOffset result = decoder.allocateRegister(bytes);
  decoder.emit(handler, result, values);
  return result;
}

bool AssemblyDecoder::hasOnly(const AssemblyInstruction &instruction, llvm::ArrayRef<llvm::StringRef> modifiers) const {
  return llvm::all_of(instruction.modifiers,
                      [&](llvm::StringRef text) { return llvm::is_contained(modifiers, text.split(':').first); });
}

//===--- Instructions -------------------------------------------------------------------------------------------===//

/// A counter of accesses, as in `vmcnt(0)`; none if it is another one.
static std::optional<unsigned> countOf(llvm::StringRef text, llvm::StringRef counter) {
  unsigned count = 0;
  if (!text.consume_front(counter) || !text.consume_front("(") || !text.consume_back(")") ||
      text.getAsInteger(0, count))
    return std::nullopt;
  return count;
}

/// Only copies to shared memory are still in flight when an instruction has run.
AssemblyDecoder::Known AssemblyDecoder::decodeWaits(const AssemblyInstruction &instruction) {
  constexpr unsigned none = 63;
  unsigned left = none;
  llvm::SmallVector<llvm::StringRef> texts(instruction.modifiers.begin(), instruction.modifiers.end());
  for (const AssemblyOperand &operand : instruction.operands)
    texts.push_back(operand.name);
  for (llvm::StringRef text : texts) {
    unsigned counts = 0;
    if (!text.getAsInteger(0, counts))
      left = copiesLeft(counts);
    else if (std::optional<unsigned> count = countOf(text, "vmcnt"))
      left = *count;
    else if (text != "&" && !countOf(text, "lgkmcnt") && !countOf(text, "expcnt") && !countOf(text, "vscnt"))
      return false;
  }
  if (architecture.copiesToLds() && left < none)
    decoder.emit(waitCopyGroup()).immediate = left;
  return true;
}

/// Barriers and waits. Hints and delays change nothing that is computed.
AssemblyDecoder::Known AssemblyDecoder::decodeScheduling(const AssemblyInstruction &instruction) {
  llvm::StringRef name = instruction.name;
  bool hasSplitBarriers = architecture.generation >= 12;
  if (name == "s_waitcnt" && !hasSplitBarriers)
    return decodeWaits(instruction);
  auto barrier = llvm::StringSwitch<Handler>(name)
                     .Case("s_barrier", hasSplitBarriers ? nullptr : bareBarrierHandler())
                     .Case("s_barrier_signal", hasSplitBarriers ? bareArriveHandler() : nullptr)
                     .Case("s_barrier_wait", hasSplitBarriers ? bareWaitHandler() : nullptr)
                     .Default(nullptr);
  if (barrier) {
    if (name != "s_barrier" && (instruction.operands.size() != 1 || instruction.operands[0].name != "-1"))
      return false;
    decoder.emit(barrier);
    return true;
  }
  return (name.starts_with("s_wait_") && hasSplitBarriers) ||
         llvm::StringSwitch<bool>(name)
             .Cases({"s_nop", "s_setprio", "s_sleep", "s_clause", "s_delay_alu"}, true)
             .Default(false);
}

/// Instructions that give a lane the value of another one.
AssemblyDecoder::Known AssemblyDecoder::decodeLaneExchange(const AssemblyInstruction &instruction) {
  bool hasHalves = architecture.generation >= 10 && architecture.hasWave64;
  auto name = llvm::StringSwitch<llvm::StringRef>(instruction.name)
                  .Case("v_readfirstlane_b32", "readfirstlane")
                  .Case("v_readlane_b32", "readlane")
                  .Case("v_mbcnt_lo_u32_b32", "mbcnt.lo")
                  .Case("v_mbcnt_hi_u32_b32", "mbcnt.hi")
                  .Case("ds_bpermute_b32", hasHalves ? "ds.bpermute.halves" : "ds.bpermute")
                  .Case("ds_permute_b32", hasHalves ? "ds.permute.halves" : "ds.permute")
                  .Default("");
  unsigned arity = name == "readfirstlane" ? 1 : 2;
  if (name.empty() || instruction.operands.size() != 1 + arity || !instruction.modifiers.empty())
    return false;
  constexpr uint8_t bytes = 4;
  llvm::Expected<Sources> values = sources(instruction, {'b', bytes, std::nullopt});
  if (!values)
    return values.takeError();
  OperandList *list = decoder.operandList();
  list->inputs.assign(values->begin(), values->end());
  list->inputBytes.assign(values->size(), bytes);
  list->outputs = {decoder.allocateRegister(bytes)};
  list->outputBytes = {bytes};
  decoder.emit(findLaneOperation(name)).detail = list;
  return Intrinsic::known(give(instruction, list->outputs.front(), bytes));
}

AssemblyDecoder::Known AssemblyDecoder::decodeInstruction(const AssemblyInstruction &instruction) {
  for (auto decode :
       {&AssemblyDecoder::decodeScheduling, &AssemblyDecoder::decodeLaneExchange, &AssemblyDecoder::decodeBarrierWord,
        &AssemblyDecoder::decodeMove, &AssemblyDecoder::decodeCompare, &AssemblyDecoder::decodeSelection,
        &AssemblyDecoder::decodeConversion, &AssemblyDecoder::decodeDot, &AssemblyDecoder::decodeArithmetic}) {
    Known isKnown = (this->*decode)(instruction);
    if (!isKnown || *isKnown)
      return isKnown;
  }
  return false;
}

llvm::Error AssemblyDecoder::decode(const llvm::InlineAsm &assembly) {
  if (llvm::Error error = bindOperands(assembly))
    return error;
  isOfBarrier = assembly.getAsmString().contains("; barrier");
  std::string text = removeComments(assembly.getAsmString());
  for (const AssemblyInstruction &instruction : parseAssembly(text)) {
    Known isKnown = decodeInstruction(instruction);
    if (!isKnown)
      return isKnown.takeError();
    if (!*isKnown || isUnknown)
      return decoder.refuse("`" + instruction.text + "` in inline assembly");
  }
  return llvm::Error::success();
}

llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call, const llvm::InlineAsm &assembly) {
  return AssemblyDecoder(decoder, call).decode(assembly);
}

} // namespace triton::simulator::amdgpu
