// What the code generator knows about the processor that it compiles for. Free of MLIR.
#pragma once

#include "backends/cpu/emitters/InstructionSets.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace triton::cpu {

struct TargetDescription {
  Architecture architecture = Architecture::X86_64;
  std::string triple;
  std::string cpu;           ///< LLVM's name, such as "znver4"
  std::string features;      ///< LLVM's feature string; empty when `cpu` implies all features
  bool isHost = false;       ///< made from the host rather than from a name
  unsigned vectorBits = 128; ///< width of the vectors to compute with: the widest that run at the full clock
  bool hasFma = false;
  bool hasF16Conversions = false; ///< between f16 and f32
  bool hasAvx2 = false;
  bool hasAvx512 = false;       ///< F, BW, DQ and VL, at vectors of 128 bits up to `vectorBits`
  bool hasByteShuffles = false; ///< vpermb (VBMI), with `hasAvx512`
  bool hasBFloat16Dot = false;  ///< dpbf16ps or bfdot, at `dotBits`, and it is faster than multiply-add in f32
  bool hasInt8Dot = false;      ///< vpdpbusd or sdot, at the same widths
  /// AMX, by type of the operands. Always together with vectors of 512 bits.
  bool hasTileBFloat16 = false, hasTileFloat16 = false, hasTileInt8 = false;
  bool hasBlockBFloat16 = false, hasBlockInt8 = false; ///< bfmmla and smmla, which compute 2 x 2 elements
  /// SME: f32, and bf16, f16 and int8 by groups; f64. Their vectors have the length of the streaming mode.
  bool hasOuterProducts = false, hasFloat64OuterProducts = false;
  bool hasSve = false; ///< masks of vectors are registers; wider vectors than 128 bits are those of SVE
  unsigned vectorRegisters = 16;
  int64_t firstCacheBytes = 32 << 10; ///< of the first level of the cache for data
  int64_t lastCacheBytes = 32 << 20;  ///< of the last level of the cache, which cores share

  bool isAArch64() const { return architecture == Architecture::AArch64; }
  /// The number of lanes of a native vector whose elements have that many bits.
  unsigned lanes(unsigned elementBits) const { return vectorBits / elementBits; }
  /// The same for the vectors of the instructions that multiply and add groups of narrow elements. AArch64 has those of
  /// NEON at any width of SVE.
  unsigned dotLanes(unsigned elementBits) const { return (isAArch64() ? 128 : vectorBits) / elementBits; }
};

/// The host's processor when `arch` is empty, else the one with that name: a level ("x86-64-v3", "aarch64", "armv9-a")
/// or a model ("znver4", "neoverse-v2"). Computed once for each process and name; the reference stays valid. An unknown
/// name is an error.
llvm::Expected<const TargetDescription &> describeTarget(llvm::StringRef arch);

/// The level that every processor of the architecture has: "x86-64" or "aarch64".
llvm::StringRef baselineOf(Architecture architecture);

/// The instruction sets that code for `target` may contain, by their names in LLVM.
std::vector<llvm::StringRef> listInstructionSets(const TargetDescription &target);

/// The name of a missing feature if the host cannot run code for `target`; empty if it can.
std::string findMissingHostFeature(const TargetDescription &target);

} // namespace triton::cpu
