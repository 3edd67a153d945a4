// Accesses of memory, atomic operations and fences.
#include "passes/ptx/PtxTranslator.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using triton::ptx::PtxInstruction;

namespace triton::tt {

namespace {

/// What the modifiers of an access say, but for its type.
struct AccessForm {
  MemSemantic semantic = MemSemantic::Relaxed;
  MemSyncScope scope = MemSyncScope::System;
  bool isStrong = false, isVolatile = false;
  unsigned count = 1; ///< of elements
  llvm::StringRef operation;

  /// False for a modifier that no other target has, such as a space of memory.
  bool read(llvm::StringRef modifier);
};

bool AccessForm::read(llvm::StringRef modifier) {
  auto order = llvm::StringSwitch<std::optional<MemSemantic>>(modifier)
                   .Case("relaxed", MemSemantic::Relaxed)
                   .Case("acquire", MemSemantic::Acquire)
                   .Case("release", MemSemantic::Release)
                   .Case("acq_rel", MemSemantic::AcquireRelease)
                   .Default(std::nullopt);
  auto observers = llvm::StringSwitch<std::optional<MemSyncScope>>(modifier)
                       .Case("cta", MemSyncScope::CTA)
                       .Case("gpu", MemSyncScope::GPU)
                       .Case("sys", MemSyncScope::System)
                       .Default(std::nullopt);
  if (order) {
    semantic = *order;
    isStrong = true;
    return true;
  }
  if (observers) {
    scope = *observers;
    return true;
  }
  if (modifier == "v2" || modifier == "v4") {
    count = modifier == "v2" ? 2 : 4;
    return true;
  }
  isVolatile |= modifier == "volatile";
  // The others say which caches are used.
  return llvm::is_contained({"global", "weak", "volatile", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt"}, modifier) ||
         modifier.starts_with("L1::");
}

std::optional<AccessForm> formOf(const PtxInstruction &instruction, bool hasOperation) {
  AccessForm form;
  for (llvm::StringRef modifier : llvm::ArrayRef(instruction.modifiers).drop_back()) {
    if (form.read(modifier))
      continue;
    if (!hasOperation || !form.operation.empty())
      return std::nullopt;
    form.operation = modifier;
  }
  return form;
}

} // namespace

/// The pointers of `[register+offset]`, `index` elements further on. Null: not an address in a register.
Value PtxTranslator::pointer(const ptx::PtxOperand &operand, Type element, unsigned index) {
  llvm::StringRef text = operand.size() == 1 ? operand[0] : "";
  if (!text.consume_front("[") || !text.consume_back("]"))
    return {};
  auto [name, rest] = text.split('+');
  std::optional<uint64_t> offset = rest.trim().empty() ? 0 : ptx::parseImmediate(rest.trim(), /*floatBytes=*/0);
  Value *base = find(name.trim());
  if (!base || bitsOf(*base) != 64 || !offset)
    return {};
  *offset += index * (element.getIntOrFloatBitWidth() / 8);
  Value address = *offset == 0 ? *base : make<arith::AddIOp>(*base, integer(64, *offset));
  return make<IntToPtrOp>(typed(PointerType::get(element, /*addressSpace=*/1)), address);
}

bool PtxTranslator::load(const PtxInstruction &instruction, Value guard) {
  PtxType type = parseType(instruction.modifiers.back());
  std::optional<AccessForm> form = formOf(instruction, /*hasOperation=*/false);
  if (!form || !type.kind || type.kind == 'p' || instruction.operands.size() != 2 ||
      instruction.operands[0].size() != form->count)
    return false;
  Type element = b.getIntegerType(type.registerBits());
  SmallVector<Value> values;
  for (unsigned i = 0; i < form->count; ++i) {
    Value place = pointer(instruction.operands[1], element, i);
    if (!place)
      return false;
    values.push_back(form->isStrong ? make<AtomicLoadOp>(typed(element), place, guard, form->semantic, form->scope)
                                    : make<LoadOp>(place, guard, Value(), CacheModifier::None, EvictionPolicy::Normal,
                                                   form->isVolatile));
  }
  for (auto [name, value] : llvm::zip_equal(instruction.operands[0], values))
    if (!write(name, value, guard, /*isSigned=*/type.kind == 's'))
      return false;
  return true;
}

/// Other devices have one copy of what an address of `multimem` means.
bool PtxTranslator::store(const PtxInstruction &instruction, Value guard) {
  PtxType type = parseType(instruction.modifiers.back());
  std::optional<AccessForm> form = formOf(instruction, /*hasOperation=*/instruction.opcode == "multimem");
  if (!form || !type.kind || type.kind == 'p' || instruction.operands.size() != 2 ||
      instruction.operands[1].size() != form->count)
    return false;
  Type element = b.getIntegerType(type.registerBits());
  for (auto [i, name] : llvm::enumerate(instruction.operands[1])) {
    Value place = pointer(instruction.operands[0], element, unsigned(i)), value = sourceNamed(name, type);
    if (!place || !value)
      return false;
    if (form->isStrong)
      emit<AtomicStoreOp>(place, value, guard, form->semantic, form->scope);
    else
      emit<StoreOp>(place, value, guard, CacheModifier::None, EvictionPolicy::Normal);
  }
  return true;
}

/// Scalars alone may be under a guard: a comparison and exchange of tensors has no mask.
Value PtxTranslator::exchangeIfEqual(Value place, Value expected, Value value, MemSemantic semantic, MemSyncScope scope,
                                     Value guard) {
  if (!guard)
    return make<AtomicCASOp>(value.getType(), place, expected, value, semantic, scope);
  if (shape)
    return {};
  auto choice = emit<scf::IfOp>(TypeRange(value.getType()), guard, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard inserted(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value old = make<AtomicCASOp>(value.getType(), place, expected, value, semantic, scope);
  emit<scf::YieldOp>(old);
  b.setInsertionPointToStart(choice.elseBlock());
  emit<scf::YieldOp>(integer(bitsOf(value), 0));
  return choice.getResult(0);
}

static std::optional<RMWOp> operationOf(llvm::StringRef name, const PtxType &type) {
  bool isUnsigned = type.kind == 'u';
  if (type.format)
    return name == "add" && type.bits >= 32 ? std::optional(RMWOp::FAdd) : std::nullopt;
  return llvm::StringSwitch<std::optional<RMWOp>>(name)
      .Case("add", RMWOp::Add)
      .Case("and", RMWOp::And)
      .Case("or", RMWOp::Or)
      .Case("xor", RMWOp::Xor)
      .Case("exch", RMWOp::Exchange)
      .Case("min", isUnsigned ? RMWOp::UMin : RMWOp::Min)
      .Case("max", isUnsigned ? RMWOp::UMax : RMWOp::Max)
      .Default(std::nullopt);
}

/// `atom`, which gives the old value, and `red`, which does not.
bool PtxTranslator::updateAtomically(const PtxInstruction &instruction, Value guard) {
  bool hasResult = instruction.opcode == "atom";
  PtxType type = parseType(instruction.modifiers.back());
  std::optional<AccessForm> form = formOf(instruction, /*hasOperation=*/true);
  if (!form || (form->count != 1 && hasResult) || type.isPacked || !llvm::is_contained({32u, 64u}, type.bits))
    return false;
  bool compares = form->operation == "cas";
  if (instruction.operands.size() != 2 + hasResult + compares)
    return false;
  Type element = type.format ? Type(type.format) : b.getIntegerType(type.bits);
  const ptx::PtxOperand &names = instruction.operands[1 + hasResult];
  if (names.size() != form->count)
    return false;
  Value old;
  for (auto [i, name] : llvm::enumerate(names)) { // each element is updated by itself
    Value place = pointer(instruction.operands[hasResult], element, unsigned(i)), value = sourceNamed(name, type);
    if (!place || !value)
      return false;
    old = {};
    if (compares) {
      Value replacement = source(instruction, 2 + hasResult, type);
      if (replacement && !type.format)
        old = exchangeIfEqual(place, value, replacement, form->semantic, form->scope, guard);
    } else if (std::optional<RMWOp> operation = operationOf(form->operation, type)) {
      Value operand = bitcast(value, element);
      old = make<AtomicRMWOp>(operand.getType(), *operation, place, operand, guard, form->semantic, form->scope);
      old = bitcast(old, b.getIntegerType(type.bits));
    }
    if (!old)
      return false;
  }
  return !hasResult || instruction.operands[0][0] == "_" || write(instruction.operands[0][0], old, guard, false);
}

/// `membar`, and `fence` also of the ways to memory that other devices do not have. Each program has one order of its
/// accesses elsewhere, so that a guard does not matter.
bool PtxTranslator::orderMemory(const PtxInstruction &instruction) {
  bool isSequential = instruction.opcode == "membar" || instruction.has("sc");
  llvm::StringRef scope; // the whole system
  for (llvm::StringRef modifier : instruction.modifiers) {
    if (modifier == "cta" || modifier == "gpu")
      scope = modifier;
    else if (modifier == "gl")
      scope = "gpu";
    else if (!llvm::is_contained({"sys", "sc", "acq_rel", "acquire", "release", "proxy", "alias"}, modifier))
      return false;
  }
  auto order = isSequential ? LLVM::AtomicOrdering::seq_cst : LLVM::AtomicOrdering::acq_rel;
  emit<LLVM::FenceOp>(order, scope);
  return instruction.operands.empty();
}

} // namespace triton::tt
