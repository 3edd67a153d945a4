// GPUs of NVIDIA. The driver's library is loaded when a GPU is asked for, so that the server needs none of it
// otherwise.
#include "device.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace serving {
namespace {

/// Its folder may be given, too, as for the kernels' own code.
std::string driverPath() {
  const char *given = std::getenv("TRITON_LIBCUDA_PATH");
  if (given == nullptr || *given == '\0')
    return "libcuda.so.1";
  std::error_code ignored;
  return std::filesystem::is_directory(given, ignored) ? std::string(given) + "/libcuda.so.1" : std::string(given);
}

void *loadDriver() {
  void *library = dlopen(driverPath().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw DeviceError(std::string("cannot load the CUDA driver: ") + dlerror() +
                      "; install the NVIDIA driver, or set TRITON_LIBCUDA_PATH");
  return library;
}

template <typename... Parameters> class Function {
public:
  Function(void *library, const char *name) : address(reinterpret_cast<Address>(dlsym(library, name))) {
    if (address == nullptr)
      throw DeviceError(std::string("the CUDA driver is too old: it has no function `") + name + "`");
  }
  /// 0, or the driver's code of an error.
  int operator()(Parameters... parameters) const { return address(parameters...); }

private:
  using Address = int (*)(Parameters...);
  Address address;
};

using Context = void *;
using GpuAddress = unsigned long long;

/// The functions of the driver that the server itself needs.
struct Driver {
  void *library = loadDriver(); // stays loaded
  Function<unsigned> init{library, "cuInit"};
  Function<int, const char **> getErrorString{library, "cuGetErrorString"};
  Function<int *> deviceGetCount{library, "cuDeviceGetCount"};
  Function<int *, int> deviceGet{library, "cuDeviceGet"};
  Function<char *, int, int> deviceGetName{library, "cuDeviceGetName"};
  Function<Context *, int> primaryContextRetain{library, "cuDevicePrimaryCtxRetain"};
  Function<int> primaryContextRelease{library, "cuDevicePrimaryCtxRelease_v2"};
  Function<Context> setCurrent{library, "cuCtxSetCurrent"};
  Function<GpuAddress *, std::size_t> allocate{library, "cuMemAlloc_v2"};
  Function<GpuAddress> release{library, "cuMemFree_v2"};
  Function<void **, std::size_t, unsigned> allocateHost{library, "cuMemHostAlloc"};
  Function<void *> releaseHost{library, "cuMemFreeHost"};
  Function<GpuAddress, const void *, std::size_t, void *> copyToDevice{library, "cuMemcpyHtoDAsync_v2"};
  Function<void *, GpuAddress, std::size_t, void *> copyFromDevice{library, "cuMemcpyDtoHAsync_v2"};
  Function<void **, unsigned> streamCreate{library, "cuStreamCreate"};
  Function<void *> streamDestroy{library, "cuStreamDestroy_v2"};
  Function<void *> streamSynchronize{library, "cuStreamSynchronize"};
};

GpuAddress gpuAddress(const void *pointer) { return reinterpret_cast<GpuAddress>(pointer); }

class Cuda final : public Device {
public:
  explicit Cuda(DeviceId id) : Device(id) {
    require(driver.init(0), "cannot start the driver");
    int count = 0;
    require(driver.deviceGetCount(&count), "cannot count the GPUs");
    if (id.index >= count)
      throw DeviceError("there is no GPU " + std::to_string(id.index) + "; this machine has " + std::to_string(count));
    require(driver.deviceGet(&gpu, id.index), "cannot use the GPU");
    // The kernels' own code runs in this context, too.
    require(driver.primaryContextRetain(&context, gpu), "cannot use the GPU");
  }
  ~Cuda() override { driver.primaryContextRelease(gpu); }

  std::string name() const override {
    char model[256] = "";
    require(driver.deviceGetName(model, sizeof(model), gpu), "cannot ask for the name of the GPU");
    return label() + ", " + model;
  }

  void *allocate(std::size_t bytes, Memory memory) override {
    enter();
    void *staging = nullptr;
    GpuAddress address = 0;
    if (memory == Memory::staging)
      require(driver.allocateHost(&staging, bytes, 0),
              "cannot allocate " + std::to_string(bytes) + " bytes of pinned memory");
    else
      require(driver.allocate(&address, bytes), "cannot allocate " + std::to_string(bytes) + " bytes");
    return memory == Memory::staging ? staging : reinterpret_cast<void *>(address);
  }
  void release(void *address, Memory memory) noexcept override {
    driver.setCurrent(context);
    memory == Memory::staging ? driver.releaseHost(address) : driver.release(gpuAddress(address));
  }
  void upload(void *to, const void *from, std::size_t bytes) override {
    copyToDevice(nullptr, to, from, bytes);
    synchronize(nullptr);
  }

  void *openStream() override {
    enter();
    constexpr unsigned nonBlocking = 1; // it does not wait for other streams
    void *stream = nullptr;
    require(driver.streamCreate(&stream, nonBlocking), "cannot open a stream");
    return stream;
  }
  void closeStream(void *stream) noexcept override {
    driver.setCurrent(context);
    driver.streamDestroy(stream);
  }
  void copyToDevice(void *stream, void *to, const void *from, std::size_t bytes) override {
    enter();
    require(driver.copyToDevice(gpuAddress(to), from, bytes, stream), "cannot copy to the GPU");
  }
  void copyFromDevice(void *stream, void *to, const void *from, std::size_t bytes) override {
    enter();
    require(driver.copyFromDevice(to, gpuAddress(from), bytes, stream), "cannot copy from the GPU");
  }
  void synchronize(void *stream) override {
    enter();
    require(driver.streamSynchronize(stream), "the kernels of a batch failed");
  }
  void drain(void *stream) noexcept override {
    driver.setCurrent(context);
    driver.streamSynchronize(stream);
  }

private:
  std::string label() const { return "cuda:" + std::to_string(id().index); }

  void require(int code, const std::string &problem) const {
    if (code == 0)
      return;
    const char *text = nullptr;
    driver.getErrorString(code, &text);
    throw DeviceError(label() + ": " + problem + ": CUDA's error " + std::to_string(code) + ", " +
                      (text != nullptr ? text : "unknown"));
  }

  /// The driver's functions act on the current context of their thread.
  void enter() const { require(driver.setCurrent(context), "cannot use the GPU"); }

  Driver driver;
  int gpu = 0;
  Context context = nullptr;
};

} // namespace

std::unique_ptr<Device> openCuda(DeviceId id) { return std::make_unique<Cuda>(id); }

} // namespace serving
