// Where the tools and files of NVIDIA's toolkit are on this machine.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

/// Adds a folder to search after the usual ones: that of a pip wheel such as `nvidia/cu13`, or of Triton's own copy,
/// with `bin/ptxas` or `nvvm/libdevice/libdevice.10.bc` or `lib/libdevice.10.bc` inside.
void addToolkitDirectory(std::string path);

/// ptxas for the compute capability: TRITON_PTXAS_BLACKWELL_PATH (10.0 and up), TRITON_PTXAS_PATH, PATH, the CUDA
/// toolkit, pip wheels of this process, of the active environment and of the one that this build was configured with.
/// The error says where it was looked for.
llvm::Expected<std::string> findPtxas(int capability);

/// `ptxas`, `ptxas_blackwell` (for 10.0 and up), `nvdisasm`, `cuobjdump` or `libdevice`: the path that
/// TRITON_<NAME>_PATH gives, then as above.
llvm::Expected<std::string> findTool(llvm::StringRef name);

/// libdevice.10.bc: TRITON_LIBDEVICE_PATH, then as ptxas.
llvm::Expected<std::string> findLibdevice();

/// Path, size and time of a tool's file, which distinguish one version from another.
std::string fileFingerprint(const std::string &path);

} // namespace triton::nvidia
