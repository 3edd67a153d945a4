// A library that stands in for roctracer. Tests launch through `fakeHipLaunch…`, which call back as HIP's calls do, and
// make the records that the real library would. The layouts are those of ROCm's headers, by their offsets.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

extern "C" {

using Callback = void (*)(uint32_t, uint32_t, const void *, void *);
using Complete = void (*)(const char *, const char *, void *);

static const std::map<std::string, uint32_t> numbers{
    {"hipModuleLaunchKernel", 169}, {"hipLaunchKernel", 107}, {"hipGraphLaunch", 215}};
static std::map<uint32_t, std::pair<Callback, void *>> callbacks;
static Complete complete = nullptr;
static void *completeUser = nullptr;
static bool isRecording = false;
int fakeTracerFailure = 0; ///< the code of roctracer_open_pool_expl
int fakePools = 0;
int fakeWatchedCalls = 0;
static uint64_t correlation = 100;

constexpr std::size_t recordBytes = 64; // activity_record_t
static std::vector<char> records;

int roctracer_set_properties(uint32_t, void *) { return 0; }
int roctracer_op_code(uint32_t domain, const char *name, uint32_t *number, uint32_t *) {
  auto found = numbers.find(name);
  if (domain != 3 || found == numbers.end())
    return -3;
  return *number = found->second, 0;
}
int roctracer_enable_op_callback(uint32_t, uint32_t call, Callback callback, void *user) {
  callbacks[call] = {callback, user};
  return fakeWatchedCalls = int(callbacks.size()), 0;
}
int roctracer_disable_op_callback(uint32_t, uint32_t call) {
  callbacks.erase(call);
  return fakeWatchedCalls = int(callbacks.size()), 0;
}
int roctracer_open_pool_expl(const void *properties, void **pool) {
  if (fakeTracerFailure)
    return fakeTracerFailure;
  std::memcpy(&complete, static_cast<const char *>(properties) + 32, sizeof(complete));
  std::memcpy(&completeUser, static_cast<const char *>(properties) + 40, sizeof(completeUser));
  *pool = &records;
  return ++fakePools, 0;
}
int roctracer_close_pool_expl(void *) { return --fakePools, 0; }
int roctracer_enable_op_activity_expl(uint32_t, uint32_t, void *) { return isRecording = true, 0; }
int roctracer_disable_op_activity(uint32_t, uint32_t) { return isRecording = false, 0; }
int roctracer_flush_activity_expl(void *) {
  std::vector<char> delivered;
  delivered.swap(records);
  if (!delivered.empty())
    complete(delivered.data(), delivered.data() + delivered.size(), completeUser);
  return 0;
}
int roctracer_next_record(const char *record, const char **next) { return *next = record + recordBytes, 0; }
int roctracer_get_timestamp(uint64_t *now) { return *now = 5000, 0; }
const char *roctracer_error_string() { return "the fake's error"; }

static void call(uint32_t number, uint32_t phase, uint64_t id) {
  char data[64] = {}; // hip_api_data_t
  std::memcpy(data, &id, sizeof(id));
  std::memcpy(data + 8, &phase, sizeof(phase));
  auto found = callbacks.find(number);
  if (found != callbacks.end())
    found->second.first(3, number, data, found->second.second);
}

static void addRecord(uint32_t operation, const char *name, uint64_t id, uint64_t begin, uint64_t end) {
  if (!isRecording)
    return;
  char record[recordBytes] = {};
  auto put = [&](std::size_t offset, const auto &value) { std::memcpy(record + offset, &value, sizeof(value)); };
  put(0, uint32_t(2)); // ACTIVITY_DOMAIN_HIP_OPS
  put(8, operation);
  put(16, id);
  put(24, begin);
  put(32, end);
  put(40, 3);
  put(48, uint64_t(7));
  put(56, name);
  records.insert(records.end(), record, record + recordBytes);
}

void fakeHipLaunch(const char *name, uint64_t begin, uint64_t end, bool isRuntime) {
  uint64_t id = correlation++;
  uint32_t number = isRuntime ? 107 : 169;
  call(number, 0, id);
  call(number, 1, id);
  addRecord(1, nullptr, id, 0, 1); // a copy, which is no kernel
  addRecord(0, name, id, begin, end);
}

void fakeHipLaunchGraph(const char *const *names, int count) {
  uint64_t id = correlation++;
  call(215, 0, id);
  call(215, 1, id);
  for (int i = 0; i < count; ++i)
    addRecord(0, names[i], id, 100 * i, 100 * i + 10);
}
}
