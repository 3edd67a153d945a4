#include "aot/CppRuntime.h"

#include "aot/Text.h"

namespace triton::aot {
namespace {

constexpr char driver[] = R"(
/* The functions of CUDA's driver, which is loaded when the first operator for a GPU is made. */
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef void *CUcontext;
typedef void *CUmodule;
typedef void *CUfunction;
enum : CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };
$MAP_TYPES$
struct tt_Cuda {
  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuGetErrorString)(CUresult code, const char **text);
  CUresult (*cuDeviceGetCount)(int *count);
  CUresult (*cuDeviceGet)(CUdevice *device, int ordinal);
  CUresult (*cuDeviceGetAttribute)(int *value, int attribute, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *context, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice device);
  CUresult (*cuCtxGetCurrent)(CUcontext *context);
  CUresult (*cuCtxPushCurrent)(CUcontext context);
  CUresult (*cuCtxPopCurrent)(CUcontext *context);
  CUresult (*cuModuleLoadData)(CUmodule *module, const void *image);
  CUresult (*cuModuleGetFunction)(CUfunction *function, CUmodule module, const char *name);
  CUresult (*cuModuleUnload)(CUmodule module);
  CUresult (*cuFuncSetCacheConfig)(CUfunction function, int config);
  CUresult (*cuFuncSetAttribute)(CUfunction function, int attribute, int value);
  CUresult (*cuLaunchKernel)(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                             unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra);
$MAP_MEMBERS$};

tt_Cuda tt_load_cuda_driver() {
  const std::string path = tt_library("TRITON_LIBCUDA_PATH", "libcuda.so.1");
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char *reason = dlerror();
    throw triton_aot::Error(std::string("cannot load the CUDA driver: ") + (reason ? reason : path.c_str()) +
                            "; install the NVIDIA driver, or set TRITON_LIBCUDA_PATH");
  }
  tt_Cuda cuda;
  tt_find(library, "CUDA", "cuInit", cuda.cuInit);
  tt_find(library, "CUDA", "cuGetErrorString", cuda.cuGetErrorString);
  tt_find(library, "CUDA", "cuDeviceGetCount", cuda.cuDeviceGetCount);
  tt_find(library, "CUDA", "cuDeviceGet", cuda.cuDeviceGet);
  tt_find(library, "CUDA", "cuDeviceGetAttribute", cuda.cuDeviceGetAttribute);
  tt_find(library, "CUDA", "cuDevicePrimaryCtxRetain", cuda.cuDevicePrimaryCtxRetain);
  tt_find(library, "CUDA", "cuDevicePrimaryCtxRelease_v2", cuda.cuDevicePrimaryCtxRelease);
  tt_find(library, "CUDA", "cuCtxGetCurrent", cuda.cuCtxGetCurrent);
  tt_find(library, "CUDA", "cuCtxPushCurrent_v2", cuda.cuCtxPushCurrent);
  tt_find(library, "CUDA", "cuCtxPopCurrent_v2", cuda.cuCtxPopCurrent);
  tt_find(library, "CUDA", "cuModuleLoadData", cuda.cuModuleLoadData);
  tt_find(library, "CUDA", "cuModuleGetFunction", cuda.cuModuleGetFunction);
  tt_find(library, "CUDA", "cuModuleUnload", cuda.cuModuleUnload);
  tt_find(library, "CUDA", "cuFuncSetCacheConfig", cuda.cuFuncSetCacheConfig);
  tt_find(library, "CUDA", "cuFuncSetAttribute", cuda.cuFuncSetAttribute);
  tt_find(library, "CUDA", "cuLaunchKernel", cuda.cuLaunchKernel);
$MAP_FINDS$  return cuda;
}

const tt_Cuda &tt_cuda() {
  static const tt_Cuda cuda = tt_load_cuda_driver();
  return cuda;
}

void tt_require_cuda(CUresult code, const char *action) {
  if (code == CUDA_SUCCESS)
    return;
  const char *text = nullptr;
  (void)tt_cuda().cuGetErrorString(code, &text);
  tt_fail("CUDA", code, action, text);
}
)";

constexpr char loading[] = R"(
int tt_cuda_attribute(int attribute, CUdevice device) {
  int value = 0;
  tt_require_cuda(tt_cuda().cuDeviceGetAttribute(&value, attribute, device), "asking for a fact of the device");
  return value;
}

/* Makes the context current for as long as it lives. */
class tt_CudaCurrent {
public:
  explicit tt_CudaCurrent(CUcontext context) {
    CUcontext current = nullptr;
    tt_require_cuda(tt_cuda().cuCtxGetCurrent(&current), "asking for the context");
    if (current == context)
      return;
    tt_require_cuda(tt_cuda().cuCtxPushCurrent(context), "changing the context");
    is_pushed = true;
  }
  ~tt_CudaCurrent() {
    CUcontext context = nullptr;
    if (is_pushed)
      (void)tt_cuda().cuCtxPopCurrent(&context);
  }
  tt_CudaCurrent(const tt_CudaCurrent &) = delete;
  tt_CudaCurrent &operator=(const tt_CudaCurrent &) = delete;

private:
  bool is_pushed = false;
};

void tt_load_cuda(tt_Code &code, const void *image, const char *name, int shared) {
  /* More shared memory than 48 KiB is given only to kernels that ask for it. */
  const int shared_without_opt_in = 48 << 10, most_shared = 97, dynamic_shared = 8, prefer_shared = 1;
  if (shared > shared_without_opt_in)
    tt_require_shared(shared, tt_cuda_attribute(most_shared, code.device));
  tt_require_cuda(tt_cuda().cuModuleLoadData(&code.module, image), "loading its code");
  tt_require_cuda(tt_cuda().cuModuleGetFunction(&code.function, code.module, name), "finding its function");
  if (shared <= shared_without_opt_in)
    return;
  tt_require_cuda(tt_cuda().cuFuncSetCacheConfig(code.function, prefer_shared), "asking for shared memory");
  tt_require_cuda(tt_cuda().cuFuncSetAttribute(code.function, dynamic_shared, shared), "asking for shared memory");
}

/* Uses the device's primary context, as the CUDA runtime and PyTorch do. */
class tt_CudaLoaded final : public tt_Loaded {
public:
  tt_CudaLoaded(CUdevice gpu, const tt_Load *loads, int count) : device(gpu) {
    tt_require_cuda(tt_cuda().cuDevicePrimaryCtxRetain(&context, device), "using the device");
    try {
      const tt_CudaCurrent current(context);
      for (int i = 0; i < count; ++i) {
        codes.emplace_back();
        codes.back().device = device;
        codes.back().context = context;
        loads[i](codes.back());
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~tt_CudaLoaded() override { release(); }

private:
  void release() noexcept {
    CUcontext ignored = nullptr;
    const bool is_pushed = tt_cuda().cuCtxPushCurrent(context) == CUDA_SUCCESS;
    for (const tt_Code &code : codes) {
$MAP_RELEASE$      if (code.module != nullptr)
        (void)tt_cuda().cuModuleUnload(code.module);
    }
    if (is_pushed)
      (void)tt_cuda().cuCtxPopCurrent(&ignored);
    (void)tt_cuda().cuDevicePrimaryCtxRelease(device);
  }

  CUdevice device;
  CUcontext context = nullptr;
};

std::unique_ptr<tt_Loaded> tt_load_all_cuda(int device, const tt_Load *loads, int count) {
  return std::make_unique<tt_CudaLoaded>(device, loads, count);
}

tt_Gpu tt_open_cuda(int index) {
  const int major = 75, minor = 76;
  tt_Gpu gpu;
  int count = 0;
  tt_require_cuda(tt_cuda().cuInit(0), "starting the driver");
  tt_require_cuda(tt_cuda().cuDeviceGetCount(&count), "counting the GPUs");
  tt_require_gpu(index, count);
  tt_require_cuda(tt_cuda().cuDeviceGet(&gpu.number, index), "using the device");
  gpu.capability = tt_cuda_attribute(major, gpu.number) * 10 + tt_cuda_attribute(minor, gpu.number);
  return gpu;
}
)";

constexpr char mapTypes[] = R"(typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
struct alignas(64) CUtensorMap {
  cuuint64_t opaque[16];
};
typedef int CUtensorMapDataType;
typedef int CUtensorMapSwizzle;
typedef int CUtensorMapFloatOOBfill;
enum { CU_TENSOR_MAP_INTERLEAVE_NONE = 0, CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 };
)";

constexpr char mapMembers[] = R"(  CUresult (*cuMemAlloc)(CUdeviceptr *address, size_t bytes);
  CUresult (*cuMemFree)(CUdeviceptr address);
  CUresult (*cuMemcpyHtoD)(CUdeviceptr address, const void *source, size_t bytes);
  CUresult (*cuTensorMapEncodeTiled)(CUtensorMap *map, int type, cuuint32_t rank, void *address,
                                     const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                     const cuuint32_t *steps, int interleave, int swizzle, int promotion, int fill);
)";

constexpr char mapFinds[] = R"(  tt_find(library, "CUDA", "cuMemAlloc_v2", cuda.cuMemAlloc);
  tt_find(library, "CUDA", "cuMemFree_v2", cuda.cuMemFree);
  tt_find(library, "CUDA", "cuMemcpyHtoD_v2", cuda.cuMemcpyHtoD);
  tt_find(library, "CUDA", "cuTensorMapEncodeTiled", cuda.cuTensorMapEncodeTiled);
)";

constexpr char mapRelease[] = R"(      if (code.padding != 0)
        (void)tt_cuda().cuMemFree(code.padding);
)";

constexpr char mapLoading[] = R"(
void tt_load_padding(tt_Code &code, const void *bytes, size_t size) {
  tt_require_cuda(tt_cuda().cuMemAlloc(&code.padding, size), "allocating memory");
  tt_require_cuda(tt_cuda().cuMemcpyHtoD(code.padding, bytes, size), "copying to the GPU");
}
)";

} // namespace

std::string cppCudaRuntime(bool hasTensorMaps) {
  const std::pair<llvm::StringRef, std::string> values[] = {
      {"MAP_TYPES", hasTensorMaps ? mapTypes : ""},
      {"MAP_MEMBERS", hasTensorMaps ? mapMembers : ""},
      {"MAP_FINDS", hasTensorMaps ? mapFinds : ""},
      {"MAP_RELEASE", hasTensorMaps ? mapRelease : ""},
  };
  return instantiate(driver, values) + instantiate(loading, values) + (hasTensorMaps ? mapLoading : "");
}

} // namespace triton::aot
