#include "profiler/Sessions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <stdexcept>

namespace triton::profiling {

/// The position of a text among those that are possible.
static unsigned choose(llvm::StringRef what, llvm::StringRef given, std::initializer_list<llvm::StringRef> possible) {
  for (auto [index, known] : llvm::enumerate(possible))
    if (known == given)
      return unsigned(index);
  throw std::invalid_argument(
      llvm::formatv("`{0}` is no {1} of a profile; it is one of {2}", given, what, llvm::join(possible, ", ")).str());
}

static Collector &collectorOf(const std::string &backend) {
  if (Collector *collector = findCollector(backend))
    return *collector;
  throw std::invalid_argument(
      "there is no backend `" + backend +
      "` of the profiler; the backends are cupti, roctracer, cpu, simulator and instrumentation");
}

Session::Session(SessionOptions given)
    : options(std::move(given)),
      context(choose("context", options.context, {"shadow", "python"}) == 0 ? ContextKind::Shadow
                                                                            : ContextKind::Frames),
      isTrace(choose("kind of data", options.data, {"tree", "trace"}) == 1),
      mode(parseMode(options.backend, options.mode)), collector(collectorOf(options.backend)) {
  phases[0] = std::make_shared<PhaseData>(isTrace);
  if (auto format = mode.options.find("format"); format != mode.options.end())
    checkFormat(parseFormat(format->second));
}

PhaseData &Session::find(int64_t phase) const {
  auto found = phases.find(phase);
  if (found == phases.end())
    throw std::invalid_argument(
        llvm::formatv("the session `{0}` has no phase {1}; it is in phase {2}, and earlier ones may have been cleared",
                      options.name, phase, this->phase())
            .str());
  return *found->second;
}

int64_t Session::advance() {
  int64_t next = phase() + 1;
  phases[next] = std::make_shared<PhaseData>(isTrace);
  flushPeriodically();
  return next;
}

bool Session::isComplete(int64_t phase) const {
  if (phase < 0 || phase >= this->phase())
    return false;
  auto found = phases.find(phase);
  return found == phases.end() || found->second->pending <= 0;
}

void Session::clear(int64_t phase, bool earlierOnes) {
  bool isPresent = phase == this->phase();
  find(phase);
  for (auto entry = phases.begin(); entry != phases.end();)
    if (entry->first == phase || (earlierOnes && entry->first < phase))
      entry = phases.erase(entry);
    else
      ++entry;
  if (isPresent)
    phases[phase] = std::make_shared<PhaseData>(isTrace);
}

std::string Session::renderPhase(int64_t phase, OutputFormat format) const {
  return render(find(phase), collector.devices(), format);
}

OutputFormat Session::usualFormat() const {
  auto format = mode.options.find("format");
  if (format != mode.options.end())
    return parseFormat(format->second);
  return isTrace ? OutputFormat::ChromeTrace : OutputFormat::Hatchet;
}

std::string Session::pathOfPart(int64_t phase, OutputFormat format) const {
  return llvm::formatv("{0}.part_{1}.{2}", options.name, phase, llvm::StringRef(extensionOf(format))).str();
}

void Session::flushPeriodically() {
  if (mode.name != "periodic_flushing")
    return;
  while (phases.size() > 1 && isComplete(phases.begin()->first)) {
    int64_t first = phases.begin()->first;
    writeFile(pathOfPart(first, usualFormat()), renderPhase(first, usualFormat()));
    phases.erase(first);
    ++parts;
  }
}

void Session::checkFormat(OutputFormat format) const {
  PhaseData empty(isTrace);
  render(empty, {}, format);
}

void Session::write(OutputFormat format) {
  flushPeriodically();
  bool isOnlyPart = phases.size() == 1 && parts == 0 && mode.name != "periodic_flushing";
  for (const auto &[phase, data] : phases)
    writeFile(isOnlyPart ? options.name + "." + std::string(extensionOf(format)) : pathOfPart(phase, format),
              render(*data, collector.devices(), format));
}

} // namespace triton::profiling
