// Inline assembly of users and libraries. Each PTX instruction becomes the handler of the equivalent LLVM instruction
// or intrinsic. Instructions without an equivalent are refused.
#include "simulator/nvptx/PtxDecoder.h"

#include "simulator/nvptx/Decode.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::simulator::nvptx {

std::optional<PtxType> parseType(llvm::StringRef name) {
  if (name == "pred")
    return PtxType{'p', 0, false, std::nullopt};
  PtxType type;
  type.isPacked = name.consume_back("x2");
  if (name == "bf16")
    type = {'f', 2, type.isPacked, FloatFormat::BFloat};
  else if (name == "f16")
    type = {'f', 2, type.isPacked, FloatFormat::Half};
  else if (name == "f32")
    type = {'f', 4, type.isPacked, FloatFormat::Single};
  else if (name == "f64")
    type = {'f', 8, type.isPacked, FloatFormat::Double};
  else {
    unsigned bits = 0;
    if (name.size() < 2 || !llvm::StringRef("sub").contains(name[0]) || name.drop_front().getAsInteger(10, bits) ||
        !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
      return std::nullopt;
    type.kind = name[0];
    type.bytes = bits / 8;
  }
  return type;
}

//===--- Operands -----------------------------------------------------------------------------------------------===//

const llvm::Value *argumentIn(llvm::StringRef name, const llvm::CallInst &call, std::size_t registers) {
  std::size_t index = 0, results = registers - call.arg_size();
  if (!name.consume_front("$") || name.trim("{}").getAsInteger(10, index) || index < results || index >= registers)
    return nullptr;
  return call.getArgOperand(unsigned(index - results));
}

/// Results come first, then arguments. An argument that is tied to a result is the initial value of the result.
llvm::Error PtxDecoder::bindOperands(const llvm::InlineAsm &assembly) {
  if (!call.getType()->isVoidTy()) {
    llvm::SmallVector<llvm::Type *> components;
    decoder.flatten(call.getType(), components);
    for (auto [offset, type] : llvm::zip_equal(decoder.defineNew(&call), components))
      operands.push_back({offset, decoder.elementBytes(type)});
  }
  llvm::InlineAsm::ConstraintInfoVector constraints = assembly.ParseConstraints();
  llvm::SmallVector<const llvm::InlineAsm::ConstraintInfo *> inputs;
  unsigned results = 0;
  for (const llvm::InlineAsm::ConstraintInfo &constraint : constraints) {
    results += constraint.Type == llvm::InlineAsm::isOutput;
    if (constraint.Type == llvm::InlineAsm::isInput)
      inputs.push_back(&constraint);
  }
  if (operands.size() != results || inputs.size() != call.arg_size())
    return decoder.refuse("inline assembly with vectors or memory as operands");
  OperandList *passed = decoder.target.isAsynchronousProduct(call) ? decoder.operandList() : nullptr;
  for (auto [argument, constraint] : llvm::zip_equal(call.args(), inputs)) {
    llvm::Expected<RegisterOffset> value = decoder.readScalar(argument.get());
    if (!value)
      return value.takeError();
    PtxRegister input{*value, decoder.elementBytes(argument->getType())};
    unsigned tied = 0;
    bool isTied = !constraint->Codes.empty() && !llvm::StringRef(constraint->Codes[0]).getAsInteger(10, tied);
    if (isTied)
      apply(findCopy(input.bytes), operands[tied].offset, {input.offset});
    if (isTied && passed) {
      passed->inputs.push_back(input.offset);
      passed->outputs.push_back(operands[tied].offset);
    }
    operands.push_back(input);
  }
  if (passed)
    decoder.emit(registerPassHandler()).detail = passed;
  return llvm::Error::success();
}

/// `.reg .b32 t<4>` declares t0 to t3.
llvm::Error PtxDecoder::declare(const PtxDeclaration &declaration) {
  std::optional<PtxType> type = parseType(declaration.type);
  if (!type)
    return decoder.refuse("a register of type `" + declaration.type + "` in inline assembly");
  unsigned bytes = type->registerBytes(), count = 0;
  auto [name, rest] = declaration.name.split('<');
  if (rest.empty()) {
    registers[name] = allocate(bytes);
    return llvm::Error::success();
  }
  if (rest.rtrim('>').getAsInteger(10, count) || count > 4096)
    return decoder.refuse("the declaration of `" + declaration.name + "` in inline assembly");
  for (unsigned i = 0; i < count; ++i)
    registers[(name + llvm::Twine(i)).str()] = allocate(bytes);
  return llvm::Error::success();
}

llvm::Expected<PtxRegister> PtxDecoder::find(llvm::StringRef name) const {
  unsigned index = 0;
  llvm::StringRef number = name;
  if (number.consume_front("$") && !number.trim("{}").getAsInteger(10, index) && index < operands.size())
    return operands[index];
  if (auto found = registers.find(name); found != registers.end())
    return found->second;
  return decoder.refuse("`" + name + "` in inline assembly");
}

llvm::Expected<PtxRegister> PtxDecoder::valueOf(llvm::StringRef name, const PtxType &type) const {
  if (name.empty() || (!llvm::isDigit(name[0]) && name[0] != '-'))
    return find(name);
  bool isWideFloat = type.format == FloatFormat::Single || type.format == FloatFormat::Double;
  std::optional<uint64_t> bits = ptx::parseImmediate(name, isWideFloat ? type.bytes : 0);
  if (!bits)
    return decoder.refuse("the number `" + name + "` in inline assembly");
  unsigned bytes = type.registerBytes();
  return PtxRegister{decoder.constantRegister(*bits & llvm::maskTrailingOnes<uint64_t>(8 * bytes), bytes), bytes};
}

llvm::Expected<RegisterOffset> PtxDecoder::source(const PtxInstruction &instruction, unsigned index,
                                                  const PtxType &type) const {
  if (index >= instruction.operands.size() || instruction.operands[index].size() != 1)
    return decoder.refuse("`" + instruction.text + "` in inline assembly");
  llvm::StringRef name = instruction.operands[index][0];
  llvm::Expected<PtxRegister> found = valueOf(name, type);
  if (!found)
    return found.takeError();
  if (found->bytes != type.registerBytes())
    return decoder.refuse("`" + instruction.text + "` in inline assembly: `" + name + "` is of another size");
  return found->offset;
}

llvm::Expected<llvm::SmallVector<RegisterOffset, 3>> PtxDecoder::sources(const PtxInstruction &instruction,
                                                                         const PtxType &type) const {
  llvm::SmallVector<RegisterOffset, 3> result;
  for (unsigned i = 1; i < instruction.operands.size(); ++i) {
    llvm::Expected<RegisterOffset> offset = source(instruction, i, type);
    if (!offset)
      return offset.takeError();
    result.push_back(*offset);
  }
  return result;
}

void regroup(Decoder &decoder, llvm::ArrayRef<PtxRegister> from, llvm::ArrayRef<PtxRegister> to) {
  OperandList *list = decoder.operandList();
  for (const PtxRegister &part : from) {
    list->inputs.push_back(part.offset);
    list->inputBytes.push_back(uint8_t(part.bytes));
  }
  for (const PtxRegister &part : to) {
    list->outputs.push_back(part.offset);
    list->outputBytes.push_back(uint8_t(part.bytes));
  }
  decoder.emit(regroupBytes()).detail = list;
}

//===--- Instructions -------------------------------------------------------------------------------------------===//

llvm::Expected<bool> PtxDecoder::compute(const PtxInstruction &instruction, PtxRegister result) {
  llvm::StringRef opcode = instruction.opcode;
  if (opcode == "cvt")
    return convert(instruction, result);
  std::optional<PtxType> type = parseType(instruction.modifiers.empty() ? "" : instruction.modifiers.back());
  if (opcode == "prmt")
    type = PtxType{'b', 4, false, std::nullopt};
  if (!type)
    return false;
  if (opcode == "lop3")
    return computeLogic(instruction, result);
  if (opcode == "setp")
    return compare(instruction, *type, result);
  if (opcode == "selp" && instruction.operands.size() == 4 && result.bytes == type->registerBytes()) {
    llvm::Expected<RegisterOffset> a = source(instruction, 1, *type), b = source(instruction, 2, *type),
                                   condition = source(instruction, 3, {'p', 0, false, std::nullopt});
    if (llvm::Error error = llvm::joinErrors(llvm::joinErrors(a.takeError(), b.takeError()), condition.takeError()))
      return std::move(error);
    apply(findSelect(result.bytes), result.offset, {*condition, *a, *b});
    return true;
  }
  return type->format ? computeFloat(instruction, *type, result) : computeInteger(instruction, *type, result);
}

llvm::Error PtxDecoder::decodeInstruction(const PtxInstruction &instruction) {
  llvm::StringRef opcode = instruction.opcode;
  std::string refusal = "`" + instruction.text.str() + "` in inline assembly";
  if (opcode == "membar" || opcode == "fence") { // a fence of some lanes counts for the warp
    decodeFence(decoder, llvm::join(instruction.modifiers, "."));
    return llvm::Error::success();
  }
  if (opcode == "mbarrier")
    return decodeMemoryBarrier(instruction);
  if (opcode == "wgmma")
    return decodeWarpGroup(instruction);
  if (opcode == "tcgen05")
    return decodeTensorMemory(*this, instruction);
  if (opcode == "cp" && instruction.has("bulk"))
    return instruction.has("commit_group") || instruction.has("wait_group") ? decodeBulkGroup(instruction)
                                                                            : decodeBulkCopy(instruction);
  if (opcode == "cp" && instruction.has("mbarrier")) { // cp.async.mbarrier.arrive
    if (instruction.operands.size() != 1)
      return decoder.refuse(refusal);
    llvm::Expected<RegisterOffset> place = address(instruction.operands[0]), lanes = guard(instruction);
    if (llvm::Error error = llvm::joinErrors(place.takeError(), lanes.takeError()))
      return error;
    decodeCopyArrival(decoder, *place, instruction.has("noinc"), *lanes);
    return llvm::Error::success();
  }
  if (llvm::is_contained({"prefetch", "nanosleep", "discard", "applypriority", "setmaxnreg", "griddepcontrol"}, opcode))
    return llvm::Error::success(); // hints, and limits or earlier launches that the simulator does not have
  llvm::Expected<std::optional<bool>> synchronization = decodeSynchronization(instruction);
  if (!synchronization)
    return synchronization.takeError();
  if (*synchronization)
    return **synchronization && !isUnknown ? llvm::Error::success() : decoder.refuse(refusal);
  if (opcode == "st" && instruction.has("async"))
    return decodeBulkCopy(instruction);
  if (opcode == "ld" || opcode == "st")
    return decodeAccess(instruction);
  if (opcode == "atom" || opcode == "red")
    return decodeAtomic(instruction);
  bool isGuarded = !instruction.predicate.empty();
  if (opcode == "mov" && !isGuarded) {
    llvm::Expected<bool> known = move(instruction);
    if (!known)
      return known.takeError();
    return *known ? llvm::Error::success() : decoder.refuse(refusal);
  }
  if (instruction.operands.size() < 2 || instruction.operands[0].size() != 1)
    return decoder.refuse(refusal);
  llvm::Expected<PtxRegister> result = find(instruction.operands[0][0]);
  if (!result)
    return result.takeError();
  // Under a guard, the other lanes keep their old values.
  PtxRegister target = isGuarded ? allocate(result->bytes) : *result;
  if (isGuarded && opcode == "mov") {
    std::optional<PtxType> type = parseType(instruction.modifiers.empty() ? "" : instruction.modifiers[0]);
    if (!type)
      return decoder.refuse(refusal);
    llvm::Expected<RegisterOffset> value = source(instruction, 1, *type);
    if (!value)
      return value.takeError();
    if (result->bytes != type->registerBytes())
      return decoder.refuse(refusal);
    apply(findCopy(result->bytes), target.offset, {*value});
  } else {
    llvm::Expected<bool> known = compute(instruction, target);
    if (!known)
      return known.takeError();
    if (!*known || isUnknown)
      return decoder.refuse(refusal);
  }
  if (!isGuarded)
    return llvm::Error::success();
  llvm::Expected<PtxRegister> guard = find(instruction.predicate);
  if (!guard)
    return guard.takeError();
  RegisterOffset taken = target.offset, kept = result->offset;
  if (instruction.isNegated)
    std::swap(taken, kept);
  apply(findSelect(result->bytes), result->offset, {guard->offset, taken, kept});
  return llvm::Error::success();
}

llvm::Error PtxDecoder::decode(const llvm::InlineAsm &assembly) {
  std::string code = ptx::removeComments(assembly.getAsmString());
  llvm::Expected<ptx::PtxText> text = ptx::parsePtx(code);
  if (!text)
    return decoder.refuse(llvm::toString(text.takeError()) + " in inline assembly");
  if (llvm::Error error = bindOperands(assembly))
    return error;
  for (const PtxDeclaration &declaration : text->declarations)
    if (llvm::Error error = declare(declaration))
      return error;
  if (!text->labels.empty())
    return PtxControl(*this).decodeText(*text);
  for (const PtxInstruction &instruction : text->instructions)
    if (llvm::Error error = decodeInstruction(instruction))
      return error;
  return llvm::Error::success();
}

llvm::Error decodePtx(Decoder &decoder, const llvm::CallInst &call, const llvm::InlineAsm &assembly) {
  return PtxDecoder(decoder, call).decode(assembly);
}

} // namespace triton::simulator::nvptx
