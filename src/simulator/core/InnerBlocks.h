// Control flow within one instruction of LLVM's, such as inline assembly with labels.
#pragma once

#include "simulator/core/Decoder.h"

namespace triton::simulator {

/// Divides the current block of a program. Lanes that part in it meet again at its rest.
class InnerBlocks {
public:
  explicit InnerBlocks(Decoder &decoder);

  /// A block, which begins later.
  uint32_t add();
  /// What is emitted from here on belongs to the block.
  void begin(uint32_t block);
  void jump(uint32_t block);
  void branch(RegisterOffset condition, uint32_t taken, uint32_t notTaken);
  /// Begins the rest of the block.
  void end();

private:
  const Edge *makeEdge(uint32_t block);
  void emit(Handler handler, const Edge *taken, const Edge *notTaken, llvm::ArrayRef<RegisterOffset> operands);

  Decoder &decoder;
  uint32_t rest;
};

} // namespace triton::simulator
