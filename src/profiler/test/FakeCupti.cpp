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

// Members of structures, by their offsets.
template <typename T> static T readAt(const void *parameters, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char *>(parameters) + offset, sizeof(T));
  return value;
}
template <typename T> static void writeAt(void *parameters, std::size_t offset, const T &value) {
  std::memcpy(static_cast<char *>(parameters) + offset, &value, sizeof(T));
}

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

// Program counters: each launch between Start and Stop leaves samples of two instructions, each of which
// is another call of GetData. CUPTI_ERROR_INSUFFICIENT_PRIVILEGES where `fakeSamplingFailure` says so.
int fakeSamplingFailure = 0, fakeSampledContexts = 0;
uint32_t fakePeriod = 0, fakeStarts = 0;
static bool isSampling = false;
struct Sample {
  const char *kernel;
  uint64_t offset;
};
static std::vector<Sample> samples;

int cuptiPCSamplingEnable(void *) { return fakeSamplingFailure ? fakeSamplingFailure : (++fakeSampledContexts, 0); }
int cuptiPCSamplingDisable(void *) { return --fakeSampledContexts, 0; }
int cuptiPCSamplingStart(void *) { return isSampling = true, ++fakeStarts, 0; }
int cuptiPCSamplingStop(void *) { return isSampling = false, 0; }
int cuptiPCSamplingGetNumStallReasons(void *parameters) {
  *readAt<std::size_t *>(parameters, 24) = 3;
  return 0;
}
int cuptiPCSamplingGetStallReasons(void *parameters) {
  const char *names[] = {"smsp__pcsamp_warps_issue_stalled_wait", "smsp__pcsamp_warps_issue_stalled_wait_not_issued",
                         "smsp__pcsamp_warps_issue_stalled_barrier"};
  if (readAt<std::size_t>(parameters, 24) != 3)
    return 1;
  for (uint32_t i = 0; i < 3; ++i) {
    readAt<uint32_t *>(parameters, 32)[i] = 10 + i;
    std::strcpy(readAt<char **>(parameters, 40)[i], names[i]);
  }
  return 0;
}
int cuptiPCSamplingSetConfigurationAttribute(void *parameters) {
  const char *values = readAt<const char *>(parameters, 32);
  for (std::size_t i = 0; i < readAt<std::size_t>(parameters, 24); ++i)
    if (readAt<int>(values, 32 * i) == 1) // CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD
      fakePeriod = readAt<uint32_t>(values, 32 * i + 8);
  return 0;
}
int cuptiPCSamplingGetData(void *parameters) {
  char *data = readAt<char *>(parameters, 24);
  std::size_t count = std::min<std::size_t>(samples.size(), 1); // one instruction a call
  writeAt(data, 32, count);
  writeAt(data, 40, samples.size() - count);
  if (count == 0)
    return 0;
  char *counter = readAt<char *>(data, 56);
  writeAt(counter, 8, uint64_t(77)); // the machine code's checksum
  writeAt(counter, 16, samples[0].offset);
  writeAt(counter, 32, samples[0].kernel);
  writeAt(counter, 40, std::size_t(3));
  for (uint32_t i = 0; i < 3; ++i) { // 4, 3 and 0 samples at the first instruction; 5, 3 and 1 at the second
    writeAt(readAt<char *>(counter, 48), 8 * i, 10 + i);
    writeAt(readAt<char *>(counter, 48), 8 * i + 4, uint32_t((i == 1 ? 3 : 4 - 2 * i) + (i != 1 && samples[0].offset)));
  }
  samples.erase(samples.begin());
  return 0;
}
int cuptiGetSassToSourceCorrelation(void *parameters) {
  if (std::memcmp(readAt<const char *>(parameters, 8), "code", 4) != 0)
    return 1;
  writeAt(parameters, 32, readAt<uint64_t>(parameters, 40) ? 12U : 11U);
  writeAt(parameters, 48, strdup("kernels.py"));
  writeAt(parameters, 56, strdup("/folder"));
  return 0;
}
int cuptiGetCubinCrc(void *parameters) { return writeAt(parameters, 24, uint64_t(77)), 0; }

/// Loads machine code of which the source is known.
void fakeLoadModule() {
  struct {
    uint32_t number;
    std::size_t bytes;
    const char *code;
  } module{1, 4, "code"};
  unsigned char data[24] = {}; // CUpti_ResourceData
  writeAt(data, 16, &module);
  if (callback && enabled.count({3, 6}))
    callback(user, 3, 6, data);
}

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
  if (isSampling && result == 0)
    samples = {{name, 0}, {name, 16}};
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
  for (int i = 0; isSampling && i < count; ++i)
    samples.push_back({names[i], 0});
  call(1, 514, 1, correlation, &result);
  for (int i = 0; i < count; ++i)
    addRecord(names[i], correlation, 100 * i, 100 * i + 10, first + i);
}
}
