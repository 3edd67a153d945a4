// Barriers in shared memory: `llvm.nvvm.mbarrier.*` and the same instructions in inline assembly.
#include "simulator/core/BarrierDecoding.h"
#include "simulator/nvptx/Decode.h"
#include "simulator/nvptx/PtxDecoder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

using Kind = MemoryBarrierOperation::Kind;

/// Reads the words of an instruction's name: `try_wait`, `parity`, `relaxed`, ...
static std::optional<MemoryBarrierOperation> parseOperation(llvm::ArrayRef<llvm::StringRef> words) {
  if (words.empty())
    return std::nullopt;
  auto has = [&](llvm::StringRef word) { return llvm::is_contained(words, word); };
  auto kind = llvm::StringSwitch<std::optional<Kind>>(words[0])
                  .Case("init", Kind::Initialize)
                  .Case("inval", Kind::Invalidate)
                  .Cases({"arrive", "arrive_drop"}, Kind::Arrive)
                  .Cases({"expect_tx", "complete_tx"}, Kind::CountBytes)
                  .Case("pending_count", Kind::CountPending)
                  .Cases({"try_wait", "test_wait"}, Kind::Test)
                  .Default(std::nullopt);
  if (!kind)
    return std::nullopt;
  MemoryBarrierOperation operation{*kind};
  operation.expectsBytes = has("expect_tx");
  operation.drops = words[0] == "arrive_drop";
  operation.mustNotComplete = has("noComplete");
  operation.hasToken = !has("parity");
  operation.mayWait = words[0] == "try_wait";
  operation.isOrdered = !has("relaxed");
  return operation;
}

/// Turns an intrinsic's name into the words of the instruction: `arrive.expect.tx.scope.cta.space.cta`.
static std::string instructionName(llvm::StringRef name) {
  std::string text = name.str();
  for (auto [from, to] : {std::pair<llvm::StringRef, llvm::StringRef>{"expect.tx", "expect_tx"},
                          {"complete.tx", "complete_tx"},
                          {"arrive.drop", "arrive_drop"},
                          {"pending.count", "pending_count"},
                          {"try.wait", "try_wait"},
                          {"test.wait", "test_wait"}})
    if (std::size_t place = text.find(from); place != std::string::npos)
      text.replace(place, from.size(), to);
  return text;
}

llvm::Error decodeMemoryBarrier(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name) {
  std::string text = instructionName(name);
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(text).split(words, '.');
  std::optional<MemoryBarrierOperation> operation = parseOperation(words);
  if (!operation)
    return decoder.unsupported(call);
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> arguments = decoder.readArguments(call);
  if (!arguments)
    return arguments.takeError();
  if (operation->kind == Kind::CountPending)
    arguments->insert(arguments->begin(), arguments->front());
  std::optional<RegisterOffset> result;
  if (!call.getType()->isVoidTy())
    result = decoder.defineNew(&call).front();
  RegisterOffset value = arguments->size() > 1 ? (*arguments)[1] : decoder.constantRegister(1, 4);
  emitBarrierOperation(decoder, *operation, result, arguments->front(), value, decoder.constantRegister(1, 0));
  return llvm::Error::success();
}

void decodeCopyArrival(Decoder &decoder, RegisterOffset address, bool isCounted, RegisterOffset lanes) {
  // Without `.noinc`, the arrival first adds one to the missing arrivals.
  emitBarrierOperation(decoder, {.kind = Kind::ArriveByCopies}, std::nullopt, address,
                       decoder.constantRegister(isCounted ? 1 : 0, 4), lanes);
}

/// The lanes that execute an instruction.
llvm::Expected<RegisterOffset> PtxDecoder::guard(const PtxInstruction &instruction) {
  RegisterOffset all = decoder.constantRegister(1, 0);
  if (instruction.predicate.empty())
    return all;
  llvm::Expected<PtxRegister> found = find(instruction.predicate);
  if (!found)
    return found.takeError();
  if (!instruction.isNegated)
    return found->offset;
  PtxRegister negated = allocate(0);
  apply(findSelect(0), negated.offset, {found->offset, decoder.constantRegister(0, 0), all});
  return negated.offset;
}

/// The address of `[$0]` or `[$0 + 8]` as 8 bytes. Of `[$0, {$1, $2}]`, this is the part before the coordinates.
llvm::Expected<RegisterOffset> PtxDecoder::address(const PtxOperand &operand) {
  llvm::StringRef text = operand.empty() ? "" : operand.front();
  if (!text.consume_front("["))
    return decoder.refuse("the address `" + text + "` in inline assembly");
  text.consume_back("]"); // coordinates may precede it
  auto [name, rest] = text.split('+');
  int64_t offset = 0;
  llvm::Expected<PtxRegister> base = find(name.trim());
  if (!base)
    return base.takeError();
  if (!rest.empty() && rest.trim().getAsInteger(0, offset))
    return decoder.refuse("the address `" + text + "` in inline assembly");
  PtxRegister wide = *base;
  if (base->bytes == 4) {
    wide = allocate(8);
    apply(findIntegerCast(llvm::Instruction::ZExt, 4, 8), wide.offset, {base->offset});
  } else if (base->bytes != 8) {
    return decoder.refuse("the address `" + text + "` in inline assembly");
  }
  if (offset == 0)
    return wide.offset;
  PtxRegister sum = allocate(8);
  apply(findIntegerBinary(llvm::Instruction::Add, 8), sum.offset,
        {wide.offset, decoder.constantRegister(uint64_t(offset), 8)});
  return sum.offset;
}

llvm::Error PtxDecoder::decodeMemoryBarrier(const PtxInstruction &instruction) {
  auto refuse = [&] { return decoder.refuse("`" + instruction.text + "` in inline assembly"); };
  std::optional<MemoryBarrierOperation> operation = parseOperation(instruction.modifiers);
  if (!operation || operation->kind == Kind::CountPending)
    return refuse();
  llvm::ArrayRef<PtxOperand> names = instruction.operands;
  std::optional<RegisterOffset> result;
  bool returns = operation->kind == Kind::Arrive || operation->kind == Kind::Test;
  if (returns && !names.empty() && names.front().size() == 1 && !names.front().front().starts_with("[")) {
    if (names.front().front() != "_") {
      llvm::Expected<PtxRegister> found = find(names.front().front());
      if (!found)
        return found.takeError();
      if (found->bytes != (operation->kind == Kind::Test ? 0u : 8u) || !instruction.predicate.empty())
        return refuse();
      result = found->offset;
    }
    names = names.drop_front();
  }
  if (names.empty() || (operation->kind == Kind::Test && !result))
    return refuse();
  llvm::Expected<RegisterOffset> place = address(names.front()), lanes = guard(instruction);
  if (llvm::Error error = llvm::joinErrors(place.takeError(), lanes.takeError()))
    return error;
  RegisterOffset value = decoder.constantRegister(1, 4);
  if (names.size() > 1) {
    bool isToken = operation->kind == Kind::Test && operation->hasToken;
    auto index = unsigned(instruction.operands.size() - names.size() + 1);
    llvm::Expected<RegisterOffset> given = source(instruction, index, {'b', isToken ? 8u : 4u, false, std::nullopt});
    if (!given)
      return given.takeError();
    value = *given;
  }
  emitBarrierOperation(decoder, *operation, result, *place, value, *lanes);
  return llvm::Error::success();
}

} // namespace triton::simulator::nvptx
