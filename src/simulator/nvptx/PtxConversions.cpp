// PTX conversions and moves.
#include "simulator/nvptx/PtxDecoder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

using llvm::Instruction;

/// `cvt.pack.sat.u8.s32.b32 d, a, b, c`: b in the low bits, then a, both saturated, then the low bits of c. False for a
/// form that does not exist.
static bool packIntegers(Decoder &decoder, llvm::ArrayRef<llvm::StringRef> modifiers,
                         llvm::ArrayRef<RegisterOffset> given, RegisterOffset result) {
  std::optional<PtxType> to = modifiers.size() >= 4 ? parseType(modifiers[2]) : std::nullopt;
  bool hasRest = modifiers.size() == 5 && modifiers[4] == "b32";
  if (!to || !llvm::is_contained({1u, 2u}, to->bytes) || !llvm::is_contained({'u', 's'}, to->kind) || to->isPacked ||
      modifiers[1] != "sat" || modifiers[3] != "s32" || hasRest != (to->bytes == 1) ||
      modifiers.size() != 4 + hasRest || given.size() != 2 + hasRest)
    return false;
  unsigned bits = 8 * to->bytes;
  auto combine = [&](Handler handler, RegisterOffset a, uint64_t number) {
    RegisterOffset combined = decoder.allocateRegister(4);
    decoder.emit(handler, combined, {a, decoder.constantRegister(number & UINT32_MAX, 4)});
    return combined;
  };
  bool isSigned = to->kind == 's';
  auto saturate = [&](RegisterOffset value) {
    value = combine(findIntegerIntrinsic("smax", 4), value, isSigned ? uint64_t(llvm::minIntN(bits)) : 0);
    value = combine(findIntegerIntrinsic("smin", 4), value,
                    isSigned ? uint64_t(llvm::maxIntN(bits)) : llvm::maxUIntN(bits));
    return combine(findIntegerBinary(Instruction::And, 4), value, llvm::maxUIntN(bits));
  };
  RegisterOffset whole = saturate(given[1]);
  auto append = [&](RegisterOffset part, unsigned shift, RegisterOffset to) {
    RegisterOffset moved = combine(findIntegerBinary(Instruction::Shl, 4), part, shift);
    decoder.emit(findIntegerBinary(Instruction::Or, 4), to, {whole, moved});
    whole = to;
  };
  append(saturate(given[0]), bits, hasRest ? decoder.allocateRegister(4) : result);
  if (hasRest)
    append(given[2], 2 * bits, result);
  return true;
}

/// Conversions to and from pairs of narrow numbers, by LLVM's intrinsics for them, such as `ff2f16x2.rn`.
llvm::Expected<bool> PtxDecoder::convertPacked(const PtxInstruction &instruction, PtxRegister result) {
  if (instruction.has("pack")) {
    llvm::Expected<llvm::SmallVector<RegisterOffset, 3>> given = sources(instruction, {'b', 4, false, std::nullopt});
    if (!given)
      return given.takeError();
    return result.bytes == 4 && packIntegers(decoder, instruction.modifiers, *given, result.offset);
  }
  llvm::StringRef from = instruction.modifiers.back(), to = instruction.modifiers[instruction.modifiers.size() - 2];
  bool isNarrow = llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"e4m3x2", "e5m2x2", "e2m1x2"},
                               [&](llvm::StringRef format) { return to == format || from == format; });
  std::string name = isNarrow && from == "f32" ? "ff.to." + to.str()
                     : isNarrow                ? (from + ".to." + to).str()
                     : to.ends_with("x2")      ? ("ff2" + to).str()
                                               : ("f2" + to).str();
  for (llvm::StringRef modifier : llvm::ArrayRef(instruction.modifiers).drop_back(2))
    if (!(isNarrow && modifier == "satfinite")) // conversions to eight bits and less always saturate
      name += "." + modifier.str();
  int64_t flags = 0;
  Handler handler = findConversion(name, flags);
  unsigned resultBytes = to == "e2m1x2" ? 1 : to.starts_with("e") || to == "f16" || to == "bf16" ? 2 : 4;
  bool isPair = from == "f32" && to.ends_with("x2");
  if (!handler || result.bytes != resultBytes || instruction.operands.size() != (isPair ? 3u : 2u))
    return false;
  OperandList *list = decoder.operandList();
  auto halvesOf = [&](PtxRegister whole, bool split) {
    llvm::SmallVector<PtxRegister, 2> parts{whole};
    if (split)
      parts = {allocate(2), allocate(2)};
    return parts;
  };
  unsigned inputBytes = from == "f32" || from == "f16x2" ? 4 : from == "e2m1x2" ? 1 : 2;
  for (unsigned i = 1; i < instruction.operands.size(); ++i) {
    llvm::Expected<RegisterOffset> input = source(instruction, i, {'b', inputBytes, false, std::nullopt});
    if (!input)
      return input.takeError();
    auto parts = halvesOf({*input, inputBytes}, from == "f16x2");
    if (parts.size() == 2)
      regroup(decoder, {{*input, inputBytes}}, parts);
    if (inputBytes == 1) { // The conversions have 16 bits for the byte of PTX.
      parts = {allocate(2)};
      apply(findIntegerCast(Instruction::ZExt, 1, 2), parts[0].offset, {*input});
    }
    for (const PtxRegister &part : parts) {
      list->inputs.push_back(part.offset);
      list->inputBytes.push_back(uint8_t(part.bytes));
    }
  }
  auto outputs = halvesOf(resultBytes == 1 ? allocate(2) : result, to == "f16x2" || to == "bf16x2");
  for (const PtxRegister &part : outputs) {
    list->outputs.push_back(part.offset);
    list->outputBytes.push_back(uint8_t(part.bytes));
  }
  DecodedInstruction &conversion = decoder.emit(handler);
  conversion.detail = list;
  conversion.immediate = flags;
  if (outputs.size() == 2)
    regroup(decoder, outputs, {result});
  if (resultBytes == 1)
    apply(findIntegerCast(Instruction::Trunc, 2, 1), result.offset, {outputs[0].offset});
  return true;
}

/// A value in a register, of a type that may be narrower than the register.
llvm::Expected<std::optional<PtxRegister>> PtxDecoder::conversionSource(const PtxInstruction &instruction,
                                                                        const PtxType &type) {
  llvm::Expected<PtxRegister> input = find(instruction.operands.size() == 2 ? instruction.operands[1][0] : "");
  if (!input)
    return input.takeError();
  if (input->bytes == type.bytes)
    return *input;
  if (type.format || input->bytes < type.bytes)
    return std::nullopt;
  PtxRegister cut = allocate(type.bytes);
  apply(findIntegerCast(Instruction::Trunc, input->bytes, type.bytes), cut.offset, {input->offset});
  return cut;
}

/// Converts the integer `value` to type `to`, in a register that may be wider.
void PtxDecoder::resize(PtxRegister value, bool isSigned, const PtxType &to, PtxRegister result) {
  auto cast = [&](PtxRegister target) {
    unsigned opcode = value.bytes > target.bytes ? Instruction::Trunc
                      : isSigned                 ? Instruction::SExt
                                                 : Instruction::ZExt;
    apply(value.bytes == target.bytes ? findCopy(target.bytes) : findIntegerCast(opcode, value.bytes, target.bytes),
          target.offset, {value.offset});
    value = target;
  };
  if (to.bytes < value.bytes) {
    cast(allocate(to.bytes));
    isSigned = to.kind == 's';
  }
  cast(result);
}

llvm::Expected<bool> PtxDecoder::convert(const PtxInstruction &instruction, PtxRegister result) {
  if (instruction.modifiers.size() < 2)
    return false;
  if (instruction.has("pack"))
    return convertPacked(instruction, result);
  std::optional<PtxType> from = parseType(instruction.modifiers.back()),
                         to = parseType(instruction.modifiers[instruction.modifiers.size() - 2]);
  llvm::ArrayRef<llvm::StringRef> rules = llvm::ArrayRef(instruction.modifiers).drop_back(2);
  llvm::StringRef rule = rules.empty() ? "" : rules[0];
  // The function that makes a float whole, if the rule requires one.
  auto whole = llvm::StringSwitch<llvm::StringRef>(rule)
                   .Case("rni", "rint")
                   .Case("rmi", "floor")
                   .Case("rpi", "ceil")
                   .Case("rzi", "trunc")
                   .Default("");
  bool isPlain = from && to && !from->isPacked && !to->isPacked;
  if (!isPlain || (to->format && from->format && whole.empty() && !rule.empty() && rule != "rn"))
    return convertPacked(instruction, result);
  bool fits = to->format ? result.bytes == to->bytes : result.bytes >= to->bytes;
  if (rules.size() > 1 || instruction.has("sat") || instruction.has("ftz") || !fits)
    return false;
  llvm::Expected<std::optional<PtxRegister>> input = conversionSource(instruction, *from);
  if (!input)
    return input.takeError();
  if (!*input)
    return false;
  PtxRegister value = **input;
  if (from->format && to->format) {
    bool isRounding = from->format == to->format && !whole.empty();
    if (!isRounding && !whole.empty())
      return false;
    apply(isRounding ? findFloatUnary(whole, *from->format) : findFloatCast(*from->format, *to->format), result.offset,
          {value.offset});
    return true;
  }
  if (to->format) {
    if (rule != "rn")
      return false;
    apply(findIntegerToFloat(from->bytes, *to->format, from->kind == 's'), result.offset, {value.offset});
    decoder.program.instructions.back().immediate = from->kind == 's';
    return true;
  }
  bool isSigned = (from->format ? to : from)->kind == 's';
  if (from->format) {
    if (whole.empty())
      return false;
    PtxRegister rounded = allocate(from->bytes), integer = allocate(to->bytes);
    apply(findFloatUnary(whole, *from->format), rounded.offset, {value.offset});
    apply(findFloatToInteger(*from->format, to->bytes, isSigned), integer.offset, {rounded.offset});
    value = integer;
  }
  resize(value, isSigned, *to, result);
  return true;
}

/// mov of registers, immediates, special registers, and to and from `{low, high}`.
llvm::Expected<bool> PtxDecoder::move(const PtxInstruction &instruction) {
  if (instruction.operands.size() != 2 || instruction.modifiers.size() != 1)
    return false;
  std::optional<PtxType> type = parseType(instruction.modifiers[0]);
  const PtxOperand &to = instruction.operands[0], &from = instruction.operands[1];
  if (!type)
    return false;
  if (from[0].starts_with("%")) {
    llvm::Expected<PtxRegister> target = find(to[0]);
    if (!target)
      return target.takeError();
    auto [group, name] = from[0].drop_front().split('_'); // `%cluster_ctarank` is `cluster.ctarank`
    Handler handler = findSpecialRegister(name.empty() ? group.str() : (group + "." + name).str());
    if (!handler || target->bytes != 4)
      return false;
    apply(handler, target->offset, {});
    return true;
  }
  llvm::SmallVector<PtxRegister> targets, sources;
  for (auto [names, list] : {std::pair(&to, &targets), {&from, &sources}})
    for (llvm::StringRef name : *names) {
      if (list == &sources && from.size() == 1) {
        llvm::Expected<RegisterOffset> value = source(instruction, 1, *type);
        if (!value)
          return value.takeError();
        sources.push_back({*value, type->registerBytes()});
        continue;
      }
      if (!name.empty() && llvm::isDigit(name[0])) { // one of several numbers and registers
        auto bytes = unsigned(type->registerBytes() / from.size());
        std::optional<uint64_t> bits = ptx::parseImmediate(name, /*floatBytes=*/0);
        if (!bits)
          return false;
        sources.push_back(
            {decoder.constantRegister(*bits & llvm::maskTrailingOnes<uint64_t>(8 * bytes), bytes), bytes});
        continue;
      }
      llvm::Expected<PtxRegister> found = find(name);
      if (!found)
        return found.takeError();
      list->push_back(*found);
    }
  auto total = [](llvm::ArrayRef<PtxRegister> list) {
    unsigned bytes = 0;
    for (const PtxRegister &part : list)
      bytes += part.bytes;
    return bytes;
  };
  if (total(targets) != total(sources))
    return false;
  if (targets.size() == 1 && sources.size() == 1)
    apply(findCopy(targets[0].bytes), targets[0].offset, {sources[0].offset});
  else
    regroup(decoder, sources, targets);
  return true;
}

} // namespace triton::simulator::nvptx
