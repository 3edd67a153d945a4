// Barriers, elections, matrices and addresses in the shared memory of clusters in inline assembly.
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Decode.h"
#include "simulator/nvptx/PtxDecoder.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::simulator::nvptx {

/// `bar.sync 1, 128`, `barrier.cta.arrive.aligned 1, 128`, `barrier.cluster.wait.aligned`. False for any other barrier.
llvm::Expected<bool> PtxDecoder::decodeBarrier(const PtxInstruction &instruction) {
  bool isArrival = instruction.has("arrive");
  if (!instruction.predicate.empty() || instruction.has("red"))
    return false;
  if (instruction.has("cluster")) {
    if (!isArrival && !instruction.has("wait"))
      return false;
    decoder.emit(isArrival ? clusterArriveHandler() : clusterWaitHandler()).order.releases =
        isArrival && !instruction.has("relaxed");
    return true;
  }
  if (instruction.opcode == "bar" && instruction.has("warp")) // lanes of a warp run in step
    return true;
  if ((!isArrival && !instruction.has("sync")) || instruction.operands.empty() || instruction.operands.size() > 2)
    return false;
  llvm::SmallVector<RegisterOffset, 2> operands;
  for (unsigned i = 0; i < instruction.operands.size(); ++i) {
    llvm::Expected<RegisterOffset> value = source(instruction, i, {'b', 4, false, std::nullopt});
    if (!value)
      return value.takeError();
    operands.push_back(*value);
  }
  decoder.program.hasPartialBarriers |= operands.size() > 1;
  decoder.emit(isArrival ? barrierArriveHandler() : barrierHandler(), 0, operands).immediate = int64_t(operands.size());
  return true;
}

/// `elect.sync d|p, mask`; `_` replaces a result that is not needed.
llvm::Expected<bool> PtxDecoder::decodeElection(const PtxInstruction &instruction) {
  if (!instruction.predicate.empty() || instruction.operands.size() != 2 || instruction.operands[0].size() != 2)
    return false;
  llvm::Expected<RegisterOffset> mask = source(instruction, 1, {'b', 4, false, std::nullopt});
  if (!mask)
    return mask.takeError();
  OperandList *list = decoder.operandList();
  list->inputs = {*mask};
  list->inputBytes = {4};
  list->outputBytes = {4, 0};
  for (unsigned i : {0u, 1u}) {
    llvm::StringRef name = instruction.operands[0][i];
    PtxRegister result;
    if (name == "_") {
      result = allocate(list->outputBytes[i]);
    } else {
      llvm::Expected<PtxRegister> found = find(name);
      if (!found)
        return found.takeError();
      result = *found;
    }
    if (result.bytes != list->outputBytes[i])
      return false;
    list->outputs.push_back(result.offset);
  }
  decoder.emit(findWarpOperation("elect.sync")).detail = list;
  return true;
}

/// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {d...}, [a]`, and `stmatrix` with the operands in the other order.
llvm::Expected<bool> PtxDecoder::decodeMatrixTransfer(const PtxInstruction &instruction) {
  bool isStore = instruction.opcode == "stmatrix";
  if (!instruction.predicate.empty() || instruction.operands.size() != 2 || !instruction.has("m8n8"))
    return false;
  llvm::StringRef count;
  for (llvm::StringRef modifier : instruction.modifiers)
    if (modifier == "x1" || modifier == "x2" || modifier == "x4")
      count = modifier;
  std::string form = count.str() + (instruction.has("trans") ? ".trans" : "") + ".b16";
  Handler handler = isStore ? findMatrixStore(form) : findMatrixLoad(form);
  if (!handler || !instruction.has("b16"))
    return false;
  llvm::Expected<RegisterOffset> place = address(instruction.operands[isStore ? 0 : 1]);
  if (!place)
    return place.takeError();
  llvm::Expected<std::vector<RegisterOffset>> registers = words(instruction, instruction.operands[isStore ? 1 : 0]);
  if (!registers)
    return registers.takeError();
  if (registers->size() != std::size_t(count[1] - '0'))
    return false;
  OperandList *list = decoder.operandList();
  list->inputs = {*place};
  llvm::append_range(isStore ? list->inputs : list->outputs, *registers);
  decoder.emit(handler).detail = list;
  return true;
}

/// `mapa.shared::cluster.u32 d, a, rank`. With 32 bits, d is the address of a place in another program's shared memory
/// that Warp::findSharedPlace accepts.
llvm::Expected<bool> PtxDecoder::decodeAddressOfRank(const PtxInstruction &instruction) {
  if (!instruction.predicate.empty() || instruction.operands.size() != 3 || instruction.modifiers.size() != 2 ||
      instruction.modifiers[0] != "shared::cluster" || instruction.modifiers[1] != "u32")
    return false;
  const PtxType word{'b', 4, false, std::nullopt};
  llvm::Expected<PtxRegister> result = find(instruction.operands[0][0]);
  if (!result)
    return result.takeError();
  llvm::Expected<RegisterOffset> place = source(instruction, 1, word), rank = source(instruction, 2, word);
  if (llvm::Error error = llvm::joinErrors(place.takeError(), rank.takeError()))
    return error;
  if (result->bytes != 4)
    return false;
  auto combine = [&](unsigned opcode, RegisterOffset a, RegisterOffset b) {
    PtxRegister combined = allocate(4);
    apply(findIntegerBinary(opcode, 4), combined.offset, {a, b});
    return combined.offset;
  };
  RegisterOffset shift = decoder.constantRegister(Warp::rankShift, 4),
                 window = decoder.constantRegister(Warp::remoteWindow, 4);
  RegisterOffset shifted = combine(llvm::Instruction::Shl, *rank, shift);
  apply(findIntegerBinary(llvm::Instruction::Or, 4), result->offset,
        {combine(llvm::Instruction::Or, shifted, window), *place});
  return true;
}

/// Decodes the instructions of this file. None for other instructions; false for one that is not understood.
llvm::Expected<std::optional<bool>> PtxDecoder::decodeSynchronization(const PtxInstruction &instruction) {
  llvm::StringRef opcode = instruction.opcode;
  auto decodeIt = [&]() -> llvm::Expected<bool> {
    if (opcode == "bar" || opcode == "barrier")
      return decodeBarrier(instruction);
    if (opcode == "elect")
      return decodeElection(instruction);
    if (opcode == "ldmatrix" || opcode == "stmatrix")
      return decodeMatrixTransfer(instruction);
    return decodeAddressOfRank(instruction);
  };
  if (!llvm::is_contained({"bar", "barrier", "elect", "ldmatrix", "stmatrix", "mapa"}, opcode))
    return std::nullopt;
  llvm::Expected<bool> known = decodeIt();
  if (!known)
    return known.takeError();
  return std::optional(*known);
}

} // namespace triton::simulator::nvptx
