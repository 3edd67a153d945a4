// The instruction sets of processors, and which of them the processor of this process has.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace triton::cpu {

enum class Architecture { X86_64, AArch64 };

/// That of this process.
Architecture hostArchitecture();

/// On which generated code may rely, by their names in LLVM; other features only affect tuning.
llvm::ArrayRef<llvm::StringLiteral> instructionSets(Architecture architecture);

/// Where Linux says whether a processor of AArch64 has an instruction set: a bit of a word of the auxiliary vector.
struct HardwareCapability {
  llvm::StringLiteral name; ///< in LLVM
  unsigned word;            ///< 16: AT_HWCAP, 26: AT_HWCAP2
  unsigned bit;
};
/// Null for an instruction set that Linux does not report.
const HardwareCapability *findCapability(llvm::StringRef instructionSet);

/// What the host has and this process may use. A virtual machine may hide some features of the model.
const llvm::StringMap<bool> &usableHostFeatures();

/// The bytes of one cache for data of the first and of the last level; 0: not known.
struct CacheSizes {
  int64_t first = 0, last = 0;
};
CacheSizes hostCaches();

/// The width of this process's registers of SVE; 0: none.
unsigned hostScalableBits();

} // namespace triton::cpu
