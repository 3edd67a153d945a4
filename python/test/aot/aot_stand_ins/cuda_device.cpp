// A library in the place of CUDA's driver that behaves like a GPU: the addresses of its memory are none of the
// processor, and what is given to a stream runs only when somebody waits for it. It runs the kernels of
// examples/serving, written anew in C++. What a real GPU would not forgive it writes down, and when the process ends,
// it writes all that into the file that FAKE_CUDA_REPORT names.
//
// FAKE_CUDA_CAPABILITY and FAKE_CUDA_BYTES describe the GPU. The file that FAKE_CUDA_FAILURE names, which may come and
// go, has a function's name, the code that it returns, and how many calls succeed before that.
#include "cuda_kernels.h"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

using Code = int;
enum : Code { success = 0, invalidValue = 1, outOfMemory = 2, invalidContext = 201 };
using Address = unsigned long long;
/// Added to pointers: no address of a processor has this bit alone, and reading from there ends the process.
constexpr Address tag = Address(1) << 60;
void *const primary = reinterpret_cast<void *>(0x1000);

struct Module {
  const unsigned char *image;
  int waiting = 0; // launches that have not run
};
struct Function {
  Module *module;
  std::string name;
  std::vector<int> sizes; // of the parameters, in bytes
};
struct Stream {
  std::vector<std::function<void()>> work;
};

int fromEnvironment(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

struct Gpu {
  std::recursive_mutex access;
  std::map<Address, std::size_t> memory, staging;
  std::size_t allocated = 0;
  std::map<Module *, std::vector<Function *>> modules;
  std::map<Stream *, std::unique_ptr<Stream>> streams;
  Stream null;
  int retained = 0;
  std::map<std::string, int> calls;
  int callsBeforeFailure = 0;
  std::set<std::string> violations;

  ~Gpu() {
    const char *path = std::getenv("FAKE_CUDA_REPORT");
    if (path == nullptr)
      return;
    std::ofstream file(path);
    for (const auto &[name, count] : calls)
      file << name << " " << count << "\n";
    file << "left.memory " << memory.size() << "\nleft.staging " << staging.size() << "\nleft.modules "
         << modules.size() << "\nleft.streams " << streams.size() << "\nleft.contexts " << retained << "\n";
    for (const std::string &violation : violations)
      file << "violation " << violation << "\n";
  }

  void violation(const std::string &text) {
    std::lock_guard lock(access);
    violations.insert(text);
  }

  /// Whether the bytes lie in one allocation.
  bool holds(const std::map<Address, std::size_t> &ranges, Address address, std::size_t bytes) {
    std::lock_guard lock(access);
    auto next = ranges.upper_bound(address);
    return next != ranges.begin() && address - std::prev(next)->first + bytes <= std::prev(next)->second;
  }

  /// The code that a test has planted for the function.
  Code planted(const std::string &function) {
    const char *path = std::getenv("FAKE_CUDA_FAILURE");
    std::ifstream file(path != nullptr ? path : "");
    std::string name;
    int code = success, before = 0;
    if (!(file >> name >> code >> before)) {
      callsBeforeFailure = 0;
      return success;
    }
    return name == function && callsBeforeFailure++ >= before ? code : success;
  }
} gpu;

thread_local std::vector<void *> contexts;

/// What each function begins with: it counts calls, and asks for planted failures and for the context.
Code enter(const char *function, bool needsContext = true) {
  std::lock_guard lock(gpu.access);
  ++gpu.calls[function];
  if (Code code = gpu.planted(function))
    return code;
  bool hasContext = gpu.retained > 0 && !contexts.empty() && contexts.back() == primary;
  if (needsContext && !hasContext)
    gpu.violation(std::string(function) + " without the context");
  return needsContext && !hasContext ? Code(invalidContext) : Code(success);
}

#define BEGIN(NEEDS_CONTEXT)                                                                                           \
  if (Code code = enter(__func__, NEEDS_CONTEXT))                                                                      \
  return code
#define ENTER() BEGIN(true)
#define ENTER_ANYWHERE() BEGIN(false)

/// Where the processor finds what lies at an address of the GPU.
void *reached(Address address, std::size_t bytes, const std::string &user) {
  if (!gpu.holds(gpu.memory, address, bytes)) {
    gpu.violation(user + " reaches " + std::to_string(bytes) + " bytes that are not its own");
    static thread_local std::vector<char> harmless;
    harmless.assign(bytes, 0);
    return harmless.data();
  }
  return reinterpret_cast<void *>(address - tag);
}

Stream &streamOf(void *handle) { return handle == nullptr ? gpu.null : *static_cast<Stream *>(handle); }

Code add(void *stream, std::function<void()> work) {
  std::lock_guard lock(gpu.access);
  if (stream != nullptr && gpu.streams.count(static_cast<Stream *>(stream)) == 0)
    return invalidValue;
  streamOf(stream).work.push_back(std::move(work));
  return success;
}

/// What ptxas wrote about the parameters: records of their number, offset and size.
std::vector<int> parameterSizes(const unsigned char *image) {
  std::uint64_t sections;
  std::memcpy(&sections, image + 0x28, sizeof(sections));
  std::map<int, int> sizes;
  for (std::uint64_t i = 0; i + 16 <= sections; i += 4) {
    std::uint32_t words[4];
    std::memcpy(words, image + i, sizeof(words));
    if (words[0] == 0x000c1704 && words[1] == 0)
      sizes[int(words[2] & 0xffff)] = int(words[3] >> 18);
  }
  std::vector<int> found;
  for (auto [number, size] : sizes)
    found.push_back(size);
  return found;
}

} // namespace

extern "C" {

Code cuInit(unsigned) {
  ENTER_ANYWHERE();
  return success;
}
Code cuGetErrorString(Code code, const char **text) {
  *text = code == outOfMemory ? "out of memory" : code == invalidContext ? "invalid device context" : "it was planted";
  return success;
}
Code cuDeviceGetCount(int *count) {
  ENTER_ANYWHERE();
  *count = 1;
  return success;
}
Code cuDeviceGet(int *device, int ordinal) {
  ENTER_ANYWHERE();
  *device = ordinal + 2;
  return success;
}
Code cuDeviceGetName(char *name, int size, int) {
  ENTER_ANYWHERE();
  std::snprintf(name, std::size_t(size), "no real GPU");
  return success;
}
Code cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER_ANYWHERE();
  const int capability = fromEnvironment("FAKE_CUDA_CAPABILITY", 90), major = 75, minor = 76, mostShared = 97;
  *value = attribute == major        ? capability / 10
           : attribute == minor      ? capability % 10
           : attribute == mostShared ? 232448
                                     : 0;
  return device == 2 ? success : invalidValue;
}

Code cuDevicePrimaryCtxRetain(void **context, int) {
  ENTER_ANYWHERE();
  std::lock_guard lock(gpu.access);
  *context = primary;
  ++gpu.retained;
  return success;
}
Code cuDevicePrimaryCtxRelease_v2(int) {
  ENTER_ANYWHERE();
  std::lock_guard lock(gpu.access);
  if (--gpu.retained == 0 && gpu.memory.size() + gpu.staging.size() + gpu.modules.size() + gpu.streams.size() > 0)
    gpu.violation("the context ends before what lies in it");
  return success;
}
Code cuCtxSetCurrent(void *context) {
  ENTER_ANYWHERE();
  if (contexts.empty())
    contexts.push_back(context);
  contexts.back() = context;
  return success;
}
Code cuCtxGetCurrent(void **context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return success;
}
Code cuCtxPushCurrent_v2(void *context) {
  contexts.push_back(context);
  return success;
}
Code cuCtxPopCurrent_v2(void **context) {
  *context = contexts.back();
  contexts.pop_back();
  return success;
}

Code cuMemAlloc_v2(Address *address, std::size_t bytes) {
  ENTER();
  std::lock_guard lock(gpu.access);
  if (bytes == 0 || gpu.allocated + bytes > std::size_t(fromEnvironment("FAKE_CUDA_BYTES", 1 << 30)))
    return bytes == 0 ? invalidValue : outOfMemory;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xff, bytes); // not numbers
  *address = reinterpret_cast<Address>(memory) + tag;
  gpu.memory[*address] = bytes;
  gpu.allocated += bytes;
  return success;
}
Code cuMemFree_v2(Address address) {
  ENTER();
  std::lock_guard lock(gpu.access);
  if (gpu.memory.count(address) == 0)
    return gpu.violation("memory is freed that is not allocated"), invalidValue;
  gpu.allocated -= gpu.memory[address];
  gpu.memory.erase(address);
  std::free(reinterpret_cast<void *>(address - tag));
  return success;
}
Code cuMemHostAlloc(void **pointer, std::size_t bytes, unsigned) {
  ENTER();
  std::lock_guard lock(gpu.access);
  *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  gpu.staging[reinterpret_cast<Address>(*pointer)] = bytes;
  return success;
}
Code cuMemFreeHost(void *pointer) {
  ENTER();
  std::lock_guard lock(gpu.access);
  if (gpu.staging.erase(reinterpret_cast<Address>(pointer)) == 0)
    return gpu.violation("pinned memory is freed that is not allocated"), invalidValue;
  std::free(pointer);
  return success;
}
Code cuMemcpyHtoDAsync_v2(Address to, const void *from, std::size_t bytes, void *stream) {
  ENTER();
  if (stream != nullptr && !gpu.holds(gpu.staging, reinterpret_cast<Address>(from), bytes))
    gpu.violation("a copy to the GPU begins outside of pinned memory");
  return add(stream, [=] { std::memcpy(reached(to, bytes, "a copy to the GPU"), from, bytes); });
}
Code cuMemcpyDtoHAsync_v2(void *to, Address from, std::size_t bytes, void *stream) {
  ENTER();
  if (!gpu.holds(gpu.staging, reinterpret_cast<Address>(to), bytes))
    gpu.violation("a copy from the GPU ends outside of pinned memory");
  return add(stream, [=] { std::memcpy(to, reached(from, bytes, "a copy from the GPU"), bytes); });
}

Code cuStreamCreate(void **stream, unsigned flags) {
  ENTER();
  std::lock_guard lock(gpu.access);
  if (flags != 1)
    gpu.violation("a stream waits for the null stream");
  auto made = std::make_unique<Stream>();
  *stream = made.get();
  gpu.streams[made.get()] = std::move(made);
  return success;
}
Code cuStreamDestroy_v2(void *stream) {
  ENTER();
  std::lock_guard lock(gpu.access);
  if (!streamOf(stream).work.empty())
    gpu.violation("a stream ends with work that has not run");
  return gpu.streams.erase(static_cast<Stream *>(stream)) == 1 ? success : invalidValue;
}
Code cuStreamSynchronize(void *stream) {
  Code planted = enter(__func__);
  std::vector<std::function<void()>> work;
  {
    std::lock_guard lock(gpu.access);
    work.swap(streamOf(stream).work);
  }
  for (const auto &action : work)
    action();
  return planted;
}

Code cuModuleLoadData(Module **module, const void *image) {
  ENTER();
  std::lock_guard lock(gpu.access);
  *module = new Module{static_cast<const unsigned char *>(image)};
  gpu.modules[*module] = {};
  return success;
}
Code cuModuleGetFunction(Function **function, Module *module, const char *name) {
  ENTER();
  std::lock_guard lock(gpu.access);
  *function = new Function{module, name, parameterSizes(module->image)};
  gpu.modules[module].push_back(*function);
  return success;
}
Code cuModuleUnload(Module *module) {
  ENTER();
  std::lock_guard lock(gpu.access);
  if (module->waiting > 0)
    gpu.violation("code is unloaded before it has run");
  for (Function *function : gpu.modules[module])
    delete function;
  gpu.modules.erase(module);
  delete module;
  return success;
}
Code cuFuncSetCacheConfig(Function *, int) { return enter(__func__); }
Code cuFuncSetAttribute(Function *, int, int) { return enter(__func__); }

Code cuLaunchKernel(Function *function, unsigned x, unsigned y, unsigned z, unsigned, unsigned, unsigned, unsigned,
                    void *stream, void **given, void **) {
  ENTER();
  std::lock_guard lock(gpu.access);
  if (stream == nullptr)
    gpu.violation("a kernel is launched on the null stream");
  Launch launch{function->name, {x, y, z}, {}, reached};
  for (std::size_t i = 0; i < function->sizes.size(); ++i) {
    launch.parameters.push_back(0);
    std::memcpy(&launch.parameters.back(), given[i], std::size_t(function->sizes[i]));
  }
  Module *module = function->module;
  ++module->waiting;
  return add(stream, [module, launch] {
    if (!runKernel(launch))
      gpu.violation("kernel `" + launch.name + "` was launched with a grid or parameters that it does not take");
    std::lock_guard lock(gpu.access);
    --module->waiting;
  });
}
}
