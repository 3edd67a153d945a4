/* The names of HIP that ahead-of-time compiled kernels use, for machines without HIP. hip.c has the functions. */
#ifndef STAND_IN_HIP_H
#define STAND_IN_HIP_H

#ifndef __HIP_PLATFORM_AMD__
#error "the header needs to know the platform"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorInvalidImage = 200 } hipError_t;
typedef void *hipDeviceptr_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;

hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                 hipStream_t stream, void **parameters, void **extra);

#ifdef __cplusplus
}
#endif

#endif
