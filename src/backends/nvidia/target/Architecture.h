// NVIDIA's architectures by number: 90 is compute capability 9.0.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

struct Architecture {
  int capability = 0;
  /// The processor as LLVM and ptxas name it. From 9.0 on the variant with the features of this very architecture, as
  /// in "sm_90a": a kernel is compiled for the device that runs it.
  std::string processor;
  unsigned maxSharedBytes = 0; ///< dynamic shared memory that a program can have
};

/// `arch` is the number, as in "90". The error lists what there is.
llvm::Expected<Architecture> parseArchitecture(llvm::StringRef arch);

/// Extents of a grid but the first.
inline constexpr int32_t maxGridYZ = 65535;

/// The version of PTX as LLVM counts it: 87 for 8.7.
using PtxVersion = unsigned;
inline constexpr PtxVersion newestPtxVersion = 90; ///< that this LLVM writes

} // namespace triton::nvidia
