// What the code generator knows about the processor that it compiles for. Free of MLIR.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::cpu {

struct TargetDescription {
  std::string triple;
  std::string cpu;           ///< LLVM's name, such as "znver4"
  std::string features;      ///< LLVM's feature string; empty when `cpu` implies all features
  bool isHost = false;       ///< made from the host rather than from a name
  unsigned vectorBits = 128; ///< width of the vectors to compute with: the widest that run at the full clock
  bool hasFma = false;
  bool hasF16c = false;
  bool hasAvx2 = false;
  bool hasAvx512 = false;      ///< F, BW, DQ and VL, at vectors of 128 bits up to `vectorBits`
  bool hasBFloat16Dot = false; ///< dpbf16ps at the same widths, and it is faster than multiply-add in f32
  bool hasInt8Dot = false;     ///< vpdpbusd, at the same widths
  /// AMX, by type of the operands. Always together with vectors of 512 bits.
  bool hasTileBFloat16 = false, hasTileFloat16 = false, hasTileInt8 = false;
  unsigned vectorRegisters = 16;

  /// The number of lanes of a native vector whose elements have that many bits.
  unsigned lanes(unsigned elementBits) const { return vectorBits / elementBits; }
};

/// The host's processor when `arch` is empty, else the one with that name ("x86-64-v3", "znver4", "haswell"). Computed
/// once for each process and name; the reference stays valid. An unknown name is an error.
llvm::Expected<const TargetDescription &> describeTarget(llvm::StringRef arch);

/// The instruction sets that code for `target` may contain, by their names in LLVM.
std::vector<llvm::StringRef> listInstructionSets(const TargetDescription &target);

/// The name of a missing feature if the host cannot run code for `target`; empty if it can.
std::string findMissingHostFeature(const TargetDescription &target);

} // namespace triton::cpu
