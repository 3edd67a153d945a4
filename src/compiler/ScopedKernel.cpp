// Launches of kernels that take the profiler's table of scopes.
#include "base/LaunchObserver.h"
#include "compiler/Devices.h"
#include "compiler/ProfileScopes.h"
#include "compiler/ScopeRecords.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

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

/// The records of a launch, by the units that wrote them.
std::vector<base::ScopeRecord> readRecords(const ScopeTable &table, std::span<const int64_t> numbers, bool hasOneClock,
                                           uint64_t &lost) {
  std::vector<base::ScopeRecord> records;
  auto buffers = numbers.subspan(table.sums());
  std::size_t size = table.numbersOfUnit();
  std::size_t programSize = hasOneClock ? buffers.size() : table.units * size;
  for (std::size_t program = 0; size != 0 && program < buffers.size(); program += programSize) {
    std::size_t first = records.size();
    for (std::size_t at = program; at < program + programSize; at += size) {
      auto written = uint64_t(buffers[at]);
      std::size_t kept = std::min<uint64_t>(written, table.records);
      lost += written - kept;
      for (std::size_t i = 0; i < kept; ++i) {
        auto record = buffers.subspan(at + 1 + i * ScopeTable::numbersOfRecord, ScopeTable::numbersOfRecord);
        records.push_back({std::size_t(record[0]), at / size, record[1], record[2]});
      }
    }
    int64_t origin = 0; // clocks of different multiprocessors have nothing in common
    for (std::size_t i = first; i < records.size(); ++i)
      origin = i == first ? records[i].begin : std::min(origin, records[i].begin);
    for (std::size_t i = first; i < records.size(); ++i) {
      records[i].begin -= origin;
      records[i].end -= origin;
    }
  }
  return records;
}

class ScopedKernel final : public base::LoadedKernel {
public:
  ScopedKernel(const base::CompiledKernel &kernel, ScopeTable table, std::shared_ptr<const base::LoadedKernel> inner)
      : name(kernel.name), backend(kernel.target.backend), argument(unsigned(kernel.arguments.size() - 1)),
        table(std::move(table)), inner(std::move(inner)) {}

  base::KernelFacts load() const override { return inner->load(); }
  void unload() const override { inner->unload(); }
  bool checksAccesses() const override { return inner->checksAccesses(); }

  void launch(const base::KernelLaunch &launch) const override {
    const base::DeviceDriver *driver = deviceDriver(backend);
    Table numbers(driver, size(launch));
    llvm::SmallVector<uint64_t, 16> arguments(launch.arguments.begin(), launch.arguments.end());
    arguments.push_back(numbers.address());
    std::vector<base::ArrayExtent> arrays(launch.arrays.begin(), launch.arrays.end());
    arrays.push_back({argument, numbers.address(), numbers.bytes()});
    base::KernelLaunch extended = launch;
    extended.arguments = arguments;
    if (inner->checksAccesses())
      extended.arrays = arrays;
    int64_t begin = base::launchClock();
    inner->launch(extended);
    base::LaunchObserver *observer = base::launchObserver();
    if (!observer)
      return;
    bool isOnProcessor = backend == "cpu";
    base::ScopeReport report{name, isOnProcessor ? "scope_time (ns)" : "cycles", /*isOnGpu=*/driver != nullptr,
                             table.paths, numbers.read()};
    std::vector<base::ScopeRecord> records =
        readRecords(table, report.numbers, /*hasOneClock=*/isOnProcessor, report.lostRecords);
    report.records = records;
    report.begin = begin;
    observer->scoped(report);
  }

private:
  std::size_t size(const base::KernelLaunch &launch) const {
    uint64_t programs = uint64_t(launch.grid[0]) * uint64_t(launch.grid[1]) * uint64_t(launch.grid[2]);
    uint64_t numbers = table.numbers(programs);
    constexpr uint64_t most = (uint64_t(1) << 30) / sizeof(int64_t);
    if (table.records != 0 && numbers > most)
      throw base::LaunchError(llvm::formatv("the profiler would need {0} MiB for what the {1} programs of kernel `{2}` "
                                            "record; give the session a smaller `buffer_size`, or data=\"tree\"",
                                            (numbers * sizeof(int64_t)) >> 20, programs, name)
                                  .str());
    return numbers;
  }

  std::string name, backend;
  unsigned argument; ///< the table's index among the arguments
  ScopeTable table;
  std::shared_ptr<const base::LoadedKernel> inner;
};

} // namespace

std::shared_ptr<const base::LoadedKernel> withScopes(const base::CompiledKernel &kernel,
                                                     std::shared_ptr<const base::LoadedKernel> loaded) {
  ScopeTable table;
  if (!loaded || kernel.arguments.empty() || !ScopeTable::parse(kernel.arguments.back().name, table))
    return loaded;
  return std::make_shared<const ScopedKernel>(kernel, std::move(table), std::move(loaded));
}

} // namespace triton::compiler
