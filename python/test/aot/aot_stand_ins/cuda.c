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
  fake_launched = (int)(uintptr_t)function;
  return (CUresult)record_launch(grid, block, sharedBytes, stream, parameters);
}

CUresult cuMemAlloc(CUdeviceptr *address, unsigned long bytes) {
  *address = (CUdeviceptr)(uintptr_t)fake_memory;
  ++fake_allocated;
  return bytes <= sizeof(fake_memory) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFree(CUdeviceptr address) {
  fake_allocated -= address == (CUdeviceptr)(uintptr_t)fake_memory;
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr destination, const void *source, unsigned long bytes) {
  memcpy((void *)(uintptr_t)destination, source, bytes);
  return CUDA_SUCCESS;
}

/* Refuses the address that the driver refuses, too. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  struct fake_map *record = &fake_maps[fake_map_count];
  unsigned i;
  memset(record, 0, sizeof(*record));
  record->type = (uint64_t)type;
  record->rank = rank;
  record->address = (uint64_t)(uintptr_t)address;
  record->swizzle = (uint64_t)swizzle;
  record->fill = (uint64_t)fill;
  for (i = 0; i < rank; ++i) {
    record->sizes[i] = sizes[i];
    record->box[i] = box[i];
    if (elementStrides[i] != 1)
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (i = 0; i + 1 < rank; ++i)
    record->strides[i] = strides[i];
  memset(map, 0, sizeof(*map));
  map->opaque[0] = 1000 + (unsigned long long)fake_map_count++;
  if ((uintptr_t)address % 16 != 0 || (uintptr_t)map % 64 != 0 || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
      promotion != CU_TENSOR_MAP_L2_PROMOTION_L2_128B)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
