// A kernel of this processor, linked into the process.
#pragma once

#include "backends/cpu/ObjectLinker.h"
#include "backends/cpu/runtime/CpuLaunch.h"
#include "base/LoadedKernel.h"

#include <memory>

namespace triton::cpu {

class CpuKernel final : public base::LoadedKernel {
public:
  /// `entry` is in `code`.
  CpuKernel(std::shared_ptr<LinkedObject> code, CpuEntry entry, std::size_t scratchBytes)
      : code(std::move(code)), entry(entry), scratchBytes(scratchBytes) {}

  void launch(const base::KernelLaunch &launch) const override {
    launchCpu(entry, launch.arguments.data(), launch.grid, scratchBytes, history, launch.maxThreads,
              launch.interrupted);
  }
  base::KernelFacts load() const override { return {.function = reinterpret_cast<uintptr_t>(entry)}; }

private:
  std::shared_ptr<LinkedObject> code;
  CpuEntry entry;
  std::size_t scratchBytes;
  mutable LaunchHistory history; ///< launches at the same time may lose an update, which does no harm
};

} // namespace triton::cpu
