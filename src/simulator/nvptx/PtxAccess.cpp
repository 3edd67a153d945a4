// Loads and stores of global and shared memory among other instructions of inline assembly. An access that stands
// alone, as the backend writes it, is in DecodeAccess.cpp.
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Decode.h"
#include "simulator/nvptx/PtxDecoder.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

/// What the modifiers before the type say of the order. None: one of them is not understood, such as another memory.
static std::optional<MemoryOrder> orderOf(llvm::ArrayRef<llvm::StringRef> modifiers) {
  MemoryOrder order;
  for (llvm::StringRef modifier : modifiers) {
    order.acquires |= modifier == "acquire";
    order.releases |= modifier == "release";
    order.isStrong |= llvm::is_contained({"acquire", "release", "relaxed", "volatile"}, modifier);
    if (modifier == "cta")
      order.scope = Scope::Program;
    else if (modifier == "sys" || modifier == "volatile")
      order.scope = Scope::System;
    // The others say nothing more, but for the count of elements, or which caches are used.
    else if (!llvm::is_contained({"acquire", "release", "relaxed", "volatile", "weak", "global", "gpu", "sys", "nc",
                                  "ca", "cg", "cs", "lu", "cv", "wb", "wt", "v2", "v4"},
                                 modifier) &&
             !modifier.starts_with("L1::") && !modifier.starts_with("L2::"))
      return std::nullopt;
  }
  return order;
}

static bool isShared(const PtxInstruction &instruction) {
  return llvm::any_of(instruction.modifiers, [](llvm::StringRef word) { return word.starts_with("shared"); });
}

/// Accesses of shared memory may be to that of another program: `ld.shared::cluster.u32 d, [a]`.
llvm::Error PtxDecoder::decodeAccess(const PtxInstruction &instruction) {
  auto refuse = [&] { return decoder.refuse("`" + instruction.text + "` in inline assembly"); };
  bool isStore = instruction.opcode == "st", isMasked = !instruction.predicate.empty();
  std::optional<PtxType> type = instruction.modifiers.empty() ? std::nullopt : parseType(instruction.modifiers.back());
  if (!type || type->bytes == 0 || instruction.operands.size() != 2)
    return refuse();
  std::optional<MemoryOrder> order =
      isShared(instruction) ? MemoryOrder() : orderOf(llvm::ArrayRef(instruction.modifiers).drop_back());
  const PtxOperand &values = instruction.operands[isStore ? 1 : 0], &place = instruction.operands[isStore ? 0 : 1];
  unsigned count = instruction.has("v2") ? 2 : instruction.has("v4") ? 4 : 1, bytes = type->registerBytes();
  if (!order || values.size() != count)
    return refuse();
  llvm::Expected<RegisterOffset> from = address(place), lanes = guard(instruction);
  if (llvm::Error error = llvm::joinErrors(from.takeError(), lanes.takeError()))
    return error;
  if (isShared(instruction)) {
    PtxRegister host = allocate(8);
    apply(hostAddressHandler(), host.offset, {*from});
    from = host.offset;
  }

  // Registers may be wider than what is in memory, and are not in order.
  llvm::SmallVector<PtxRegister, 4> given, inMemory;
  for (llvm::StringRef name : values) {
    llvm::Expected<PtxRegister> found = isStore ? valueOf(name, *type) : find(name);
    if (!found)
      return found.takeError();
    if (found->bytes < bytes)
      return refuse();
    given.push_back(*found);
    inMemory.push_back(allocate(bytes));
  }
  if (isStore)
    for (auto [wide, narrow] : llvm::zip_equal(given, inMemory))
      resize(wide, /*isSigned=*/false, *type, narrow);
  AccessShape shape{bytes, count, /*shared=*/false, isMasked};
  DecodedInstruction &access = isStore ? decoder.emit(findStore(shape), 0, {*from, inMemory.front().offset})
                                       : decoder.emit(findLoad(shape), inMemory.front().offset, {*from});
  llvm::StringRef base = place.front().trim("[]").split('+').first.trim();
  access.location = decoder.locationOf(call, argumentIn(base, call, operands.size()));
  access.immediate = int64_t(uint64_t(count) << 32 | count * bytes);
  access.order = *order;
  decoder.program.hasStrongAccesses |= order->isStrong;
  if (isMasked) {
    OperandList *list = decoder.operandList();
    list->inputs.assign(count, *lanes);
    access.detail = list;
  }
  if (!isStore)
    for (auto [wide, narrow] : llvm::zip_equal(given, inMemory)) {
      PtxRegister loaded = isMasked ? allocate(wide.bytes) : wide;
      resize(narrow, type->kind == 's', {type->kind, wide.bytes, false, std::nullopt}, loaded);
      if (isMasked) // the other lanes keep their old values
        apply(findSelect(wide.bytes), wide.offset, {*lanes, loaded.offset, wide.offset});
    }
  return isUnknown ? refuse() : llvm::Error::success();
}

using BinOp = llvm::AtomicRMWInst::BinOp;

/// What an atomic operation of PTX does: `add` with `s32`. None for `cas`, and for what is not known.
static std::optional<BinOp> operationOf(llvm::StringRef name, const PtxType &type) {
  bool isFloat = type.format.has_value(), isSigned = type.kind == 's';
  return llvm::StringSwitch<std::optional<BinOp>>(name)
      .Case("add", isFloat ? BinOp::FAdd : BinOp::Add)
      .Case("exch", BinOp::Xchg)
      .Case("and", BinOp::And)
      .Case("or", BinOp::Or)
      .Case("xor", BinOp::Xor)
      .Case("inc", BinOp::UIncWrap)
      .Case("dec", BinOp::UDecWrap)
      .Case("min", isFloat    ? BinOp::FMin
                   : isSigned ? BinOp::Min
                              : BinOp::UMin)
      .Case("max", isFloat    ? BinOp::FMax
                   : isSigned ? BinOp::Max
                              : BinOp::UMax)
      .Default(std::nullopt);
}

/// `atom.global.acquire.sys.cas.b32 d, [a], b, c` and `red.release.gpu.add.u32 [a], b`, of global memory.
llvm::Error PtxDecoder::decodeAtomic(const PtxInstruction &instruction) {
  auto refuse = [&] { return decoder.refuse("`" + instruction.text + "` in inline assembly"); };
  bool isReduction = instruction.opcode == "red", isExchange = instruction.has("cas");
  std::optional<PtxType> type = instruction.modifiers.empty() ? std::nullopt : parseType(instruction.modifiers.back());
  bool isVector = instruction.has("v2") || instruction.has("v4") || instruction.has("v8");
  if (!type || type->bytes == 0 || type->isPacked || isVector || isShared(instruction))
    return refuse();
  std::optional<BinOp> operation;
  llvm::SmallVector<llvm::StringRef, 4> modifiers;
  for (llvm::StringRef modifier : llvm::ArrayRef(instruction.modifiers).drop_back()) {
    if (std::optional<BinOp> known = operationOf(modifier, *type))
      operation = known;
    else if (modifier == "acq_rel")
      modifiers.append({"acquire", "release"});
    else if (modifier != "cas" && modifier != "noftz")
      modifiers.push_back(modifier);
  }
  std::optional<MemoryOrder> order = orderOf(modifiers);
  unsigned given = isExchange ? 2 : 1, place = isReduction ? 0 : 1;
  if (!order || (!operation && !isExchange) || instruction.operands.size() != place + 1 + given)
    return refuse();
  llvm::Expected<RegisterOffset> from = address(instruction.operands[place]);
  if (!from)
    return from.takeError();
  llvm::SmallVector<RegisterOffset, 3> operands{*from};
  for (unsigned i = place + 1; i < instruction.operands.size(); ++i) {
    llvm::Expected<RegisterOffset> value = source(instruction, i, *type);
    if (!value)
      return value.takeError();
    operands.push_back(*value);
  }
  PtxRegister result = allocate(type->bytes);
  if (!isReduction) {
    llvm::Expected<PtxRegister> found = find(instruction.operands[0].front());
    if (!found)
      return found.takeError();
    if (found->bytes != type->bytes)
      return refuse();
    result = *found;
  }
  Handler handler = isExchange ? findCompareExchange(type->bytes, /*shared=*/false)
                               : findAtomic(*operation, type->bytes, type->format, /*shared=*/false);
  if (!handler)
    return refuse();
  order->isStrong = decoder.program.hasStrongAccesses = true;
  return PtxControl(*this).decodeGuarded(instruction, [&] {
    DecodedInstruction &access = decoder.emit(handler, result.offset, operands);
    llvm::StringRef base = instruction.operands[place].front().trim("[]").split('+').first.trim();
    access.location = decoder.locationOf(call, argumentIn(base, call, this->operands.size()));
    access.order = *order;
    access.immediate = isExchange ? int64_t(decoder.allocateRegister(0)) : 0;
    return llvm::Error::success();
  });
}

} // namespace triton::simulator::nvptx
