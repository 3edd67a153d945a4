// NVIDIA's architectures by number: 90 is compute capability 9.0.
#pragma once

#include "backends/nvidia/lowering/Capability.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

/// The version of PTX in LLVM's numbering: 87 for 8.7.
using PtxVersion = unsigned;
inline constexpr PtxVersion newestPtxVersion = 90; ///< that this LLVM writes

/// What the architectures differ in.
struct ArchitectureFacts {
  int capability = 0;
  PtxVersion oldestPtx = 0;    ///< that has the architecture
  unsigned maxSharedBytes = 0; ///< dynamic shared memory that a program can have
  // Of a multiprocessor.
  unsigned sharedBytes = 0;
  unsigned mostWarps = 0, mostPrograms = 0;
  unsigned halfFlops = 0, doubleFlops = 0; ///< of mma.sync on f16 and on f64, in a clock
  // The device that predictions refer to.
  const char *device = "";
  unsigned multiprocessors = 0;
  unsigned megahertz = 0;
  unsigned gigabytesPerSecond = 0; ///< of its memory
};

struct Architecture : ArchitectureFacts {
  /// The processor as LLVM and ptxas name it. From 9.0 on the variant with the features of this very architecture, as
  /// in "sm_90a": a kernel is compiled for the device that runs it.
  std::string processor;

  /// Whether programs multiply what bulk copies bring.
  bool multipliesCopies() const { return hasWarpGroupProducts(unsigned(capability)); }
};

/// `arch` is the number, as in "90". The error lists the supported ones.
llvm::Expected<Architecture> parseArchitecture(llvm::StringRef arch);

/// The limit for the second and third extent of a grid.
inline constexpr int32_t maxGridYZ = 65535;

} // namespace triton::nvidia
