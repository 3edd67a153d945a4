// A library that stands in for CUPTI. Tests launch through `fakeLaunch…`, which call the subscriber as the driver's
// calls do, and make the records that the real library would. The layouts are those of CUDA's headers, by their
// offsets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

extern "C" {

using Callback = void (*)(void *, int, uint32_t, const void *);
using Request = void (*)(uint8_t **, std::size_t *, std::size_t *);
using Complete = void (*)(void *, uint32_t, uint8_t *, std::size_t, std::size_t);

static Callback callback = nullptr;
static void *user = nullptr;
static std::set<std::pair<int, uint32_t>> enabled;
static Request request = nullptr;
static Complete complete = nullptr;
static bool isRecording = false;
int fakeCuptiFailure = 0; ///< the code of cuptiSubscribe
int fakeSubscribers = 0;
uint32_t fakeCorrelation = 100;

constexpr std::size_t recordBytes = 208; // CUpti_ActivityKernel9
struct Record {
  unsigned char bytes[recordBytes];
};
static std::vector<Record> records;

int cuptiSubscribe(void **subscriber, Callback function, void *data) {
  if (fakeCuptiFailure)
    return fakeCuptiFailure;
  *subscriber = &callback;
  callback = function;
  user = data;
  return ++fakeSubscribers, 0;
}
int cuptiUnsubscribe(void *) {
  callback = nullptr;
  enabled.clear();
  return --fakeSubscribers, 0;
}
int cuptiEnableCallback(uint32_t enable, void *, int domain, uint32_t id) {
  if (enable)
    enabled.insert({domain, id});
  else
    enabled.erase({domain, id});
  return 0;
}
int cuptiActivityEnable(int kind) { return isRecording |= kind == 10, 0; }
int cuptiActivityDisable(int kind) { return isRecording &= kind != 10, 0; }
int cuptiActivityRegisterCallbacks(Request requested, Complete completed) {
  request = requested;
  complete = completed;
  return 0;
}
int cuptiActivityGetNextRecord(uint8_t *buffer, std::size_t valid, void **record) {
  uint8_t *next = *record ? static_cast<uint8_t *>(*record) + recordBytes : buffer;
  if (next + recordBytes > buffer + valid)
    return 12; // CUPTI_ERROR_MAX_LIMIT_REACHED
  *record = next;
  return 0;
}
int cuptiActivityGetNumDroppedRecords(void *, uint32_t, std::size_t *dropped) { return *dropped = 0, 0; }
int cuptiActivityFlushAll(uint32_t) {
  std::vector<Record> delivered;
  delivered.swap(records);
  for (std::size_t next = 0; next < delivered.size();) {
    uint8_t *buffer = nullptr;
    std::size_t bytes = 0, most = 0;
    request(&buffer, &bytes, &most);
    std::size_t count = std::min(bytes / recordBytes, delivered.size() - next);
    if (count == 0)
      return 8;
    std::memcpy(buffer, &delivered[next], count * recordBytes);
    complete(nullptr, 0, buffer, bytes, count * recordBytes);
    next += count;
  }
  return 0;
}
int cuptiGetTimestamp(uint64_t *now) { return *now = 5000, 0; }
int cuptiGetGraphNodeId(void *node, uint64_t *id) { return *id = uint64_t(reinterpret_cast<uintptr_t>(node)), 0; }
int cuptiGetResultString(int, const char **text) { return *text = "CUPTI_ERROR_FAKE", 0; }

static void call(int domain, uint32_t id, int site, uint32_t correlation, const int *result) {
  unsigned char data[72] = {}; // CUpti_CallbackData
  std::memcpy(data, &site, sizeof(site));
  std::memcpy(data + 24, &result, sizeof(void *));
  std::memcpy(data + 64, &correlation, sizeof(correlation));
  if (callback && enabled.count({domain, id}))
    callback(user, domain, id, data);
}

static void graphNode(uint32_t id, uintptr_t node, uintptr_t original) {
  unsigned char graph[56] = {}, data[24] = {}; // CUpti_GraphData, CUpti_ResourceData
  std::memcpy(graph + 16, &node, sizeof(node));
  std::memcpy(graph + 24, &original, sizeof(original));
  void *descriptor = graph;
  std::memcpy(data + 16, &descriptor, sizeof(void *));
  if (callback && enabled.count({3, id}))
    callback(user, 3, id, data);
}

static void addRecord(const char *name, uint32_t correlation, uint64_t begin, uint64_t end, uint64_t node) {
  if (!isRecording)
    return;
  Record record = {};
  auto put = [&](std::size_t offset, const auto &value) { std::memcpy(record.bytes + offset, &value, sizeof(value)); };
  put(0, 10); // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
  put(16, begin);
  put(24, end);
  put(40, uint32_t(1)); // device
  put(48, uint32_t(7)); // stream
  put(92, correlation);
  put(104, name);
  put(144, node);
  records.push_back(record);
}

/// A launch by the driver's call; by the runtime's, which calls the driver, if `isRuntime`. `result` is its code.
void fakeLaunch(const char *name, uint64_t begin, uint64_t end, bool isRuntime, int result) {
  uint32_t correlation = fakeCorrelation++;
  if (isRuntime)
    call(2, 211, 0, correlation, nullptr);
  call(1, 307, 0, isRuntime ? fakeCorrelation++ : correlation, nullptr);
  call(1, 307, 1, correlation, &result);
  if (isRuntime)
    call(2, 211, 1, correlation, &result);
  if (result == 0)
    addRecord(name, correlation, begin, end, 0);
}

/// A launch that a graph captures as a node, of which the graph that is launched has the copy `node` + 1000.
void fakeCapture(uintptr_t node) {
  int result = 0;
  uint32_t correlation = fakeCorrelation++;
  call(1, 652, 0, correlation, nullptr);
  graphNode(13, node, 0);
  call(1, 652, 1, correlation, &result);
  graphNode(20, node + 1000, node);
}

/// Launches a graph of which the nodes from `first` on ran one after another.
void fakeLaunchGraph(const char *const *names, int count, uintptr_t first) {
  int result = 0;
  uint32_t correlation = fakeCorrelation++;
  call(1, 514, 0, correlation, nullptr);
  call(1, 514, 1, correlation, &result);
  for (int i = 0; i < count; ++i)
    addRecord(names[i], correlation, 100 * i, 100 * i + 10, first + i);
}
}
