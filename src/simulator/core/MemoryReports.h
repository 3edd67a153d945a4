// Reports about accesses of memory, and what they need.
#pragma once

#include "simulator/core/AccessStamp.h"
#include "simulator/core/ReachableMemory.h"

#include "llvm/ADT/ArrayRef.h"

namespace triton::simulator {

struct ProgramState;
class Warp;

/// From an array: an address that is further away does not belong to it.
constexpr int64_t farAway = 1 << 24;

const char *verb(AccessKind kind); ///< `read`

/// What an access missed: shared memory, the array of the parameter that is meant, or the nearest array.
std::string describeMiss(const ProgramState &state, uintptr_t address, std::size_t size, AccessKind kind,
                         const ParameterMemory *meant = nullptr);

/// Reports an access of what it must not reach.
void reportMiss(Warp &warp, uintptr_t address, std::size_t size, AccessKind kind, unsigned lane, uint32_t location);

/// Reports an access at an address that is not a multiple of `alignment`.
void reportMisaligned(Warp &warp, uintptr_t address, std::size_t size, std::size_t alignment, AccessKind kind,
                      unsigned lane, uint32_t location);

/// Reports a value that a lane has stored and that another lane of the same instruction has replaced.
void reportConflict(Warp &warp, uintptr_t address, llvm::ArrayRef<std::byte> value, unsigned lane, uint32_t location);

/// Records that a lane divides by zero. Returns whether the result is to be another one than the hardware's.
bool noteDivisionByZero(Warp &warp, unsigned lane, uint32_t location);

} // namespace triton::simulator
