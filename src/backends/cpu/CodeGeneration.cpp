#include "backends/cpu/CodeGeneration.h"

#include "backends/AdoptModule.h"
#include "backends/CodeGenerationPasses.h"
#include "backends/FloatContraction.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

#include <map>
#include <memory>
#include <optional>

namespace triton::cpu {
namespace {

// With this many blocks, register allocation above level None takes seconds, because its time is quadratic in their
// number.
constexpr size_t manyBlocks = 4096;

/// Level None makes the code 2 to 4 times slower. Levels above Less do not improve vector code.
llvm::CodeGenOptLevel levelFor(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.size() > manyBlocks)
      return llvm::CodeGenOptLevel::None;
  return llvm::CodeGenOptLevel::Less;
}

/// A target machine is not thread-safe and costs 0.2 ms to make, so each thread keeps its own.
llvm::Expected<llvm::TargetMachine &> threadTargetMachine(const TargetDescription &target,
                                                          llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Less) {
  using Key = std::pair<const TargetDescription *, llvm::CodeGenOptLevel>;
  static thread_local std::map<Key, std::unique_ptr<llvm::TargetMachine>> machines;
  std::unique_ptr<llvm::TargetMachine> &machine = machines[{&target, level}];
  if (machine)
    return *machine;
  llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return llvm::createStringError(error);
  machine.reset(found->createTargetMachine(triple, target.cpu, target.features, llvm::TargetOptions(),
                                           llvm::Reloc::PIC_, llvm::CodeModel::Small, level, /*JIT=*/true));
  if (!machine)
    return llvm::createStringError("cannot create a code generator for `" + target.cpu + "`");
  // At level None, AArch64 would take another selector, which knows fewer vectors.
  machine->setGlobalISel(false);
  return *machine;
}

/// The only lane of a constant mask that is true; nothing if there are several, or none.
std::optional<unsigned> findOnlyLane(const llvm::Value *mask) {
  const auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  std::optional<unsigned> only;
  for (unsigned lane = 0; constant && type && lane < type->getNumElements(); ++lane) {
    const llvm::Constant *element = constant->getAggregateElement(lane);
    if (!element || element->isNullValue() || llvm::isa<llvm::UndefValue>(element))
      continue;
    if (only || !element->isOneValue())
      return std::nullopt;
    only = lane;
  }
  return only;
}

/// Makes masked stores of one lane ordinary stores. LLVM 22 does the same for x86, but where the value was truncated it
/// stores the lane as wide as it was before, over its neighbours.
void storeOnlyLanes(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
      continue;
    std::optional<unsigned> lane = findOnlyLane(store->getArgOperand(2));
    if (!lane)
      continue;
    llvm::IRBuilder<> builder(store);
    llvm::Value *element = builder.CreateExtractElement(store->getArgOperand(0), *lane);
    llvm::Value *place = builder.CreateConstInBoundsGEP1_32(element->getType(), store->getArgOperand(1), *lane);
    uint64_t bytes = element->getType()->getScalarSizeInBits() / 8;
    llvm::Align vectorAlign = store->getParamAlign(1).valueOrOne();
    builder.CreateAlignedStore(element, place, llvm::commonAlignment(vectorAlign, *lane * bytes));
    store->eraseFromParent();
  }
}

llvm::Attribute scalableRange(llvm::LLVMContext &context, const TargetDescription &target) {
  unsigned granules = target.vectorBits / 128, most = 16;
  return llvm::Attribute::getWithVScaleRangeArgs(context, granules, granules == 1 ? most : granules);
}

} // namespace

llvm::Error prepareModule(llvm::Module &module, const TargetDescription &target, bool fuse) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(target);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    // The width is this compiler's decision. Else LLVM takes wide operations apart where it prefers narrower ones.
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    // A promise about the length of registers is what makes LLVM keep vectors of a fixed length in those of SVE. It
    // does not hold in streaming mode.
    if (target.hasSve && !function.hasFnAttribute("aarch64_pstate_sm_body"))
      function.addFnAttr(scalableRange(module.getContext(), target));
    if (fuse)
      for (llvm::Instruction &instruction : llvm::instructions(function))
        if (backends::mayBeFused(instruction))
          instruction.setHasAllowContract(true);
  }
  return llvm::Error::success();
}

llvm::Error adoptModule(llvm::Module &module, const TargetDescription &target) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(target);
  return machine ? backends::adoptModule(module, *machine, target.isAArch64() ? "aarch64" : "x86")
                 : machine.takeError();
}

llvm::Error optimizeModule(llvm::Module &module, const TargetDescription &target) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(target);
  if (!machine)
    return machine.takeError();
  llvm::PassBuilder builder(&*machine);
  llvm::FunctionAnalysisManager functions;
  builder.registerFunctionAnalyses(functions);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
  return llvm::Error::success();
}

llvm::Expected<std::string> generateCode(llvm::Module &module, const TargetDescription &target, CodeForm form,
                                         bool isQuick) {
  llvm::CodeGenOptLevel level = isQuick ? llvm::CodeGenOptLevel::None : levelFor(module);
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(target, level);
  if (!machine)
    return machine.takeError();
  for (llvm::Function &function : module)
    storeOnlyLanes(function);
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  backends::CodeGenerationPasses passes;
  passes.leaveOut("livedebugvalues"); // Kernels have line tables, but no variables.
  auto type = form == CodeForm::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (!passes.addAll(*machine, stream, type))
    return llvm::createStringError("the code generator cannot write this kind of file");
  // At level None, adding the passes has chosen this selector. It fuses no multiplications and additions, so that
  // results would depend on the level.
  machine->setFastISel(false);
  passes.run(module);
  return std::string(bytes);
}

} // namespace triton::cpu
