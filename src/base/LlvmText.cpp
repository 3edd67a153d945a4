#include "base/LlvmText.h"
#include "base/AssemblyConstraints.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/AsmParser/AsmParserContext.h"
#include "llvm/AsmParser/LLLexer.h"
#include "llvm/AsmParser/LLParser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
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

/// Finds what LLVM's parser does not survive. It makes values of a label that an instruction has as its result, and
/// where a number was used before, it frees one of them twice. It reads past the end of constraints of assembly that
/// lack letters.
static bool hasFatalText(llvm::StringRef text, llvm::SourceMgr &sources, llvm::LLVMContext &context,
                         llvm::SMDiagnostic &diagnostic) {
  constexpr llvm::lltok::Kind resultsOfAnyType[] = {llvm::lltok::kw_select, llvm::lltok::kw_phi,
                                                    llvm::lltok::kw_freeze, llvm::lltok::kw_bitcast,
                                                    llvm::lltok::kw_va_arg, llvm::lltok::kw_landingpad};
  llvm::LLLexer lexer(text, sources, diagnostic, context);
  llvm::lltok::Kind instruction = llvm::lltok::kw_ret, last = llvm::lltok::Eof;
  unsigned textsOfAssembly = 2; // that have come since the last `asm`, of two
  for (llvm::lltok::Kind kind = lexer.Lex(); kind != llvm::lltok::Eof && kind != llvm::lltok::Error;
       last = kind, kind = lexer.Lex()) {
    if (kind >= llvm::lltok::kw_fneg && kind <= llvm::lltok::kw_freeze)
      instruction = kind;
    else if (kind == llvm::lltok::lparen && last == instruction)
      instruction = llvm::lltok::kw_ret; // a constant expression, perhaps an operand of a branch
    if (kind == llvm::lltok::Type && lexer.getTyVal()->isLabelTy() &&
        llvm::is_contained(resultsOfAnyType, instruction)) {
      lexer.ParseError("a label is not a value, only terminators take labels");
      return true;
    }
    if (kind == llvm::lltok::kw_asm)
      textsOfAssembly = 0;
    else if (kind == llvm::lltok::StringConstant)
      ++textsOfAssembly;
    if (kind == llvm::lltok::StringConstant && textsOfAssembly == 2 && !base::hasWholeConstraints(lexer.getStrVal())) {
      lexer.ParseError("a constraint of inline assembly is cut off");
      return true;
    }
  }
  return false; // The parser finds an error again and reports it.
}

/// What is wrong with the module's flags, which LLVM reads as integers before its verifier has checked them.
static std::string wrongModuleFlag(const llvm::Module &module) {
  const llvm::NamedMDNode *flags = module.getModuleFlagsMetadata();
  for (unsigned i = 0, size = flags ? flags->getNumOperands() : 0; i < size; ++i) {
    const llvm::MDNode &flag = *flags->getOperand(i);
    bool isWhole = flag.getNumOperands() == 3 &&
                   llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(flag.getOperand(0)) &&
                   llvm::isa_and_present<llvm::MDString>(flag.getOperand(1)) && flag.getOperand(2);
    if (!isWhole)
      return "a module flag is not of the form `!{i32 BEHAVIOR, !\"NAME\", VALUE}`";
    llvm::StringRef name = llvm::cast<llvm::MDString>(flag.getOperand(1))->getString();
    bool isText = llvm::isa<llvm::MDString>(flag.getOperand(2)) && name == "amdgpu_printf_kind";
    if (!isText && !llvm::mdconst::hasa<llvm::ConstantInt>(flag.getOperand(2)))
      return ("the value of the module flag `" + name + "` is not an integer; leave the flag out").str();
  }
  return {};
}

/// Whether the lines of instructions are lines of files, which LLVM's verifier does not check for blocks inside
/// functions.
static bool hasFilesOfLines(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      for (const llvm::DILocation *at = instruction.getDebugLoc(); at; at = at->getInlinedAt())
        if (const llvm::Metadata *file = at->getScope()->getRawFile(); file && !llvm::isa<llvm::DIFile>(file))
          return false;
  return true;
}

/// Whether following this chain, which LLVM follows to its end, never ends.
template <typename Next>
static bool isEndless(const llvm::Metadata *first, llvm::DenseSet<const llvm::Metadata *> &ending, Next next) {
  llvm::SmallVector<const llvm::Metadata *> path;
  llvm::SmallPtrSet<const llvm::Metadata *, 8> onPath;
  for (const llvm::Metadata *at = first; at && !ending.contains(at); at = next(at)) {
    if (!onPath.insert(at).second)
      return true;
    path.push_back(at);
  }
  ending.insert(path.begin(), path.end());
  return false;
}

static bool hasEndlessLocations(const llvm::Module &module) {
  llvm::DenseSet<const llvm::Metadata *> endingLocations, endingScopes;
  auto caller = [](const llvm::Metadata *at) -> const llvm::Metadata * {
    const auto *location = llvm::dyn_cast<llvm::DILocation>(at);
    return location ? location->getRawInlinedAt() : nullptr;
  };
  auto parent = [](const llvm::Metadata *at) -> const llvm::Metadata * {
    const auto *block = llvm::dyn_cast<llvm::DILexicalBlockBase>(at);
    return block ? block->getRawScope() : nullptr;
  };
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      const llvm::DILocation *location = instruction.getDebugLoc().get();
      if (location && isEndless(location, endingLocations, caller))
        return true;
      for (const llvm::Metadata *at = location; at; at = caller(at))
        if (const auto *inlined = llvm::dyn_cast<llvm::DILocation>(at))
          if (isEndless(inlined->getRawScope(), endingScopes, parent))
            return true;
    }
  return false;
}

/// Checks what the parser does not. Debug information that cannot be used is removed, as LLVM does it.
static bool isValid(llvm::Module &module, llvm::StringRef path, llvm::SMDiagnostic &diagnostic) {
  std::string text = wrongModuleFlag(module);
  if (text.empty() && hasEndlessLocations(module))
    text = "a debug location is inlined at itself, or lies in a scope that contains itself";
  llvm::raw_string_ostream stream(text);
  bool hasBrokenDebugInfo = false;
  if (!text.empty() || llvm::verifyModule(module, &stream, &hasBrokenDebugInfo)) {
    diagnostic = llvm::SMDiagnostic(path, llvm::SourceMgr::DK_Error,
                                    ("this is not valid LLVM IR: " + llvm::StringRef(text).rtrim()).str());
    return false;
  }
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isa<llvm::VAArgInst>(instruction)) {
        // Its type may be one that has no size, which code generators do not expect.
        diagnostic = llvm::SMDiagnostic(
            path, llvm::SourceMgr::DK_Error,
            ("function " + function.getName() + " reads variable arguments (va_arg), which kernels do not have").str());
        return false;
      }
  if (hasBrokenDebugInfo || llvm::getDebugMetadataVersionFromModule(module) != llvm::DEBUG_METADATA_VERSION ||
      !hasFilesOfLines(module))
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
  if (hasFatalText(text, sources, context, diagnostic))
    return nullptr;
  // The usual entry of the parser verifies debug information, and ends the process when something is wrong.
  llvm::LLParser parser(text, sources, diagnostic, module.get(), /*Index=*/nullptr, context, /*Slots=*/nullptr,
                        &places);
  if (parser.Run(/*UpgradeDebugInfo=*/false, keepLayout) || !isValid(*module, path, diagnostic))
    return nullptr;
  if (lineInfo && !module->getNamedMetadata("llvm.dbg.cu"))
    attachTextLocations(*module, path, places);
  return module;
}
