#include "backends/cpu/emitters/InstructionSets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <fstream>
#include <string>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace triton::cpu {
namespace {

constexpr llvm::StringLiteral x86Sets[] = {"sse3",
                                           "ssse3",
                                           "sse4.1",
                                           "sse4.2",
                                           "popcnt",
                                           "avx",
                                           "avx2",
                                           "fma",
                                           "f16c",
                                           "bmi",
                                           "bmi2",
                                           "lzcnt",
                                           "movbe",
                                           "avx512f",
                                           "avx512bw",
                                           "avx512dq",
                                           "avx512vl",
                                           "avx512cd",
                                           "avx512bf16",
                                           "avx512vnni",
                                           "avxvnni",
                                           "avx512vbmi",
                                           "avx512vbmi2",
                                           "avx512fp16",
                                           "gfni",
                                           "vaes",
                                           "vpclmulqdq",
                                           "sha",
                                           "avxvnniint8",
                                           "avx512bitalg",
                                           "avx512vpopcntdq",
                                           "amx-tile",
                                           "amx-bf16",
                                           "amx-int8",
                                           "amx-fp16"};

/// The numbers are those of Linux's interface, which the headers of other architectures do not have.
constexpr HardwareCapability capabilities[] = {
    {"neon", 16, 1},       {"aes", 16, 3},          {"sha2", 16, 6},        {"crc", 16, 7},
    {"lse", 16, 8},        {"fullfp16", 16, 10},    {"rdm", 16, 12},        {"jsconv", 16, 13},
    {"complxnum", 16, 14}, {"rcpc", 16, 15},        {"sha3", 16, 17},       {"dotprod", 16, 20},
    {"sve", 16, 22},       {"fp16fml", 16, 23},     {"rcpc-immo", 16, 26},  {"flagm", 16, 27},
    {"sve2", 26, 1},       {"sve2-bitperm", 26, 4}, {"altnzcv", 26, 7},     {"fptoint", 26, 8},
    {"f32mm", 26, 10},     {"f64mm", 26, 11},       {"i8mm", 26, 13},       {"bf16", 26, 14},
    {"sme", 26, 23},       {"sme-i16i64", 26, 24},  {"sme-f64f64", 26, 25}, {"cssc", 26, 34},
    {"sve2p1", 26, 36},    {"mops", 26, 43}};

/// Linux lets a process use AMX only after it has asked, because the tiles enlarge the frames of signals. The answer
/// holds for all threads.
bool mayUseTiles() {
#ifdef SYS_arch_prctl
  constexpr long requestPermission = 0x1023, tileData = 18;
  static const bool isPermitted = syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return isPermitted;
#else
  return false; // of another architecture
#endif
}

llvm::StringMap<bool> x86Features() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  for (auto &feature : features)
    if (feature.second && feature.first().starts_with("amx-"))
      feature.second = mayUseTiles();
  return features;
}

llvm::StringMap<bool> aarch64Features() {
  llvm::StringMap<bool> features;
  for (const HardwareCapability &capability : capabilities)
    features[capability.name] = getauxval(capability.word) >> capability.bit & 1;
  return features;
}

} // namespace

Architecture hostArchitecture() {
  static const Architecture architecture =
      llvm::Triple(llvm::sys::getProcessTriple()).isAArch64() ? Architecture::AArch64 : Architecture::X86_64;
  return architecture;
}

llvm::ArrayRef<llvm::StringLiteral> instructionSets(Architecture architecture) {
  static const auto aarch64Sets =
      llvm::map_to_vector(capabilities, [](const HardwareCapability &capability) { return capability.name; });
  return architecture == Architecture::AArch64 ? llvm::ArrayRef(aarch64Sets) : llvm::ArrayRef(x86Sets);
}

const HardwareCapability *findCapability(llvm::StringRef instructionSet) {
  const auto *found = llvm::find_if(
      capabilities, [&](const HardwareCapability &capability) { return capability.name == instructionSet; });
  return found == std::end(capabilities) ? nullptr : found;
}

const llvm::StringMap<bool> &usableHostFeatures() {
  static const llvm::StringMap<bool> features =
      hostArchitecture() == Architecture::AArch64 ? aarch64Features() : x86Features();
  return features;
}

/// From the files of the system, because the C library adds up the caches of all cores.
CacheSizes hostCaches() {
  CacheSizes sizes;
  for (int index = 0;; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    std::ifstream size(folder + "/size"), kind(folder + "/type");
    int64_t number = 0;
    char unit = 0;
    std::string contents;
    if (!(size >> number))
      return sizes; // Caches are listed from the first level on.
    size >> unit;
    kind >> contents;
    if (contents == "Instruction")
      continue;
    sizes.last = number << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0);
    if (sizes.first == 0)
      sizes.first = sizes.last;
  }
}

unsigned hostScalableBits() {
  constexpr int getVectorLength = 51, lengthMask = 0xffff; // of PR_SVE_GET_VL
  if (hostArchitecture() != Architecture::AArch64 || !usableHostFeatures().lookup("sve"))
    return 0;
  int answer = prctl(getVectorLength);
  return answer < 0 ? 0 : unsigned(answer & lengthMask) * 8;
}

} // namespace triton::cpu
