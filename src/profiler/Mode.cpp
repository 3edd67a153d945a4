#include "profiler/Mode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <stdexcept>

namespace triton::profiling {

static constexpr std::pair<std::string_view, OutputFormat> formats[] = {
    {"hatchet", OutputFormat::Hatchet},
    {"hatchet_msgpack", OutputFormat::HatchetMessagePack},
    {"chrome_trace", OutputFormat::ChromeTrace}};

std::string_view extensionOf(OutputFormat format) { return formats[unsigned(format)].first; }

OutputFormat parseFormat(std::string_view name) {
  for (auto [known, format] : formats)
    if (known == name)
      return format;
  throw std::invalid_argument(
      llvm::formatv("`{0}` is not a format of profiles; the formats are hatchet, hatchet_msgpack and chrome_trace",
                    llvm::StringRef(name))
          .str());
}

namespace {

/// An option of a mode. Without choices, its value is a number that is `least` at least, or any text where that is -1.
struct KnownOption {
  llvm::StringRef name;
  std::initializer_list<llvm::StringRef> choices = {};
  int least = -1;
  bool isList = false, isNumberList = false;
};

/// A mode, and the backends that have it.
struct KnownMode {
  llvm::StringRef name;
  llvm::ArrayRef<llvm::StringRef> backends;
  llvm::ArrayRef<KnownOption> options;
};

} // namespace

static const KnownOption samplingOptions[] = {{.name = "interval", .least = 1}};
static const KnownOption flushingOptions[] = {{.name = "format"}};
static const KnownOption instrumentationOptions[] = {
    {.name = "metric_type", .choices = {"cycle"}},
    {.name = "sampling_strategy", .choices = {"none", "selective"}},
    {.name = "sampling_options", .isNumberList = true},
    {.name = "granularity",
     .choices = {"cta", "warp", "warp_2", "warp_4", "warp_8", "warp_group", "warp_group_2", "warp_group_4",
                 "warp_group_8"}},
    {.name = "buffer_strategy", .choices = {"circular", "flush"}},
    {.name = "buffer_type", .choices = {"shared", "global"}},
    {.name = "buffer_size", .least = 0},
    {.name = "optimizations", .choices = {"time_shift", "sched_stores", "sched_barriers", "clock32"}, .isList = true},
};
static const llvm::StringRef samplingBackends[] = {"cupti"}, countingBackends[] = {"cpu"},
                             instrumentationBackends[] = {"instrumentation"},
                             flushingBackends[] = {"cupti", "roctracer", "cpu", "simulator"};
static const KnownMode knownModes[] = {
    {"pcsampling", samplingBackends, samplingOptions},
    {"counters", countingBackends, {}},
    {"periodic_flushing", flushingBackends, flushingOptions},
    {"default", instrumentationBackends, instrumentationOptions},
    {"mma", instrumentationBackends, instrumentationOptions},
};

static std::string namesOfModes(llvm::StringRef backend) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const KnownMode &mode : knownModes)
    if (llvm::is_contained(mode.backends, backend))
      names.push_back(mode.name);
  return names.empty() ? "it has no modes" : "its modes are " + llvm::join(names, ", ");
}

static void checkValue(const KnownOption &option, llvm::StringRef value) {
  int64_t number = 0;
  if (option.least >= 0 && (value.getAsInteger(10, number) || number < option.least))
    throw std::invalid_argument(llvm::formatv("`{0}` is not a value of the option `{1}`; it is a number from {2} on",
                                              value, option.name, option.least)
                                    .str());
  llvm::SmallVector<llvm::StringRef> parts{value};
  if (option.isList || option.isNumberList) {
    parts.clear();
    value.split(parts, ',');
  }
  for (llvm::StringRef part : parts)
    if (unsigned unit = 0; option.isNumberList && part.trim().getAsInteger(10, unit))
      throw std::invalid_argument(llvm::formatv("`{0}` is not a value of the option `{1}`; it is numbers of units, "
                                                "separated by commas",
                                                value, option.name)
                                      .str());
  for (llvm::StringRef part : parts)
    if (option.choices.size() != 0 && !llvm::is_contained(option.choices, part.trim()))
      throw std::invalid_argument(llvm::formatv("`{0}` is not a value of the option `{1}`; it is one of {2}",
                                                part.trim(), option.name, llvm::join(option.choices, ", "))
                                      .str());
}

int64_t Mode::number(const std::string &option, int64_t otherwise) const {
  auto found = options.find(option);
  return found == options.end() ? otherwise : std::stoll(found->second);
}

Mode parseMode(std::string_view backendName, std::string_view text) {
  llvm::StringRef backend(backendName);
  Mode mode;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ':');
  mode.name = parts[0].trim().lower();
  if (mode.name.empty())
    return mode;
  const KnownMode *known =
      llvm::find_if(knownModes, [&](const KnownMode &candidate) { return candidate.name == mode.name; });
  if (known == std::end(knownModes) || !llvm::is_contained(known->backends, backend))
    throw std::invalid_argument(llvm::formatv("the backend `{0}` of the profiler has no mode `{1}`; {2}", backend,
                                              mode.name, namesOfModes(backend))
                                    .str());
  for (llvm::StringRef part : llvm::drop_begin(parts)) {
    if (known->options.empty())
      throw std::invalid_argument(
          llvm::formatv("`{0}` is not an option of the mode `{1}`, which has none", part, mode.name).str());
    auto [key, value] = part.split('=');
    const KnownOption *option =
        llvm::find_if(known->options, [&](const KnownOption &candidate) { return candidate.name == key.trim(); });
    if (option == known->options.end() || value.empty())
      throw std::invalid_argument(
          llvm::formatv(
              "`{0}` is not an option of the mode `{1}`; write <option>=<value> with one of {2}", part, mode.name,
              llvm::join(llvm::map_range(known->options, [](const KnownOption &each) { return each.name; }), ", "))
              .str());
    checkValue(*option, value.trim());
    mode.options[key.trim().str()] = value.trim().str();
  }
  if (auto format = mode.options.find("format"); format != mode.options.end())
    parseFormat(format->second);
  return mode;
}

} // namespace triton::profiling
