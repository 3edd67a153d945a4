#include "backends/amd/Amdgcn.h"

#include "backends/AdoptModule.h"
#include "backends/FloatContraction.h"
#include "backends/amd/llvm/Passes.h"
#include "backends/gpu/GpuOptimizer.h"
#include "gpu/analysis/TunedNumbers.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>
#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

namespace triton::amd {

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
}

static std::string featuresOf(const AmdgcnOptions &options) {
  return options.isolatesComputeUnits && options.architecture.isRdna() ? "+cumode" : "";
}

// A target machine is not thread-safe, so each thread keeps its own.
llvm::Expected<llvm::TargetMachine &> threadTargetMachine(const AmdgcnOptions &options) {
  using Key = std::pair<std::string, std::string>;
  static thread_local std::map<Key, std::unique_ptr<llvm::TargetMachine>> machines;
  std::string processor = options.architecture.processor, features = featuresOf(options);
  std::unique_ptr<llvm::TargetMachine> &machine = machines[{processor, features}];
  if (machine)
    return *machine;
  initializeTarget();
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  llvm::TargetOptions targetOptions;
  // What may be fused says so itself; the functions of the device library depend on every rounding.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  targetOptions.MCOptions.AsmVerbose = true; // Readers of the text expect the resources in its comments.
  machine.reset(target->createTargetMachine(triple, processor, features, targetOptions, llvm::Reloc::PIC_, std::nullopt,
                                            llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("cannot create a code generator for `" + processor + "`");
  return *machine;
}

/// Launches pass the first arguments in registers, where the hardware can.
static void preloadArguments(llvm::Function &kernel, const Architecture &architecture) {
  if (architecture.isRdna())
    return;
  for (llvm::Argument &argument : kernel.args()) {
    if (argument.hasByValAttr() || argument.hasByRefAttr())
      return;
    argument.addAttr(llvm::Attribute::InReg);
  }
}

static void addAttributes(llvm::Function &function, const AmdgcnOptions &options) {
  function.addFnAttr(llvm::Attribute::NoUnwind);
  function.addFnAttr("target-cpu", options.architecture.processor);
  if (std::string features = featuresOf(options); !features.empty())
    function.addFnAttr("target-features", features);
  function.addFnAttr("denormal-fp-math-f32", options.flushDenormals ? "preserve-sign" : "ieee");
  if (options.wavesOfScheduler != 0) {
    std::string waves = std::to_string(options.wavesOfScheduler);
    function.addFnAttr("amdgpu-waves-per-eu", waves + "," + waves);
  }
  for (llvm::StringRef attribute : llvm::split(options.functionAttributes, ',')) {
    auto [name, value] = attribute.trim().split('=');
    if (!name.empty())
      function.addFnAttr(name, value);
  }
}

/// Atomic operations on floating-point numbers are instructions where the memory is the device's own, which launches
/// promise unless an operation is for the whole system. Some of them flush subnormal numbers, as Triton's do.
static void markAtomic(llvm::AtomicRMWInst &atomic) {
  if (!atomic.isFloatingPointOperation() || atomic.getSyncScopeID() == llvm::SyncScope::System)
    return;
  llvm::MDNode *empty = llvm::MDNode::get(atomic.getContext(), {});
  atomic.setMetadata("amdgpu.no.fine.grained.memory", empty);
  atomic.setMetadata("amdgpu.no.remote.memory", empty);
  if (atomic.getOperation() == llvm::AtomicRMWInst::FAdd && atomic.getType()->isFloatTy())
    atomic.setMetadata("amdgpu.ignore.denormal.mode", empty);
}

llvm::Error prepareModule(llvm::Module &module, const AmdgcnOptions &options) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  constexpr uint32_t codeObjectVersion = 500; // 5, which every supported ROCm loads
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", codeObjectVersion);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    addAttributes(function, options);
    if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
      preloadArguments(function, options.architecture);
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
        markAtomic(*atomic);
      if (options.fuseMultiplyAdd && backends::mayBeFused(instruction))
        instruction.setHasAllowContract(true);
    }
  }
  return llvm::Error::success();
}

llvm::Error adoptModule(llvm::Module &module, const AmdgcnOptions &options) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  return machine ? backends::adoptModule(module, *machine, "amdgcn") : machine.takeError();
}

llvm::Error optimizeModule(llvm::Module &module, const AmdgcnOptions &options, base::PassRunner &runner) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  if (!machine)
    return machine.takeError();
  // In the other mode, minima and maxima make signaling NaN quiet by an instruction for each operand. What was linked
  // must have the same mode to be inlined.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute("amdgpu-ieee"))
      function.addFnAttr("amdgpu-ieee", "false");
  return backends::optimizeGpuModule(module, *machine, /*splitsPairs=*/true, runner);
}

namespace {

/// A way to generate code.
struct Strategy {
  bool placesShared = true;        ///< by the pass PlaceSharedMemory
  bool reducesLoops = false;       ///< by a pass that is left out otherwise
  const char *scheduler = nullptr; ///< LLVM's name; null: the usual one
  bool allocatesQuickly = false;   ///< by LLVM's basic allocator of registers, which spills more
};

} // namespace

static llvm::Expected<std::string> generate(llvm::Module &module, llvm::TargetMachine &machine, Strategy strategy) {
  constexpr llvm::StringLiteral scheduler = "amdgpu-sched-strategy";
  for (llvm::Function &function : module)
    if (strategy.scheduler && !function.isDeclaration() && !function.hasFnAttribute(scheduler))
      function.addFnAttr(scheduler, strategy.scheduler);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  backends::CodeGenerationPasses passes;
  backends::leaveOutForGpus(passes, module);
  if (strategy.reducesLoops)
    passes.keep("loop-reduce");
  if (strategy.allocatesQuickly)
    // The third allocation is that of vector registers, when all others have theirs.
    passes.replace("greedy", /*occurrence=*/3, [] { return llvm::createBasicRegisterAllocator(); });
  if (!passes.addAll(machine, stream, llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("the code generator cannot write assembly");
  passes.run(module);
  return std::string(text);
}

/// The largest number that follows the field of a kernel's metadata.
static unsigned largestField(llvm::StringRef assembly, llvm::StringRef field) {
  unsigned largest = 0;
  for (size_t place = assembly.find(field); place != llvm::StringRef::npos; place = assembly.find(field, place + 1)) {
    unsigned value = 0;
    if (!assembly.substr(place + field.size()).ltrim().consumeInteger(10, value))
      largest = std::max(largest, value);
  }
  return largest;
}

/// Bytes that a thread spills.
static unsigned spilledBytes(llvm::StringRef assembly) {
  return largestField(assembly, ".vgpr_spill_count:") == 0 ? 0 : largestField(assembly, ".private_segment_fixed_size:");
}

/// The instructions of the largest function.
static unsigned countInstructions(const llvm::Module &module) {
  unsigned most = 0;
  for (const llvm::Function &function : module)
    most = std::max(most, function.getInstructionCount());
  return most;
}

/// Whether a thread may hold so many values that registers are too few.
static bool mayNeedOtherStrategies(const llvm::Module &module) {
  unsigned most = countInstructions(module);
  return most > tuned::fewInstructions && most <= tuned::manyInstructions;
}

/// Whether another strategy could save little beside what the kernel does, for the minute that large kernels take with
/// all of them.
static bool isSpilledLittle(unsigned bytes, unsigned instructions) {
  bool isLarge = instructions > tuned::largeForStrategies;
  return bytes == 0 || (isLarge && bytes < instructions / tuned::instructionsPerSpilledByte);
}

/// LLVM's usual allocator of registers takes far more than the square of the instructions where it must spill: a
/// reduction of 256 elements of a thread, 16,000 instructions, took a minute. The basic one takes a second. This is its
/// code, for a large module of which it spills much; nothing for any other, for which the usual one is quick, too.
static std::string generateQuickly(const llvm::Module &module, unsigned instructions, llvm::TargetMachine &machine) {
  if (instructions <= tuned::manyInstructions)
    return "";
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::Expected<std::string> code = generate(*copy, machine, {.allocatesQuickly = true});
  if (!code) { // It cannot split what lives long.
    llvm::consumeError(code.takeError());
    return "";
  }
  return largestField(*code, ".vgpr_spill_count:") <= tuned::manySpills ? "" : std::move(*code);
}

std::unique_ptr<llvm::Module> keepForOtherStrategies(const llvm::Module &module) {
  return mayNeedOtherStrategies(module) ? llvm::CloneModule(module) : nullptr;
}

llvm::Expected<std::string> generateAmdgcn(llvm::Module &module, const AmdgcnOptions &options,
                                           const llvm::Module *unplaced) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  if (!machine)
    return machine.takeError();
  unsigned instructions = countInstructions(module);
  if (std::string quick = generateQuickly(module, instructions, *machine); !quick.empty())
    return quick;
  std::unique_ptr<llvm::Module> placed = unplaced ? llvm::CloneModule(module) : nullptr;
  llvm::Expected<std::string> best = generate(module, *machine, {});
  if (!best || !unplaced)
    return best;
  // Where registers are too few, it depends on the order of instructions how much is spilled, and on how many addresses
  // are kept because they are sums with a number.
  unsigned fewest = spilledBytes(*best);
  constexpr Strategy others[] = {{false, false, nullptr}, {false, true, nullptr}, {true, false, "max-ilp"}};
  for (Strategy strategy : others) {
    if (isSpilledLittle(fewest, instructions))
      break;
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(strategy.placesShared ? *placed : *unplaced);
    llvm::Expected<std::string> other = generate(*copy, *machine, strategy);
    if (!other)
      return other;
    if (unsigned spilled = spilledBytes(*other); spilled < fewest) {
      fewest = spilled;
      best = std::move(other);
    }
  }
  return best;
}

} // namespace triton::amd
