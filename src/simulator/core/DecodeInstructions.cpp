#include "simulator/core/Decoder.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace triton::simulator {

using llvm::Instruction;

bool readsSign(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::ICmp:
    return llvm::cast<llvm::ICmpInst>(instruction).isSigned();
  case Instruction::SExt:
  case Instruction::AShr:
  case Instruction::SDiv:
  case Instruction::SRem:
  case Instruction::SIToFP:
    return true;
  case Instruction::Call: {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    llvm::Intrinsic::ID id = call ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic;
    return id == llvm::Intrinsic::smin || id == llvm::Intrinsic::smax || id == llvm::Intrinsic::abs;
  }
  default:
    return false;
  }
}

llvm::Error Decoder::decodeElementwise(const Instruction &instruction, llvm::ArrayRef<const llvm::Value *> operands,
                                       Handler handler) {
  if (!handler)
    return unsupported(instruction);
  llvm::SmallVector<Registers, 3> inputs;
  for (const llvm::Value *operand : operands) {
    llvm::Expected<Registers> registers = read(operand);
    if (!registers)
      return registers.takeError();
    inputs.push_back(readsSign(instruction) ? extendSign(operand->getType(), *registers) : *registers);
  }
  Registers results = defineNew(&instruction);
  for (unsigned i = 0; i < results.size(); ++i) {
    llvm::SmallVector<RegisterOffset, 3> component;
    for (const Registers &input : inputs)
      component.push_back(input.size() == 1 ? input[0] : input[i]); // a scalar condition applies to all elements
    emit(handler, results[i], component);
    keepOddWidth(instruction, results[i]);
  }
  return llvm::Error::success();
}

/// An integer whose width no register has is kept, zero-extended, in a register of the next larger width.
bool Decoder::hasOddWidth(llvm::Type *type) const {
  type = type->getScalarType();
  return type->isIntegerTy() && elementBytes(type) != 0 && type->getIntegerBitWidth() != 8 * elementBytes(type) &&
         !isWide(type);
}

void Decoder::keepOddWidth(const Instruction &instruction, RegisterOffset result) {
  if (!hasOddWidth(instruction.getType()))
    return;
  unsigned width = instruction.getType()->getScalarSizeInBits(), bytes = elementBytes(instruction.getType());
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      call && call->getIntrinsicID() == llvm::Intrinsic::bitreverse)
    emit(findIntegerBinary(Instruction::LShr, bytes), result, {result, constantRegister(8 * bytes - width, bytes)});
  emit(findIntegerBinary(Instruction::And, bytes), result,
       {result, constantRegister(llvm::maskTrailingOnes<uint64_t>(width), bytes)});
}

Registers Decoder::extendSign(llvm::Type *type, const Registers &values) {
  Registers extended = values;
  unsigned unused = isWide(type)        ? 128 - type->getIntegerBitWidth()
                    : hasOddWidth(type) ? 8 * elementBytes(type) - type->getScalarSizeInBits()
                                        : 0;
  if (unused == 0)
    return extended;
  unsigned bytes = isWide(type) ? 8 : elementBytes(type);
  // The sign of a wide integer is in its upper half.
  for (RegisterOffset &value : isWide(type) ? llvm::MutableArrayRef(extended).drop_front() : extended)
    for (unsigned opcode : {Instruction::Shl, Instruction::AShr}) {
      RegisterOffset shifted = allocateRegister(bytes);
      emit(findIntegerBinary(opcode, bytes), shifted, {value, constantRegister(unused, bytes)});
      value = shifted;
    }
  return extended;
}

llvm::Error Decoder::decodeBinary(const Instruction &instruction) {
  llvm::Type *type = instruction.getType()->getScalarType();
  std::optional<FloatFormat> format = floatFormat(type);
  if (instruction.getOpcode() == Instruction::FNeg)
    return decodeElementwise(instruction, {instruction.getOperand(0)}, findFloatUnary("fneg", *format));
  if (!format)
    return decodeElementwise(instruction, {instruction.getOperand(0), instruction.getOperand(1)},
                             findIntegerBinary(instruction.getOpcode(), elementBytes(type)));
  // The instruction's name without the leading f: "add" for "fadd".
  std::string operation = (instruction.getOpcodeName() + 1 + flushSuffix(*format)).str();
  Handler handler = findFloatIntrinsic(operation, *format);
  return decodeElementwise(instruction, {instruction.getOperand(0), instruction.getOperand(1)}, handler);
}

llvm::Error Decoder::decodeCompare(const llvm::CmpInst &instruction) {
  llvm::Type *type = instruction.getOperand(0)->getType()->getScalarType();
  std::optional<FloatFormat> format = floatFormat(type);
  Handler handler = format ? findFloatCompare(instruction.getPredicate(), *format)
                           : findIntegerCompare(instruction.getPredicate(), elementBytes(type));
  return decodeElementwise(instruction, {instruction.getOperand(0), instruction.getOperand(1)}, handler);
}

llvm::Error Decoder::decodeSelect(const llvm::SelectInst &instruction) {
  llvm::SmallVector<llvm::Type *> components;
  flatten(instruction.getType(), components);
  return decodeElementwise(instruction,
                           {instruction.getCondition(), instruction.getTrueValue(), instruction.getFalseValue()},
                           findSelect(elementBytes(components.front())));
}

llvm::Error Decoder::decodeCast(const llvm::CastInst &instruction) {
  llvm::Type *from = instruction.getSrcTy()->getScalarType(), *to = instruction.getDestTy()->getScalarType();
  const llvm::Value *operand = instruction.getOperand(0);
  unsigned fromBytes = elementBytes(from), toBytes = elementBytes(to);
  std::optional<FloatFormat> fromFormat = floatFormat(from), toFormat = floatFormat(to);
  switch (instruction.getOpcode()) {
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
    return decodeElementwise(instruction, {operand}, findIntegerCast(instruction.getOpcode(), fromBytes, toBytes));
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return decodeElementwise(instruction, {operand}, findFloatCast(*fromFormat, *toFormat));
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return decodeElementwise(instruction, {operand},
                             findFloatToInteger(*fromFormat, toBytes, instruction.getOpcode() == Instruction::FPToSI));
  case Instruction::SIToFP:
  case Instruction::UIToFP: {
    bool isSigned = instruction.getOpcode() == Instruction::SIToFP;
    std::size_t first = program.instructions.size();
    llvm::Error error = decodeElementwise(instruction, {operand}, findIntegerToFloat(fromBytes, *toFormat, isSigned));
    for (std::size_t i = first; i < program.instructions.size(); ++i)
      program.instructions[i].immediate = isSigned;
    return error;
  }
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
    return decodeElementwise(instruction, {operand}, findIntegerCast(Instruction::ZExt, fromBytes, toBytes));
  case Instruction::AddrSpaceCast: {
    bool fromShared = isShared(from), toShared = isShared(to);
    Handler handler = fromShared == toShared ? findCopy(8) : fromShared ? sharedToGeneric() : genericToShared();
    return decodeElementwise(instruction, {operand}, handler);
  }
  case Instruction::BitCast:
    break;
  default:
    return unsupported(instruction);
  }

  llvm::Expected<Registers> source = read(operand);
  if (!source)
    return source.takeError();
  if (fromBytes == toBytes && fromBytes != 0) { // the same bits under another name
    define(&instruction, *source);
    return llvm::Error::success();
  }
  OperandList *list = operandList();
  Registers results = defineNew(&instruction);
  list->inputs.assign(source->begin(), source->end());
  list->inputBytes.assign(source->size(), uint8_t(fromBytes));
  list->outputs.assign(results.begin(), results.end());
  list->outputBytes.assign(results.size(), uint8_t(toBytes));
  emit(regroupBytes()).detail = list;
  if (tracked.isResult(operand) || tracked.isOperand(operand)) {
    // A GPU keeps the pieces of a register in that register.
    OperandList *pieces = operandList();
    for (unsigned i = 0; i < results.size(); ++i)
      pieces->inputs.push_back((*source)[i * source->size() / results.size()]);
    pieces->outputs.assign(results.begin(), results.end());
    emit(registerPassHandler()).detail = pieces;
  }
  return llvm::Error::success();
}

llvm::Error Decoder::decodeAddress(const llvm::GetElementPtrInst &instruction) {
  if (instruction.getType()->isVectorTy())
    return unsupported(instruction, "vectors of pointers");
  unsigned width = layout.getIndexTypeSizeInBits(instruction.getType());
  llvm::APInt constantOffset(width, 0);
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variableOffsets;
  if (!llvm::cast<llvm::GEPOperator>(instruction).collectOffset(layout, width, variableOffsets, constantOffset))
    return unsupported(instruction);
  llvm::Expected<RegisterOffset> base = readScalar(instruction.getPointerOperand());
  if (!base)
    return base.takeError();
  RegisterOffset address = *base;
  auto add = [&](RegisterOffset offset) {
    RegisterOffset sum = allocateRegister(8);
    emit(findIntegerBinary(Instruction::Add, 8), sum, {address, offset});
    address = sum;
  };
  for (auto &[index, scale] : variableOffsets) {
    llvm::Expected<RegisterOffset> value = readScalar(index);
    if (!value)
      return value.takeError();
    RegisterOffset wide = *value;
    if (unsigned bytes = elementBytes(index->getType()); bytes != 8) {
      wide = allocateRegister(8);
      emit(findIntegerCast(Instruction::SExt, bytes, 8), wide, {*value});
    }
    if (scale != 1) {
      RegisterOffset scaled = allocateRegister(8);
      emit(findIntegerBinary(Instruction::Mul, 8), scaled, {wide, constantRegister(scale.getSExtValue(), 8)});
      wide = scaled;
    }
    add(wide);
  }
  if (constantOffset != 0)
    add(constantRegister(constantOffset.getSExtValue(), 8));
  define(&instruction, {address});
  return llvm::Error::success();
}

llvm::Error Decoder::emitMemoryAccess(const Instruction &instruction, llvm::Type *type, const llvm::Value *pointer,
                                      const Registers &registers, bool isStore, llvm::Align alignment,
                                      MemoryOrder order) {
  llvm::Expected<RegisterOffset> address = readScalar(pointer);
  if (!address)
    return address.takeError();
  llvm::SmallVector<llvm::Type *> components;
  flatten(type, components);
  if (type->isAggregateType() || !llvm::all_equal(components))
    return unsupported(instruction, "structs in memory");
  unsigned bytes = elementBytes(components.front());
  if (type->isIntegerTy() && bytes != 0 && layout.getTypeStoreSize(type) != components.size() * bytes)
    return unsupported(instruction, "an integer of this width in memory");
  AccessShape shape{bytes, unsigned(components.size()), isShared(pointer->getType()), false};
  Handler handler = isStore ? findStore(shape) : findLoad(shape);
  if (!handler)
    return unsupported(instruction);
  RegisterOffset first = isStore ? makeConsecutive(*this, registers, bytes) : registers.front();
  DecodedInstruction &access = isStore ? emit(handler, 0, {*address, first}) : emit(handler, first, {*address});
  access.immediate = int64_t((uint64_t(components.size()) << 32) | alignment.value());
  access.order = order;
  return llvm::Error::success();
}

MemoryOrder Decoder::orderOf(llvm::AtomicOrdering ordering, llvm::SyncScope::ID scope) const {
  llvm::SmallVector<llvm::StringRef> names;
  kernel.getContext().getSyncScopeNames(names);
  // The lanes of a warp run in step, so that a scope within a warp orders nothing more.
  bool orders = !target.isWithinWarp(names[scope]);
  return {true, orders && llvm::isAcquireOrStronger(ordering), orders && llvm::isReleaseOrStronger(ordering),
          target.scope(names[scope])};
}

/// Volatile accesses count as relaxed accesses of the whole system.
template <typename Access> MemoryOrder Decoder::noteOrder(const Access &access) {
  AddressSpace space = target.addressSpace(access.getPointerAddressSpace());
  if ((!access.isAtomic() && !access.isVolatile()) || space == AddressSpace::Shared || space == AddressSpace::Local)
    return {};
  program.hasStrongAccesses = true;
  return access.isAtomic() ? orderOf(access.getOrdering(), access.getSyncScopeID())
                           : MemoryOrder{.isStrong = true, .scope = Scope::System};
}

llvm::Error Decoder::decodeLoad(const llvm::LoadInst &instruction) {
  Registers results = defineNew(&instruction);
  return emitMemoryAccess(instruction, instruction.getType(), instruction.getPointerOperand(), results, false,
                          instruction.getAlign(), noteOrder(instruction));
}

llvm::Error Decoder::decodeStore(const llvm::StoreInst &instruction) {
  llvm::Expected<Registers> value = read(instruction.getValueOperand());
  if (!value)
    return value.takeError();
  return emitMemoryAccess(instruction, instruction.getValueOperand()->getType(), instruction.getPointerOperand(),
                          *value, true, instruction.getAlign(), noteOrder(instruction));
}

/// Vectors are updated element by element. The hardware does not promise more.
llvm::Error Decoder::decodeAtomic(const llvm::AtomicRMWInst &instruction) {
  llvm::Expected<RegisterOffset> address = readScalar(instruction.getPointerOperand());
  llvm::Expected<Registers> values = read(instruction.getValOperand());
  if (!address)
    return llvm::joinErrors(address.takeError(), values.takeError());
  if (!values)
    return values.takeError();
  bool shared = isShared(instruction.getPointerOperand()->getType());
  program.hasStrongAccesses |= !shared;
  llvm::Type *type = instruction.getType()->getScalarType();
  unsigned bytes = elementBytes(type);
  Handler handler = findAtomic(instruction.getOperation(), bytes, floatFormat(type), shared);
  if (!handler)
    return unsupported(instruction);
  for (auto [element, result] : llvm::enumerate(defineNew(&instruction))) {
    RegisterOffset place = *address;
    if (element != 0) {
      place = allocateRegister(8);
      emit(findIntegerBinary(Instruction::Add, 8), place, {*address, constantRegister(element * bytes, 8)});
    }
    emit(handler, result, {place, (*values)[element]}).order =
        orderOf(instruction.getOrdering(), instruction.getSyncScopeID());
  }
  return llvm::Error::success();
}

llvm::Error Decoder::decodeCompareExchange(const llvm::AtomicCmpXchgInst &instruction) {
  llvm::SmallVector<RegisterOffset, 3> operands;
  for (const llvm::Value *operand :
       {instruction.getPointerOperand(), instruction.getCompareOperand(), instruction.getNewValOperand()}) {
    llvm::Expected<RegisterOffset> value = readScalar(operand);
    if (!value)
      return value.takeError();
    operands.push_back(*value);
  }
  bool shared = isShared(instruction.getPointerOperand()->getType());
  program.hasStrongAccesses |= !shared;
  Handler handler = findCompareExchange(elementBytes(instruction.getNewValOperand()->getType()), shared);
  if (!handler)
    return unsupported(instruction);
  Registers results = defineNew(&instruction);
  DecodedInstruction &exchange = emit(handler, results[0], operands);
  exchange.immediate = results[1];
  exchange.order = orderOf(instruction.getMergedOrdering(), instruction.getSyncScopeID());
  return llvm::Error::success();
}

/// The number of scalar components that precede the element `indices` of a type, and the number of the element's
/// components.
static std::pair<unsigned, unsigned> componentRange(const Decoder &decoder, llvm::Type *type,
                                                    llvm::ArrayRef<unsigned> indices) {
  unsigned first = 0;
  for (unsigned index : indices) {
    for (unsigned i = 0; i < index; ++i) {
      llvm::SmallVector<llvm::Type *> components;
      decoder.flatten(llvm::ExtractValueInst::getIndexedType(type, {i}), components);
      first += unsigned(components.size());
    }
    type = llvm::ExtractValueInst::getIndexedType(type, {index});
  }
  llvm::SmallVector<llvm::Type *> components;
  decoder.flatten(type, components);
  return {first, unsigned(components.size())};
}

/// Making vectors and structs and taking them apart is renaming, as long as the indices are constants.
llvm::Error Decoder::decodeAggregate(const Instruction &instruction) {
  llvm::Expected<Registers> whole = read(instruction.getOperand(0));
  if (!whole)
    return whole.takeError();
  if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    auto [first, count] = componentRange(*this, extract->getAggregateOperand()->getType(), extract->getIndices());
    define(&instruction, Registers(llvm::ArrayRef(*whole).slice(first, count)));
    return llvm::Error::success();
  }
  if (auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    auto *index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    if (!index)
      return unsupported(instruction, "a vector index that is not a constant");
    define(&instruction, {(*whole)[index->getZExtValue()]});
    return llvm::Error::success();
  }
  llvm::Expected<Registers> part = read(instruction.getOperand(1));
  if (!part)
    return part.takeError();
  if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    Registers results;
    for (int index : shuffle->getShuffleMask())
      results.push_back(index < 0                    ? whole->front()
                        : index < int(whole->size()) ? (*whole)[index]
                                                     : (*part)[index - whole->size()]);
    define(&instruction, results);
    return llvm::Error::success();
  }
  unsigned first = 0;
  if (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    first = componentRange(*this, insert->getType(), insert->getIndices()).first;
  } else {
    auto *index = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(2));
    if (!index)
      return unsupported(instruction, "a vector index that is not a constant");
    first = unsigned(index->getZExtValue());
  }
  std::copy(part->begin(), part->end(), whole->begin() + first);
  define(&instruction, *whole);
  return llvm::Error::success();
}

llvm::Error Decoder::decodeInstruction(const Instruction &instruction) {
  bool computesWide = (instruction.isCast() || instruction.isBinaryOp() || llvm::isa<llvm::ICmpInst>(instruction)) &&
                      (isWide(instruction.getType()) || isWide(instruction.getOperand(0)->getType()));
  if (computesWide)
    return decodeWideInteger(instruction);
  if (auto *compare = llvm::dyn_cast<llvm::CmpInst>(&instruction))
    return decodeCompare(*compare);
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return decodeCast(*cast);
  if (instruction.isBinaryOp() || instruction.isUnaryOp())
    return decodeBinary(instruction);
  switch (instruction.getOpcode()) {
  case Instruction::Select:
    return decodeSelect(llvm::cast<llvm::SelectInst>(instruction));
  case Instruction::GetElementPtr:
    return decodeAddress(llvm::cast<llvm::GetElementPtrInst>(instruction));
  case Instruction::Load:
    return decodeLoad(llvm::cast<llvm::LoadInst>(instruction));
  case Instruction::Store:
    return decodeStore(llvm::cast<llvm::StoreInst>(instruction));
  case Instruction::AtomicRMW:
    return decodeAtomic(llvm::cast<llvm::AtomicRMWInst>(instruction));
  case Instruction::AtomicCmpXchg:
    return decodeCompareExchange(llvm::cast<llvm::AtomicCmpXchgInst>(instruction));
  case Instruction::Fence: {
    auto &fence = llvm::cast<llvm::FenceInst>(instruction);
    emitFence(orderOf(fence.getOrdering(), fence.getSyncScopeID()));
    return llvm::Error::success();
  }
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
    return decodeAggregate(instruction);
  case Instruction::Call:
    return decodeCall(llvm::cast<llvm::CallInst>(instruction));
  case Instruction::Freeze: {
    llvm::Expected<Registers> value = read(instruction.getOperand(0));
    if (!value)
      return value.takeError();
    define(&instruction, *value);
    return llvm::Error::success();
  }
  case Instruction::Alloca: {
    auto &allocation = llvm::cast<llvm::AllocaInst>(instruction);
    std::optional<llvm::TypeSize> size = allocation.getAllocationSize(layout);
    if (!size)
      return unsupported(instruction, "a local array whose size is not a constant");
    std::size_t offset = llvm::alignTo(program.localBytes, allocation.getAlign());
    // The memory of the next lane follows, which is as aligned as the widest access needs.
    constexpr std::size_t widestAccess = 16;
    program.localBytes = llvm::alignTo(offset + size->getFixedValue(), widestAccess);
    emit(localAddress(), defineNew(&instruction).front()).immediate = int64_t(offset);
    return llvm::Error::success();
  }
  default:
    return unsupported(instruction);
  }
}

llvm::Error Decoder::decodeTerminator(const Instruction &instruction) {
  const llvm::BasicBlock *block = instruction.getParent();
  auto keep = [&](auto detail) {
    const void *pointer = detail.get();
    program.details.push_back(std::move(detail));
    return pointer;
  };
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    auto targets = std::make_shared<BranchTargets>();
    targets->taken = makeEdge(block, branch->getSuccessor(0));
    if (branch->isUnconditional()) {
      emit(jumpHandler()).detail = keep(targets);
      return llvm::Error::success();
    }
    targets->notTaken = makeEdge(block, branch->getSuccessor(1));
    llvm::Expected<RegisterOffset> condition = readScalar(branch->getCondition());
    if (!condition)
      return condition.takeError();
    emit(branchHandler(), 0, {*condition}).detail = keep(targets);
    return llvm::Error::success();
  }
  if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
    llvm::Expected<RegisterOffset> value = readScalar(choice->getCondition());
    if (!value)
      return value.takeError();
    auto targets = std::make_shared<SwitchTargets>();
    targets->bytes = elementBytes(choice->getCondition()->getType());
    if (targets->bytes == 0) { // a bit, for which the handler needs a byte
      targets->bytes = 1;
      RegisterOffset byte = allocateRegister(1);
      emit(findIntegerCast(Instruction::ZExt, 0, 1), byte, {*value});
      *value = byte;
    }
    for (auto &entry : choice->cases())
      targets->cases.push_back({entry.getCaseValue()->getZExtValue(), makeEdge(block, entry.getCaseSuccessor())});
    targets->otherwise = makeEdge(block, choice->getDefaultDest());
    emit(switchHandler(), 0, {*value}).detail = keep(targets);
    return llvm::Error::success();
  }
  if (llvm::isa<llvm::ReturnInst>(instruction)) {
    emit(returnHandler());
    return llvm::Error::success();
  }
  if (llvm::isa<llvm::UnreachableInst>(instruction)) {
    emit(returnHandler());
    return llvm::Error::success();
  }
  return unsupported(instruction);
}

} // namespace triton::simulator
