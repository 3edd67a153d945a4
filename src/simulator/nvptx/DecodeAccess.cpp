// Accesses of global memory in inline assembly, which express a kernel's hints about caches: `@$2 ld.global.cg.v2.b32
// {$0, $1}, [$2];`. The simulator has no caches, so only the access remains.
#include "simulator/nvptx/Decode.h"

#include "llvm/Support/Regex.h"

namespace triton::simulator::nvptx {

namespace {

struct AccessText {
  bool isStore, isMasked;
  unsigned count, bytes; ///< of the elements in memory

  /// Loads: address, predicate, initial values of the results. Stores: address, values, predicate.
  unsigned arguments() const { return isStore ? 1 + count + isMasked : isMasked ? 2 + count : 1; }
};

/// None for other text, also where more instructions follow or the address is not the first argument.
std::optional<AccessText> parseAccess(llvm::StringRef text) {
  static const llvm::Regex pattern(
      "^(@\\$[0-9]+ )?(ld|st)\\.global(\\.(ca|cg|cs|cv|wb|wt|L1::evict_first|L1::evict_last))?"
      "(\\.v([24]))?\\.b(8|16|32) ");
  llvm::SmallVector<llvm::StringRef, 8> parts;
  if (!pattern.match(text, &parts) || text.contains(';'))
    return std::nullopt;
  AccessText access{parts[2] == "st", !parts[1].empty(), 1, 0};
  unsigned bits = 0;
  parts[7].getAsInteger(10, bits);
  access.bytes = bits / 8;
  if (!parts[6].empty())
    parts[6].getAsInteger(10, access.count);
  std::string address = "[$" + std::to_string(access.isStore ? 0 : access.count) + "]";
  return text.contains(address) ? std::optional(access) : std::nullopt;
}

} // namespace

llvm::Expected<bool> decodeAssemblyAccess(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef text) {
  std::optional<AccessText> access = parseAccess(text);
  if (!access || call.arg_size() != access->arguments())
    return false;
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> operands = decoder.readArguments(call);
  if (!operands)
    return operands.takeError();
  unsigned registerBytes = access->bytes == 1 ? 2 : access->bytes; // a byte is in a register of two bytes
  llvm::SmallVector<RegisterOffset, 4> memory;
  for (unsigned i = 0; i < access->count; ++i)
    memory.push_back(decoder.allocateRegister(access->bytes));
  auto copyAll = [&](llvm::ArrayRef<RegisterOffset> to, llvm::ArrayRef<RegisterOffset> from, unsigned fromBytes,
                     unsigned toBytes) {
    Handler copy = fromBytes == toBytes
                       ? findCopy(toBytes)
                       : findIntegerCast(fromBytes < toBytes ? llvm::Instruction::ZExt : llvm::Instruction::Trunc,
                                         fromBytes, toBytes);
    for (auto [target, source] : llvm::zip_equal(to, from))
      decoder.emit(copy, target, {source});
  };
  llvm::ArrayRef<RegisterOffset> rest = llvm::ArrayRef(*operands).drop_front();
  RegisterOffset predicate = 0;
  if (access->isStore) {
    copyAll(memory, rest.take_front(access->count), registerBytes, access->bytes);
    if (access->isMasked)
      predicate = rest.back();
  } else if (access->isMasked) {
    predicate = rest.front();
    copyAll(memory, rest.drop_front(), registerBytes, access->bytes);
  }
  AccessShape shape{access->bytes, access->count, false, access->isMasked};
  DecodedInstruction &instruction = access->isStore
                                        ? decoder.emit(findStore(shape), 0, {operands->front(), memory.front()})
                                        : decoder.emit(findLoad(shape), memory.front(), {operands->front()});
  int64_t alignment = int64_t(access->count) * access->bytes;
  instruction.immediate = access->isMasked ? alignment : int64_t(uint64_t(access->count) << 32) | alignment;
  if (access->isMasked) {
    OperandList *list = decoder.operandList();
    list->inputs.assign(access->count, predicate);
    instruction.detail = list;
  }
  if (!access->isStore)
    copyAll(decoder.defineNew(&call), memory, access->bytes, registerBytes);
  return true;
}

} // namespace triton::simulator::nvptx
