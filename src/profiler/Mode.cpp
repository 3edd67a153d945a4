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
      llvm::formatv("`{0}` is no format of profiles; the formats are hatchet, hatchet_msgpack and chrome_trace",
                    llvm::StringRef(name))
          .str());
}

namespace {

/// A mode, the backends that have it, and the options that it takes.
struct KnownMode {
  llvm::StringRef name;
  std::initializer_list<llvm::StringRef> backends, options;
};

} // namespace

static const KnownMode knownModes[] = {
    {"periodic_flushing", {"cupti", "cpu", "simulator"}, {"format"}},
    {"default",
     {"instrumentation"},
     {"metric_type", "sampling_strategy", "sampling_options", "granularity", "buffer_strategy", "buffer_type",
      "buffer_size", "optimizations"}},
};

static std::string namesOfModes(llvm::StringRef backend) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const KnownMode &mode : knownModes)
    if (llvm::is_contained(mode.backends, backend))
      names.push_back(mode.name);
  return names.empty() ? "it has no modes" : "its modes are " + llvm::join(names, ", ");
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
    auto [key, value] = part.split('=');
    if (!llvm::is_contained(known->options, key.trim()) || value.empty())
      throw std::invalid_argument(
          llvm::formatv("`{0}` is no option of the mode `{1}`; write <option>=<value> with one of {2}", part, mode.name,
                        llvm::join(known->options, ", "))
              .str());
    mode.options[key.trim().str()] = value.trim().str();
  }
  if (auto format = mode.options.find("format"); format != mode.options.end())
    parseFormat(format->second);
  return mode;
}

} // namespace triton::profiling
