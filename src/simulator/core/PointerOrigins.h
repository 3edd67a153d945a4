// Where the address of an access comes from: the kernel's parameters whose pointers it was computed from, and the
// 32-bit integers that were added to them.
#pragma once

#include "simulator/core/Program.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"

namespace triton::simulator {

class InstructionSet;

/// The pointer of an instruction that accesses global memory; null if it accesses none, or several places.
const llvm::Value *accessedPointer(const llvm::Instruction &instruction, const InstructionSet &target);

/// The indices of the parameters that a pointer may have been computed from, in ascending order. Empty: one of its
/// sources is not a parameter, such as an address in memory.
std::vector<unsigned> originsOf(const llvm::Value &pointer);

/// The integers of 32 bits that are added to a pointer, as far as they are not parts of one another.
llvm::SmallVector<const llvm::Value *> narrowOffsetsOf(const llvm::Instruction &access, const llvm::Value &pointer);

} // namespace triton::simulator
