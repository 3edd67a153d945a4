// Bulk copies: `llvm.nvvm.cp.async.bulk.*` and the same instructions in inline assembly.
#include "simulator/nvptx/BulkCopy.h"
#include "simulator/nvptx/Decode.h"
#include "simulator/nvptx/PtxDecoder.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

static void emitCopy(Decoder &decoder, BulkCopy copy) {
  auto detail = std::make_shared<BulkCopy>(std::move(copy));
  decoder.emit(bulkCopyHandler()).detail = detail.get();
  decoder.program.hasPartialBarriers = true;
  decoder.program.hasStrongAccesses |= detail->kind == BulkCopy::Kind::Reduce;
  decoder.program.details.push_back(std::move(detail));
}

//===--- Intrinsics -----------------------------------------------------------------------------------------------===//

/// Whether the flag at the end of an intrinsic's arguments, counted from there, is set.
static bool hasFlag(const llvm::CallInst &call, unsigned fromEnd) {
  return !llvm::cast<llvm::ConstantInt>(call.getArgOperand(call.arg_size() - fromEnd))->isZero();
}

/// `g2s.tile.2d`, `g2s.cta.tile.2d`, `s2g.tile.2d`, `reduce.add.tile.2d`, `g2s.cta.tile.gather4.2d`. The arguments are:
/// shared address, barrier (of loads), map, coordinates, mask of programs (of loads to a cluster), cache policy, flags.
static llvm::Error decodeTensorIntrinsic(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name) {
  llvm::StringRef form = name;
  BulkCopy copy;
  copy.isTensor = true;
  bool isToCluster = false;
  if (form.consume_front("g2s.")) {
    isToCluster = !form.consume_front("cta.");
  } else if (form.consume_front("s2g.")) {
    copy.kind = BulkCopy::Kind::Store;
  } else if (form.consume_front("reduce.")) {
    auto [operation, rest] = form.split('.');
    std::optional<BulkCopy::Reduction> reduction = parseReduction(operation);
    if (!reduction)
      return decoder.unsupported(call);
    copy.kind = BulkCopy::Kind::Reduce;
    copy.reduction = *reduction;
    form = rest;
  } else {
    return decoder.unsupported(call);
  }
  unsigned rank = 0;
  if (!form.consume_front("tile."))
    return decoder.unsupported(call);
  copy.fourRows = form == "gather4.2d" || form == "scatter4.2d";
  if (copy.fourRows)
    rank = 5;
  else if (!form.consume_back("d") || form.getAsInteger(10, rank))
    return decoder.unsupported(call);
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> arguments = decoder.readArguments(call);
  if (!arguments)
    return arguments.takeError();
  bool isLoad = copy.kind == BulkCopy::Kind::Load;
  unsigned map = isLoad ? 2 : 1;
  (isLoad ? copy.destination : copy.source) = (*arguments)[0];
  (isLoad ? copy.source : copy.destination) = (*arguments)[map];
  if (isLoad)
    copy.barrier = (*arguments)[1];
  copy.coordinates.append(arguments->begin() + map + 1, arguments->begin() + map + 1 + rank);
  if (isToCluster && hasFlag(call, 3))
    copy.programs = (*arguments)[map + 1 + rank];
  copy.lanes = decoder.constantRegister(1, 0);
  emitCopy(decoder, std::move(copy));
  return llvm::Error::success();
}

llvm::Error decodeBulkCopy(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name) {
  RegisterOffset all = decoder.constantRegister(1, 0);
  if (name == "commit.group") {
    decoder.emit(bulkCommitHandler(), 0, {all});
    return llvm::Error::success();
  }
  if (name == "wait.group" || name == "wait.group.read") {
    decoder.emit(bulkWaitHandler(name.ends_with("read")), 0, {all}).immediate =
        llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getSExtValue();
    return llvm::Error::success();
  }
  if (name.starts_with("prefetch.") || name.starts_with("tensor.prefetch."))
    return llvm::Error::success();
  if (name.consume_front("tensor."))
    return decodeTensorIntrinsic(decoder, call, name);
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> arguments = decoder.readArguments(call);
  if (!arguments)
    return arguments.takeError();
  BulkCopy copy;
  copy.lanes = all;
  copy.destination = arguments->front();
  if (name == "shared.cta.to.global") {
    copy.kind = BulkCopy::Kind::Store;
    copy.source = (*arguments)[1];
    copy.size = (*arguments)[2];
  } else if (name == "global.to.shared.cluster" || name == "global.to.shared.cta" || name == "shared.cta.to.cluster") {
    copy.kind = name.starts_with("global") ? BulkCopy::Kind::Load : BulkCopy::Kind::Exchange;
    copy.barrier = (*arguments)[1];
    copy.source = (*arguments)[2];
    copy.size = (*arguments)[3];
    if (name == "global.to.shared.cluster" && hasFlag(call, 2))
      copy.programs = (*arguments)[4];
  } else {
    return decoder.unsupported(call);
  }
  emitCopy(decoder, std::move(copy));
  return llvm::Error::success();
}

//===--- Inline assembly ------------------------------------------------------------------------------------------===//

llvm::Error PtxDecoder::decodeBulkGroup(const PtxInstruction &instruction) {
  llvm::Expected<RegisterOffset> lanes = guard(instruction);
  if (!lanes)
    return lanes.takeError();
  if (instruction.has("commit_group")) {
    decoder.emit(bulkCommitHandler(), 0, {*lanes});
    return llvm::Error::success();
  }
  std::optional<int64_t> count = instruction.operands.size() == 1 ? constant(instruction.operands[0]) : std::nullopt;
  if (!count)
    return decoder.refuse("`" + instruction.text + "` in inline assembly");
  decoder.emit(bulkWaitHandler(instruction.has("read")), 0, {*lanes}).immediate = *count;
  return llvm::Error::success();
}

/// The direction and the operation that the modifiers name; none if they are not known.
static std::optional<BulkCopy> parseCopy(const PtxInstruction &instruction) {
  BulkCopy copy;
  if (instruction.opcode == "st") { // st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
    copy.kind = BulkCopy::Kind::Words;
    bool isKnown = instruction.has("shared::cluster") && instruction.has("mbarrier::complete_tx::bytes") &&
                   llvm::is_contained({"b32", "u32", "s32", "f32"}, instruction.modifiers.back());
    return isKnown ? std::optional(copy) : std::nullopt;
  }
  copy.isTensor = instruction.has("tensor");
  auto place = [&](llvm::StringRef modifier) {
    return std::size_t(llvm::find(instruction.modifiers, modifier) - instruction.modifiers.begin());
  };
  std::size_t global = place("global"),
              shared = std::min({place("shared::cta"), place("shared::cluster"), place("shared")}),
              none = instruction.modifiers.size();
  if (shared == none || instruction.has("im2col") || instruction.has("tile::gather4") ||
      instruction.has("tile::scatter4"))
    return std::nullopt;
  if (global == none) // the other space is that of the cluster
    copy.kind = BulkCopy::Kind::Exchange;
  else if (global < shared)
    copy.kind = instruction.has("reduce") ? BulkCopy::Kind::Reduce : BulkCopy::Kind::Store;
  if (!instruction.has("reduce"))
    return copy;
  std::optional<BulkCopy::Reduction> reduction;
  for (llvm::StringRef modifier : instruction.modifiers)
    if (!reduction)
      reduction = parseReduction(modifier);
  auto type = llvm::StringSwitch<std::optional<TensorMap::ElementType>>(instruction.modifiers.back())
                  .Case("u32", TensorMap::ElementType::U32)
                  .Case("s32", TensorMap::ElementType::I32)
                  .Case("b32", TensorMap::ElementType::U32)
                  .Case("u64", TensorMap::ElementType::U64)
                  .Case("s64", TensorMap::ElementType::I64)
                  .Case("b64", TensorMap::ElementType::U64)
                  .Case("f16", TensorMap::ElementType::F16)
                  .Case("bf16", TensorMap::ElementType::BF16)
                  .Case("f32", TensorMap::ElementType::F32)
                  .Case("f64", TensorMap::ElementType::F64)
                  .Default(std::nullopt);
  if (!reduction || copy.kind != BulkCopy::Kind::Reduce || (!copy.isTensor && !type))
    return std::nullopt;
  copy.reduction = *reduction;
  copy.type = type.value_or(copy.type);
  return copy;
}

llvm::Error PtxDecoder::decodeBulkCopy(const PtxInstruction &instruction) {
  if (instruction.has("prefetch"))
    return llvm::Error::success();
  auto refuse = [&] { return decoder.refuse("`" + instruction.text + "` in inline assembly"); };
  std::optional<BulkCopy> copy = parseCopy(instruction);
  llvm::ArrayRef<PtxOperand> names = instruction.operands;
  if (!copy || names.size() < 2)
    return refuse();
  bool isOfWords = copy->kind == BulkCopy::Kind::Words;
  llvm::Expected<RegisterOffset> destination = address(names[0]), source = address(names[isOfWords ? 0 : 1]),
                                 lanes = guard(instruction);
  if (llvm::Error error =
          llvm::joinErrors(llvm::joinErrors(destination.takeError(), source.takeError()), lanes.takeError()))
    return error;
  copy->destination = *destination;
  copy->source = *source;
  copy->lanes = *lanes;
  unsigned next = 2;
  if (isOfWords) {
    llvm::Expected<std::vector<RegisterOffset>> stored = words(instruction, names[1]);
    if (!stored)
      return stored.takeError();
    copy->words.assign(stored->begin(), stored->end());
  } else if (!copy->isTensor) {
    llvm::Expected<RegisterOffset> size = this->source(instruction, next++, {'b', 4, false, std::nullopt});
    if (!size)
      return size.takeError();
    copy->size = *size;
  } else {
    bool isLoad = copy->kind == BulkCopy::Kind::Load;
    llvm::Expected<std::vector<RegisterOffset>> coordinates =
        words(instruction, PtxOperand(llvm::drop_begin(names[isLoad ? 1 : 0])));
    if (!coordinates)
      return coordinates.takeError();
    copy->coordinates.assign(coordinates->begin(), coordinates->end());
    if (copy->coordinates.empty() || copy->coordinates.size() > TensorMap::mostDimensions)
      return refuse();
  }
  if (copy->kind != BulkCopy::Kind::Store && copy->kind != BulkCopy::Kind::Reduce) {
    if (next >= names.size())
      return refuse();
    llvm::Expected<RegisterOffset> barrier = address(names[next++]);
    if (!barrier)
      return barrier.takeError();
    copy->barrier = *barrier;
  }
  if (instruction.has("multicast::cluster")) {
    llvm::Expected<RegisterOffset> programs = this->source(instruction, next, {'b', 2, false, std::nullopt});
    if (!programs)
      return programs.takeError();
    copy->programs = *programs;
  }
  emitCopy(decoder, std::move(*copy));
  return llvm::Error::success();
}

} // namespace triton::simulator::nvptx
