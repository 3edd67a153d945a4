#include "aot/CppRuntime.h"

namespace triton::aot {

std::string cppSharedTypes() {
  return R"(#ifndef TRITON_AOT_INTERFACE_2
#define TRITON_AOT_INTERFACE_2
/* What the kernels of a program share. */
namespace triton_aot {
inline namespace interface_2 {

/* Where a kernel runs. */
struct Device {
  enum class Kind { Cpu, Cuda, Hip };
  Kind kind;
  int index;
  static Device cpu() { return {Kind::Cpu, 0}; }
  static Device cuda(int index = 0) { return {Kind::Cuda, index}; }
  static Device hip(int index = 0) { return {Kind::Hip, index}; }
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

} // namespace interface_2
} // namespace triton_aot
#endif
)";
}

std::string cppDeviceTypes() {
  return R"(
/* A GPU: its number in its driver, and what says which code it runs. */
struct tt_Gpu {
  int number = 0;
  int capability = 0;       /* of CUDA: 90 */
  std::string architecture; /* of HIP: "gfx942" */
};

/* The code of one signature in the memory of a GPU. What a driver does not have is not set. */
struct tt_Code {
  int device = 0;
  void *context = nullptr;
  void *module = nullptr;
  void *function = nullptr;
  unsigned long long padding = 0;
};

/* The code of an operator. */
class tt_Loaded {
public:
  tt_Loaded() = default;
  virtual ~tt_Loaded() = default;
  tt_Loaded(const tt_Loaded &) = delete;
  tt_Loaded &operator=(const tt_Loaded &) = delete;

  std::vector<tt_Code> codes;
};

using tt_Load = void (*)(tt_Code &);
)";
}

std::string cppDriverLoading() {
  return R"(
template <typename Function> void tt_find(void *library, const char *vendor, const char *name, Function &function) {
  void *address = dlsym(library, name);
  if (address == nullptr)
    throw triton_aot::Error(std::string("the ") + vendor + " driver is too old: it has no function `" + name + "`");
  std::memcpy(&function, &address, sizeof(function));
}

/* The library that the variable names, or that is in the folder which it names; otherwise `file`. */
std::string tt_library(const char *variable, const char *file) {
  const char *given = std::getenv(variable);
  if (given == nullptr || *given == '\0')
    return file;
  struct stat facts;
  bool is_folder = stat(given, &facts) == 0 && S_ISDIR(facts.st_mode);
  return is_folder ? std::string(given) + "/" + file : std::string(given);
}

[[noreturn]] void tt_fail(const char *vendor, int code, const char *action, const char *text) {
  throw triton_aot::Error(std::string("kernel `") + tt_kernel + "`: " + action + ": " + vendor + "'s error " +
                          std::to_string(code) + ", " + (text ? text : "unknown"));
}

void tt_require_gpu(int index, int count) {
  if (index < 0 || index >= count)
    throw triton_aot::Error(std::string("kernel `") + tt_kernel + "`: there is no GPU " + std::to_string(index) +
                            "; this machine has " + std::to_string(count));
}

void tt_require_shared(int needed, int most) {
  if (needed > most)
    throw triton_aot::Error(std::string("kernel `") + tt_kernel + "` needs " + std::to_string(needed) +
                            " bytes of shared memory, but the device has " + std::to_string(most));
}
)";
}

} // namespace triton::aot
