/* Loads and launches kernels of bundles (triton/bundle.h) on the processor, NVIDIA's and AMD's GPUs. C11 and C++17; it
 * needs neither the compiler nor CUDA or ROCm to be built: the driver is loaded when the first kernel for a GPU is. The
 * source file of a program that defines TRITON_BUNDLE_IMPLEMENTATION includes this header, too.
 *
 *   triton_launch_kernel *kernel;
 *   if (triton_launch_load(bundle, "add", NULL, "cuda:0", &kernel, &error) != TRITON_BUNDLE_OK)
 *     fail(error.text);
 *   const uint64_t arguments[] = {x, y, out, n};
 *   const int32_t grid[3] = {5, 1, 1};
 *   if (triton_launch(kernel, stream, grid, arguments, &error) != TRITON_BUNDLE_OK)
 *     fail(error.text);
 *
 * Threads: kernels are loaded and unloaded by one thread at a time, and launched by any number. */
#ifndef TRITON_LAUNCH_H
#define TRITON_LAUNCH_H

#include "triton/bundle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What goes wrong beside the codes of bundle.h. */
enum {
  TRITON_LAUNCH_NO_DRIVER = 100,     /* it cannot be loaded */
  TRITON_LAUNCH_NO_DEVICE = 101,     /* a device that the machine does not have, or no name of one */
  TRITON_LAUNCH_DRIVER_FAILED = 102, /* with an error of its own */
  TRITON_LAUNCH_NO_SIGNATURE = 103   /* takes these arguments */
};

typedef struct triton_launch_kernel triton_launch_kernel;

/* Loads the kernel's code for the device: "cpu", "cuda:0", "hip:1". `variant` NULL is the first one.
 * TRITON_LIBCUDA_PATH and TRITON_LIBHIP_PATH name the driver, or its folder. It must be unloaded before the bundle is
 * closed. */
int triton_launch_load(triton_bundle *bundle, const char *kernel_name, const char *variant, const char *device,
                       triton_launch_kernel **kernel, triton_bundle_error *error);
/* What was loaded, with the kernel's parameters. */
const triton_bundle_kernel *triton_launch_describe(const triton_launch_kernel *kernel);
/* Launches the first signature whose conditions hold for the arguments, which are as for triton_bundle_choose, on the
 * driver's stream; NULL is the default stream. On the processor, the calling thread runs all programs. Nothing is
 * launched where an extent of the grid is not positive. */
int triton_launch(triton_launch_kernel *kernel, void *stream, const int32_t grid[3], const uint64_t *arguments,
                  triton_bundle_error *error);
/* NULL is allowed. */
void triton_launch_unload(triton_launch_kernel *kernel);

#ifdef __cplusplus
}
#endif

#ifdef TRITON_BUNDLE_IMPLEMENTATION

#include <dlfcn.h>
#include <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TRITON_LAUNCH_MAP_BYTES = 128 };

/* The functions of CUDA's driver, with the types that matter to a call. */
typedef struct {
  int (*init)(unsigned flags);
  int (*error_text)(int code, const char **text);
  int (*device_count)(int *count);
  int (*device)(int *device, int index);
  int (*attribute)(int *value, int attribute, int device);
  int (*retain_context)(void **context, int device);
  int (*release_context)(int device);
  int (*current_context)(void **context);
  int (*push_context)(void *context);
  int (*pop_context)(void **context);
  int (*load_module)(void **module, const void *image);
  int (*find_function)(void **function, void *module, const char *name);
  int (*unload_module)(void *module);
  int (*set_cache)(void *function, int config);
  int (*set_attribute)(void *function, int attribute, int value);
  int (*launch)(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra);
  int (*allocate)(unsigned long long *address, size_t bytes);
  int (*release)(unsigned long long address);
  int (*copy)(unsigned long long address, const void *source, size_t bytes);
  int (*encode_map)(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes, const uint64_t *strides,
                    const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill);
} triton_launch_cuda;

/* Those of HIP's library. */
typedef struct {
  int (*init)(unsigned flags);
  const char *(*error_text)(int code);
  int (*device_count)(int *count);
  int (*current_device)(int *device);
  int (*set_device)(int device);
  int (*attribute)(int *value, int attribute, int device);
  int (*properties)(void *properties, int device);
  int (*load_module)(void **module, const void *image);
  int (*find_function)(void **function, void *module, const char *name);
  int (*unload_module)(void *module);
  int (*launch)(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra);
} triton_launch_hip;

typedef struct {
  const char *name; /* in the library */
  size_t place;     /* in the struct of functions */
} triton_launch_function;

static const triton_launch_function triton_launch_cuda_functions[] = {
    {"cuInit", offsetof(triton_launch_cuda, init)},
    {"cuGetErrorString", offsetof(triton_launch_cuda, error_text)},
    {"cuDeviceGetCount", offsetof(triton_launch_cuda, device_count)},
    {"cuDeviceGet", offsetof(triton_launch_cuda, device)},
    {"cuDeviceGetAttribute", offsetof(triton_launch_cuda, attribute)},
    {"cuDevicePrimaryCtxRetain", offsetof(triton_launch_cuda, retain_context)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(triton_launch_cuda, release_context)},
    {"cuCtxGetCurrent", offsetof(triton_launch_cuda, current_context)},
    {"cuCtxPushCurrent_v2", offsetof(triton_launch_cuda, push_context)},
    {"cuCtxPopCurrent_v2", offsetof(triton_launch_cuda, pop_context)},
    {"cuModuleLoadData", offsetof(triton_launch_cuda, load_module)},
    {"cuModuleGetFunction", offsetof(triton_launch_cuda, find_function)},
    {"cuModuleUnload", offsetof(triton_launch_cuda, unload_module)},
    {"cuFuncSetCacheConfig", offsetof(triton_launch_cuda, set_cache)},
    {"cuFuncSetAttribute", offsetof(triton_launch_cuda, set_attribute)},
    {"cuLaunchKernel", offsetof(triton_launch_cuda, launch)},
    {"cuMemAlloc_v2", offsetof(triton_launch_cuda, allocate)},
    {"cuMemFree_v2", offsetof(triton_launch_cuda, release)},
    {"cuMemcpyHtoD_v2", offsetof(triton_launch_cuda, copy)},
    {"cuTensorMapEncodeTiled", offsetof(triton_launch_cuda, encode_map)},
    {NULL, 0}};

static const triton_launch_function triton_launch_hip_functions[] = {
    {"hipInit", offsetof(triton_launch_hip, init)},
    {"hipGetErrorString", offsetof(triton_launch_hip, error_text)},
    {"hipGetDeviceCount", offsetof(triton_launch_hip, device_count)},
    {"hipGetDevice", offsetof(triton_launch_hip, current_device)},
    {"hipSetDevice", offsetof(triton_launch_hip, set_device)},
    {"hipDeviceGetAttribute", offsetof(triton_launch_hip, attribute)},
    {"hipGetDevicePropertiesR0600", offsetof(triton_launch_hip, properties)},
    {"hipModuleLoadData", offsetof(triton_launch_hip, load_module)},
    {"hipModuleGetFunction", offsetof(triton_launch_hip, find_function)},
    {"hipModuleUnload", offsetof(triton_launch_hip, unload_module)},
    {"hipModuleLaunchKernel", offsetof(triton_launch_hip, launch)},
    {NULL, 0}};

/* Of the process. They are loaded with the first kernel that needs them, and stay. */
static triton_launch_cuda triton_launch_cuda_driver;
static triton_launch_hip triton_launch_hip_driver;
static int triton_launch_has_cuda, triton_launch_has_hip;

struct triton_launch_kernel {
  triton_bundle_kernel kernel;
  int backend, device; /* CUDA: the driver's number of the device */
  void *context;       /* CUDA */
  void **modules;      /* of each code: the driver's handle */
  void **functions;
  unsigned long long padding; /* CUDA: of tensor maps, in the device's memory */
};

/* The path of a driver: what the variable names, which may be a folder, or else the file by the loader's rules, for
 * which `*path` is NULL. */
static int triton_launch_path(const char *variable, const char *file, char *text, size_t size, const char **path,
                              triton_bundle_error *error) {
  const char *given = getenv(variable);
  struct stat facts;
  int length;
  *path = NULL;
  if (given == NULL || *given == 0)
    return TRITON_BUNDLE_OK;
  length = snprintf(text, size, stat(given, &facts) == 0 && S_ISDIR(facts.st_mode) ? "%s/%s" : "%s", given, file);
  if (length < 0 || (size_t)length >= size)
    return triton_bundle_fail(error, TRITON_LAUNCH_NO_DRIVER,
                              "the path of the driver in %s has %d bytes; it must have at most %d", variable, length,
                              (int)size - 1);
  *path = text;
  return TRITON_BUNDLE_OK;
}

static void *triton_launch_open_hip(void) {
  static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                                      "/opt/rocm/lib/libamdhip64.so"};
  size_t i;
  int attempt;
  for (attempt = 0; attempt < 2; ++attempt) /* what the process has already comes first */
    for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
      void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | (attempt == 0 ? RTLD_NOLOAD : 0));
      if (library != NULL)
        return library;
    }
  return NULL;
}

/* Fills the struct of functions. */
static int triton_launch_open_driver(int backend, triton_bundle_error *error) {
  const int is_cuda = backend == TRITON_BUNDLE_CUDA;
  const char *variable = is_cuda ? "TRITON_LIBCUDA_PATH" : "TRITON_LIBHIP_PATH";
  const char *file = is_cuda ? "libcuda.so.1" : "libamdhip64.so", *vendor = is_cuda ? "CUDA" : "HIP", *path, *reason;
  char *functions = is_cuda ? (char *)&triton_launch_cuda_driver : (char *)&triton_launch_hip_driver;
  const triton_launch_function *each = is_cuda ? triton_launch_cuda_functions : triton_launch_hip_functions;
  char text[4096]; /* the longest path of Linux */
  void *library;
  int code;
  if (is_cuda ? triton_launch_has_cuda : triton_launch_has_hip)
    return TRITON_BUNDLE_OK;
  code = triton_launch_path(variable, file, text, sizeof(text), &path, error);
  if (code != TRITON_BUNDLE_OK)
    return code;
  library = path == NULL && !is_cuda ? triton_launch_open_hip() : dlopen(path == NULL ? file : path, RTLD_NOW);
  if (library == NULL) {
    reason = dlerror();
    return triton_bundle_fail(error, TRITON_LAUNCH_NO_DRIVER,
                              "cannot load the %s driver: %s; install the driver, or set %s", vendor,
                              reason == NULL ? file : reason, variable);
  }
  for (; each->name != NULL; ++each) {
    void *address = dlsym(library, each->name);
    if (address == NULL)
      return triton_bundle_fail(error, TRITON_LAUNCH_NO_DRIVER,
                                "the %s driver is too old: it has no function `%s`; update it", vendor, each->name);
    memcpy(functions + each->place, &address, sizeof(address));
  }
  *(is_cuda ? &triton_launch_has_cuda : &triton_launch_has_hip) = 1;
  return TRITON_BUNDLE_OK;
}

/* TRITON_BUNDLE_OK for a driver's 0; otherwise its error in a sentence. `kind` is what has the name: a kernel or a
 * device. */
static int triton_launch_check(int backend, int code, const char *kind, const char *name, const char *action,
                               triton_bundle_error *error) {
  const char *text = NULL;
  if (code == 0)
    return TRITON_BUNDLE_OK;
  if (backend == TRITON_BUNDLE_CUDA)
    (void)triton_launch_cuda_driver.error_text(code, &text);
  else
    text = triton_launch_hip_driver.error_text(code);
  return triton_bundle_fail(error, TRITON_LAUNCH_DRIVER_FAILED, "%s `%.64s`: %s: the driver's error %d, %s", kind, name,
                            action, code, text == NULL ? "unknown" : text);
}

/* Makes the kernel's device current for the calling thread, and returns the driver's code. `*before` is what
 * triton_launch_leave restores. */
static int triton_launch_enter(const triton_launch_kernel *kernel, int *before) {
  int code;
  *before = -1;
  if (kernel->backend == TRITON_BUNDLE_CUDA) {
    void *current = NULL;
    code = triton_launch_cuda_driver.current_context(&current);
    if (code == 0 && current != kernel->context &&
        (code = triton_launch_cuda_driver.push_context(kernel->context)) == 0)
      *before = 0;
    return code;
  }
  code = triton_launch_hip_driver.current_device(before);
  if (code == 0 && *before != kernel->device)
    return triton_launch_hip_driver.set_device(kernel->device);
  *before = -1;
  return code;
}

static void triton_launch_leave(const triton_launch_kernel *kernel, int before) {
  void *ignored = NULL;
  if (before < 0)
    return;
  if (kernel->backend == TRITON_BUNDLE_CUDA)
    (void)triton_launch_cuda_driver.pop_context(&ignored);
  else
    (void)triton_launch_hip_driver.set_device(before);
}

/* Versions of HIP lay out a device's properties in their own ways: the architecture is the only text behind the
 * device's name that begins like this. Empty where there is none. */
static void triton_launch_hip_architecture(int device, char *architecture, size_t size) {
  enum { BYTES = 8192, NAME_BYTES = 256, STEP = 4, LONGEST = 64 };
  char *properties = (char *)calloc(BYTES, 1);
  size_t place;
  architecture[0] = 0;
  if (properties != NULL && triton_launch_hip_driver.properties(properties, device) == 0)
    for (place = NAME_BYTES; architecture[0] == 0 && place + LONGEST < BYTES; place += STEP) {
      const char *text = properties + place;
      const size_t length = strncmp(text, "gfx", 3) == 0 ? 3 + strspn(text + 3, "0123456789abcdef") : 0;
      if (length > 3 && (text[length] == 0 || text[length] == ':'))
        (void)snprintf(architecture, size, "%.*s", (int)(length < size ? length : size - 1), text);
    }
  free(properties);
}

/* Reads "cpu", "cuda:0" or "hip:0", and asks the driver what the device is. */
static int triton_launch_find_device(const char *name, triton_launch_kernel *kernel, triton_bundle_device *device,
                                     char *architecture, size_t size, triton_bundle_error *error) {
  enum { MAJOR = 75, MINOR = 76 };
  const int is_cuda = strncmp(name, "cuda:", 5) == 0, is_hip = strncmp(name, "hip:", 4) == 0;
  const char *number = name + (is_cuda ? 5 : 4);
  char *end = NULL;
  int code, count = 0, major = 0, minor = 0;
  long index;
  if (strcmp(name, "cpu") == 0) {
    kernel->backend = TRITON_BUNDLE_CPU;
    *device = triton_bundle_cpu_device();
    return TRITON_BUNDLE_OK;
  }
  index = is_cuda || is_hip ? strtol(number, &end, 10) : -1;
  if (index < 0 || end == number || *end != 0)
    return triton_bundle_fail(error, TRITON_LAUNCH_NO_DEVICE,
                              "`%.64s` is not a device; name `cpu`, or a GPU such as `cuda:0` or `hip:0`", name);
  kernel->backend = is_cuda ? TRITON_BUNDLE_CUDA : TRITON_BUNDLE_HIP;
  code = triton_launch_open_driver(kernel->backend, error);
  if (code != TRITON_BUNDLE_OK)
    return code;
  code = is_cuda ? triton_launch_cuda_driver.init(0) : triton_launch_hip_driver.init(0);
  if (code == 0)
    code = is_cuda ? triton_launch_cuda_driver.device_count(&count) : triton_launch_hip_driver.device_count(&count);
  if (code == 0 && index >= count)
    return triton_bundle_fail(error, TRITON_LAUNCH_NO_DEVICE, "there is no device `%.64s`: the driver has %d", name,
                              count);
  kernel->device = (int)index;
  if (code == 0 && is_cuda)
    code = triton_launch_cuda_driver.device(&kernel->device, (int)index);
  if (code == 0 && is_cuda)
    code = triton_launch_cuda_driver.attribute(&major, MAJOR, kernel->device);
  if (code == 0 && is_cuda)
    code = triton_launch_cuda_driver.attribute(&minor, MINOR, kernel->device);
  if (code != 0)
    return triton_launch_check(kernel->backend, code, "device", name, "opening it", error);
  if (is_cuda) {
    *device = triton_bundle_cuda_device(10 * major + minor);
    return TRITON_BUNDLE_OK;
  }
  triton_launch_hip_architecture(kernel->device, architecture, size);
  *device = triton_bundle_hip_device(architecture);
  return TRITON_BUNDLE_OK;
}

/* Loads one code on the current device, and returns the driver's code. */
static int triton_launch_load_code(triton_launch_kernel *kernel, size_t index) {
  enum { WITHOUT_OPT_IN = 48 << 10, DYNAMIC_SHARED = 8, PREFER_SHARED = 1 };
  const triton_bundle_code *code = &kernel->kernel.codes[index];
  void **module = &kernel->modules[index], **function = &kernel->functions[index];
  const triton_launch_cuda *cuda = &triton_launch_cuda_driver;
  int result;
  if (kernel->backend == TRITON_BUNDLE_HIP) {
    result = triton_launch_hip_driver.load_module(module, code->bytes);
    return result != 0 ? result : triton_launch_hip_driver.find_function(function, *module, code->symbol);
  }
  result = cuda->load_module(module, code->bytes);
  if (result == 0)
    result = cuda->find_function(function, *module, code->symbol);
  if (result == 0 && code->shared_bytes > WITHOUT_OPT_IN)
    result = cuda->set_cache(*function, PREFER_SHARED);
  if (result == 0 && code->shared_bytes > WITHOUT_OPT_IN)
    result = cuda->set_attribute(*function, DYNAMIC_SHARED, (int)code->shared_bytes);
  if (result == 0 && code->map_count != 0 && kernel->padding == 0)
    result = cuda->allocate(&kernel->padding, TRITON_BUNDLE_PADDING_BYTES);
  if (result == 0 && code->map_count != 0)
    result = cuda->copy(kernel->padding, triton_bundle_padding(), TRITON_BUNDLE_PADDING_BYTES);
  return result;
}

static int triton_launch_load_all(triton_launch_kernel *kernel, triton_bundle_error *error) {
  const size_t count = kernel->kernel.code_count;
  int code = 0, before;
  size_t i;
  kernel->modules = (void **)calloc(2 * count, sizeof(void *));
  if (kernel->modules == NULL)
    return triton_bundle_fail(error, TRITON_BUNDLE_NO_MEMORY, "there is no memory left");
  kernel->functions = kernel->modules + count;
  if (kernel->backend == TRITON_BUNDLE_CUDA)
    code = triton_launch_cuda_driver.retain_context(&kernel->context, kernel->device);
  if (code == 0 && (code = triton_launch_enter(kernel, &before)) == 0) {
    for (i = 0; code == 0 && i < count; ++i)
      code = triton_launch_load_code(kernel, i);
    triton_launch_leave(kernel, before);
  }
  return triton_launch_check(kernel->backend, code, "kernel", kernel->kernel.name, "loading its code", error);
}

int triton_launch_load(triton_bundle *bundle, const char *kernel_name, const char *variant, const char *device,
                       triton_launch_kernel **kernel, triton_bundle_error *error) {
  triton_launch_kernel *made = (triton_launch_kernel *)calloc(1, sizeof(*made));
  triton_bundle_device found;
  char architecture[64];
  int code;
  *kernel = NULL;
  if (made == NULL)
    return triton_bundle_fail(error, TRITON_BUNDLE_NO_MEMORY, "there is no memory left");
  code = triton_launch_find_device(device, made, &found, architecture, sizeof(architecture), error);
  if (code == TRITON_BUNDLE_OK)
    code = triton_bundle_load(bundle, kernel_name, variant, found, &made->kernel, error);
  if (code == TRITON_BUNDLE_OK && made->backend != TRITON_BUNDLE_CPU)
    code = triton_launch_load_all(made, error);
  if (code != TRITON_BUNDLE_OK) {
    triton_launch_unload(made);
    return code;
  }
  *kernel = made;
  return TRITON_BUNDLE_OK;
}

const triton_bundle_kernel *triton_launch_describe(const triton_launch_kernel *kernel) { return &kernel->kernel; }

static int triton_launch_on_gpu(triton_launch_kernel *kernel, const triton_bundle_code *code, void *stream,
                                const int32_t grid[3], const uint64_t *arguments, triton_bundle_error *error) {
  uint64_t slots[TRITON_BUNDLE_MAX_ARGUMENTS + 2];
  unsigned char bytes[(TRITON_BUNDLE_MAX_MAPS + 1) * TRITON_LAUNCH_MAP_BYTES];
  unsigned char *maps = bytes + (TRITON_LAUNCH_MAP_BYTES - (uintptr_t)bytes % TRITON_LAUNCH_MAP_BYTES);
  void *parameters[TRITON_BUNDLE_MAX_PARAMETERS], *function = kernel->functions[code - kernel->kernel.codes];
  const unsigned x = (unsigned)grid[0], y = (unsigned)grid[1], z = (unsigned)grid[2];
  int result = 0, before;
  size_t i;
  (void)triton_bundle_pack(&kernel->kernel, code, arguments, slots);
  (void)triton_bundle_parameters(&kernel->kernel, code, slots, maps, TRITON_LAUNCH_MAP_BYTES, parameters);
  for (i = 0; result == 0 && i < code->map_count; ++i) {
    triton_bundle_map map;
    if (triton_bundle_describe_map(code, i, arguments, kernel->padding, &map) != TRITON_BUNDLE_OK)
      return triton_bundle_fail(error, TRITON_BUNDLE_NO_MAP,
                                "kernel `%.64s`: no tensor map describes an array with these strides",
                                kernel->kernel.name);
    result = triton_launch_cuda_driver.encode_map(
        maps + i * TRITON_LAUNCH_MAP_BYTES, (int)map.type, map.rank, (void *)(uintptr_t)map.address, map.sizes,
        map.strides, map.box, map.steps, 0, (int)map.swizzle, TRITON_BUNDLE_MAP_PROMOTION, (int)map.fill);
  }
  if (result != 0)
    return triton_launch_check(kernel->backend, result, "kernel", kernel->kernel.name, "describing an array", error);
  result = triton_launch_enter(kernel, &before);
  if (result == 0) {
    if (kernel->backend == TRITON_BUNDLE_CUDA)
      result = triton_launch_cuda_driver.launch(function, x, y, z, code->threads, 1, 1, code->shared_bytes, stream,
                                                parameters, NULL);
    else
      result = triton_launch_hip_driver.launch(function, x, y, z, code->threads, 1, 1, code->shared_bytes, stream,
                                               parameters, NULL);
    triton_launch_leave(kernel, before);
  }
  return triton_launch_check(kernel->backend, result, "kernel", kernel->kernel.name, "launching it", error);
}

int triton_launch(triton_launch_kernel *kernel, void *stream, const int32_t grid[3], const uint64_t *arguments,
                  triton_bundle_error *error) {
  const triton_bundle_code *code;
  if (grid[0] <= 0 || grid[1] <= 0 || grid[2] <= 0)
    return TRITON_BUNDLE_OK;
  code = triton_bundle_choose(&kernel->kernel, arguments);
  if (code == NULL)
    return triton_bundle_fail(error, TRITON_LAUNCH_NO_SIGNATURE,
                              "kernel `%.64s`: no signature of the bundle takes these arguments; build it with one "
                              "without hints",
                              kernel->kernel.name);
  if (kernel->backend != TRITON_BUNDLE_CPU)
    return triton_launch_on_gpu(kernel, code, stream, grid, arguments, error);
  if (triton_bundle_run(&kernel->kernel, code, arguments, grid[0], grid[1], grid[2]) != TRITON_BUNDLE_OK)
    return triton_bundle_fail(error, TRITON_BUNDLE_NO_MEMORY, "there is no memory left");
  return TRITON_BUNDLE_OK;
}

void triton_launch_unload(triton_launch_kernel *kernel) {
  int before;
  size_t i;
  if (kernel == NULL)
    return;
  if (kernel->modules != NULL && triton_launch_enter(kernel, &before) == 0) {
    for (i = 0; i < kernel->kernel.code_count; ++i)
      if (kernel->modules[i] != NULL)
        (void)(kernel->backend == TRITON_BUNDLE_CUDA ? triton_launch_cuda_driver.unload_module(kernel->modules[i])
                                                     : triton_launch_hip_driver.unload_module(kernel->modules[i]));
    if (kernel->padding != 0)
      (void)triton_launch_cuda_driver.release(kernel->padding);
    triton_launch_leave(kernel, before);
  }
  if (kernel->context != NULL)
    (void)triton_launch_cuda_driver.release_context(kernel->device);
  free(kernel->modules);
  free(kernel);
}

#ifdef __cplusplus
}
#endif
#endif /* TRITON_BUNDLE_IMPLEMENTATION */
#endif /* TRITON_LAUNCH_H */
