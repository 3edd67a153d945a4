#include "aot/CppRuntime.h"

namespace triton::aot {

std::string cppHipRuntime() {
  return R"(
/* The functions of HIP's library, which is loaded when the first operator for a GPU of AMD is made. */
typedef int hipError_t;
typedef unsigned long long hipDeviceptr_t;
enum : hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1 };

struct tt_Hip {
  hipError_t (*hipInit)(unsigned flags);
  const char *(*hipGetErrorString)(hipError_t code);
  hipError_t (*hipGetDeviceCount)(int *count);
  hipError_t (*hipGetDevice)(int *device);
  hipError_t (*hipSetDevice)(int device);
  hipError_t (*hipDeviceGetAttribute)(int *value, int attribute, int device);
  hipError_t (*hipGetDeviceProperties)(void *properties, int device);
  hipError_t (*hipModuleLoadData)(void **module, const void *image);
  hipError_t (*hipModuleGetFunction)(void **function, void *module, const char *name);
  hipError_t (*hipModuleUnload)(void *module);
  hipError_t (*hipModuleLaunchKernel)(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                                      unsigned block_y, unsigned block_z, unsigned shared, void *stream,
                                      void **arguments, void **extra);
};

/* The library that the program has already, such as that of PyTorch, comes before others. */
void *tt_open_hip_library() {
  const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                               "/opt/rocm/lib/libamdhip64.so"};
  const std::string given = tt_library("TRITON_LIBHIP_PATH", names[0]);
  if (given != names[0])
    return dlopen(given.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (const int mode : {RTLD_NOLOAD, 0})
    for (const char *name : names)
      if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | mode))
        return library;
  return nullptr;
}

tt_Hip tt_load_hip_driver() {
  void *library = tt_open_hip_library();
  if (library == nullptr) {
    const char *reason = dlerror();
    throw triton_aot::Error(std::string("cannot load the HIP driver: ") + (reason ? reason : "libamdhip64.so") +
                            "; install ROCm, or set TRITON_LIBHIP_PATH");
  }
  tt_Hip hip;
  tt_find(library, "HIP", "hipInit", hip.hipInit);
  tt_find(library, "HIP", "hipGetErrorString", hip.hipGetErrorString);
  tt_find(library, "HIP", "hipGetDeviceCount", hip.hipGetDeviceCount);
  tt_find(library, "HIP", "hipGetDevice", hip.hipGetDevice);
  tt_find(library, "HIP", "hipSetDevice", hip.hipSetDevice);
  tt_find(library, "HIP", "hipDeviceGetAttribute", hip.hipDeviceGetAttribute);
  tt_find(library, "HIP", "hipGetDevicePropertiesR0600", hip.hipGetDeviceProperties);
  tt_find(library, "HIP", "hipModuleLoadData", hip.hipModuleLoadData);
  tt_find(library, "HIP", "hipModuleGetFunction", hip.hipModuleGetFunction);
  tt_find(library, "HIP", "hipModuleUnload", hip.hipModuleUnload);
  tt_find(library, "HIP", "hipModuleLaunchKernel", hip.hipModuleLaunchKernel);
  return hip;
}

const tt_Hip &tt_hip() {
  static const tt_Hip hip = tt_load_hip_driver();
  return hip;
}

void tt_require_hip(hipError_t code, const char *action) {
  if (code != hipSuccess)
    tt_fail("HIP", code, action, tt_hip().hipGetErrorString(code));
}

/* Makes the device current for as long as it lives. */
class tt_HipCurrent {
public:
  explicit tt_HipCurrent(int device) {
    int current = 0;
    tt_require_hip(tt_hip().hipGetDevice(&current), "asking for the current device");
    if (current == device)
      return;
    tt_require_hip(tt_hip().hipSetDevice(device), "changing the current device");
    earlier = current;
  }
  ~tt_HipCurrent() {
    if (earlier >= 0)
      (void)tt_hip().hipSetDevice(earlier);
  }
  tt_HipCurrent(const tt_HipCurrent &) = delete;
  tt_HipCurrent &operator=(const tt_HipCurrent &) = delete;

private:
  int earlier = -1;
};

void tt_load_hip(tt_Code &code, const void *image, const char *name, int shared) {
  const int most_shared = 74;
  int most = 0;
  tt_require_hip(tt_hip().hipDeviceGetAttribute(&most, most_shared, code.device), "asking for a fact of the device");
  tt_require_shared(shared, most);
  tt_require_hip(tt_hip().hipModuleLoadData(&code.module, image), "loading its code");
  tt_require_hip(tt_hip().hipModuleGetFunction(&code.function, code.module, name), "finding its function");
}

class tt_HipLoaded final : public tt_Loaded {
public:
  tt_HipLoaded(int gpu, const tt_Load *loads, int count) : device(gpu) {
    try {
      const tt_HipCurrent current(device);
      for (int i = 0; i < count; ++i) {
        codes.emplace_back();
        codes.back().device = device;
        loads[i](codes.back());
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~tt_HipLoaded() override { release(); }

private:
  void release() noexcept {
    int earlier = 0;
    const bool is_known = tt_hip().hipGetDevice(&earlier) == hipSuccess;
    (void)tt_hip().hipSetDevice(device);
    for (const tt_Code &code : codes)
      if (code.module != nullptr)
        (void)tt_hip().hipModuleUnload(code.module);
    if (is_known)
      (void)tt_hip().hipSetDevice(earlier);
  }

  int device;
};

std::unique_ptr<tt_Loaded> tt_load_all_hip(int device, const tt_Load *loads, int count) {
  return std::make_unique<tt_HipLoaded>(device, loads, count);
}

/* Versions of the library lay out a device's properties in their own ways. The architecture is the only text in them that
   begins like this at a multiple of four bytes, behind the device's name. */
std::string tt_hip_architecture(int device) {
  const size_t name_bytes = 256;
  std::vector<char> properties(8192); /* more than any version writes */
  tt_require_hip(tt_hip().hipGetDeviceProperties(properties.data(), device), "asking for the architecture");
  for (size_t place = name_bytes; place + 64 < properties.size(); place += 4) {
    const std::string text(&properties[place], strcspn(&properties[place], ":"));
    if (text.size() > 3 && text.compare(0, 3, "gfx") == 0 &&
        text.find_first_not_of("0123456789abcdef", 3) == std::string::npos)
      return text;
  }
  throw triton_aot::Error("the HIP driver does not say which architecture device " + std::to_string(device) + " has");
}

tt_Gpu tt_open_hip(int index) {
  tt_Gpu gpu;
  int count = 0;
  tt_require_hip(tt_hip().hipInit(0), "starting the driver");
  tt_require_hip(tt_hip().hipGetDeviceCount(&count), "counting the GPUs");
  tt_require_gpu(index, count);
  gpu.number = index;
  gpu.architecture = tt_hip_architecture(index);
  return gpu;
}
)";
}

} // namespace triton::aot
