#include "aot/GpuSource.h"

#include "aot/Errors.h"
#include "aot/TensorMapSource.h"
#include "aot/Text.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::aot {
namespace {

using llvm::StringRef;

constexpr char declarations[] = R"(#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
$INCLUDES$
#ifdef __cplusplus
extern "C" {
#endif

extern $MODULE$ $F$_mod;
extern $FUNCTION$ $F$_func;
extern const unsigned char $F$_$BINARY$[$SIZE$];
void unload_$F$(void);
void load_$F$(void);
$RESULT$ $F$($STREAM$stream$PARAMETERS$);

#ifdef __cplusplus
}
#endif

$MODULE$ $F$_mod = NULL;
$FUNCTION$ $F$_func = NULL;
const unsigned char $F$_$BINARY$[$SIZE$] = {$BYTES$
};
)";

// Several threads may make the first launch at the same time. The one whose function is kept first wins; the others
// unload what they loaded.
constexpr char loading[] = R"(
static $RESULT$ $F$_try_load(void) {
  $MODULE$ module = NULL;
  $FUNCTION$ function = NULL, none = NULL;
$LOCALS$  $RESULT$ code = $LOAD$(&module, $F$_$BINARY$);
  if (code != $SUCCESS$)
    return code;
  code = $FIND$(&function, module, "$KERNEL$");
$PREPARE$  if (code != $SUCCESS$) {
    (void)$UNLOAD$(module);
    return code;
  }
$PUBLISH$  if (!__atomic_compare_exchange_n(&$F$_func, &none, function, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return $UNLOAD$(module);
  $F$_mod = module;
  return $SUCCESS$;
}

static void $F$_require($RESULT$ code) {
  const char *text = NULL;
  if (code == $SUCCESS$)
    return;
  (void)$DESCRIBE$(code, &text);
  fprintf(stderr, "Triton Error [$VENDOR$]: $F$: %s\n", text ? text : "unknown error");
  exit((int)code);
}

void load_$F$(void) {
  if (__atomic_load_n(&$F$_func, __ATOMIC_ACQUIRE) == NULL)
    $F$_require($F$_try_load());
}

void unload_$F$(void) {
  $MODULE$ module = $F$_mod;
  $F$_mod = NULL;
  $F$_func = NULL;
$RELEASE$  if (module != NULL)
    $F$_require($UNLOAD$(module));
}
)";

constexpr char optIn[] = R"(  if (code == CUDA_SUCCESS) {
    /* More shared memory than 48 KiB is given only to kernels that ask for it. */
    CUdevice device;
    int most = 0;
    code = cuCtxGetDevice(&device);
    if (code == CUDA_SUCCESS)
      code = cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
    if (code == CUDA_SUCCESS && most < $SHARED$) {
      fprintf(stderr, "$F$: the kernel needs $SHARED$ bytes of shared memory, but the device has %d\n", most);
      code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code == CUDA_SUCCESS)
      code = cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_SHARED);
    if (code == CUDA_SUCCESS)
      code = cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, $SHARED$);
  }
)";

constexpr char launching[] = R"(
$RESULT$ $F$($STREAM$stream$PARAMETERS$) {
$CONVERSIONS$$GRID$  {
    $POINTER$ tt_global_scratch = 0, tt_profile_scratch = 0;
$MAPS$    void *tt_arguments[] = {$ARGUMENTS$&tt_global_scratch, &tt_profile_scratch};
    if (__atomic_load_n(&$F$_func, __ATOMIC_ACQUIRE) == NULL) {
      $RESULT$ tt_code = $F$_try_load();
      if (tt_code != $SUCCESS$)
        return tt_code;
    }
$ENCODE$    return $LAUNCH$($F$_func, (unsigned)tt_x, (unsigned)tt_y, (unsigned)tt_z, $THREADS$, 1, 1, $SHARED$, stream,
                          tt_arguments, NULL);
  }
}
)";

} // namespace

void requireLaunchable(const Specification &specification, const base::CompiledKernel &kernel) {
  auto refuse = [&](const std::string &message) {
    throw KernelError("kernel `" + specification.kernelName + "` cannot be written as C for `" + kernel.target.backend +
                      ":" + kernel.target.arch + "`: " + message);
  };
  if (!kernel.results.messages.empty())
    refuse("it prints or asserts, for which its launch has to provide a buffer");
}

std::string writeGpuSource(const Specification &specification, const base::CompiledKernel &kernel,
                           const AotBackend &words) {
  requireLaunchable(specification, kernel);
  const std::string &binary = kernel.artifacts.at(words.binary);
  const std::string shared = std::to_string(kernel.results.sharedBytes);
  bool needsOptIn = kernel.results.sharedBytes > words.sharedWithoutOptIn;
  ConvertedArguments converted = convertArguments(specification);
  std::string arguments;
  for (const std::string &name : converted.names)
    arguments += "&" + name + ", ";
  TensorMapSource maps =
      writeTensorMaps(specification, kernel, converted.names, {"", specification.functionName + "_padding"});
  const std::pair<StringRef, std::string> values[] = {
      {"F", specification.functionName},
      {"KERNEL", kernel.name},
      {"BINARY", words.binary},
      {"BYTES", initializerOf(binary)},
      {"SIZE", std::to_string(binary.size())},
      {"VENDOR", words.vendor},
      {"MODULE", words.module},
      {"FUNCTION", words.function},
      {"LOAD", words.load},
      {"FIND", words.find},
      {"UNLOAD", words.unload},
      {"LAUNCH", words.launch},
      {"DESCRIBE", words.describe},
      {"INCLUDES", words.includes},
      {"STREAM", words.stream},
      {"RESULT", words.result},
      {"POINTER", words.pointer},
      {"SUCCESS", words.success},
      {"PARAMETERS", furtherParameters(declareAll(specification, words, /*linked=*/false))},
      {"PREPARE", (needsOptIn ? instantiate(optIn, {{"SHARED", shared}, {"F", specification.functionName}}) : "") +
                      maps.preparing},
      {"LOCALS", maps.locals},
      {"PUBLISH", maps.publishing},
      {"RELEASE", maps.unloading},
      {"MAPS", maps.declarations},
      {"ENCODE", maps.encoding},
      {"CONVERSIONS", converted.statements},
      {"GRID", writeGrid(specification, words, kernel.results.blocks)},
      {"ARGUMENTS", arguments + maps.arguments},
      {"THREADS", std::to_string(kernel.results.startedWarps() * kernel.target.warpSize)},
      {"SHARED", shared},
  };
  return describe(specification, kernel.target.backend + ":" + kernel.target.arch) + instantiate(declarations, values) +
         conversionFunctions(specification) + maps.storage + maps.definitions + instantiate(loading, values) +
         instantiate(launching, values);
}

} // namespace triton::aot
