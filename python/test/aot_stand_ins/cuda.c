#include "cuda.h"
#include "record.h"

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_INVALID_CONTEXT ? "invalid device context" : "something failed";
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  fake_image = (const unsigned char *)image;
  *module = (CUmodule)(uintptr_t)++fake_loads;
  return (CUresult)fake_load_failure;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  strncpy(fake_name, name, sizeof(fake_name) - 1);
  *function = (CUfunction)module;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  fake_unloads += module != NULL;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 3;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  *value = fake_most_shared;
  return attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN && device == 3 ? CUDA_SUCCESS
                                                                                          : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  fake_prefers_shared = function != NULL && config == CU_FUNC_CACHE_PREFER_SHARED;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  fake_opted_in = value;
  return function != NULL && attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? CUDA_SUCCESS
                                                                                         : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                        unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters,
                        void **extra) {
  const unsigned grid[3] = {gridX, gridY, gridZ}, block[3] = {blockX, blockY, blockZ};
  if (function == NULL || extra != NULL)
    return CUDA_ERROR_INVALID_VALUE;
  return (CUresult)record_launch(grid, block, sharedBytes, stream, parameters);
}
