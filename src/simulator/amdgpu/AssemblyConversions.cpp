// Conversions and dot products of inline assembly.
#include "simulator/amdgpu/AssemblyDecoder.h"
#include "simulator/amdgpu/Conversion.h"
#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::amdgpu {

using llvm::Instruction;

static constexpr LaneType word{'b', 4, std::nullopt}, single{'f', 4, FloatFormat::Single};

/// Between types of 16 to 64 bits; null if there is no such instruction.
static Handler findConversion(const LaneType &from, const LaneType &to) {
  if (from.format && to.format)
    return from.format == to.format ? nullptr : findFloatCast(*from.format, *to.format);
  if (from.format && to.kind != 'b')
    return findFloatToInteger(*from.format, to.bytes, to.isSigned());
  if (to.format && from.kind != 'b')
    return findIntegerToFloat(from.bytes, *to.format, from.isSigned());
  return nullptr;
}

/// Two f32 become the halves of a word.
AssemblyDecoder::Known AssemblyDecoder::decodePackedConversion(const AssemblyInstruction &instruction,
                                                               llvm::StringRef to, llvm::StringRef from) {
  bool towardZero = to == "pkrtz_f16" || to == "pk_rtz_f16", isExact = to == "pk_bf16" || to == "pk_f16";
  if ((!towardZero && !isExact) || from != "f32" || instruction.operands.size() != 3 || !instruction.modifiers.empty())
    return false;
  // The name of the first kind depends on the generation, and only some processors have the second kind.
  bool hasShortName = architecture.generation < 10;
  if (towardZero ? hasShortName != (to == "pkrtz_f16") : !architecture.isGfx950() && !architecture.isGfx1250())
    return false;
  llvm::Expected<Sources> values = sources(instruction, single);
  if (!values)
    return values.takeError();
  constexpr unsigned half = 2;
  Registers halves;
  if (towardZero) {
    halves = {decoder.allocateRegister(half), decoder.allocateRegister(half)};
    OperandList *list = decoder.operandList();
    list->inputs.assign(values->begin(), values->end());
    list->outputs.assign(halves.begin(), halves.end());
    decoder.emit(packingTowardZero()).detail = list;
  } else {
    FloatFormat format = to == "pk_bf16" ? FloatFormat::BFloat : FloatFormat::Half;
    for (RegisterOffset value : *values)
      halves.push_back(apply(findFloatCast(FloatFormat::Single, format), half, {value}));
  }
  return Intrinsic::known(give(instruction, join(halves, half), word.bytes));
}

/// Between f32 and 8-bit floats. `op_sel` says which half of the result is written, or read.
AssemblyDecoder::Known AssemblyDecoder::decodeNarrowFloats(const AssemblyInstruction &instruction, llvm::StringRef to,
                                                           llvm::StringRef from) {
  bool isPacked = to.consume_front("pk_"), isWidening = to == "f32";
  llvm::StringRef narrow = isWidening ? from : to;
  if ((narrow != "fp8" && narrow != "bf8") || (!isWidening && (from != "f32" || !isPacked)) ||
      !architecture.hasEightBitFloats())
    return false;
  unsigned count = isWidening ? 1 : 2;
  if (instruction.operands.size() != 1 + count || !hasOnly(instruction, {"op_sel"}))
    return false;
  auto selected = instruction.list("op_sel", count + 1, 0);
  bool isHigh = isWidening ? isPacked && selected.front() : selected.back();
  Conversion conversion{eightBitFormat(architecture, narrow == "bf8"),
                        FloatFormat::Single,
                        {},
                        4,
                        {},
                        {},
                        4,
                        {},
                        {},
                        decoder.constantRegister(isHigh, 4),
                        false};
  llvm::Expected<Sources> values = sources(instruction, isWidening ? word : single);
  llvm::Expected<AssemblyValue> result = findResult(instruction);
  if (llvm::Error error = llvm::joinErrors(values.takeError(), result.takeError()))
    return std::move(error);
  conversion.values.assign(values->begin(), values->end());
  unsigned resultBytes = isWidening && isPacked ? 8 : 4;
  if (result->bytes() != resultBytes)
    return false;
  for (unsigned i = 0; i < resultBytes / 4; ++i)
    conversion.outputs.push_back(decoder.allocateRegister(4));
  if (!isWidening) { // the other half of the result remains
    conversion.old = {decoder.allocateRegister(4)};
    regroup(*result, {conversion.old, 4});
  }
  auto detail = std::make_shared<Conversion>(std::move(conversion));
  decoder.emit(isWidening ? wideningConversion() : narrowingConversion()).detail = detail.get();
  regroup({detail->outputs, 4}, *result);
  decoder.program.details.push_back(std::move(detail));
  return true;
}

AssemblyDecoder::Known AssemblyDecoder::decodeConversion(const AssemblyInstruction &instruction) {
  llvm::StringRef name = instruction.name;
  if (!name.consume_front("v_cvt_"))
    return false;
  auto [to, from] = name.rsplit('_');
  for (auto decode : {&AssemblyDecoder::decodePackedConversion, &AssemblyDecoder::decodeNarrowFloats}) {
    Known isKnown = (this->*decode)(instruction, to, from);
    if (!isKnown || *isKnown)
      return isKnown;
  }
  if (instruction.operands.size() != 2 || !instruction.modifiers.empty())
    return false;
  bool rounds = to.consume_front("flr_") || to.consume_front("floor_"), isOffset = to.consume_front("off_");
  unsigned byte = 0;
  bool isByte = from.consume_front("ubyte") && !from.getAsInteger(10, byte) && byte < 4, isNibble = from == "i4";
  std::optional<LaneType> target = parseLaneType(to),
                          given = isByte || isNibble ? std::optional(word) : parseLaneType(from);
  if (!target || !given || isOffset != isNibble || ((isByte || isNibble) && to != "f32"))
    return false;
  llvm::Expected<RegisterOffset> value = source(instruction, 1, *given);
  if (!value)
    return value.takeError();
  RegisterOffset result = *value;
  auto shift = [&](unsigned opcode, unsigned bits) {
    result = apply(findIntegerBinary(opcode, word.bytes), word.bytes, {result, decoder.constantRegister(bits, 4)});
  };
  if (isByte) {
    result = split(result, word.bytes, 1)[byte];
    given = LaneType{'u', 1, std::nullopt};
  } else if (isNibble) { // sixteenths, with a sign
    shift(Instruction::Shl, 28);
    shift(Instruction::AShr, 28);
    given = LaneType{'i', 4, std::nullopt};
  } else if (rounds) {
    if (!given->format)
      return false;
    result = apply(findFloatUnary("floor", *given->format), given->bytes, {result});
  }
  result = apply(findConversion(*given, *target), target->bytes, {result});
  if (isNibble)
    result = apply(findFloatIntrinsic("mul", FloatFormat::Single), 4,
                   {result, decoder.constantRegister(/*1/16=*/0x3d800000, 4)});
  return Intrinsic::known(give(instruction, result, target->bytes));
}

/// v_dot2_f32_f16, v_dot4_i32_i8 and their like: the products of two words' elements and a sum. Those of floats are
/// fused multiply-adds one after another; nothing is published about their rounding.
AssemblyDecoder::Known AssemblyDecoder::decodeDot(const AssemblyInstruction &instruction) {
  struct Dot {
    llvm::StringLiteral name;
    unsigned elementBytes;
    char kind;
    FloatFormat format;
  };
  static constexpr Dot dots[] = {
      {"v_dot2_f32_f16", 2, 'f', FloatFormat::Half},   {"v_dot2_f32_bf16", 2, 'f', FloatFormat::BFloat},
      {"v_dot2_i32_i16", 2, 'i', FloatFormat::Single}, {"v_dot2_u32_u16", 2, 'u', FloatFormat::Single},
      {"v_dot4_i32_i8", 1, 'i', FloatFormat::Single},  {"v_dot4_u32_u8", 1, 'u', FloatFormat::Single},
  };
  const auto *dot = llvm::find_if(dots, [&](const Dot &known) { return known.name == instruction.name; });
  if (dot == std::end(dots) || instruction.operands.size() != 4 || !instruction.modifiers.empty())
    return false;
  llvm::Expected<Sources> words = sources(instruction, word);
  if (!words)
    return words.takeError();
  Handler widen = dot->kind == 'f' ? findFloatCast(dot->format, FloatFormat::Single)
                                   : findIntegerCast(dot->kind == 'i' ? Instruction::SExt : Instruction::ZExt,
                                                     dot->elementBytes, word.bytes);
  RegisterOffset sum = (*words)[2];
  for (auto [a, b] : llvm::zip_equal(split((*words)[0], word.bytes, dot->elementBytes),
                                     split((*words)[1], word.bytes, dot->elementBytes))) {
    RegisterOffset left = apply(widen, word.bytes, {a}), right = apply(widen, word.bytes, {b});
    if (dot->kind == 'f') {
      sum = apply(findFloatIntrinsic("fma", FloatFormat::Single), word.bytes, {left, right, sum});
      continue;
    }
    RegisterOffset product = apply(findIntegerBinary(Instruction::Mul, word.bytes), word.bytes, {left, right});
    sum = apply(findIntegerBinary(Instruction::Add, word.bytes), word.bytes, {product, sum});
  }
  return Intrinsic::known(give(instruction, sum, word.bytes));
}

} // namespace triton::simulator::amdgpu
