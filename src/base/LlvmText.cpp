#include "base/LlvmText.h"

#include "llvm/AsmParser/AsmParserContext.h"
#include "llvm/AsmParser/LLParser.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace triton;

static void attachTextLocations(llvm::Module &module, llvm::StringRef path, const llvm::AsmParserContext &places) {
  llvm::DIBuilder builder(module);
  llvm::DIFile *file = builder.createFile(llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
  // Only line directives, because ptxas does not optimize code with more debug information.
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

/// Checks what the parser does not. Debug information that cannot be used is removed, as LLVM does it.
static bool isValid(llvm::Module &module, llvm::StringRef path, llvm::SMDiagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool hasBrokenDebugInfo = false;
  if (llvm::verifyModule(module, &stream, &hasBrokenDebugInfo)) {
    diagnostic = llvm::SMDiagnostic(path, llvm::SourceMgr::DK_Error,
                                    ("this is not valid LLVM IR: " + llvm::StringRef(text).rtrim()).str());
    return false;
  }
  if (hasBrokenDebugInfo || llvm::getDebugMetadataVersionFromModule(module) != llvm::DEBUG_METADATA_VERSION)
    llvm::StripDebugInfo(module);
  return true;
}

std::unique_ptr<llvm::Module> base::parseLlvmText(llvm::StringRef text, llvm::StringRef path, bool lineInfo,
                                                  llvm::LLVMContext &context, llvm::SMDiagnostic &diagnostic) {
  llvm::AsmParserContext places;
  auto keepLayout = [](llvm::StringRef, llvm::StringRef) { return std::nullopt; };
  auto module = std::make_unique<llvm::Module>(path, context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(llvm::MemoryBufferRef(text, path)), llvm::SMLoc());
  // The usual entry of the parser verifies debug information, and ends the process when something is wrong.
  llvm::LLParser parser(text, sources, diagnostic, module.get(), /*Index=*/nullptr, context, /*Slots=*/nullptr,
                        &places);
  if (parser.Run(/*UpgradeDebugInfo=*/false, keepLayout) || !isValid(*module, path, diagnostic))
    return nullptr;
  if (lineInfo && !module->getNamedMetadata("llvm.dbg.cu"))
    attachTextLocations(*module, path, places);
  return module;
}
