#include "library.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace serving {
namespace {

[[noreturn]] void fail(const std::string &path, const std::string &reason) {
  throw std::runtime_error("cannot load the kernels of " + path + ": " + reason);
}

std::vector<char> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail(path, std::strerror(errno));
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad() || bytes.empty())
    fail(path, "the file cannot be read, or is empty");
  return bytes;
}

/// The dynamic loader maps what the headers name, whether the file has it or not, and then faults. The section headers
/// are what linkers write last.
void checkComplete(const std::string &path, const std::vector<char> &bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header) || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    fail(path, "it is not a shared library");
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::uint64_t sections = std::uint64_t(header.e_shentsize) * header.e_shnum;
  if (header.e_shoff > bytes.size() || sections > bytes.size() - header.e_shoff)
    fail(path, "the file is truncated");
}

/// A file that exists while this object does. The loader takes a path or a file that it has loaded before for the same
/// library: the copy has a name that no other generation has.
class TemporaryCopy {
public:
  TemporaryCopy(const std::string &path, const std::vector<char> &bytes, std::uint64_t generation) {
    const char *folder = std::getenv("TMPDIR");
    name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/libkernels." +
           std::to_string(generation) + ".XXXXXX";
    int file = mkstemp(name.data());
    if (file < 0)
      fail(path, "cannot write a copy to " + name + ": " + std::strerror(errno));
    std::size_t written = 0;
    ssize_t count = 0;
    while (written < bytes.size() && (count = write(file, bytes.data() + written, bytes.size() - written)) > 0)
      written += std::size_t(count);
    int error = errno;
    close(file);
    if (written < bytes.size()) {
      unlink(name.c_str());
      fail(path, "cannot write a copy to " + name + ": " + std::strerror(error));
    }
  }
  TemporaryCopy(const TemporaryCopy &) = delete;
  TemporaryCopy &operator=(const TemporaryCopy &) = delete;
  ~TemporaryCopy() { unlink(name.c_str()); }

  const char *path() const { return name.c_str(); }

private:
  std::string name;
};

} // namespace

std::shared_ptr<const KernelLibrary> KernelLibrary::open(const std::string &path, DeviceId device,
                                                         std::uint64_t generation) {
  std::vector<char> bytes = readFile(path);
  checkComplete(path, bytes);
  TemporaryCopy copy(path, bytes, generation);
  void *handle = dlopen(copy.path(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    fail(path, dlerror());
  std::shared_ptr<KernelLibrary> library(new KernelLibrary(handle, generation));
  auto *version = static_cast<const std::uint32_t *>(dlsym(handle, "servingKernelsVersion"));
  auto *openKernels = reinterpret_cast<decltype(&servingOpenKernels)>(dlsym(handle, "servingOpenKernels"));
  if (version == nullptr || openKernels == nullptr)
    fail(path, "it has no table of kernels");
  if (*version != kernelsVersion)
    fail(path, "its table has version " + std::to_string(*version) + ", and this server needs version " +
                   std::to_string(kernelsVersion));
  char reason[512] = "";
  library->opened.reset(openKernels(&device, reason, sizeof(reason)));
  if (!library->opened)
    fail(path, reason);
  return library;
}

KernelLibrary::~KernelLibrary() {
  opened.reset(); // by the library's own code
  dlclose(handle);
}

CurrentLibrary::CurrentLibrary(std::string path, DeviceId device, Check check)
    : path(std::move(path)), device(device), check(std::move(check)) {
  reload();
}

std::shared_ptr<const KernelLibrary> CurrentLibrary::get() const {
  std::lock_guard lock(access);
  return library;
}

std::uint64_t CurrentLibrary::reload() {
  std::lock_guard one(reloading);
  std::shared_ptr<const KernelLibrary> next = KernelLibrary::open(path, device, opened + 1);
  check(next->kernels());
  ++opened;
  // The old library may be unloaded here, but not under the lock that requests wait for.
  std::lock_guard lock(access);
  library.swap(next);
  return opened;
}

} // namespace serving
