// PTX arithmetic, logic and comparisons.
#include "simulator/nvptx/PtxDecoder.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

using llvm::Instruction;

/// The handler's name for a float instruction, without its rounding; empty if there is none.
static std::string floatOperation(const PtxInstruction &instruction) {
  llvm::StringRef opcode = instruction.opcode;
  if (opcode == "min" || opcode == "max") {
    std::string name = (opcode + (instruction.has("NaN") ? "imum" : "num")).str();
    return instruction.has("xorsign") ? name + ".xorsign" : name;
  }
  if (opcode == "div" && (instruction.has("full") || instruction.has("approx")))
    return instruction.has("full") ? "div.full" : "div.approx";
  if (opcode == "fma" && instruction.has("relu"))
    return "fma.relu";
  return llvm::StringSwitch<std::string>(opcode)
      .Cases({"add", "sub", "mul", "div", "fma", "sqrt", "rcp", "rsqrt", "sin", "cos", "tanh"}, opcode.str())
      .Case("mad", "fma")
      .Case("neg", "fneg")
      .Case("abs", "fabs")
      .Case("ex2", "exp2")
      .Case("lg2", "log2")
      .Default("");
}

static unsigned floatArity(llvm::StringRef name) {
  name = name.split('.').first;
  if (name == "fma")
    return 3;
  return llvm::is_contained({"add", "sub", "mul", "div", "minnum", "maxnum", "minimum", "maximum"}, name) ? 2 : 1;
}

llvm::Expected<bool> PtxDecoder::computeFloat(const PtxInstruction &instruction, const PtxType &type,
                                              PtxRegister result) {
  std::string name = floatOperation(instruction);
  bool isApproximate = instruction.has("approx"), isWide = type.bytes > 2;
  if (name.empty() || instruction.has("sat") || (isApproximate && !isWide))
    return false;
  Handler handler = nullptr;
  for (llvm::StringRef rounding : {"rz", "rm", "rp"})
    if (instruction.has(rounding))
      handler = findDirectedRounding((name + "." + rounding).str(), *type.format);
  if (!handler && !instruction.has("rz") && !instruction.has("rm") && !instruction.has("rp")) {
    if (instruction.has("ftz") || (type.bytes == 4 && !decoder.flushSuffix(FloatFormat::Single).empty()))
      name += ".ftz";
    handler = findFloatOperation(name, *type.format);
  }
  if (!handler || result.bytes != type.registerBytes() || instruction.operands.size() != 1 + floatArity(name))
    return false;
  auto given = sources(instruction, type);
  if (!given)
    return given.takeError();
  if (!type.isPacked) {
    apply(handler, result.offset, *given);
    return true;
  }
  llvm::SmallVector<RegisterOffset, 3> lows, highs;
  for (RegisterOffset operand : *given) {
    PtxRegister low = allocate(type.bytes), high = allocate(type.bytes);
    regroup(decoder, {{operand, result.bytes}}, {low, high});
    lows.push_back(low.offset);
    highs.push_back(high.offset);
  }
  PtxRegister low = allocate(type.bytes), high = allocate(type.bytes);
  apply(handler, low.offset, lows);
  apply(handler, high.offset, highs);
  regroup(decoder, {low, high}, {result});
  return true;
}

static Handler findIntegerOperation(const PtxInstruction &instruction, const PtxType &type) {
  bool isSigned = type.kind == 's';
  auto binary = [&](unsigned opcode) { return findIntegerBinary(opcode, type.bytes); };
  auto intrinsic = [&](llvm::StringRef name) { return findIntegerIntrinsic(name, type.bytes); };
  llvm::StringRef opcode = instruction.opcode;
  if (opcode == "mul")
    return instruction.has("hi")   ? intrinsic(isSigned ? "mulhi.s" : "mulhi.u")
           : instruction.has("lo") ? binary(Instruction::Mul)
                                   : nullptr;
  if (opcode == "prmt" && instruction.modifiers.size() == 2)
    return findPermute(("prmt." + instruction.modifiers[1]).str());
  return llvm::StringSwitch<Handler>(opcode)
      .Case("add", binary(Instruction::Add))
      .Case("sub", binary(Instruction::Sub))
      .Case("and", binary(Instruction::And))
      .Case("or", binary(Instruction::Or))
      .Case("xor", binary(Instruction::Xor))
      .Case("div", binary(isSigned ? Instruction::SDiv : Instruction::UDiv))
      .Case("rem", binary(isSigned ? Instruction::SRem : Instruction::URem))
      .Case("min", type.bytes ? intrinsic(isSigned ? "smin" : "umin") : nullptr)
      .Case("max", type.bytes ? intrinsic(isSigned ? "smax" : "umax") : nullptr)
      .Case("abs", type.bytes ? intrinsic("abs") : nullptr)
      .Case("brev", type.bytes ? intrinsic("bitreverse") : nullptr)
      .Case("fns", intrinsic("fns"))
      .Case("prmt", findPermute("prmt"))
      .Default(nullptr);
}

/// not, neg, popc, clz and bfind.
llvm::Expected<bool> PtxDecoder::computeBits(const PtxInstruction &instruction, const PtxType &type,
                                             PtxRegister result) {
  llvm::StringRef opcode = instruction.opcode;
  llvm::Expected<RegisterOffset> a = source(instruction, 1, type);
  if (!a)
    return a.takeError();
  if (opcode == "not") {
    apply(findIntegerBinary(Instruction::Xor, type.bytes), result.offset,
          {*a, decoder.constantRegister(~uint64_t(0), type.bytes)});
  } else if (opcode == "neg") {
    apply(findIntegerBinary(Instruction::Sub, type.bytes), result.offset,
          {decoder.constantRegister(0, type.bytes), *a});
  } else { // the count is a u32, whatever the type of the operand
    if (type.bytes < 4)
      return false;
    PtxRegister count = allocate(type.bytes);
    llvm::StringRef operation = opcode == "popc"              ? "ctpop"
                                : opcode == "clz"             ? "ctlz"
                                : instruction.has("shiftamt") ? "bfind.shiftamt"
                                                              : "bfind";
    apply(findIntegerIntrinsic(operation, type.bytes), count.offset, {*a});
    apply(type.bytes == 4 ? findCopy(4) : findIntegerCast(Instruction::Trunc, 8, 4), result.offset, {count.offset});
  }
  return true;
}

/// The amount is a u32, whatever the type of the operand. An amount that is too large gives zero, or the sign.
llvm::Expected<bool> PtxDecoder::shift(const PtxInstruction &instruction, const PtxType &type, PtxRegister result) {
  llvm::Expected<RegisterOffset> a = source(instruction, 1, type);
  if (!a)
    return a.takeError();
  llvm::Expected<RegisterOffset> amount = source(instruction, 2, {'u', 4, false, std::nullopt});
  if (!amount)
    return amount.takeError();
  PtxRegister resized = allocate(type.bytes);
  apply(type.bytes == 4 ? findCopy(4)
                        : findIntegerCast(type.bytes < 4 ? Instruction::Trunc : Instruction::ZExt, 4, type.bytes),
        resized.offset, {*amount});
  unsigned right = type.kind == 's' ? Instruction::AShr : Instruction::LShr;
  apply(findIntegerBinary(instruction.opcode == "shl" ? unsigned(Instruction::Shl) : right, type.bytes), result.offset,
        {*a, resized.offset});
  return true;
}

/// mul.wide: the product has twice the factors' bytes.
llvm::Expected<bool> PtxDecoder::multiplyWide(const PtxInstruction &instruction, const PtxType &type,
                                              PtxRegister result) {
  llvm::SmallVector<RegisterOffset, 2> factors;
  for (unsigned i : {1u, 2u}) {
    llvm::Expected<RegisterOffset> narrow = source(instruction, i, type);
    if (!narrow)
      return narrow.takeError();
    factors.push_back(allocate(2 * type.bytes).offset);
    apply(findIntegerCast(type.kind == 's' ? Instruction::SExt : Instruction::ZExt, type.bytes, 2 * type.bytes),
          factors.back(), {*narrow});
  }
  apply(findIntegerBinary(Instruction::Mul, 2 * type.bytes), result.offset, factors);
  return true;
}

llvm::Expected<bool> PtxDecoder::computeInteger(const PtxInstruction &instruction, const PtxType &type,
                                                PtxRegister result) {
  llvm::StringRef opcode = instruction.opcode;
  bool isCount = opcode == "popc" || opcode == "clz" || (opcode == "bfind" && type.kind == 'u');
  bool isWide = opcode == "mul" && instruction.has("wide");
  unsigned resultBytes = isCount ? 4 : isWide ? 2 * type.bytes : type.bytes;
  if (instruction.has("sat") || instruction.has("cc") || type.isPacked || result.bytes != resultBytes)
    return false;
  if (opcode == "shl" || opcode == "shr")
    return shift(instruction, type, result);
  if (isCount || opcode == "not" || opcode == "neg")
    return computeBits(instruction, type, result);
  if (isWide)
    return multiplyWide(instruction, type, result);
  auto given = sources(instruction, type);
  if (!given)
    return given.takeError();
  if (opcode == "mad" && instruction.has("lo") && given->size() == 3) {
    PtxRegister product = allocate(type.bytes);
    apply(findIntegerBinary(Instruction::Mul, type.bytes), product.offset, {(*given)[0], (*given)[1]});
    apply(findIntegerBinary(Instruction::Add, type.bytes), result.offset, {product.offset, (*given)[2]});
    return true;
  }
  if (opcode == "shf" && instruction.has("wrap") && given->size() == 3) { // d = the halves (b, a) shifted
    apply(findIntegerIntrinsic(instruction.has("l") ? "fshl" : "fshr", type.bytes), result.offset,
          {(*given)[1], (*given)[0], (*given)[2]});
    return true;
  }
  unsigned arity = opcode == "prmt" || opcode == "fns" ? 3 : opcode == "abs" || opcode == "brev" ? 1 : 2;
  Handler handler = given->size() == arity ? findIntegerOperation(instruction, type) : nullptr;
  if (handler)
    apply(handler, result.offset, *given);
  return handler != nullptr;
}

/// lop3: any function of three bits, given by its table. Combines the terms of the inputs for which it is true.
llvm::Expected<bool> PtxDecoder::computeLogic(const PtxInstruction &instruction, PtxRegister result) {
  PtxType type{'b', 4, false, std::nullopt};
  auto given = sources(instruction, type);
  if (!given)
    return given.takeError();
  std::optional<int64_t> table = given->size() == 4 ? constant(instruction.operands[4]) : std::nullopt;
  if (!table || result.bytes != 4)
    return false;
  auto bitwise = [&](unsigned opcode, RegisterOffset a, RegisterOffset b) {
    PtxRegister combined = allocate(4);
    apply(findIntegerBinary(opcode, 4), combined.offset, {a, b});
    return combined.offset;
  };
  RegisterOffset ones = decoder.constantRegister(0xffffffff, 4), sum = decoder.constantRegister(0, 4);
  for (unsigned row = 0; row < 8; ++row) {
    if (!((*table >> row) & 1))
      continue;
    RegisterOffset term = ones;
    for (unsigned input = 0; input < 3; ++input) {
      bool isSet = (row >> (2 - input)) & 1;
      term =
          bitwise(Instruction::And, term, isSet ? (*given)[input] : bitwise(Instruction::Xor, (*given)[input], ones));
    }
    sum = bitwise(Instruction::Or, sum, term);
  }
  apply(findCopy(4), result.offset, {sum});
  return true;
}

llvm::Expected<bool> PtxDecoder::compare(const PtxInstruction &instruction, const PtxType &type, PtxRegister result) {
  using Predicate = llvm::CmpInst::Predicate;
  llvm::StringRef relation = instruction.modifiers.front();
  Predicate predicate = llvm::CmpInst::BAD_ICMP_PREDICATE;
  if (type.format) {
    predicate = llvm::StringSwitch<Predicate>(relation)
                    .Case("eq", Predicate::FCMP_OEQ)
                    .Case("ne", Predicate::FCMP_ONE)
                    .Case("lt", Predicate::FCMP_OLT)
                    .Case("le", Predicate::FCMP_OLE)
                    .Case("gt", Predicate::FCMP_OGT)
                    .Case("ge", Predicate::FCMP_OGE)
                    .Case("equ", Predicate::FCMP_UEQ)
                    .Case("neu", Predicate::FCMP_UNE)
                    .Case("ltu", Predicate::FCMP_ULT)
                    .Case("leu", Predicate::FCMP_ULE)
                    .Case("gtu", Predicate::FCMP_UGT)
                    .Case("geu", Predicate::FCMP_UGE)
                    .Case("num", Predicate::FCMP_ORD)
                    .Case("nan", Predicate::FCMP_UNO)
                    .Default(predicate);
  } else {
    bool isSigned = type.kind == 's';
    predicate = llvm::StringSwitch<Predicate>(relation)
                    .Case("eq", Predicate::ICMP_EQ)
                    .Case("ne", Predicate::ICMP_NE)
                    .Cases({"lt", "lo"}, isSigned ? Predicate::ICMP_SLT : Predicate::ICMP_ULT)
                    .Cases({"le", "ls"}, isSigned ? Predicate::ICMP_SLE : Predicate::ICMP_ULE)
                    .Cases({"gt", "hi"}, isSigned ? Predicate::ICMP_SGT : Predicate::ICMP_UGT)
                    .Cases({"ge", "hs"}, isSigned ? Predicate::ICMP_SGE : Predicate::ICMP_UGE)
                    .Default(predicate);
  }
  bool isKnown = instruction.modifiers.size() == 2 && instruction.operands.size() == 3 && result.bytes == 0 &&
                 predicate != llvm::CmpInst::BAD_ICMP_PREDICATE && !type.isPacked;
  if (!isKnown)
    return false;
  auto given = sources(instruction, type);
  if (!given)
    return given.takeError();
  apply(type.format ? findFloatCompare(predicate, *type.format) : findIntegerCompare(predicate, type.bytes),
        result.offset, *given);
  return true;
}

} // namespace triton::simulator::nvptx
