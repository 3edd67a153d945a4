// Launches of kernels that take the profiler's table of scopes.
#include "base/LaunchObserver.h"
#include "compiler/Devices.h"
#include "compiler/ProfileScopes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::compiler {
namespace {

using base::DeviceDriver;

/// The table in the memory of a GPU, or on the host.
class Table {
public:
  Table(const DeviceDriver *driver, std::size_t numbers) : driver(driver), numbers(numbers) {
    if (!driver)
      return;
    memory = driver->allocate(bytes());
    driver->upload(memory, this->numbers.data(), bytes());
  }
  Table(const Table &) = delete;
  ~Table() {
    if (memory)
      driver->free(memory);
  }

  uintptr_t address() const { return reinterpret_cast<uintptr_t>(memory ? memory : numbers.data()); }
  std::size_t bytes() const { return numbers.size() * sizeof(int64_t); }
  /// After the kernel has ended, for which this waits.
  std::span<const int64_t> read() {
    if (memory) {
      driver->synchronize();
      driver->download(numbers.data(), memory, bytes());
    }
    return numbers;
  }

private:
  const DeviceDriver *driver;
  std::vector<int64_t> numbers;
  void *memory = nullptr;
};

class ScopedKernel final : public base::LoadedKernel {
public:
  ScopedKernel(const base::CompiledKernel &kernel, std::vector<std::string> paths,
               std::shared_ptr<const base::LoadedKernel> inner)
      : name(kernel.name), backend(kernel.target.backend), table(unsigned(kernel.arguments.size() - 1)),
        paths(std::move(paths)), inner(std::move(inner)) {}

  base::KernelFacts load() const override { return inner->load(); }
  void unload() const override { inner->unload(); }
  bool checksAccesses() const override { return inner->checksAccesses(); }

  void launch(const base::KernelLaunch &launch) const override {
    bool isOnGpu = backend == "cuda" || backend == "hip";
    Table numbers(isOnGpu ? deviceDriver(backend) : nullptr, 2 * paths.size());
    llvm::SmallVector<uint64_t, 16> arguments(launch.arguments.begin(), launch.arguments.end());
    arguments.push_back(numbers.address());
    std::vector<base::ArrayExtent> arrays(launch.arrays.begin(), launch.arrays.end());
    arrays.push_back({table, numbers.address(), numbers.bytes()});
    base::KernelLaunch extended = launch;
    extended.arguments = arguments;
    if (inner->checksAccesses())
      extended.arrays = arrays;
    inner->launch(extended);
    base::LaunchObserver *observer = base::launchObserver();
    if (!observer)
      return;
    base::ScopeReport report{name, backend == "cpu" ? "scope_time (ns)" : "cycles", isOnGpu, paths, numbers.read()};
    observer->scoped(report);
  }

private:
  std::string name, backend;
  unsigned table; ///< its index among the arguments
  std::vector<std::string> paths;
  std::shared_ptr<const base::LoadedKernel> inner;
};

} // namespace

std::shared_ptr<const base::LoadedKernel> withScopes(const base::CompiledKernel &kernel,
                                                     std::shared_ptr<const base::LoadedKernel> loaded) {
  if (!loaded || kernel.arguments.empty())
    return loaded;
  llvm::StringRef name = kernel.arguments.back().name;
  if (!name.consume_front(scopeTablePrefix))
    return loaded;
  std::vector<std::string> paths;
  for (llvm::StringRef path : llvm::split(name, '\n'))
    paths.push_back(path.str());
  return std::make_shared<const ScopedKernel>(kernel, std::move(paths), std::move(loaded));
}

} // namespace triton::compiler
