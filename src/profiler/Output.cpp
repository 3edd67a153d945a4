#include "profiler/Output.h"

#include "base/Files.h"
#include "base/Json.h"

#include "llvm/BinaryFormat/MsgPack.h"
#include "llvm/BinaryFormat/MsgPackWriter.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

namespace triton::profiling {

namespace json = llvm::json;
using base::validText;

static json::Value toJson(double value) { return std::isfinite(value) ? json::Value(value) : json::Value(nullptr); }
static json::Value toJson(int64_t value) { return value; }
static json::Value toJson(const std::string &text) { return validText(text); }
template <typename T> static json::Value toJson(const std::vector<T> &values) {
  json::Array array;
  for (T value : values)
    array.push_back(toJson(value));
  return array;
}

static json::Object metricsOf(const Node &node) {
  json::Object metrics;
  for (const Metric &metric : node.metrics)
    metrics[validText(metric.name)] = std::visit([](const auto &value) { return toJson(value); }, metric.value);
  return metrics;
}

/// Without recursion over the tree: the depth of scopes is the program's.
static json::Value treeOf(const Node &root) {
  struct Open {
    const Node *node;
    std::size_t next = 0;
    json::Array children = {};
  };
  std::vector<Open> open{{&root}};
  while (true) {
    Open &top = open.back();
    if (top.next < top.node->children.size()) {
      open.push_back({top.node->children[top.next++]});
      continue;
    }
    json::Object done{{"children", std::move(top.children)},
                      {"frame", json::Object{{"name", validText(top.node->name)}, {"type", "function"}}},
                      {"metrics", metricsOf(*top.node)}};
    open.pop_back();
    if (open.empty())
      return done;
    open.back().children.push_back(std::move(done));
  }
}

json::Value hatchetOutput(PhaseData &data, const json::Object &devices) {
  return json::Array{treeOf(*data.root()), json::Object(devices)};
}

static const char *categoryOf(TraceEvent::Kind kind) {
  switch (kind) {
  case TraceEvent::Kind::Scope:
    return "scope";
  case TraceEvent::Kind::Metric:
    return "metric";
  case TraceEvent::Kind::Kernel:
    return "kernel";
  }
  return "";
}

static std::string titleOf(const TraceEvent &event) {
  std::string title = event.node->name;
  if (event.kind != TraceEvent::Kind::Metric)
    return title;
  const char *separator = ": ";
  for (const Metric &metric : event.metrics) {
    title += separator + ("<" + metric.name) + ", " + text(metric.value) + ">";
    separator = ", ";
  }
  return title;
}

static json::Value eventOf(const TraceEvent &event, int64_t base, int64_t track) {
  json::Array stack{"ROOT"};
  for (const std::string &name : pathOf(event.node))
    stack.push_back(validText(name));
  json::Object arguments{{"call_stack", std::move(stack)}};
  if (event.scope >= 0)
    arguments["scope_id"] = event.scope;
  json::Object metrics;
  for (const Metric &metric : event.metrics)
    metrics[validText(metric.name)] = validText(text(metric.value));
  if (!metrics.empty())
    arguments["metrics"] = std::move(metrics);
  return json::Object{{"name", validText(titleOf(event))},
                      {"cat", categoryOf(event.kind)},
                      {"ph", "X"},
                      {"pid", 0},
                      {"tid", track},
                      {"ts", double(event.begin - base) / 1000},
                      {"dur", double(event.end - event.begin) / 1000},
                      {"args", std::move(arguments)}};
}

json::Value chromeTraceOutput(PhaseData &data) {
  std::vector<const TraceEvent *> sorted;
  sorted.reserve(data.events.size());
  for (const TraceEvent &event : data.events)
    sorted.push_back(&event);
  std::sort(sorted.begin(), sorted.end(), [](const TraceEvent *a, const TraceEvent *b) {
    return std::tie(a->begin, a) < std::tie(b->begin, b); // in one array: those that came first stand first
  });
  int64_t base = sorted.empty() ? 0 : sorted.front()->begin;
  std::map<uint64_t, int64_t> tracks; // numbered by their first events
  json::Array events;
  for (const TraceEvent *event : sorted)
    events.push_back(eventOf(*event, base, tracks.try_emplace(event->track, int64_t(tracks.size())).first->second));
  return json::Object{{"baseTimeNanoseconds", base}, {"displayTimeUnit", "us"}, {"traceEvents", std::move(events)}};
}

namespace {

/// With numbers of full precision: the writer of LLVM makes numbers of single precision where their range allows it.
class PackWriter : public llvm::msgpack::Writer {
public:
  explicit PackWriter(llvm::raw_ostream &stream) : Writer(stream), stream(stream) {}
  using Writer::write;
  void writeNumber(double number) {
    stream << char(llvm::msgpack::FirstByte::Float64);
    llvm::support::endian::write(stream, number, llvm::endianness::big);
  }

private:
  llvm::raw_ostream &stream;
};

} // namespace

static void pack(PackWriter &writer, const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return writer.writeNil();
  case json::Value::Boolean:
    return writer.write(*value.getAsBoolean());
  case json::Value::Number:
    if (std::optional<int64_t> integer = value.getAsInteger())
      return writer.write(*integer);
    return writer.writeNumber(*value.getAsNumber());
  case json::Value::String:
    return writer.write(*value.getAsString());
  case json::Value::Array: {
    const json::Array &array = *value.getAsArray();
    writer.writeArraySize(uint32_t(array.size()));
    for (const json::Value &element : array)
      pack(writer, element);
    return;
  }
  case json::Value::Object: {
    const json::Object &object = *value.getAsObject();
    writer.writeMapSize(uint32_t(object.size()));
    for (const auto &[key, element] : object) {
      writer.write(llvm::StringRef(key));
      pack(writer, element);
    }
    return;
  }
  }
}

std::string toMessagePack(const json::Value &value) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  PackWriter writer(stream);
  pack(writer, value);
  return bytes;
}

std::string render(PhaseData &data, const json::Object &devices, OutputFormat format) {
  std::lock_guard lock(data.mutex);
  if (data.isTrace != (format == OutputFormat::ChromeTrace))
    throw std::invalid_argument(llvm::formatv("Output format not supported: a session with data=\"{0}\" has no form "
                                              "`{1}`; it is written as {2}",
                                              data.isTrace ? "trace" : "tree", llvm::StringRef(extensionOf(format)),
                                              data.isTrace ? "chrome_trace" : "hatchet or hatchet_msgpack")
                                    .str());
  if (format == OutputFormat::HatchetMessagePack)
    return toMessagePack(hatchetOutput(data, devices));
  json::Value value = format == OutputFormat::Hatchet ? hatchetOutput(data, devices) : chromeTraceOutput(data);
  return llvm::formatv("{0}", value).str();
}

void writeFile(const std::string &path, const std::string &contents) {
  if (std::error_code error = base::writeWholeFile(path, contents))
    throw std::runtime_error("cannot write the profile `" + path + "`: " + error.message());
}

} // namespace triton::profiling
