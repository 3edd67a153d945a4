// A library that stands in for libamdhip64.so: two devices, one of which is a gfx942, on which kernels do nothing. It
// checks what it is called with, and keeps the last launch with the bytes that a kernel would read as its arguments.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" {

struct FakeHipLaunch {
  unsigned grid[3], block[3], sharedBytes;
  void *stream, *function;
  unsigned char kernarg[256];
  int count;
  bool isCooperative;
};
FakeHipLaunch fakeLastLaunch;
int fakeArgumentCount = 0; ///< of the kernel, as its code object describes them
unsigned fakeArgumentOffsets[32], fakeArgumentSizes[32];
int fakeFailure = 0; ///< the code of the next launches
int fakeLoadFailure = 0, fakeSynchronizationFailure = 0;
int fakeMaxThreads = 1024; ///< of a function
int fakeQuestions = 0;     ///< how often a device was asked for something
int fakeLoads = 0;
int fakeCooperative = 1;
char fakeComplaints[1024]; ///< what was wrong with calls
// What a kernel writes into its message buffer, which is its last parameter, from the beginning.
uint64_t fakeMessageWords[32];
int fakeMessageCount = 0;
const char *fakeArchName = "gfx942:sramecc+:xnack-";
int fakeInitResult = 0, fakeDeviceCount = 2;

static bool isInitialized = false;
static thread_local int current = 0;
static char modules[2], functions[2];

static int complain(const char *text) {
  std::strncat(fakeComplaints, text, sizeof(fakeComplaints) - std::strlen(fakeComplaints) - 2);
  std::strcat(fakeComplaints, "\n");
  return 1;
}
static int requireInitialized() { return isInitialized ? 0 : complain("a call before hipInit"); }

int hipInit(unsigned flags) {
  if (flags != 0)
    return complain("hipInit has no flags");
  isInitialized = fakeInitResult == 0;
  return fakeInitResult;
}
const char *hipGetErrorName(int code) {
  return code == 700   ? "hipErrorIllegalAddress"
         : code == 701 ? "hipErrorLaunchOutOfResources"
         : code == 720 ? "hipErrorCooperativeLaunchTooLarge"
                       : "hipError";
}
const char *hipGetErrorString(int code) {
  return code == 700 ? "an illegal memory access was encountered" : "something failed";
}
int hipGetDeviceCount(int *count) { return *count = fakeDeviceCount, requireInitialized(); }
int hipGetDevice(int *device) { return *device = current, requireInitialized(); }
int hipSetDevice(int device) { return current = device, requireInitialized(); }
int hipDeviceGetName(char *name, int length, int) {
  return std::strncpy(name, "Fake Instinct gfx1", size_t(length)), requireInitialized();
}
int hipDeviceGetAttribute(int *value, int attribute, int) {
  ++fakeQuestions;
  switch (attribute) {
  case 10:
    *value = fakeCooperative;
    break;
  case 63:
    *value = 304;
    break;
  case 74:
    *value = 65536;
    break;
  case 87:
    *value = 64;
    break;
  default:
    *value = 100;
  }
  return requireInitialized();
}
/// The second device is of another architecture.
int hipGetDevicePropertiesR0600(char *properties, int device) {
  ++fakeQuestions;
  constexpr size_t size = 1472, place = 1160; // of the architecture's name in the library of ROCm 6
  std::memset(properties, 0, size);
  std::strcpy(properties, "Fake Instinct gfx1");
  std::strcpy(properties + place, device == 0 ? fakeArchName : "gfx90a:sramecc+:xnack-");
  return requireInitialized();
}
int hipDeviceSynchronize() { return fakeFailure; }
int hipStreamSynchronize(void *stream) {
  if (stream != fakeLastLaunch.stream)
    complain("a wait for another stream than that of the launch");
  return fakeSynchronizationFailure;
}

int fakeCapturing = 0; ///< the status of every stream
int hipStreamIsCapturing(void *, int *status) { return *status = fakeCapturing, 0; }

int hipModuleLoadData(void **module, const void *image) {
  const auto *bytes = static_cast<const unsigned char *>(image);
  constexpr unsigned machineOfAmd = 224; // at byte 18
  if (std::memcmp(bytes,
                  "\x7f"
                  "ELF",
                  4) != 0 ||
      bytes[18] != machineOfAmd)
    return complain("the image is no code object for AMD's GPUs"), 200;
  ++fakeLoads;
  return *module = &modules[current], fakeLoadFailure;
}
int hipModuleUnload(void *) { return 0; }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  if (module != &modules[current] || fakeLoads == 0)
    return complain("a function of a module that is not loaded on this device");
  return *function = &functions[current], *name ? 0 : 500;
}
int hipFuncGetAttribute(int *value, int attribute, void *function) {
  if (function != &functions[current])
    return complain("an attribute of no function");
  return *value = attribute == 0 ? fakeMaxThreads : attribute == 4 ? 48 : 0, 0;
}

static int launch(void *function, const unsigned *grid, const unsigned *block, unsigned sharedBytes, void *stream,
                  void **parameters, bool isCooperative) {
  if (function != &functions[current])
    return complain("a launch of no function of this device"), 400;
  FakeHipLaunch &last = fakeLastLaunch;
  ++last.count;
  std::memcpy(last.grid, grid, sizeof(last.grid));
  std::memcpy(last.block, block, sizeof(last.block));
  last.sharedBytes = sharedBytes;
  last.stream = stream;
  last.function = function;
  last.isCooperative = isCooperative;
  std::memset(last.kernarg, 0xee, sizeof(last.kernarg));
  for (int i = 0; i < fakeArgumentCount; ++i) {
    if (reinterpret_cast<uintptr_t>(parameters[i]) % fakeArgumentSizes[i] != 0)
      complain("an argument that is not aligned");
    std::memcpy(last.kernarg + fakeArgumentOffsets[i], parameters[i], fakeArgumentSizes[i]);
  }
  if (fakeMessageCount != 0)
    std::memcpy(*static_cast<void **>(parameters[fakeArgumentCount - 1]), fakeMessageWords,
                size_t(fakeMessageCount) * sizeof(uint64_t));
  return fakeFailure;
}
int hipModuleLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                          unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream, void **parameters,
                          void **extra) {
  if (extra)
    complain("arguments are given in two ways");
  unsigned grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  return launch(function, grid, block, sharedBytes, stream, parameters, false);
}
int hipModuleLaunchCooperativeKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                     unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream,
                                     void **parameters) {
  unsigned grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  return launch(function, grid, block, sharedBytes, stream, parameters, true);
}

int hipPointerGetAttribute(void *, int, void *) { return 1; }
int hipMalloc(void **address, size_t bytes) {
  return bytes == 0 ? complain("no bytes") : (*address = std::malloc(bytes), 0);
}
int hipFree(void *address) { return std::free(address), 0; }
int hipMemcpy(void *to, const void *from, size_t bytes, int kind) {
  if (kind != 1 && kind != 2)
    return complain("a copy in no direction");
  return std::memcpy(to, from, bytes), 0;
}
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *) {
  return hipMemcpy(to, from, bytes, kind);
}
}
