#include "backends/cpu/emitters/TargetDescription.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <memory>
#include <mutex>

namespace triton::cpu {
namespace {

/// The code generator of LLVM for an architecture. Null for AArch64 in a wheel for x86-64
/// (packaging/LeftOutOfWheel.cpp).
const llvm::Target *findGenerator(Architecture architecture) {
  auto find = [](const char *triple) {
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  };
  if (architecture == Architecture::AArch64) {
    static const llvm::Target *target = [&] {
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64Target();
      LLVMInitializeAArch64TargetMC();
      LLVMInitializeAArch64AsmPrinter();
      LLVMInitializeAArch64AsmParser(); // of inline assembly
      return find("aarch64-unknown-linux-gnu");
    }();
    return target;
  }
  static const llvm::Target *target = [&] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    return find("x86_64-unknown-linux-gnu");
  }();
  return target;
}

std::string tripleOf(Architecture architecture) {
  if (architecture == hostArchitecture())
    return llvm::sys::getProcessTriple();
  return architecture == Architecture::AArch64 ? "aarch64-unknown-linux-gnu" : "x86_64-unknown-linux-gnu";
}

/// Those of the host's features that `isWanted`, in LLVM's spelling: "+avx2,-avx512f,...".
std::string hostFeatures(llvm::function_ref<bool(llvm::StringRef name, bool isThere)> isWanted) {
  std::string features;
  for (const auto &feature : usableHostFeatures()) {
    if (!isWanted(feature.first(), feature.second))
      continue;
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

void describeX86(TargetDescription &description, llvm::function_ref<bool(llvm::StringRef)> has) {
  description.hasFma = has("+fma");
  description.hasF16Conversions = has("+f16c");
  description.hasAvx2 = has("+avx2");
  description.hasAvx512 = has("+avx512f,+avx512bw,+avx512dq,+avx512vl");
  description.hasByteShuffles = has("+avx512vbmi");
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

/// The width of SVE's registers, which instructions do not say: that of the host, or of the model.
unsigned scalableBits(const TargetDescription &description) {
  if (description.isHost)
    return hostScalableBits();
  return llvm::StringSwitch<unsigned>(description.cpu).Case("neoverse-v1", 256).Case("a64fx", 512).Default(128);
}

void describeAArch64(TargetDescription &description, llvm::function_ref<bool(llvm::StringRef)> has) {
  description.hasFma = description.hasF16Conversions = true; // of every processor
  description.hasSve = has("+sve");
  description.hasBFloat16Dot = description.hasBlockBFloat16 = has("+bf16");
  description.hasInt8Dot = has("+dotprod");
  description.hasBlockInt8 = has("+i8mm");
  description.hasOuterProducts = has("+sme");
  description.hasFloat64OuterProducts = has("+sme-f64f64");
  description.vectorRegisters = 32;
  // LLVM takes vectors of this length to SVE's registers; it prefers NEON's for shorter ones.
  if (description.hasSve)
    description.vectorBits = std::clamp(scalableBits(description), 128u, 512u);
}

/// The processor that a name stands for, without its triple; of the host's architecture if both have the name.
llvm::Expected<TargetDescription> findProcessor(llvm::StringRef name) {
  TargetDescription description;
  if (name == "aarch64" || name == "arm64") {
    description.architecture = Architecture::AArch64;
    description.cpu = "generic";
    return description;
  }
  const llvm::AArch64::ArchInfo *level = name.starts_with("armv") ? llvm::AArch64::parseArch(name) : nullptr;
  if (level) {
    description.architecture = Architecture::AArch64;
    description.cpu = "generic";
    llvm::AArch64::ExtensionSet extensions;
    extensions.addArchDefaults(*level); // ARMv9 has SVE2, for example
    std::vector<std::string> features;
    extensions.toLLVMFeatureList(features);
    description.features = llvm::join(features, ",");
    return description;
  }
  Architecture other = hostArchitecture() == Architecture::AArch64 ? Architecture::X86_64 : Architecture::AArch64;
  description.cpu = name.str();
  for (Architecture architecture : {hostArchitecture(), other}) {
    const llvm::Target *generator = findGenerator(architecture);
    if (!generator)
      continue;
    // The processor without a name is only used to ask which names exist: an unknown one would print a warning.
    std::unique_ptr<llvm::MCSubtargetInfo> unnamed(
        generator->createMCSubtargetInfo(llvm::Triple(tripleOf(architecture)), "", ""));
    description.architecture = architecture;
    if (unnamed->isCPUStringValid(name))
      return description;
  }
  if (!findGenerator(Architecture::AArch64) && llvm::AArch64::parseCpu(name)) {
    description.architecture = Architecture::AArch64;
    return description; // to be refused
  }
  return llvm::createStringError("`" + name +
                                 "` is not a processor that this compiler knows; `arch` is a level such as "
                                 "`x86-64-v3`, `aarch64` or `armv9-a`, a model such as `znver4` or `neoverse-v2`, or "
                                 "empty for the host");
}

/// What the host's features say beyond the name of its model. Code generation compares the text often, and people read
/// it.
std::string
featuresBesideModel(llvm::function_ref<std::unique_ptr<llvm::MCSubtargetInfo>(llvm::StringRef features)> describe) {
  std::string all = hostFeatures([](llvm::StringRef, bool) { return true; });
  std::unique_ptr<llvm::MCSubtargetInfo> model = describe(""), host = describe(all);
  std::string differences = hostFeatures(
      [&](llvm::StringRef name, bool isThere) { return model->checkFeatures(("+" + name).str()) != isThere; });
  // A feature that is switched off takes those along that imply it.
  return describe(differences)->getFeatureBits() == host->getFeatureBits() ? differences : all;
}

llvm::Expected<TargetDescription> computeDescription(llvm::StringRef arch) {
  llvm::Expected<TargetDescription> found = findProcessor(arch.empty() ? llvm::sys::getHostCPUName() : arch);
  if (!found)
    return found.takeError();
  TargetDescription description = std::move(*found);
  const llvm::Target *generator = findGenerator(description.architecture);
  if (!generator)
    return llvm::createStringError("`" + arch +
                                   "` is a processor of AArch64, for which this wheel has no code generator; a "
                                   "build of your own has one");
  description.triple = tripleOf(description.architecture);
  description.isHost = arch.empty();
  llvm::Triple triple(description.triple);
  auto describe = [&](llvm::StringRef features) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(generator->createMCSubtargetInfo(triple, description.cpu, features));
  };
  if (description.isHost) {
    description.features = featuresBesideModel(describe);
    if (CacheSizes caches = hostCaches(); caches.first != 0) {
      description.firstCacheBytes = caches.first;
      description.lastCacheBytes = caches.last;
    }
  }
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget = describe(description.features);
  auto has = [&](llvm::StringRef features) { return subtarget->checkFeatures(features); };
  if (description.isAArch64())
    describeAArch64(description, has);
  else
    describeX86(description, has);
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

llvm::StringRef baselineOf(Architecture architecture) {
  return architecture == Architecture::AArch64 ? "aarch64" : "x86-64";
}

std::vector<llvm::StringRef> listInstructionSets(const TargetDescription &target) {
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      findGenerator(target.architecture)
          ->createMCSubtargetInfo(llvm::Triple(target.triple), target.cpu, target.features));
  std::vector<llvm::StringRef> sets;
  llvm::copy_if(instructionSets(target.architecture), std::back_inserter(sets),
                [&](llvm::StringRef feature) { return subtarget->checkFeatures(("+" + feature).str()); });
  return sets;
}

std::string findMissingHostFeature(const TargetDescription &target) {
  if (target.isHost)
    return "";
  if (target.architecture != hostArchitecture())
    return baselineOf(target.architecture).str();
  for (llvm::StringRef feature : listInstructionSets(target))
    if (!usableHostFeatures().lookup(feature))
      return feature.str();
  if (target.isAArch64() && target.vectorBits > 128 && target.vectorBits != hostScalableBits())
    return "sve with vectors of " + std::to_string(target.vectorBits) + " bits";
  return "";
}

} // namespace triton::cpu
