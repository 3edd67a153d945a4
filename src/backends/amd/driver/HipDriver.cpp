#include "backends/amd/driver/HipDriver.h"

#include "base/Environment.h"
#include "base/LoadedKernel.h"
#include "base/SharedLibrary.h"

#include "llvm/ADT/StringExtras.h"

#include <array>
#include <dlfcn.h>
#include <link.h>

namespace triton::amd {
namespace {

constexpr char fileName[] = "libamdhip64.so";

// hipPointer_attribute, as the driver numbers them.
constexpr int devicePointer = 3;

std::vector<std::string> &addedDirectories() {
  static std::vector<std::string> directories;
  return directories;
}

/// The path of the library that this process has loaded, such as the one that came with PyTorch; empty: none.
std::string loadedLibrary() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info *info, std::size_t, void *found) {
        llvm::StringRef name = info->dlpi_name;
        if (!name.rsplit('/').second.starts_with(fileName))
          return 0;
        *static_cast<std::string *>(found) = name.str();
        return 1;
      },
      &path);
  return path;
}

std::vector<std::string> libraryPaths() {
  if (std::string given = base::Environment::read().libhipPath; !given.empty())
    return {base::libraryIn(given, fileName)};
  if (std::string loaded = loadedLibrary(); !loaded.empty())
    return {loaded};
  std::vector<std::string> paths;
  for (const std::string &directory : addedDirectories())
    paths.push_back(directory + "/" + fileName);
  paths.emplace_back(fileName);
  paths.push_back(std::string("/opt/rocm/lib/") + fileName);
  return paths;
}

/// The properties of a device are a structure that each major version of the library lays out in its own way. The
/// architecture is the only text in it that begins like this at a multiple of its alignment, behind the device's name.
std::string findArchitecture(llvm::ArrayRef<char> properties) {
  constexpr std::size_t nameBytes = 256, alignment = 4;
  for (std::size_t place = nameBytes; place + alignment < properties.size(); place += alignment) {
    llvm::StringRef text = llvm::StringRef(properties.data() + place, properties.size() - place);
    text = text.take_until([](char character) { return character == '\0' || character == ':'; });
    if (text.starts_with("gfx") && text.size() > 3 && llvm::all_of(text.drop_front(3), llvm::isHexDigit))
      return text.str();
  }
  return "";
}

} // namespace

void HipDriver::addDirectory(const std::string &path) { addedDirectories().push_back(path); }

HipDriver::HipDriver() : SingleDriver({"HIP", "install ROCm, or set TRITON_LIBHIP_PATH"}) {
  void *library = openFirst(libraryPaths());
  if (!library)
    return;
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function)
      missing = name;
  };
#define HIP_FUNCTION(name, ...) find(name, #name);
#define HIP_TEXT_FUNCTION(name, ...) find(name, #name);
#include "backends/amd/driver/HipFunctions.def"
  start(missing);
}

/// hipDeviceAttribute_t.
int HipDriver::numberOf(DeviceAttribute which) const {
  switch (which) {
  case DeviceAttribute::ClockRate:
    return 5;
  case DeviceAttribute::CooperativeLaunch:
    return 10;
  case DeviceAttribute::MaxRegisters:
    return 71;
  case DeviceAttribute::MaxShared:
    return 74;
  case DeviceAttribute::MemoryBusWidth:
    return 59;
  case DeviceAttribute::MemoryClockRate:
    return 60;
  case DeviceAttribute::Multiprocessors:
    return 63;
  case DeviceAttribute::ThreadsOfMultiprocessor:
    return 57;
  case DeviceAttribute::WarpSize:
    return 87;
  }
  llvm_unreachable("every attribute has a number");
}

std::string HipDriver::arch(int device) const {
  requireDevice(device);
  static std::mutex mutex;
  static std::map<int, std::string> known;
  std::lock_guard lock(mutex);
  std::string &found = known[device];
  if (found.empty()) {
    std::array<char, 8192> properties{}; // larger than the structure of any version
    check(hipGetDevicePropertiesR0600(properties.data(), device), "cannot ask the device");
    found = findArchitecture(properties);
    if (found.empty())
      throw base::LaunchError("the HIP driver does not say which architecture device " + std::to_string(device) +
                              " has");
  }
  return found;
}

int HipDriver::currentDevice() const {
  int device = 0;
  check(hipGetDevice(&device), "cannot use the HIP device");
  return device;
}

void HipDriver::visit(uintptr_t place, llvm::function_ref<void()> use) const {
  int earlier = 0;
  if (hipGetDevice(&earlier) != 0 || hipSetDevice(int(place)) != 0)
    return;
  if (hipDeviceSynchronize() == 0)
    use();
  hipSetDevice(earlier);
}

bool HipDriver::isCapturing(void *stream) const {
  int status = 0; // 1: active, 2: invalidated
  return hipStreamIsCapturing(stream, &status) == 0 && status == 1;
}

void HipDriver::setCurrentDevice(int device) const {
  requireDevice(device);
  check(hipSetDevice(device), "cannot use the HIP device");
}

uint64_t HipDriver::deviceAddress(const void *host) const {
  void *address = nullptr;
  if (hipPointerGetAttribute(&address, devicePointer, const_cast<void *>(host)) != 0)
    return 0;
  return uint64_t(reinterpret_cast<uintptr_t>(address));
}

void HipDriver::synchronize() const { check(hipDeviceSynchronize(), "a kernel failed"); }

void *HipDriver::allocate(std::size_t bytes) const {
  void *memory = nullptr;
  check(hipMalloc(&memory, bytes), "cannot allocate device memory");
  return memory;
}

void HipDriver::free(void *memory) const { hipFree(memory); }

void HipDriver::upload(void *memory, const void *host, std::size_t bytes) const {
  check(hipMemcpy(memory, host, bytes, HostToDevice), "cannot upload to the device");
}

void HipDriver::download(void *host, const void *memory, std::size_t bytes) const {
  check(hipMemcpy(host, memory, bytes, DeviceToHost), "cannot download from the device");
}

} // namespace triton::amd
