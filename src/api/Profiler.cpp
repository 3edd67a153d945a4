#include "triton/profiler.h"

#include "api/Errors.h"
#include "profiler/Profiler.h"

#include "llvm/Support/raw_ostream.h"

namespace triton::profiler {

/// Runs `body`; what the profiler throws becomes triton::Error.
template <typename Body> static auto translate(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::logic_error &error) {
    throw Error(Error::Kind::Run, std::string("error: ") + error.what(), error.what());
  } catch (const std::runtime_error &error) {
    throw Error(Error::Kind::Run, std::string("error: ") + error.what(), error.what());
  }
}

static std::vector<profiling::Metric> convert(const std::vector<Metric> &metrics) {
  std::vector<profiling::Metric> converted;
  converted.reserve(metrics.size());
  for (const Metric &metric : metrics)
    converted.push_back(
        std::visit([&](auto value) { return profiling::makeMetric(metric.name, value); }, metric.value));
  return converted;
}

Session::Session(const Options &options) {
  profiling::SessionOptions internal;
  internal.name = options.name;
  internal.data = options.data;
  internal.backend = options.backend;
  internal.mode = options.mode;
  number = translate([&] { return profiling::start(internal); });
}

Session::~Session() {
  if (number < 0)
    return;
  try {
    finalize();
  } catch (const Error &error) {
    llvm::errs() << error.what() << "\n";
  }
}

void Session::deactivate(bool waits) {
  translate([&] { profiling::deactivate(number, waits); });
}

void Session::activate() {
  translate([&] { profiling::activate(number); });
}

void Session::finalize(std::string_view format) {
  translate([&] {
    try {
      profiling::finalize(number, std::string(format));
    } catch (...) {
      if (!profiling::hasSession(number))
        number = -1;
      throw;
    }
    number = -1;
  });
}

std::string Session::json(std::int64_t phase) const {
  return translate([&] { return profiling::phaseAsJson(number, phase); });
}

std::int64_t Session::advancePhase() {
  return translate([&] { return profiling::advancePhase(number); });
}

Scope::Scope(std::string_view name, const std::vector<Metric> &metrics)
    : number(profiling::hasSessions() ? profiling::enterScope(name, convert(metrics)) : -1) {}

Scope::~Scope() {
  if (number >= 0)
    profiling::exitScope({});
}

} // namespace triton::profiler
