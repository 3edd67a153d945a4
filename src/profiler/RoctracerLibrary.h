// The tracer of AMD's ROCm: what is used of it, as the headers of its version 4 declare it. The library is loaded when
// a session asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace triton::profiling::roctracer {

enum Domain : uint32_t { HipOperations = 2, HipCalls = 3 };
constexpr uint32_t dispatches = 0; ///< the operation of HipOperations that runs a kernel
enum Phase : uint32_t { Enter = 0, Exit = 1 };

/// Calls that launch kernels. Versions number them in their own ways.
constexpr const char *launchCalls[] = {
    "hipModuleLaunchKernel", "hipExtModuleLaunchKernel", "hipModuleLaunchCooperativeKernel",
    "hipLaunchKernel",       "hipExtLaunchKernel",       "hipLaunchCooperativeKernel",
    "hipLaunchKernelExC",    "hipDrvLaunchKernelEx"};
constexpr const char *graphLaunchCall = "hipGraphLaunch";

/// The beginning of hip_api_data_t.
struct CallData {
  uint64_t correlation; ///< the number by which records name the call
  uint32_t phase;
};

/// activity_record_t.
struct Record {
  uint32_t domain, kind, operation;
  uint64_t correlation, begin, end; ///< nanoseconds of roctracer_get_timestamp
  int device;
  uint64_t queue;
  const char *kernelName;
};

using Callback = void (*)(uint32_t domain, uint32_t call, const void *data, void *user);

/// roctracer_properties_t.
struct PoolProperties {
  uint32_t mode = 0;
  std::size_t bufferBytes = 0;
  void (*allocate)(char **, std::size_t, void *) = nullptr;
  void *allocateUser = nullptr;
  void (*bufferCompleted)(const char *begin, const char *end, void *user) = nullptr;
  void *user = nullptr;
};

/// The functions. Each returns 0 for success.
#define TRITON_ROCTRACER_FUNCTIONS(FUNCTION)                                                                           \
  FUNCTION(roctracer_set_properties, uint32_t, void *)                                                                 \
  FUNCTION(roctracer_op_code, uint32_t, const char *, uint32_t *, uint32_t *)                                          \
  FUNCTION(roctracer_enable_op_callback, uint32_t, uint32_t, Callback, void *)                                         \
  FUNCTION(roctracer_disable_op_callback, uint32_t, uint32_t)                                                          \
  FUNCTION(roctracer_open_pool_expl, const PoolProperties *, void **)                                                  \
  FUNCTION(roctracer_close_pool_expl, void *)                                                                          \
  FUNCTION(roctracer_enable_op_activity_expl, uint32_t, uint32_t, void *)                                              \
  FUNCTION(roctracer_disable_op_activity, uint32_t, uint32_t)                                                          \
  FUNCTION(roctracer_flush_activity_expl, void *)                                                                      \
  FUNCTION(roctracer_next_record, const Record *, const Record **)                                                     \
  FUNCTION(roctracer_get_timestamp, uint64_t *)

struct Library {
#define TRITON_DECLARE(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  TRITON_ROCTRACER_FUNCTIONS(TRITON_DECLARE)
#undef TRITON_DECLARE
  const char *(*roctracer_error_string)() = nullptr;
  std::string path;

  /// Throws std::runtime_error with `action` and what the library says unless `code` is success.
  void check(int code, const char *action) const;
};

/// The library that the environment names, or that the process has loaded already, or that is installed. Throws
/// std::runtime_error, which says where it was looked for.
const Library &library();

} // namespace triton::profiling::roctracer
