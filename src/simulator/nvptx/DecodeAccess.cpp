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
  unsigned registerBytes() const { return bytes == 1 ? 2 : bytes; } ///< a byte is in a register of two bytes
};

/// `$first, $first+1, ...`, in braces when there are several.
std::string registersFrom(unsigned first, unsigned count) {
  std::string text = "$" + std::to_string(first);
  for (unsigned i = 1; i < count; ++i)
    text += ", $" + std::to_string(first + i);
  return count == 1 ? text : "{" + text + "}";
}

/// None for other text, also where more instructions follow or the registers are in another order.
std::optional<AccessText> parseAccess(llvm::StringRef text) {
  static const llvm::Regex pattern(
      "^(@(\\$[0-9]+) )?(ld|st)\\.global(\\.(ca|cg|cs|cv|wb|wt|L1::evict_first|L1::evict_last))?"
      "(\\.v([24]))?\\.b(8|16|32) ([^;]*)$");
  llvm::SmallVector<llvm::StringRef, 10> parts;
  if (!pattern.match(text, &parts))
    return std::nullopt;
  AccessText access{parts[3] == "st", !parts[1].empty(), 1, 0};
  unsigned bits = 0;
  parts[8].getAsInteger(10, bits);
  access.bytes = bits / 8;
  if (!parts[7].empty())
    parts[7].getAsInteger(10, access.count);
  unsigned first = access.isStore ? 1 : 0;
  std::string values = registersFrom(first, access.count),
              address = "[" + registersFrom(access.isStore ? 0 : access.count, 1) + "]";
  bool isInOrder = parts[9] == (access.isStore ? address + ", " + values : values + ", " + address) &&
                   (!access.isMasked || parts[2] == registersFrom(access.count + 1, 1));
  return isInOrder ? std::optional(access) : std::nullopt;
}

/// Whether the call passes and receives what its text takes to be in its registers.
bool hasRegistersOf(Decoder &decoder, const llvm::CallInst &call, const AccessText &access) {
  if (call.arg_size() != access.arguments())
    return false;
  llvm::SmallVector<llvm::Type *> types;
  if (!call.getType()->isVoidTy())
    decoder.flatten(call.getType(), types);
  if (types.size() != (access.isStore ? 0 : access.count))
    return false;
  unsigned mask = access.isStore ? 1 + access.count : 1;
  for (unsigned i = 1; i < call.arg_size(); ++i)
    if (!access.isMasked || i != mask)
      decoder.flatten(call.getArgOperand(i)->getType(), types);
  return llvm::all_of(types, [&](llvm::Type *type) { return decoder.elementBytes(type) == access.registerBytes(); }) &&
         (!access.isMasked || call.getArgOperand(mask)->getType()->isIntegerTy(1));
}

} // namespace

llvm::Expected<bool> decodeAssemblyAccess(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef text) {
  std::optional<AccessText> access = parseAccess(text);
  if (!access || !hasRegistersOf(decoder, call, *access))
    return false;
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> operands = decoder.readArguments(call);
  if (!operands)
    return operands.takeError();
  unsigned registerBytes = access->registerBytes();
  bool isWidened = registerBytes != access->bytes;
  auto convertAll = [&](llvm::ArrayRef<RegisterOffset> to, llvm::ArrayRef<RegisterOffset> from, bool widens) {
    Handler convert = widens ? findIntegerCast(llvm::Instruction::ZExt, access->bytes, registerBytes)
                             : findIntegerCast(llvm::Instruction::Trunc, registerBytes, access->bytes);
    for (auto [target, source] : llvm::zip_equal(to, from))
      decoder.emit(convert, target, {source});
  };
  auto inMemory = [&](llvm::ArrayRef<RegisterOffset> values) { // as they are in memory
    llvm::SmallVector<RegisterOffset, 4> registers(values);
    if (isWidened) {
      for (RegisterOffset &value : registers)
        value = decoder.allocateRegister(access->bytes);
      convertAll(registers, values, /*widens=*/false);
    }
    return registers;
  };
  llvm::ArrayRef<RegisterOffset> rest = llvm::ArrayRef(*operands).drop_front();
  AccessShape shape{access->bytes, access->count, false, access->isMasked};
  auto immediate = int64_t(uint64_t(access->count) << 32 | access->count * access->bytes);
  OperandList *list = access->isMasked ? decoder.operandList() : nullptr;
  if (list)
    list->inputs.assign(access->count, access->isStore ? rest.back() : rest.front());
  if (access->isStore) {
    RegisterOffset first = makeConsecutive(decoder, inMemory(rest.take_front(access->count)), access->bytes);
    DecodedInstruction &store = decoder.emit(findStore(shape), 0, {operands->front(), first});
    store.immediate = immediate;
    store.detail = list;
    return true;
  }
  if (list) {
    llvm::SmallVector<RegisterOffset, 4> initial = inMemory(rest.drop_front());
    list->inputs.insert(list->inputs.end(), initial.begin(), initial.end());
  }
  Registers results = decoder.defineNew(&call), loaded = results;
  if (isWidened)
    for (RegisterOffset &value : loaded)
      value = decoder.allocateRegister(access->bytes);
  DecodedInstruction &load = decoder.emit(findLoad(shape), loaded.front(), {operands->front()});
  load.immediate = immediate;
  load.detail = list;
  if (isWidened)
    convertAll(results, loaded, /*widens=*/true);
  return true;
}

} // namespace triton::simulator::nvptx
