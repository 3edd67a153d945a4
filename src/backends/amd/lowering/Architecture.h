// AMD's architectures by LLVM's name of the processor, such as "gfx942".
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace triton::amd {

/// What multiplies matrices.
enum class MatrixFamily : uint8_t { Mfma, Wmma };

/// What the architectures differ in.
struct Architecture {
  const char *processor = "";
  MatrixFamily family = MatrixFamily::Mfma;
  unsigned generation = 0;          ///< of the instruction set: 9 for gfx942, 11 for gfx1100
  unsigned lanes = 0;               ///< of a wave
  unsigned sharedBytes = 0;         ///< LDS that a program can have
  unsigned banks = 0;               ///< of LDS
  bool hasLaneSwaps = false;        ///< v_permlane16_swap and v_permlane32_swap
  bool hasTransposingReads = false; ///< ds_read_b64_tr, or on gfx1250 ds_load_tr
  bool hasWideCopies = false;       ///< 16 bytes a lane from global memory to LDS
  // The device that predictions refer to.
  const char *device = "";
  unsigned computeUnits = 0;
  unsigned megahertz = 0;
  unsigned gigabytesPerSecond = 0; ///< of its memory

  bool isRdna() const { return family == MatrixFamily::Wmma; }
  bool is(llvm::StringRef name) const { return name == processor; }
  bool isGfx1250() const { return is("gfx1250"); }
  /// Whether matrix instructions are those of gfx1250, which are twice as deep as those of gfx1201.
  bool hasDeepProducts() const { return isGfx1250(); }
  /// The bits of the narrowest elements that reads of shared memory transpose; 0 where they transpose none. How those
  /// of gfx1250 deal bytes to lanes is not published.
  unsigned fewestTransposedBits() const { return !hasTransposingReads ? 0 : isGfx1250() ? 16 : 8; }
  /// Whether minima and maxima of which one operand is NaN are NaN in one instruction.
  bool keepsNaN() const { return is("gfx950") || generation >= 12; }
};

/// The error lists the supported processors.
llvm::Expected<Architecture> parseArchitecture(llvm::StringRef processor);

} // namespace triton::amd
