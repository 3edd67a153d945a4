// Keeps how the 32-bit offsets of accesses are computed, so that a report can say that one has wrapped.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/Error.h"

namespace triton::simulator {

class Decoder;

class NarrowOffsets {
public:
  /// Records the integers of 32 bits behind the address of an access, whose decoded instructions begin with `first`.
  llvm::Error note(Decoder &decoder, const llvm::Instruction &access, std::size_t first);

private:
  llvm::Expected<uint32_t> noteValue(Decoder &decoder, const llvm::Value &value);

  llvm::DenseMap<const llvm::Value *, uint32_t> known; ///< indices into Program::narrowIntegers
};

} // namespace triton::simulator
