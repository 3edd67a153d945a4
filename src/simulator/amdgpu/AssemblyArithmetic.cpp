// Arithmetic, logic, comparisons and moves of inline assembly.
#include "simulator/amdgpu/AssemblyDecoder.h"
#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::amdgpu {

using llvm::CmpInst;
using llvm::Instruction;

namespace {

/// Which instructions have an operation: those on registers of lanes, those on registers of waves.
enum Units : uint8_t { Vector = 1, Scalar = 2, Both = 3 };

/// An operation as one or two steps, each an operation of LLVM: the second one takes the result of the first and the
/// last operand.
struct Form {
  llvm::StringLiteral name, first, second;
  unsigned arity;
  bool isReversed = false; ///< the first two operands change places
  Units units = Vector;
};

constexpr Form floatForms[] = {
    {"add", "add", "", 2},
    {"sub", "sub", "", 2},
    {"subrev", "sub", "", 2, true},
    {"mul", "mul", "", 2},
    {"mul_legacy", "fmul.legacy", "", 2},
    {"fma", "fma", "", 3},
    {"min", "minnum", "", 2},
    {"max", "maxnum", "", 2},
    {"min_num", "minnum", "", 2},
    {"max_num", "maxnum", "", 2},
    {"minimum", "minimum", "", 2},
    {"maximum", "maximum", "", 2},
    {"min3", "minnum", "minnum", 3},
    {"max3", "maxnum", "maxnum", 3},
    {"med3", "fmed3", "", 3},
    {"sqrt", "sqrt", "", 1},
    {"rcp", "rcp", "", 1},
    {"rsq", "rsqrt", "", 1},
    {"exp", "exp2", "", 1},
    {"log", "log2", "", 1},
    {"sin", "turn.sin", "", 1},
    {"cos", "turn.cos", "", 1},
    {"fract", "fract", "", 1},
    {"floor", "floor", "", 1},
    {"ceil", "ceil", "", 1},
    {"trunc", "trunc", "", 1},
    {"rndne", "roundeven", "", 1},
};

constexpr Form integerForms[] = {
    {"and", "and", "", 2, false, Both},
    {"or", "or", "", 2, false, Both},
    {"xor", "xor", "", 2, false, Both},
    {"not", "not", "", 1, false, Both},
    {"xnor", "xor", "not", 2, false, Both},
    {"add", "add", "", 2, false, Both},
    {"sub", "sub", "", 2, false, Both},
    {"subrev", "sub", "", 2, true},
    {"mul_lo", "mul", "", 2},
    {"mul", "mul", "", 2, false, Scalar},
    {"mul_hi", "mulhi", "", 2, false, Both},
    {"min", "min", "", 2, false, Both},
    {"max", "max", "", 2, false, Both},
    {"min3", "min", "min", 3},
    {"max3", "max", "max", 3},
    {"lshl", "shl", "", 2, false, Scalar},
    {"lshr", "lshr", "", 2, false, Scalar},
    {"ashr", "ashr", "", 2, false, Scalar},
    {"lshlrev", "shl", "", 2, true},
    {"lshrrev", "lshr", "", 2, true},
    {"ashrrev", "ashr", "", 2, true},
    {"lshl_add", "shl", "add", 3},
    {"add_lshl", "add", "shl", 3},
    {"lshl_or", "shl", "or", 3},
    {"and_or", "and", "or", 3},
    {"or3", "or", "or", 3},
    {"add3", "add", "add", 3},
    {"xad", "xor", "add", 3},
    {"mad", "mul", "add", 3},
    {"bfe", "bfe", "", 3},
    {"bfrev", "bitreverse", "", 1},
    {"alignbit", "fshr", "", 3},
    {"alignbyte", "alignbyte", "", 3},
    {"perm", "perm", "", 3},
    {"sad", "sad.u", "", 3},
    {"bcnt_u32", "ctpop", "add", 2},
    {"mul_u32", "mul.u24", "", 2},
    {"mul_i32", "mul.i24", "", 2},
    {"mul_hi_u32", "mulhi.u24", "", 2},
    {"mul_hi_i32", "mulhi.i24", "", 2},
    {"mad_u32", "mul.u24", "add", 3},
    {"mad_i32", "mul.i24", "add", 3},
};

const Form *findForm(llvm::ArrayRef<Form> forms, llvm::StringRef name) {
  const auto *found = llvm::find_if(forms, [&](const Form &form) { return form.name == name; });
  return found == forms.end() ? nullptr : found;
}

/// What the name of an instruction says: `v_lshl_add_u32` is the operation lshl_add of u32.
struct OperationName {
  bool isVector = false, isPacked = false;
  llvm::StringRef operation;
  LaneType type;

  static std::optional<OperationName> parse(llvm::StringRef text) {
    OperationName name;
    name.isVector = text.consume_front("v_");
    if (!name.isVector && !text.consume_front("s_"))
      return std::nullopt;
    name.isPacked = text.consume_front("pk_");
    llvm::StringRef typeName;
    std::tie(name.operation, typeName) = text.rsplit('_');
    // Products of 24 bits have results of 32.
    bool is24 = typeName == "u24" || typeName == "i24";
    std::optional<LaneType> type = is24 ? LaneType{typeName[0], 4, std::nullopt} : parseLaneType(typeName);
    bool namesWord = name.operation.ends_with("_u32") || name.operation.ends_with("_i32");
    if (!type || (is24 != namesWord && name.operation != "bcnt_u32"))
      return std::nullopt;
    name.type = *type;
    return name;
  }
};

} // namespace

//===--- Moves, comparisons and selections ----------------------------------------------------------------------===//

AssemblyDecoder::Known AssemblyDecoder::decodeMove(const AssemblyInstruction &instruction) {
  llvm::StringRef name = instruction.name;
  unsigned bytes = llvm::StringSwitch<unsigned>(name)
                       .Cases({"v_mov_b32", "s_mov_b32"}, 4)
                       .Cases({"v_mov_b64", "s_mov_b64"}, 8)
                       .Default(0);
  if (bytes == 0 || instruction.operands.size() != 2 || !instruction.modifiers.empty())
    return false;
  llvm::Expected<RegisterOffset> value = source(instruction, 1, {'b', bytes, std::nullopt});
  if (!value)
    return value.takeError();
  return Intrinsic::known(give(instruction, *value, bytes));
}

static Handler findComparison(llvm::StringRef predicate, const LaneType &type) {
  if (type.format) {
    auto found = llvm::StringSwitch<CmpInst::Predicate>(predicate)
                     .Case("lt", CmpInst::FCMP_OLT)
                     .Case("eq", CmpInst::FCMP_OEQ)
                     .Case("le", CmpInst::FCMP_OLE)
                     .Case("gt", CmpInst::FCMP_OGT)
                     .Case("lg", CmpInst::FCMP_ONE)
                     .Case("ge", CmpInst::FCMP_OGE)
                     .Case("o", CmpInst::FCMP_ORD)
                     .Case("u", CmpInst::FCMP_UNO)
                     .Case("nge", CmpInst::FCMP_ULT)
                     .Case("nlg", CmpInst::FCMP_UEQ)
                     .Case("ngt", CmpInst::FCMP_ULE)
                     .Case("nle", CmpInst::FCMP_UGT)
                     .Case("neq", CmpInst::FCMP_UNE)
                     .Case("nlt", CmpInst::FCMP_UGE)
                     .Default(CmpInst::BAD_FCMP_PREDICATE);
    return found == CmpInst::BAD_FCMP_PREDICATE ? nullptr : findFloatCompare(found, *type.format);
  }
  bool isSigned = type.isSigned();
  auto found = llvm::StringSwitch<CmpInst::Predicate>(predicate)
                   .Case("lt", isSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
                   .Case("eq", CmpInst::ICMP_EQ)
                   .Case("le", isSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
                   .Case("gt", isSigned ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
                   .Case("ne", CmpInst::ICMP_NE)
                   .Case("ge", isSigned ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
                   .Default(CmpInst::BAD_ICMP_PREDICATE);
  return found == CmpInst::BAD_ICMP_PREDICATE ? nullptr : findIntegerCompare(found, type.bytes);
}

/// v_cmp_lt_f32 vcc, a, b.
AssemblyDecoder::Known AssemblyDecoder::decodeCompare(const AssemblyInstruction &instruction) {
  llvm::StringRef name = instruction.name;
  if (!name.consume_front("v_cmp_") || instruction.operands.size() != 3 || !instruction.modifiers.empty())
    return false;
  auto [predicate, typeName] = name.split('_');
  std::optional<LaneType> type = parseLaneType(typeName);
  Handler handler = type && type->kind != 'b' ? findComparison(predicate, *type) : nullptr;
  if (!handler)
    return false;
  llvm::Expected<Sources> values = sources(instruction, *type);
  if (!values)
    return values.takeError();
  llvm::Expected<RegisterOffset> lanes = mask(instruction.operands.front().name);
  if (!lanes)
    return lanes.takeError();
  decoder.emit(handler, *lanes, *values);
  return true;
}

/// v_cndmask_b32 d, a, b, vcc: b where the condition is true.
AssemblyDecoder::Known AssemblyDecoder::decodeSelection(const AssemblyInstruction &instruction) {
  constexpr LaneType word{'b', 4, std::nullopt};
  if (instruction.name != "v_cndmask_b32" || instruction.operands.size() != 4 || !instruction.modifiers.empty() ||
      !condition)
    return false;
  llvm::Expected<RegisterOffset> lanes = mask(instruction.operands.back().name),
                                 otherwise = source(instruction, 1, word), value = source(instruction, 2, word);
  if (llvm::Error error =
          llvm::joinErrors(llvm::joinErrors(lanes.takeError(), otherwise.takeError()), value.takeError()))
    return std::move(error);
  return Intrinsic::known(
      give(instruction, apply(findSelect(word.bytes), word.bytes, {*lanes, *value, *otherwise}), word.bytes));
}

//===--- Arithmetic ---------------------------------------------------------------------------------------------===//

static Handler findFloatStep(const Decoder &decoder, llvm::StringRef step, FloatFormat format) {
  // exp and log flush subnormal numbers always, the others as the kernel's mode says.
  bool flushes = (step == "exp2" || step == "log2") && format == FloatFormat::Single;
  std::string name = (step + (flushes ? ".ftz" : decoder.flushSuffix(format))).str();
  if (Handler handler = findFloatUnary(name, format))
    return handler;
  if (Handler handler = findFloatIntrinsic(name, format))
    return handler;
  return findLaneMath(step, format);
}

static Handler findIntegerStep(llvm::StringRef step, const LaneType &type) {
  unsigned opcode = llvm::StringSwitch<unsigned>(step)
                        .Case("add", Instruction::Add)
                        .Case("sub", Instruction::Sub)
                        .Case("mul", Instruction::Mul)
                        .Case("and", Instruction::And)
                        .Case("or", Instruction::Or)
                        .Cases({"xor", "not"}, Instruction::Xor)
                        .Case("shl", Instruction::Shl)
                        .Case("lshr", Instruction::LShr)
                        .Case("ashr", Instruction::AShr)
                        .Default(0);
  if (opcode)
    return findIntegerBinary(opcode, type.bytes);
  bool isSigned = type.isSigned();
  step = llvm::StringSwitch<llvm::StringRef>(step)
             .Case("min", isSigned ? "smin" : "umin")
             .Case("max", isSigned ? "smax" : "umax")
             .Case("mulhi", isSigned ? "mulhi.s" : "mulhi.u")
             .Case("bfe", isSigned ? "sbfe" : "ubfe")
             .Default(step);
  if (Handler handler = findIntegerIntrinsic(step, type.bytes))
    return handler;
  return type.bytes == 4 ? findIntegerMath(step) : nullptr;
}

/// Shifts take the low bits of the amount.
RegisterOffset AssemblyDecoder::applyStep(llvm::StringRef step, const LaneType &type, Sources sources) {
  if (type.format)
    return apply(findFloatStep(decoder, step, *type.format), type.bytes, sources);
  if (step == "not")
    sources.push_back(decoder.constantRegister(llvm::maskTrailingOnes<uint64_t>(8 * type.bytes), type.bytes));
  if (step == "shl" || step == "lshr" || step == "ashr")
    sources[1] = apply(findIntegerBinary(Instruction::And, type.bytes), type.bytes,
                       {sources[1], decoder.constantRegister(8 * type.bytes - 1, type.bytes)});
  return apply(findIntegerStep(step, type), type.bytes, sources);
}

std::optional<RegisterOffset> AssemblyDecoder::computeInteger(llvm::StringRef operation, const LaneType &type,
                                                              const Sources &sources) {
  auto step = [&](llvm::StringRef name, RegisterOffset a, RegisterOffset b) { return applyStep(name, type, {a, b}); };
  if (sources.size() != 3)
    return std::nullopt;
  RegisterOffset a = sources[0], b = sources[1], c = sources[2];
  if (operation == "bfi") // the bits of b where those of a are set, elsewhere those of c
    return step("xor", step("and", step("xor", b, c), a), c);
  if (operation == "med3")
    return step("max", step("min", a, b), step("min", step("max", a, b), c));
  return std::nullopt;
}

/// None if there is no such operation.
std::optional<RegisterOffset> AssemblyDecoder::compute(llvm::StringRef operation, const LaneType &type,
                                                       Sources sources) {
  const Form *form = findForm(type.format ? llvm::ArrayRef(floatForms) : integerForms, operation);
  if (!form)
    return type.format ? std::nullopt : computeInteger(operation, type, sources);
  if (sources.size() != form->arity)
    return std::nullopt;
  if (form->isReversed)
    std::swap(sources[0], sources[1]);
  if (form->second.empty())
    return applyStep(form->first, type, sources);
  // The last operand belongs to the second step, unless that has one operand.
  bool isUnary = form->second == "not";
  RegisterOffset last = sources.back();
  RegisterOffset partial = applyStep(form->first, type, isUnary ? sources : Sources(llvm::drop_end(sources)));
  return applyStep(form->second, type, isUnary ? Sources{partial} : Sources{partial, last});
}

/// Both halves of registers. `op_sel` says which half of an operand the low half of the result takes, `op_sel_hi` which
/// the high one, and `neg_lo` and `neg_hi` which are negated.
AssemblyDecoder::Known AssemblyDecoder::decodePacked(const AssemblyInstruction &instruction, llvm::StringRef operation,
                                                     const LaneType &type) {
  unsigned count = unsigned(instruction.operands.size()) - 1, bytes = 2 * type.bytes;
  if (!hasOnly(instruction, {"op_sel", "op_sel_hi", "neg_lo", "neg_hi"}))
    return false;
  llvm::SmallVector<Registers, 3> halves;
  for (unsigned i = 1; i <= count; ++i) {
    const AssemblyOperand &operand = instruction.operands[i];
    bool isNumber = !operand.name.starts_with("$");
    if ((isNumber && operand.name != "0") || operand.isNegated || operand.isAbsolute)
      return false; // Numbers stand in one half alone, or in both, as the architecture is.
    llvm::Expected<RegisterOffset> value = source(instruction, i, {'b', bytes, std::nullopt});
    if (!value)
      return value.takeError();
    halves.push_back(split(*value, bytes, type.bytes));
  }
  Registers results;
  for (bool isHigh : {false, true}) {
    auto selected = instruction.list(isHigh ? "op_sel_hi" : "op_sel", count, isHigh),
         negated = instruction.list(isHigh ? "neg_hi" : "neg_lo", count, 0);
    Sources values;
    for (unsigned i = 0; i < count; ++i) {
      RegisterOffset value = halves[i][selected[i]];
      if (negated[i] && !type.format)
        return false;
      values.push_back(negated[i] ? apply(findFloatUnary("fneg", *type.format), type.bytes, {value}) : value);
    }
    std::optional<RegisterOffset> result = compute(operation, type, values);
    if (!result)
      return false;
    results.push_back(*result);
  }
  return Intrinsic::known(give(instruction, join(results, type.bytes), bytes));
}

AssemblyDecoder::Known AssemblyDecoder::decodeArithmetic(const AssemblyInstruction &instruction) {
  std::optional<OperationName> name = OperationName::parse(instruction.name);
  if (!name || instruction.operands.size() < 2)
    return false;
  llvm::StringRef operation = name->operation;
  const LaneType &type = name->type;
  // Sums that leave no carry have another name from generation 10 on.
  bool isNamedSo = operation.consume_back("_nc");
  bool isSum =
      name->isVector && !name->isPacked && !type.format && llvm::is_contained({"add", "sub", "subrev"}, operation);
  if (isNamedSo != (isSum && architecture.generation >= 10))
    return false;
  const Form *form = findForm(type.format ? llvm::ArrayRef(floatForms) : integerForms, operation);
  if (form && !(form->units & (name->isVector ? Vector : Scalar)))
    return false;
  if (name->isPacked)
    return decodePacked(instruction, operation, type);
  bool clamps = llvm::is_contained(instruction.modifiers, "clamp");
  if (!hasOnly(instruction, {"clamp"}) || (clamps && !type.format))
    return false;
  bool accumulates = type.format && operation == "fmac", scales = type.format && operation == "ldexp";
  Sources values;
  for (unsigned i = 1; i < instruction.operands.size(); ++i) {
    llvm::Expected<RegisterOffset> value =
        source(instruction, i, scales && i == 2 ? LaneType{'i', 4, std::nullopt} : type);
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  if (accumulates) {
    llvm::Expected<RegisterOffset> sum = source(instruction, 0, type);
    if (!sum)
      return sum.takeError();
    values.push_back(*sum);
  }
  std::optional<RegisterOffset> result;
  if (scales && values.size() == 2) {
    result = apply(findLaneMath("ldexp", *type.format), type.bytes, values);
    decoder.program.instructions.back().immediate = 4; // bytes of the power
  } else {
    result = compute(accumulates ? "fma" : operation, type, values);
  }
  if (!result)
    return false;
  if (clamps)
    result = apply(findFloatUnary("saturate", *type.format), type.bytes, {*result});
  return Intrinsic::known(give(instruction, *result, type.bytes));
}

} // namespace triton::simulator::amdgpu
