#include "simulator/core/InnerBlocks.h"

namespace triton::simulator {

InnerBlocks::InnerBlocks(Decoder &decoder) : decoder(decoder), rest(uint32_t(decoder.program.blocks.size())) {
  std::vector<Block> &blocks = decoder.program.blocks;
  // Where the lanes met after the block, they meet after its rest.
  blocks.push_back({.reconvergence = blocks[decoder.currentBlock].reconvergence});
  blocks[decoder.currentBlock].reconvergence = rest;
}

uint32_t InnerBlocks::add() {
  decoder.program.blocks.push_back({.reconvergence = rest});
  return uint32_t(decoder.program.blocks.size() - 1);
}

void InnerBlocks::begin(uint32_t block) {
  decoder.program.blocks[block].firstInstruction = uint32_t(decoder.program.instructions.size());
  decoder.currentBlock = block;
}

const Edge *InnerBlocks::makeEdge(uint32_t block) {
  Edge *edge = decoder.program.edges.emplace_back(std::make_unique<Edge>()).get();
  edge->block = block;
  return edge;
}

void InnerBlocks::emit(Handler handler, const Edge *taken, const Edge *notTaken,
                       llvm::ArrayRef<RegisterOffset> operands) {
  auto targets = std::make_shared<BranchTargets>(taken, notTaken);
  decoder.emit(handler, 0, operands).detail = targets.get();
  decoder.program.details.push_back(std::move(targets));
}

void InnerBlocks::jump(uint32_t block) { emit(jumpHandler(), makeEdge(block), nullptr, {}); }

void InnerBlocks::branch(RegisterOffset condition, uint32_t taken, uint32_t notTaken) {
  emit(branchHandler(), makeEdge(taken), makeEdge(notTaken), {condition});
}

void InnerBlocks::end() {
  jump(rest);
  begin(rest);
}

} // namespace triton::simulator
