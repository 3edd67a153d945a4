#include "aot/AotBackend.h"

#include "aot/CppRuntime.h"
#include "triton/bundle.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::aot {

llvm::ArrayRef<AotBackend> aotBackends() {
  static const AotBackend table[] = {
      {.name = "cuda",
       .deviceKind = "Cuda",
       .bundleNumber = TRITON_BUNDLE_CUDA,
       .hasCapabilities = true,
       .includes = "#include <cuda.h>\n",
       .stream = "CUstream ",
       .result = "CUresult",
       .pointer = "CUdeviceptr",
       .readOnlyPointer = "CUdeviceptr",
       .success = "CUDA_SUCCESS",
       .invalidValue = "CUDA_ERROR_INVALID_VALUE",
       .binary = "cubin",
       .vendor = "CUDA",
       .module = "CUmodule",
       .function = "CUfunction",
       .load = "cuModuleLoadData",
       .find = "cuModuleGetFunction",
       .unload = "cuModuleUnload",
       .launch = "cuLaunchKernel",
       .describe = "cuGetErrorString",
       .sharedWithoutOptIn = 48 << 10,
       .cppCurrent = "tt_CudaCurrent tt_current(tt_code_of.context)",
       .cppLaunch = "tt_cuda().cuLaunchKernel",
       .cppRuntime = cppCudaRuntime},
      {.name = "hip",
       .deviceKind = "Hip",
       .bundleNumber = TRITON_BUNDLE_HIP,
       .hasCapabilities = false,
       .includes = "#ifndef __HIP_PLATFORM_AMD__\n#define __HIP_PLATFORM_AMD__\n#endif\n#include <hip/hip_runtime.h>\n",
       .stream = "hipStream_t ",
       .result = "hipError_t",
       .pointer = "hipDeviceptr_t",
       .readOnlyPointer = "hipDeviceptr_t",
       .success = "hipSuccess",
       .invalidValue = "hipErrorInvalidValue",
       .binary = "hsaco",
       .vendor = "HIP",
       .module = "hipModule_t",
       .function = "hipFunction_t",
       .load = "hipModuleLoadData",
       .find = "hipModuleGetFunction",
       .unload = "hipModuleUnload",
       .launch = "hipModuleLaunchKernel",
       .describe = "hipDrvGetErrorString",
       .sharedWithoutOptIn = INT64_MAX,
       .cppCurrent = "tt_HipCurrent tt_current(tt_code_of.device)",
       .cppLaunch = "tt_hip().hipModuleLaunchKernel",
       .cppRuntime = [](bool) { return cppHipRuntime(); }},
      {.name = "cpu",
       .deviceKind = "Cpu",
       .bundleNumber = TRITON_BUNDLE_CPU,
       .hasCapabilities = false,
       .includes = "#include <errno.h>\n",
       .stream = "void *",
       .result = "int",
       .pointer = "void *",
       .readOnlyPointer = "const void *",
       .success = "0",
       .invalidValue = "EINVAL"},
  };
  return table;
}

const AotBackend *findAotBackend(llvm::StringRef name) {
  const AotBackend *found = llvm::find_if(aotBackends(), [&](const AotBackend &row) { return row.name == name; });
  return found == aotBackends().end() ? nullptr : found;
}

unsigned AotBackend::capabilityOf(llvm::StringRef architecture) const {
  unsigned capability = 0;
  if (hasCapabilities)
    (void)architecture.getAsInteger(10, capability);
  return capability;
}

} // namespace triton::aot
