// Barriers in LDS, of gfx1250: arrivals are an intrinsic. The word of a barrier is written and read by assembly in
// which a comment says so. Of the word, bits 0 to 28 are the missing arrivals less one, and bit 29 is the parity of the
// phase.
#include "simulator/amdgpu/AssemblyDecoder.h"
#include "simulator/amdgpu/Decode.h"
#include "simulator/core/BarrierDecoding.h"

namespace triton::simulator::amdgpu {

using Kind = MemoryBarrierOperation::Kind;

constexpr uint32_t countMask = (1u << 29) - 1, phaseBit = 1u << 29;
constexpr unsigned phaseOfToken =
    20; ///< A token of the simulator has the phase from this bit on, below it the arrivals.

static RegisterOffset combine(Decoder &decoder, unsigned opcode, unsigned bytes, RegisterOffset left, uint64_t right) {
  RegisterOffset result = decoder.allocateRegister(bytes);
  decoder.emit(findIntegerBinary(opcode, bytes), result, {left, decoder.constantRegister(right, bytes)});
  return result;
}

static RegisterOffset lowHalf(Decoder &decoder, RegisterOffset value) {
  RegisterOffset result = decoder.allocateRegister(4);
  decoder.emit(findIntegerCast(llvm::Instruction::Trunc, 8, 4), result, {value});
  return result;
}

/// ds.atomic.barrier.arrive.rtn.b64(barrier, count) gives the word before.
static llvm::Error decodeArrival(const Intrinsic &intrinsic) {
  Decoder &decoder = intrinsic.decoder;
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> arguments = decoder.readArguments(intrinsic.call);
  if (!arguments)
    return arguments.takeError();
  RegisterOffset token = decoder.allocateRegister(8);
  emitBarrierOperation(decoder, {.kind = Kind::Arrive}, token, (*arguments)[0], lowHalf(decoder, (*arguments)[1]),
                       decoder.constantRegister(1, 0));
  RegisterOffset missing = combine(decoder, llvm::Instruction::And, 8, token, (1u << phaseOfToken) - 1);
  RegisterOffset count = combine(decoder, llvm::Instruction::Sub, 8, missing, 1);
  RegisterOffset phase = combine(decoder, llvm::Instruction::LShr, 8, token, phaseOfToken);
  RegisterOffset parity =
      combine(decoder, llvm::Instruction::Shl, 8, combine(decoder, llvm::Instruction::And, 8, phase, 1), 29);
  decoder.emit(findIntegerBinary(llvm::Instruction::Or, 8), decoder.defineNew(&intrinsic.call).front(),
               {count, parity});
  return llvm::Error::success();
}

/// s.barrier.signal.var(named barrier, waves). A wave that signals also waits: s.barrier.wait(1) follows.
static llvm::Error decodeNamedBarrier(const Intrinsic &intrinsic) {
  Decoder &decoder = intrinsic.decoder;
  llvm::StringRef name = intrinsic.argument(0)->stripPointerCasts()->getName();
  unsigned number = 0;
  std::optional<int64_t> waves = intrinsic.constant(1);
  if (!waves || !name.consume_front("barrier.") || name.getAsInteger(10, number))
    return decoder.unsupported(intrinsic.call);
  decoder.program.hasPartialBarriers = true;
  decoder
      .emit(bareBarrierHandler(), 0,
            {decoder.constantRegister(number, 4),
             decoder.constantRegister(uint64_t(*waves) * decoder.program.laneCount, 4)})
      .immediate = 2;
  return llvm::Error::success();
}

llvm::Expected<bool> decodeBarrier(const Intrinsic &intrinsic) {
  if (intrinsic.name == "s.barrier.signal.var")
    return intrinsic.architecture.isGfx1250() ? Intrinsic::known(decodeNamedBarrier(intrinsic)) : intrinsic.missing();
  if (intrinsic.name == "s.barrier.join" || (intrinsic.name == "s.barrier.wait" && intrinsic.constant(0) == 1))
    return true;
  if (intrinsic.name != "ds.atomic.barrier.arrive.rtn.b64")
    return false;
  return intrinsic.architecture.isGfx1250() ? Intrinsic::known(decodeArrival(intrinsic)) : intrinsic.missing();
}

/// `ds_store_b64 $0, $1` makes a barrier of a word, and `ds_load_b32 $0, $1` reads it until its phase is not that of a
/// word of 32 bits, which is the last operand.
AssemblyDecoder::Known AssemblyDecoder::decodeBarrierWord(const AssemblyInstruction &instruction) {
  bool isStore = instruction.name == "ds_store_b64", isLoad = instruction.name == "ds_load_b32";
  if (!isOfBarrier || (!isStore && !isLoad) || instruction.operands.size() != 2)
    return false;
  llvm::Expected<AssemblyValue> address = find(instruction.operands[isStore ? 0 : 1].name);
  if (!address)
    return address.takeError();
  RegisterOffset place = address->parts.front(), all = decoder.constantRegister(1, 0);
  if (isStore) {
    llvm::Expected<RegisterOffset> word = source(instruction, 1, {'b', 8, std::nullopt});
    if (!word)
      return word.takeError();
    RegisterOffset missing = combine(decoder, llvm::Instruction::And, 4, lowHalf(decoder, *word), countMask);
    emitBarrierOperation(decoder, {.kind = Kind::Initialize}, std::nullopt, place,
                         combine(decoder, llvm::Instruction::Add, 4, missing, 1), all);
    return true;
  }
  RegisterOffset awaited = operands.back().parts.front(), ended = decoder.allocateRegister(0);
  RegisterOffset parity = combine(decoder, llvm::Instruction::LShr, 4, awaited, 29);
  emitBarrierOperation(decoder, {.kind = Kind::Test, .mayWait = true}, ended, place, parity, all);
  RegisterOffset other = combine(decoder, llvm::Instruction::Xor, 4, awaited, phaseBit);
  RegisterOffset word = decoder.allocateRegister(4);
  decoder.emit(findSelect(4), word, {ended, other, awaited});
  return Intrinsic::known(give(instruction, word, 4));
}

} // namespace triton::simulator::amdgpu
