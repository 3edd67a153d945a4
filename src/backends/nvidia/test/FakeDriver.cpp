// A library that stands in for libcuda.so.1: one device of compute capability 9.0, on which kernels do nothing. Tests
// read the last launch from `fakeLastLaunch` and make calls fail through `fakeFailure`. WITHOUT_TENSOR_MAPS: as old as
// the drivers that know no tensor maps.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

extern "C" {

struct FakeLaunch {
  unsigned grid[3], block[3], sharedBytes;
  void *stream, *function;
  uint64_t parameters[32];
  int count;
  unsigned attributeCount;
  int attributes[4]; ///< kinds
};
FakeLaunch fakeLastLaunch;
int fakeParameterCount = 0;
int fakeFailure = 0;       ///< the code of the next launches
int fakeMaxThreads = 1024; ///< of a function
int fakeMaxDynamicShared = 48 << 10;
int fakeQuestions = 0; ///< how often attributes of a device were asked for

static char module_, function_;
// The same in every process, because the place where a launch keeps its tensor maps follows from it.
static void *const context = reinterpret_cast<void *>(uintptr_t(0xc0de000));
static void *current = nullptr;

int fakeInitResult = 0;
int cuInit(unsigned) { return fakeInitResult; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuGetErrorName(int code, const char **text) {
  return *text = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR", 0;
}
int cuGetErrorString(int code, const char **text) {
  return *text = code == 700 ? "an illegal memory access was encountered" : "something failed", 0;
}
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGetName(char *name, int length, int) { return strncpy(name, "Fake GPU", size_t(length)), 0; }
int cuDeviceGetAttribute(int *value, int attribute, int) {
  ++fakeQuestions;
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 97 ? 232448 : attribute == 10 ? 32 : 100;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **result, int) { return *result = context, 0; }
int cuCtxGetCurrent(void **result) {
  const char *failure = std::getenv("FAKE_CUDA_CONTEXT_FAILURE"); // for processes that cannot set a variable here
  return *result = current, failure ? int(std::strtol(failure, nullptr, 10)) : 0;
}
int cuCtxSetCurrent(void *value) { return current = value, 0; }
int cuCtxGetDevice(int *device) { return *device = 0, 0; }
int cuCtxSynchronize() { return fakeFailure; }
int cuModuleLoadData(void **result, const void *image) {
  return *result = &module_, std::memcmp(image,
                                         "\x7f"
                                         "ELF",
                                         4) == 0
                                 ? 0
                                 : 200;
}
int fakeUnloads = 0;
int cuModuleUnload(void *) { return ++fakeUnloads, 0; }
int cuModuleGetFunction(void **result, void *, const char *) { return *result = &function_, 0; }
int cuFuncGetAttribute(int *value, int attribute, void *) { return *value = attribute == 0 ? fakeMaxThreads : 0, 0; }
int cuFuncSetAttribute(void *, int, int value) { return fakeMaxDynamicShared = value, 0; }
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void *stream, void **parameters, void **) {
  FakeLaunch &launch = fakeLastLaunch;
  launch = {
      {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, stream, function, {}, launch.count + 1, 0, {}};
  for (int i = 0; i < fakeParameterCount; ++i)
    launch.parameters[i] = *static_cast<uint64_t *>(parameters[i]);
  return fakeFailure;
}
// The types as cuda.h declares them, written down again so that a wrong layout in the code under test shows.
struct CUlaunchAttribute {
  int id;
  char pad[4];
  union {
    char pad[64];
    int cooperative;
  } value;
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void *hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};
int cuLaunchKernelEx(const CUlaunchConfig *config, void *function, void **parameters, void **extra) {
  int code =
      cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                     config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream, parameters, extra);
  fakeLastLaunch.attributeCount = config->numAttrs;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].value.cooperative == 1)
      fakeLastLaunch.attributes[i] = config->attrs[i].id;
  return code;
}
int fakeCapturing = 0; ///< the status of every stream; of a process that cannot set it here, that of the environment
int cuStreamIsCapturing(void *, int *status) {
  const char *given = std::getenv("FAKE_CUDA_CAPTURING");
  return *status = given ? int(std::strtol(given, nullptr, 10)) : fakeCapturing, 0;
}
int cuPointerGetAttribute(void *, int, uint64_t) { return 1; }
int fakeAllocationCount = 0;
int fakeAllocationFailure = 0;
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (fakeAllocationFailure != 0)
    return fakeAllocationFailure;
  ++fakeAllocationCount;
  return *address = uint64_t(reinterpret_cast<uintptr_t>(new char[bytes])), 0;
}
int cuMemFree_v2(uint64_t address) { return delete[] reinterpret_cast<char *>(uintptr_t(address)), 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return std::memcpy(reinterpret_cast<void *>(uintptr_t(to)), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return std::memcpy(to, reinterpret_cast<const void *>(uintptr_t(from)), bytes), 0;
}

#ifndef WITHOUT_TENSOR_MAPS
struct FakeTensorMap {
  uint32_t type, rank, interleave, swizzle, l2Promotion, fill;
  uint64_t address, arrays[4][5];
  bool isAligned;
};
FakeTensorMap fakeLastTensorMap;
int fakeTensorMapCount = 0;
int fakeTensorMapFailure = 0;
static std::mutex fakeTensorMapMutex; ///< of the first two
/// The map holds the address in each of its words.
int cuTensorMapEncodeTiled(uint64_t *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides, int interleave,
                           int swizzle, int l2Promotion, int fill) {
  std::lock_guard lock(fakeTensorMapMutex);
  FakeTensorMap &last = fakeLastTensorMap;
  last = {uint32_t(type),
          rank,
          uint32_t(interleave),
          uint32_t(swizzle),
          uint32_t(l2Promotion),
          uint32_t(fill),
          uint64_t(reinterpret_cast<uintptr_t>(address)),
          {},
          reinterpret_cast<uintptr_t>(map) % 64 == 0};
  for (uint32_t i = 0; i < rank; ++i) {
    last.arrays[0][i] = sizes[i];
    if (i + 1 < rank)
      last.arrays[1][i] = strides[i];
    last.arrays[2][i] = box[i];
    last.arrays[3][i] = elementStrides[i];
  }
  ++fakeTensorMapCount;
  for (int i = 0; i < 16; ++i)
    map[i] = last.address;
  return fakeTensorMapFailure;
}
#endif
}
