#include "aot/CppRuntime.h"

#include "aot/Text.h"

namespace triton::aot {

std::string cppSharedTypes() {
  return R"(#ifndef TRITON_AOT_INTERFACE_1
#define TRITON_AOT_INTERFACE_1
/* What the kernels of a program share. */
namespace triton_aot {
inline namespace interface_1 {

/* Where a kernel runs. */
struct Device {
  enum class Kind { Cpu, Cuda };
  Kind kind;
  int index;
  static Device cpu() { return {Kind::Cpu, 0}; }
  static Device cuda(int index = 0) { return {Kind::Cuda, index}; }
};

/* A device that cannot run the kernel, or a driver that reports an error. */
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/* An argument that no variant of the kernel takes. */
class ArgumentError : public Error {
public:
  ArgumentError(const char *kernel, const char *argument, const std::string &problem)
      : Error(std::string("kernel `") + kernel + "`: argument `" + argument + "` " + problem), name(argument) {}
  const char *argument() const noexcept { return name; }

private:
  const char *name; /* has static storage */
};

} // namespace interface_1
} // namespace triton_aot
#endif
)";
}

namespace {

constexpr char driver[] = R"(
/* The functions of CUDA's driver, which is loaded when the first operator for a GPU is made. */
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
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

template <typename Function> void tt_find(void *library, const char *name, Function &function) {
  void *address = dlsym(library, name);
  if (address == nullptr)
    throw triton_aot::Error(std::string("the CUDA driver is too old: it has no function `") + name + "`");
  std::memcpy(&function, &address, sizeof(function));
}

/* TRITON_LIBCUDA_PATH names the library, or its folder. */
std::string tt_library() {
  const char *given = std::getenv("TRITON_LIBCUDA_PATH");
  if (given == nullptr || *given == '\0')
    return "libcuda.so.1";
  struct stat facts;
  bool is_folder = stat(given, &facts) == 0 && S_ISDIR(facts.st_mode);
  return is_folder ? std::string(given) + "/libcuda.so.1" : std::string(given);
}

tt_Cuda tt_load_driver() {
  void *library = dlopen(tt_library().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char *reason = dlerror();
    throw triton_aot::Error(std::string("cannot load the CUDA driver: ") + (reason ? reason : tt_library().c_str()) +
                            "; install the NVIDIA driver, or set TRITON_LIBCUDA_PATH");
  }
  tt_Cuda cuda;
  tt_find(library, "cuInit", cuda.cuInit);
  tt_find(library, "cuGetErrorString", cuda.cuGetErrorString);
  tt_find(library, "cuDeviceGetCount", cuda.cuDeviceGetCount);
  tt_find(library, "cuDeviceGet", cuda.cuDeviceGet);
  tt_find(library, "cuDeviceGetAttribute", cuda.cuDeviceGetAttribute);
  tt_find(library, "cuDevicePrimaryCtxRetain", cuda.cuDevicePrimaryCtxRetain);
  tt_find(library, "cuDevicePrimaryCtxRelease_v2", cuda.cuDevicePrimaryCtxRelease);
  tt_find(library, "cuCtxGetCurrent", cuda.cuCtxGetCurrent);
  tt_find(library, "cuCtxPushCurrent_v2", cuda.cuCtxPushCurrent);
  tt_find(library, "cuCtxPopCurrent_v2", cuda.cuCtxPopCurrent);
  tt_find(library, "cuModuleLoadData", cuda.cuModuleLoadData);
  tt_find(library, "cuModuleGetFunction", cuda.cuModuleGetFunction);
  tt_find(library, "cuModuleUnload", cuda.cuModuleUnload);
  tt_find(library, "cuFuncSetCacheConfig", cuda.cuFuncSetCacheConfig);
  tt_find(library, "cuFuncSetAttribute", cuda.cuFuncSetAttribute);
  tt_find(library, "cuLaunchKernel", cuda.cuLaunchKernel);
$MAP_FINDS$  return cuda;
}

const tt_Cuda &tt_cuda() {
  static const tt_Cuda cuda = tt_load_driver();
  return cuda;
}

void tt_require(CUresult code, const char *action) {
  if (code == CUDA_SUCCESS)
    return;
  const char *text = nullptr;
  (void)tt_cuda().cuGetErrorString(code, &text);
  throw triton_aot::Error(std::string("kernel `") + tt_kernel + "`: " + action + ": CUDA's error " +
                          std::to_string(code) + ", " + (text ? text : "unknown"));
}
)";

constexpr char loading[] = R"(
int tt_attribute(int attribute, CUdevice device) {
  int value = 0;
  tt_require(tt_cuda().cuDeviceGetAttribute(&value, attribute, device), "asking for a fact of the device");
  return value;
}

/* Makes the context current for as long as it lives. */
class tt_Current {
public:
  explicit tt_Current(CUcontext context) {
    CUcontext current = nullptr;
    tt_require(tt_cuda().cuCtxGetCurrent(&current), "asking for the context");
    if (current == context)
      return;
    tt_require(tt_cuda().cuCtxPushCurrent(context), "changing the context");
    is_pushed = true;
  }
  ~tt_Current() {
    CUcontext context = nullptr;
    if (is_pushed)
      (void)tt_cuda().cuCtxPopCurrent(&context);
  }
  tt_Current(const tt_Current &) = delete;
  tt_Current &operator=(const tt_Current &) = delete;

private:
  bool is_pushed = false;
};

/* The code of one signature in the memory of a GPU. */
struct tt_Code {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr padding = 0;
};

void tt_load(tt_Code &code, const void *image, const char *name, int shared, CUdevice device) {
  /* More shared memory than 48 KiB is given only to kernels that ask for it. */
  const int shared_without_opt_in = 48 << 10, most_shared = 97, dynamic_shared = 8, prefer_shared = 1;
  const int most = tt_attribute(most_shared, device);
  if (shared > shared_without_opt_in && most < shared)
    throw triton_aot::Error(std::string("kernel `") + tt_kernel + "` needs " + std::to_string(shared) +
                            " bytes of shared memory, but the device has " + std::to_string(most));
  tt_require(tt_cuda().cuModuleLoadData(&code.module, image), "loading its code");
  tt_require(tt_cuda().cuModuleGetFunction(&code.function, code.module, name), "finding its function");
  if (shared <= shared_without_opt_in)
    return;
  tt_require(tt_cuda().cuFuncSetCacheConfig(code.function, prefer_shared), "asking for shared memory");
  tt_require(tt_cuda().cuFuncSetAttribute(code.function, dynamic_shared, shared), "asking for shared memory");
}

using tt_Load = void (*)(tt_Code &, CUdevice);

/* The code of an operator, which uses the device's primary context, as the CUDA runtime and PyTorch do. */
class tt_Loaded {
public:
  tt_Loaded(CUdevice gpu, const tt_Load *loads, int count) : device(gpu) {
    tt_require(tt_cuda().cuDevicePrimaryCtxRetain(&context, device), "using the device");
    try {
      const tt_Current current(context);
      for (int i = 0; i < count; ++i) {
        codes.emplace_back();
        codes.back().context = context;
        loads[i](codes.back(), device);
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~tt_Loaded() { release(); }
  tt_Loaded(const tt_Loaded &) = delete;
  tt_Loaded &operator=(const tt_Loaded &) = delete;

  std::vector<tt_Code> codes;

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

CUdevice tt_open(int index) {
  CUdevice device = 0;
  int count = 0;
  tt_require(tt_cuda().cuInit(0), "starting the driver");
  tt_require(tt_cuda().cuDeviceGetCount(&count), "counting the GPUs");
  if (index < 0 || index >= count)
    throw triton_aot::Error(std::string("kernel `") + tt_kernel + "`: there is no GPU " + std::to_string(index) +
                            "; this machine has " + std::to_string(count));
  tt_require(tt_cuda().cuDeviceGet(&device, index), "using the device");
  return device;
}

/* The compute capability, such as 90. */
int tt_capability(CUdevice device) {
  const int major = 75, minor = 76;
  return tt_attribute(major, device) * 10 + tt_attribute(minor, device);
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

constexpr char mapFinds[] = R"(  tt_find(library, "cuMemAlloc_v2", cuda.cuMemAlloc);
  tt_find(library, "cuMemFree_v2", cuda.cuMemFree);
  tt_find(library, "cuMemcpyHtoD_v2", cuda.cuMemcpyHtoD);
  tt_find(library, "cuTensorMapEncodeTiled", cuda.cuTensorMapEncodeTiled);
)";

constexpr char mapRelease[] = R"(      if (code.padding != 0)
        (void)tt_cuda().cuMemFree(code.padding);
)";

constexpr char mapLoading[] = R"(
void tt_load_padding(tt_Code &code, const void *bytes, size_t size) {
  tt_require(tt_cuda().cuMemAlloc(&code.padding, size), "allocating memory");
  tt_require(tt_cuda().cuMemcpyHtoD(code.padding, bytes, size), "copying to the GPU");
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
