#define __HIP_PLATFORM_AMD__
#include "hip/hip_runtime.h"
#include "record.h"

hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
  *text = error == hipErrorInvalidImage ? "device kernel image is invalid" : "something failed";
  return hipSuccess;
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  fake_image = (const unsigned char *)image;
  *module = (hipModule_t)(uintptr_t)++fake_loads;
  return (hipError_t)fake_load_failure;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  strncpy(fake_name, name, sizeof(fake_name) - 1);
  *function = (hipFunction_t)module;
  return hipSuccess;
}

hipError_t hipModuleUnload(hipModule_t module) {
  fake_unloads += module != NULL;
  return hipSuccess;
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                 hipStream_t stream, void **parameters, void **extra) {
  const unsigned grid[3] = {gridX, gridY, gridZ}, block[3] = {blockX, blockY, blockZ};
  if (function == NULL || extra != NULL)
    return hipErrorInvalidValue;
  fake_launched = (int)(uintptr_t)function;
  return (hipError_t)record_launch(grid, block, sharedBytes, stream, parameters);
}
