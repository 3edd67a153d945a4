#include "simulator/core/NarrowOffsets.h"

#include "simulator/core/Decoder.h"
#include "simulator/core/PointerOrigins.h"

#include "llvm/IR/Instructions.h"

namespace triton::simulator {

static std::optional<NarrowInteger::Kind> kindOf(const llvm::Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Add:
    return NarrowInteger::Kind::Sum;
  case llvm::Instruction::Sub:
    return NarrowInteger::Kind::Difference;
  case llvm::Instruction::Mul:
    return NarrowInteger::Kind::Product;
  case llvm::Instruction::Shl:
    return NarrowInteger::Kind::Shifted;
  case llvm::Instruction::Or:
    return llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint() ? std::optional(NarrowInteger::Kind::Sum)
                                                                            : std::nullopt;
  default:
    return std::nullopt;
  }
}

llvm::Expected<uint32_t> NarrowOffsets::noteValue(Decoder &decoder, const llvm::Value &value) {
  if (auto found = known.find(&value); found != known.end())
    return found->second;
  NarrowInteger integer;
  llvm::Expected<RegisterOffset> registerOffset = decoder.readScalar(&value);
  if (!registerOffset)
    return registerOffset.takeError();
  integer.value = *registerOffset;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (std::optional<NarrowInteger::Kind> kind = instruction ? kindOf(*instruction) : std::nullopt) {
    integer.kind = *kind;
    integer.location = decoder.locationOf(*instruction);
    for (unsigned i = 0; i < 2; ++i) {
      llvm::Expected<uint32_t> operand = noteValue(decoder, *instruction->getOperand(i));
      if (!operand)
        return operand.takeError();
      integer.operands[i] = *operand;
    }
  }
  decoder.program.narrowIntegers.push_back(integer);
  return known[&value] = uint32_t(decoder.program.narrowIntegers.size() - 1);
}

llvm::Error NarrowOffsets::note(Decoder &decoder, const llvm::Instruction &access, std::size_t first) {
  const llvm::Value *pointer = accessedPointer(access, decoder.target);
  if (!pointer)
    return llvm::Error::success();
  std::vector<uint32_t> offsets;
  for (const llvm::Value *offset : narrowOffsetsOf(access, *pointer)) {
    llvm::Expected<uint32_t> index = noteValue(decoder, *offset);
    if (!index)
      return index.takeError();
    offsets.push_back(*index);
  }
  if (!offsets.empty())
    for (std::size_t i = first; i < decoder.program.instructions.size(); ++i)
      decoder.program.narrowOffsets[uint32_t(i)] = offsets;
  return llvm::Error::success();
}

} // namespace triton::simulator
