// Labels, branches and guards of inline assembly.
#include "simulator/nvptx/PtxDecoder.h"

namespace triton::simulator::nvptx {

llvm::Error PtxControl::decodeText(const ptx::PtxText &text) {
  InnerBlocks blocks(ptx.decoder);
  ptx.blocks = &blocks;
  for (const ptx::PtxLabel &label : text.labels)
    labels[label.name] = blocks.add();
  auto beginLabels = [&](std::size_t place) {
    for (const ptx::PtxLabel &label : text.labels)
      if (label.instruction == place) {
        blocks.jump(labels[label.name]);
        blocks.begin(labels[label.name]);
      }
  };
  for (auto [place, instruction] : llvm::enumerate(text.instructions)) {
    beginLabels(place);
    if (llvm::Error error =
            instruction.opcode == "bra" ? decodeBranch(instruction) : ptx.decodeInstruction(instruction))
      return error;
  }
  beginLabels(text.instructions.size());
  blocks.end();
  return llvm::Error::success();
}

llvm::Error PtxControl::decodeBranch(const PtxInstruction &instruction) {
  auto target = labels.end();
  if (instruction.operands.size() == 1 && instruction.operands[0].size() == 1)
    target = labels.find(instruction.operands[0][0]);
  if (target == labels.end())
    return ptx.decoder.refuse("`" + instruction.text + "` in inline assembly: there is no such label");
  uint32_t next = ptx.blocks->add();
  if (instruction.predicate.empty()) {
    ptx.blocks->jump(target->second);
  } else {
    llvm::Expected<RegisterOffset> lanes = ptx.guard(instruction);
    if (!lanes)
      return lanes.takeError();
    ptx.blocks->branch(*lanes, target->second, next);
  }
  ptx.blocks->begin(next);
  return llvm::Error::success();
}

llvm::Error PtxControl::decodeGuarded(const PtxInstruction &instruction, llvm::function_ref<llvm::Error()> decodeNext) {
  if (instruction.predicate.empty())
    return decodeNext();
  llvm::Expected<RegisterOffset> lanes = ptx.guard(instruction);
  if (!lanes)
    return lanes.takeError();
  InnerBlocks blocks(ptx.decoder);
  uint32_t body = blocks.add(), skipped = blocks.add();
  blocks.branch(*lanes, body, skipped);
  blocks.begin(body);
  if (llvm::Error error = decodeNext())
    return error;
  blocks.jump(skipped);
  blocks.begin(skipped);
  blocks.end();
  return llvm::Error::success();
}

} // namespace triton::simulator::nvptx
