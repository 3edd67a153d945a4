// Program counters of the warps of NVIDIA's GPUs, which CUPTI samples while a kernel runs.
#pragma once

#include "profiler/CuptiLibrary.h"
#include "profiler/Metric.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace triton::profiling::cupti {

struct SamplingFunctions;

/// What was sampled in one line of a kernel.
struct SampledLine {
  std::string kernel;
  std::string place; ///< "<file>:<line>@<kernel>"; empty where it is unknown
  std::vector<Metric> metrics;
};

/// Samples are taken between `begin` and `end`, by one thread at a time.
class ProgramCounterSampling {
public:
  /// A sample is taken each 2^`period` cycles. Throws std::runtime_error where CUPTI cannot do it.
  ProgramCounterSampling(const Library &library, uint32_t period);
  ~ProgramCounterSampling();
  ProgramCounterSampling(const ProgramCounterSampling &) = delete;

  /// Remembers the machine code, which knows the source of its instructions.
  void remember(const ModuleData &module);
  /// Throws std::runtime_error where the context cannot be sampled.
  void begin(void *context);
  /// Waits for what was launched since `begin`.
  std::vector<SampledLine> end(void *context);

  /// The power of two that is next to a number of cycles, within what GPUs can do.
  static uint32_t periodOf(uint64_t cycles);

private:
  struct Buffer;

  void enable(void *context);
  void readReasons(void *context);
  std::string placeOf(uint64_t code, const char *function, uint64_t offset);

  const Library &library;
  const std::unique_ptr<const SamplingFunctions> functions;
  const uint32_t period;
  std::map<void *, std::unique_ptr<Buffer>> contexts; ///< those that are sampled
  std::map<uint32_t, std::string> reasons;            ///< why warps wait, by CUPTI's numbers

  std::mutex mutex; ///< of the machine code
  std::map<uint64_t, std::string> codes;
};

} // namespace triton::profiling::cupti
