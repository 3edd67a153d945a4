#include "base/LlvmText.h"

#include "llvm/AsmParser/AsmParserContext.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/Path.h"

using namespace triton;

static void attachTextLocations(llvm::Module &module, llvm::StringRef path, const llvm::AsmParserContext &places) {
  llvm::DIBuilder builder(module);
  llvm::DIFile *file = builder.createFile(llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
  // Directives alone: more would tell ptxas not to optimize.
  builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), file, "triton", /*isOptimized=*/true,
                            /*Flags=*/"", /*RV=*/0, /*SplitName=*/"", llvm::DICompileUnit::DebugDirectivesOnly);
  llvm::DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  for (llvm::Function &function : module) {
    std::optional<llvm::FileLocRange> range = places.getFunctionLocation(&function);
    if (function.isDeclaration() || !range)
      continue;
    unsigned line = range->Start.Line + 1;
    llvm::DISubprogram *subprogram =
        builder.createFunction(file, function.getName(), function.getName(), file, line, type, line,
                               llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
    function.setSubprogram(subprogram);
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (std::optional<llvm::FileLocRange> at = places.getInstructionLocation(&instruction))
        instruction.setDebugLoc(
            llvm::DILocation::get(module.getContext(), at->Start.Line + 1, at->Start.Col + 1, subprogram));
  }
  builder.finalize();
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

std::unique_ptr<llvm::Module> base::parseLlvmText(llvm::StringRef text, llvm::StringRef path, bool lineInfo,
                                                  llvm::LLVMContext &context, llvm::SMDiagnostic &diagnostic) {
  llvm::AsmParserContext places;
  auto keepLayout = [](llvm::StringRef, llvm::StringRef) { return std::nullopt; };
  std::unique_ptr<llvm::Module> module = llvm::parseAssembly(llvm::MemoryBufferRef(text, path), diagnostic, context,
                                                             /*Slots=*/nullptr, keepLayout, &places);
  if (module && lineInfo && !module->getNamedMetadata("llvm.dbg.cu"))
    attachTextLocations(*module, path, places);
  return module;
}
