// CUPTI, NVIDIA's library for profilers: what is used of it, as the headers of CUDA 12 and 13 declare it. The library
// is loaded when a session asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace triton::profiling::cupti {

enum Domain : int { DriverApi = 1, RuntimeApi = 2, Resource = 3 };
enum Site : int { Enter = 0, Exit = 1 };
enum ActivityKind : int { ConcurrentKernel = 10 };
enum ResourceCallback : uint32_t {
  ModuleLoaded = 6,
  GraphNodeCreated = 13,
  GraphNodeDestroyStarting = 14,
  GraphNodeCloned = 20
};
constexpr uint32_t graphCallbacks[] = {GraphNodeCreated, GraphNodeDestroyStarting, GraphNodeCloned};
constexpr uint32_t flushForced = 1;

/// Calls that launch kernels, by their numbers in callbacks.
constexpr uint32_t driverLaunches[] = {115, 116, 117, 307, 442, 477, 478, 652, 653}, driverGraphLaunches[] = {514, 515};
constexpr uint32_t runtimeLaunches[] = {13, 211, 213, 214, 269, 270, 430, 431}, runtimeGraphLaunches[] = {311, 312};

/// CUpti_CallbackData.
struct CallbackData {
  int site;
  const char *functionName;
  const void *parameters;
  const int *result; ///< when the call has ended
  const char *symbolName;
  void *context;
  uint32_t contextNumber;
  uint64_t *correlationData;
  uint32_t correlation; ///< the number by which records name the call
};

/// CUpti_GraphData.
struct GraphData {
  void *graph, *originalGraph;
  void *node, *originalNode;
  int nodeType; ///< 0: a kernel
};

/// CUpti_ModuleResourceData.
struct ModuleData {
  uint32_t number;
  std::size_t bytes;
  const char *code;
};

/// CUpti_ResourceData.
struct ResourceData {
  void *context, *handle;
  const void *descriptor; ///< GraphData or ModuleData
};

/// What CUpti_ActivityKernel9 and 10 have in common at their beginning.
struct KernelActivity {
  int kind;
  uint8_t cacheConfig, sharedMemoryConfig;
  uint16_t registers;
  int partitionedCacheRequested, partitionedCacheExecuted;
  uint64_t begin, end, completed; ///< nanoseconds of cuptiGetTimestamp
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t staticShared, dynamicShared;
  uint32_t localOfThread, localOfAll;
  uint32_t correlation;
  int64_t gridNumber;
  const char *name;
  void *reserved;
  uint64_t queued, submitted;
  uint8_t launchType, carveoutRequested, carveout, padding;
  uint32_t sharedExecuted;
  uint64_t graphNode; ///< 0: launched by itself
};

using Callback = void (*)(void *user, int domain, uint32_t callback, const void *data);
using BufferRequested = void (*)(uint8_t **buffer, std::size_t *bytes, std::size_t *mostRecords);
using BufferCompleted = void (*)(void *context, uint32_t stream, uint8_t *buffer, std::size_t bytes,
                                 std::size_t validBytes);

/// The functions. Each returns 0 for success.
#define TRITON_CUPTI_FUNCTIONS(FUNCTION)                                                                               \
  FUNCTION(cuptiSubscribe, void **, Callback, void *)                                                                  \
  FUNCTION(cuptiUnsubscribe, void *)                                                                                   \
  FUNCTION(cuptiEnableCallback, uint32_t, void *, int, uint32_t)                                                       \
  FUNCTION(cuptiActivityEnable, int)                                                                                   \
  FUNCTION(cuptiActivityDisable, int)                                                                                  \
  FUNCTION(cuptiActivityRegisterCallbacks, BufferRequested, BufferCompleted)                                           \
  FUNCTION(cuptiActivityGetNextRecord, uint8_t *, std::size_t, void **)                                                \
  FUNCTION(cuptiActivityGetNumDroppedRecords, void *, uint32_t, std::size_t *)                                         \
  FUNCTION(cuptiActivityFlushAll, uint32_t)                                                                            \
  FUNCTION(cuptiGetTimestamp, uint64_t *)                                                                              \
  FUNCTION(cuptiGetGraphNodeId, void *, uint64_t *)                                                                    \
  FUNCTION(cuptiGetResultString, int, const char **)

struct Library {
#define TRITON_DECLARE(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  TRITON_CUPTI_FUNCTIONS(TRITON_DECLARE)
#undef TRITON_DECLARE
  std::string path;
  void *handle = nullptr;

  /// Another function. Throws std::runtime_error where this version has none.
  void *find(const char *name) const;
  /// Throws std::runtime_error with `action` and what CUPTI says unless `code` is success.
  void check(int code, const char *action) const;
};

/// The library: the one that the environment names, that the process has loaded already, or that is in a toolkit or a
/// wheel. Throws std::runtime_error, which says where it was looked for.
const Library &library();
/// Adds a folder in which it may be, to be searched before the usual ones.
void addFolder(const std::string &path);

} // namespace triton::profiling::cupti
