#include "backends/cpu/emitters/TargetDescription.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <memory>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

namespace triton::cpu {
namespace {

const llvm::Target *nativeTarget() {
  static const llvm::Target *target = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser(); // of inline assembly
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(llvm::sys::getProcessTriple()), error);
  }();
  return target;
}

/// Linux lets a process use AMX only after it has asked, because the tiles enlarge the frames of signals. The answer
/// holds for all threads.
bool mayUseTiles() {
  constexpr long requestPermission = 0x1023, tileData = 18; // of arch_prctl
  static const bool isPermitted = syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return isPermitted;
}

/// What the host has and this process may use. A virtual machine may hide some features of the model.
const llvm::StringMap<bool> &usableHostFeatures() {
  static const llvm::StringMap<bool> features = [] {
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    for (auto &feature : features)
      if (feature.second && feature.first().starts_with("amx-"))
        feature.second = mayUseTiles();
    return features;
  }();
  return features;
}

/// The host's features in LLVM's spelling, "+avx2,-avx512f,...".
std::string hostFeatures() {
  std::string features;
  for (const auto &feature : usableHostFeatures()) {
    features += features.empty() ? "" : ",";
    features += feature.second ? '+' : '-';
    features += feature.first();
  }
  return features;
}

/// Whether 512-bit code lowers the clock of the processor so far that 256 bits are faster for all but matrix products.
/// LLVM's `prefer-256-bit` does not say so: it is set for nearly every processor of Intel, although none since Ice Lake
/// pays more than some percent. The level x86-64-v4 stands for all of them.
bool slowsWith512Bits(llvm::StringRef cpu) {
  return llvm::StringSwitch<bool>(cpu)
      .Cases({"skylake-avx512", "skx", "cascadelake", "cooperlake", "cannonlake", "x86-64-v4"}, true)
      .Default(false);
}

/// Whether dpbf16ps multiplies pairs as fast as a multiply-add multiplies floats. Intel's processors take it apart into
/// several steps, which together are slower than two multiply-adds.
bool hasFastBFloat16Dot(llvm::StringRef cpu) { return cpu.starts_with("znver"); }

void describeFeatures(TargetDescription &description, const llvm::MCSubtargetInfo &subtarget) {
  auto has = [&](llvm::StringRef features) { return subtarget.checkFeatures(features); };
  description.hasFma = has("+fma");
  description.hasF16c = has("+f16c");
  description.hasAvx2 = has("+avx2");
  description.hasAvx512 = has("+avx512f,+avx512bw,+avx512dq,+avx512vl");
  description.hasBFloat16Dot = has("+avx512bf16,+avx512vl") && hasFastBFloat16Dot(description.cpu);
  description.hasInt8Dot = has("+avxvnni") || has("+avx512vnni,+avx512vl");
  bool isWide = description.hasAvx512 && !slowsWith512Bits(description.cpu);
  description.vectorBits = isWide ? 512 : description.hasAvx2 ? 256 : 128;
  bool hasTiles = isWide && has("+amx-tile");
  description.hasTileBFloat16 = hasTiles && has("+amx-bf16");
  description.hasTileFloat16 = hasTiles && has("+amx-fp16");
  description.hasTileInt8 = hasTiles && has("+amx-int8");
  description.vectorRegisters = has("+avx512vl") ? 32 : 16;
}

llvm::Expected<TargetDescription> computeDescription(llvm::StringRef arch) {
  const llvm::Target *target = nativeTarget();
  if (!target)
    return llvm::createStringError("this build of the compiler has no code generator for the host");
  TargetDescription description;
  description.triple = llvm::sys::getProcessTriple();
  description.cpu = arch.empty() ? llvm::sys::getHostCPUName().str() : arch.str();
  description.isHost = arch.empty();
  if (description.isHost)
    description.features = hostFeatures();
  llvm::Triple triple(description.triple);
  // The generic processor is only used to ask which names exist, because an unknown one would print a warning.
  std::unique_ptr<llvm::MCSubtargetInfo> generic(target->createMCSubtargetInfo(triple, "", ""));
  if (!generic->isCPUStringValid(description.cpu))
    return llvm::createStringError("`" + arch +
                                   "` is not a processor that this compiler knows; `arch` is a level such "
                                   "as `x86-64-v3`, a model such as `znver4` or `haswell`, or empty for the host");
  auto describe = [&](llvm::StringRef features) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(target->createMCSubtargetInfo(triple, description.cpu, features));
  };
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget = describe(description.features);
  // Code generation compares the string often, so it is left out if the model's name implies the same features.
  if (subtarget->getFeatureBits() == describe("")->getFeatureBits())
    description.features.clear();
  describeFeatures(description, *subtarget);
  return description;
}

} // namespace

llvm::Expected<const TargetDescription &> describeTarget(llvm::StringRef arch) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<TargetDescription>, std::less<>> descriptions;
  std::lock_guard lock(mutex);
  auto found = descriptions.find(std::string_view(arch));
  if (found == descriptions.end()) {
    llvm::Expected<TargetDescription> description = computeDescription(arch);
    if (!description)
      return description.takeError();
    found = descriptions.emplace(arch, std::make_unique<TargetDescription>(std::move(*description))).first;
  }
  return *found->second;
}

std::vector<llvm::StringRef> listInstructionSets(const TargetDescription &target) {
  // On which generated code may rely; other features only affect tuning.
  static constexpr llvm::StringRef instructionSets[] = {"sse3",
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
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      nativeTarget()->createMCSubtargetInfo(llvm::Triple(target.triple), target.cpu, target.features));
  std::vector<llvm::StringRef> sets;
  llvm::copy_if(instructionSets, std::back_inserter(sets),
                [&](llvm::StringRef feature) { return subtarget->checkFeatures(("+" + feature).str()); });
  return sets;
}

std::string findMissingHostFeature(const TargetDescription &target) {
  if (target.isHost)
    return "";
  for (llvm::StringRef feature : listInstructionSets(target))
    if (!usableHostFeatures().lookup(feature))
      return feature.str();
  return "";
}

} // namespace triton::cpu
