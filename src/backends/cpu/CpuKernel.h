// A kernel of this processor, linked into the process.
#pragma once

#include "backends/cpu/ObjectLinker.h"
#include "backends/cpu/runtime/CpuLaunch.h"
#include "base/LaunchObserver.h"
#include "base/LoadedKernel.h"

#include <memory>
#include <string>
#include <vector>

namespace triton::cpu {

class CpuKernel final : public base::LoadedKernel {
public:
  /// `entry` is in `code`.
  CpuKernel(std::string name, std::shared_ptr<LinkedObject> code, CpuEntry entry, std::size_t scratchBytes)
      : name(std::move(name)), code(std::move(code)), entry(entry), scratchBytes(scratchBytes) {}

  void launch(const base::KernelLaunch &launch) const override {
    if (base::LaunchObserver *observer = base::launchObserver()) [[unlikely]]
      return launchObserved(*observer, launch);
    launchCpu(entry, launch.arguments.data(), launch.grid, scratchBytes, history, launch.maxThreads,
              launch.interrupted);
  }
  base::KernelFacts load() const override { return {.function = reinterpret_cast<uintptr_t>(entry)}; }

private:
  void launchObserved(base::LaunchObserver &observer, const base::KernelLaunch &launch) const {
    ThreadParts parts(observer.counters());
    int64_t begin = base::launchClock();
    launchCpu(entry, launch.arguments.data(), launch.grid, scratchBytes, history, launch.maxThreads, launch.interrupted,
              &parts);
    int64_t end = base::launchClock();
    observer.launched({name, "CPU", begin, end, countsOf(parts), parts.nanoseconds, launch.grid});
  }
  static std::vector<base::LaunchCount> countsOf(const ThreadParts &parts) {
    std::vector<base::LaunchCount> counts;
    if (!parts.counters)
      return counts;
    base::CounterSums sums;
    for (const base::CounterSums &each : parts.counts)
      sums.add(each);
    std::span<const std::string_view> names = parts.counters->names();
    for (std::size_t i = 0; i < names.size(); ++i)
      counts.push_back({names[i], sums.values[i]});
    if (sums.uncountedNanoseconds != 0)
      counts.push_back({"uncounted_time (ns)", uint64_t(sums.uncountedNanoseconds)});
    return counts;
  }

  std::string name;
  std::shared_ptr<LinkedObject> code;
  CpuEntry entry;
  std::size_t scratchBytes;
  mutable LaunchHistory history; ///< launches at the same time may lose an update, which does no harm
};

} // namespace triton::cpu
