#include "profiler/CuptiSampling.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace triton::profiling::cupti {

//===-- What CUPTI's headers declare --------------------------------------------------------------------------------===

namespace {

struct StallCount {
  uint32_t reason, samples;
};

/// CUpti_PCSamplingPCData.
struct CounterData {
  std::size_t size = sizeof(CounterData);
  uint64_t code = 0, offset = 0;
  uint32_t function = 0, padding = 0;
  const char *functionName = nullptr; ///< may be that of other counters, too
  std::size_t stallCount = 0;
  StallCount *stalls = nullptr;
  uint32_t correlation = 0;
};

/// CUpti_PCSamplingData.
struct SamplingData {
  std::size_t size = sizeof(SamplingData);
  std::size_t room = 0; ///< for this many counters
  uint64_t samples = 0, dropped = 0;
  std::size_t counters = 0, remaining = 0;
  uint64_t range = 0;
  CounterData *data = nullptr;
  uint64_t otherSamples = 0;
  uint8_t isBufferFull = 0;
};

enum Attribute : int { SamplingPeriod = 1, CollectionMode = 5, StartStopControl = 6, OutputFormat = 7, DataBuffer = 8 };
constexpr uint32_t continuous = 1, parsed = 1;

/// CUpti_PCSamplingConfigurationInfo.
struct AttributeValue {
  int attribute = 0;
  int status = 0;
  union {
    uint64_t any[3] = {};
    uint32_t number;
    void *pointer;
  };
};

AttributeValue attribute(Attribute which, uint32_t number) {
  AttributeValue value;
  value.attribute = which;
  value.number = number;
  return value;
}

// Parameters of functions; `size` reaches to the end of the last member.
struct ContextParameters {
  std::size_t size = sizeof(ContextParameters);
  void *reserved = nullptr;
  void *context = nullptr;
};
struct AttributeParameters {
  std::size_t size = sizeof(AttributeParameters);
  void *reserved = nullptr;
  void *context = nullptr;
  std::size_t count = 0;
  AttributeValue *values = nullptr;
};
struct PointerParameters { ///< where data or a number is to be written
  std::size_t size = sizeof(PointerParameters);
  void *reserved = nullptr;
  void *context = nullptr;
  void *pointer = nullptr;
};
struct ReasonParameters {
  std::size_t size = sizeof(ReasonParameters);
  void *reserved = nullptr;
  void *context = nullptr;
  std::size_t count = 0;
  uint32_t *numbers = nullptr;
  char **names = nullptr;
};
struct SourceParameters {
  std::size_t size = sizeof(SourceParameters);
  const void *code = nullptr;
  const char *function = nullptr;
  std::size_t bytes = 0;
  uint32_t line = 0;
  uint64_t offset = 0;
  char *file = nullptr, *folder = nullptr; ///< to be freed by the reader
};
struct ChecksumParameters {
  std::size_t size = sizeof(ChecksumParameters);
  std::size_t bytes = 0;
  const void *code = nullptr;
  uint64_t checksum = 0;
};

} // namespace

#define TRITON_SAMPLING_FUNCTIONS(FUNCTION)                                                                            \
  FUNCTION(cuptiPCSamplingEnable, ContextParameters)                                                                   \
  FUNCTION(cuptiPCSamplingDisable, ContextParameters)                                                                  \
  FUNCTION(cuptiPCSamplingStart, ContextParameters)                                                                    \
  FUNCTION(cuptiPCSamplingStop, ContextParameters)                                                                     \
  FUNCTION(cuptiPCSamplingSetConfigurationAttribute, AttributeParameters)                                              \
  FUNCTION(cuptiPCSamplingGetData, PointerParameters)                                                                  \
  FUNCTION(cuptiPCSamplingGetNumStallReasons, PointerParameters)                                                       \
  FUNCTION(cuptiPCSamplingGetStallReasons, ReasonParameters)                                                           \
  FUNCTION(cuptiGetSassToSourceCorrelation, SourceParameters)                                                          \
  FUNCTION(cuptiGetCubinCrc, ChecksumParameters)

struct SamplingFunctions {
#define TRITON_DECLARE(name, Parameters) int (*name)(Parameters *) = nullptr;
  TRITON_SAMPLING_FUNCTIONS(TRITON_DECLARE)
#undef TRITON_DECLARE
};

static std::unique_ptr<const SamplingFunctions> findFunctions(const Library &library) {
  auto found = std::make_unique<SamplingFunctions>();
#define TRITON_FIND(name, Parameters) found->name = reinterpret_cast<int (*)(Parameters *)>(library.find(#name));
  TRITON_SAMPLING_FUNCTIONS(TRITON_FIND)
#undef TRITON_FIND
  return found;
}

//===-- Sampling ----------------------------------------------------------------------------------------------------===

/// Where CUPTI writes counters.
struct ProgramCounterSampling::Buffer {
  Buffer(std::size_t room, std::size_t reasons) : counters(room), stalls(room * reasons) {
    for (std::size_t i = 0; i < room; ++i)
      counters[i].stalls = &stalls[i * reasons];
    data.room = room;
    data.data = counters.data();
  }

  std::vector<CounterData> counters;
  std::vector<StallCount> stalls;
  SamplingData data;
  std::unique_ptr<Buffer> inner; ///< CUPTI's own, from which it copies to this one
};

ProgramCounterSampling::ProgramCounterSampling(const Library &library, uint32_t period)
    : library(library), functions(findFunctions(library)), period(period) {}

ProgramCounterSampling::~ProgramCounterSampling() {
  for (auto &[context, buffer] : contexts) {
    ContextParameters parameters{.context = context};
    functions->cuptiPCSamplingDisable(&parameters);
  }
}

uint32_t ProgramCounterSampling::periodOf(uint64_t cycles) {
  constexpr uint32_t least = 5, most = 31;
  uint32_t floor = llvm::Log2_64(std::max<uint64_t>(cycles, 1));
  bool isNearerToNext = floor < most && cycles > (uint64_t(3) << floor) / 2;
  return std::clamp(floor + isNearerToNext, least, most);
}

void ProgramCounterSampling::remember(const ModuleData &module) {
  ChecksumParameters parameters{.bytes = module.bytes, .code = module.code};
  if (!module.code || functions->cuptiGetCubinCrc(&parameters) != 0)
    return;
  std::lock_guard lock(mutex);
  codes.try_emplace(parameters.checksum, module.code, module.bytes);
}

void ProgramCounterSampling::readReasons(void *context) {
  std::size_t count = 0;
  PointerParameters counting{.context = context, .pointer = &count};
  library.check(functions->cuptiPCSamplingGetNumStallReasons(&counting), "the profiler cannot sample this GPU");
  constexpr std::size_t nameBytes = 128;
  std::vector<uint32_t> numbers(count);
  std::vector<char> texts(count * nameBytes);
  std::vector<char *> names(count);
  for (std::size_t i = 0; i < count; ++i)
    names[i] = &texts[i * nameBytes];
  ReasonParameters naming{.context = context, .count = count, .numbers = numbers.data(), .names = names.data()};
  library.check(functions->cuptiPCSamplingGetStallReasons(&naming), "the profiler cannot sample this GPU");
  for (std::size_t i = 0; i < count; ++i)
    reasons[numbers[i]] = names[i];
}

void ProgramCounterSampling::enable(void *context) {
  ContextParameters enabling{.context = context};
  library.check(functions->cuptiPCSamplingEnable(&enabling), "the profiler cannot sample program counters");
  auto &buffer = contexts[context]; // from here on, the destructor disables it
  readReasons(context);
  constexpr std::size_t room = 4096;
  buffer = std::make_unique<Buffer>(room, reasons.size());
  buffer->inner = std::make_unique<Buffer>(room, reasons.size());
  AttributeValue values[] = {attribute(CollectionMode, continuous), attribute(StartStopControl, 1),
                             attribute(OutputFormat, parsed), attribute(SamplingPeriod, period),
                             attribute(DataBuffer, 0)};
  values[std::size(values) - 1].pointer = &buffer->inner->data;
  AttributeParameters setting{.context = context, .count = std::size(values), .values = values};
  library.check(functions->cuptiPCSamplingSetConfigurationAttribute(&setting),
                "the profiler cannot choose how program counters are sampled");
}

void ProgramCounterSampling::begin(void *context) {
  if (!contexts.contains(context))
    enable(context);
  ContextParameters starting{.context = context};
  library.check(functions->cuptiPCSamplingStart(&starting), "the profiler cannot sample program counters");
}

/// "<file>:<line>@<function>" of an instruction.
std::string ProgramCounterSampling::placeOf(uint64_t code, const char *function, uint64_t offset) {
  std::lock_guard lock(mutex);
  auto found = codes.find(code);
  if (found == codes.end())
    return "";
  SourceParameters source{
      .code = found->second.data(), .function = function, .bytes = found->second.size(), .offset = offset};
  int result = functions->cuptiGetSassToSourceCorrelation(&source);
  std::unique_ptr<char, decltype(&std::free)> file(source.file, &std::free), folder(source.folder, &std::free);
  if (result != 0 || !file || !*file)
    return "";
  std::string path = folder && *folder && *file != '/' ? std::string(folder.get()) + "/" + file.get() : file.get();
  return llvm::formatv("{0}:{1}@{2}", path, source.line, llvm::demangle(function)).str();
}

namespace {

/// Samples of a line by what the warps waited for.
struct Sums {
  int64_t all = 0, stalled = 0;
  std::map<std::string, int64_t> reasons;

  std::vector<Metric> metrics() const {
    std::vector<Metric> result{{"num_samples", all}, {"num_stalled_samples", stalled}};
    for (const auto &[reason, samples] : reasons)
      result.push_back({reason, samples});
    return result;
  }

  /// CUPTI counts a sample under the reason, and once more with this ending if no other warp was issued either.
  void add(llvm::StringRef reason, uint32_t samples) {
    reason.consume_front("smsp__pcsamp_warps_issue_");
    bool isIdle = reason.consume_back("_not_issued");
    (isIdle ? stalled : all) += samples;
    if (!isIdle && samples)
      reasons[reason.str()] += samples;
  }
};

} // namespace

std::vector<SampledLine> ProgramCounterSampling::end(void *context) {
  ContextParameters stopping{.context = context};
  library.check(functions->cuptiPCSamplingStop(&stopping), "the profiler cannot read what it has sampled");
  Buffer &buffer = *contexts.at(context);
  std::map<std::pair<std::string, std::string>, Sums> lines; // by kernel and place
  do {
    PointerParameters reading{.context = context, .pointer = &buffer.data};
    library.check(functions->cuptiPCSamplingGetData(&reading), "the profiler cannot read what it has sampled");
    for (const CounterData &counter : llvm::ArrayRef(buffer.counters).take_front(buffer.data.counters)) {
      const char *name = counter.functionName ? counter.functionName : "<unknown>";
      Sums &sums = lines[{llvm::demangle(name), placeOf(counter.code, name, counter.offset)}];
      for (const StallCount &stall : llvm::ArrayRef(counter.stalls, counter.stallCount))
        sums.add(reasons[stall.reason], stall.samples);
    }
  } while (buffer.data.counters != 0 && buffer.data.remaining != 0);
  std::vector<SampledLine> result;
  result.reserve(lines.size());
  for (const auto &[place, sums] : lines)
    result.push_back({place.first, place.second, sums.metrics()});
  return result;
}

} // namespace triton::profiling::cupti
