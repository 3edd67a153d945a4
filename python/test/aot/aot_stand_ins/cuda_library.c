/* A library in the place of CUDA's driver for programs that load it when they run: the functions of cuda.c under the
   names that the driver's library has, and those that open a device. */
#define cuDeviceGetAttribute known_attribute
#include "cuda.c"
#undef cuDeviceGetAttribute

enum { major_attribute = 75, minor_attribute = 76 };
int fake_capability = 80, fake_devices = 2, fake_initialized = 0;
int fake_retained = 0, fake_init_failure = 0;
static CUcontext contexts[8]; /* the current one last */
int fake_contexts = 0;

CUresult cuInit(unsigned flags) {
  fake_initialized = flags == 0;
  return (CUresult)fake_init_failure;
}

CUresult cuDeviceGetCount(int *count) {
  *count = fake_devices;
  return fake_initialized ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* cuda.c knows the attributes of a device whose number is 3. */
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal + 2;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  if ((int)attribute != major_attribute && (int)attribute != minor_attribute)
    return known_attribute(value, attribute, 3);
  *value = (int)attribute == major_attribute ? fake_capability / 10 : fake_capability % 10;
  return device >= 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = (CUcontext)(uintptr_t)(0x1000 + device);
  ++fake_retained;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  fake_retained -= device >= 2;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = fake_contexts == 0 ? NULL : contexts[fake_contexts - 1];
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  contexts[fake_contexts++] = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  *context = contexts[--fake_contexts];
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, unsigned long bytes) { return cuMemAlloc(address, bytes); }
CUresult cuMemFree_v2(CUdeviceptr address) { return cuMemFree(address); }
CUresult cuMemcpyHtoD_v2(CUdeviceptr destination, const void *source, unsigned long bytes) {
  return cuMemcpyHtoD(destination, source, bytes);
}
