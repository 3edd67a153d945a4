// Finds the tools and files of NVIDIA's toolkit on this machine.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

/// Adds a folder that is searched after the usual ones, for example that of a pip wheel such as `nvidia/cu13` or of
/// Triton's own copy. It contains `bin/ptxas` or `nvvm/libdevice/libdevice.10.bc` or `lib/libdevice.10.bc`.
void addToolkitDirectory(std::string path);

/// ptxas for the compute capability: TRITON_PTXAS_BLACKWELL_PATH (10.0 and up), TRITON_PTXAS_PATH, PATH, the CUDA
/// toolkit, pip wheels of this process, of the active environment and of the one with which this build was configured.
/// The error lists the places that were searched.
llvm::Expected<std::string> findPtxas(int capability);

/// `ptxas`, `ptxas_blackwell` (for 10.0 and up), `nvdisasm`, `cuobjdump` or `libdevice`: first the path in
/// TRITON_<NAME>_PATH, then the places above.
llvm::Expected<std::string> findTool(llvm::StringRef name);

/// libdevice.10.bc: TRITON_LIBDEVICE_PATH, then the places for ptxas.
llvm::Expected<std::string> findLibdevice();

} // namespace triton::nvidia
