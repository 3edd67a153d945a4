#include "DumpLowered.h"

#include "base/Diagnostics.h"
#include "frontend/AST.h"
#include "frontend/ModuleLoader.h"
#include "frontend/lowering/BuiltinModules.h"
#include "frontend/lowering/LowerKernel.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::frontend {
namespace {

/// Splits at commas outside of parentheses and angle brackets.
llvm::SmallVector<llvm::StringRef> splitArguments(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '<' ? 1 : text[i] == ')' || text[i] == '>' ? -1 : 0;
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!text.trim().empty())
    parts.push_back(text.substr(begin).trim());
  return parts;
}

ObjectRef parseConstant(LoadedModule &module, llvm::StringRef text) {
  int64_t integer;
  double number;
  if (text == "None")
    return makeNone();
  if (text == "True" || text == "False")
    return makeObject(text == "True");
  if (text.starts_with("\""))
    return makeObject(text.trim('"').str());
  if (!text.getAsInteger(0, integer))
    return makeInteger(integer);
  if (llvm::to_float(text, number))
    return makeObject(number);
  llvm::StringRef dtype = text;
  if (dtype.consume_front("tl."))
    if (std::optional<ScalarType> type = parseScalarType(std::string_view(dtype.data(), dtype.size())))
      return makeObject(ElementType{*type});
  return module.lookup(std::string_view(text.data(), text.size()));
}

/// `name=` before a type or value is only for the reader.
frontend::KernelArgument parseArgument(LoadedModule &module, llvm::StringRef text) {
  frontend::KernelArgument argument;
  if (!text.starts_with("\"") && text.contains('='))
    text = text.split('=').second.trim();
  if (text.consume_front("(") && text.consume_back(")")) {
    argument.isTuple = true;
    for (llvm::StringRef part : splitArguments(text))
      argument.elements.push_back(parseArgument(module, part));
    return argument;
  }
  if (std::optional<DescriptorType> descriptor = parseDescriptorType(std::string_view(text)))
    return describeDescriptor("desc", *descriptor);
  auto [type, divisibility] = text.split(':');
  if (std::optional<ElementType> element = parseElementType(std::string_view(type.data(), type.size()))) {
    argument.type = *element;
    divisibility.getAsInteger(10, argument.divisibility);
    return argument;
  }
  argument.constant = parseConstant(module, text);
  return argument;
}

bool isOfPrelude(mlir::Operation &function) {
  auto location = function.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  return location && location.getFilename().getValue().starts_with("triton.language.");
}

void print(mlir::ModuleOp module, bool withLocations, llvm::raw_ostream &stream) {
  mlir::OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/true);
  for (mlir::Operation &function : *module.getBody()) {
    if (isOfPrelude(function))
      continue;
    function.print(stream, flags);
    stream << '\n';
  }
}

/// Lowers the kernel of one mark; the text after `# lower`.
bool lowerMarked(LoadedModule &module, llvm::StringRef mark, llvm::raw_ostream &stream) {
  auto [words, call] = mark.split(':');
  auto [name, rest] = call.trim().split('(');
  std::vector<frontend::KernelArgument> arguments;
  LoweringOptions options;
  options.debug = words.contains("debug");
  if (llvm::StringRef architecture = words.split("cuda-").second; !architecture.empty()) {
    options.language.target = {"cuda", architecture.take_while(llvm::isDigit).str(), 32};
    llvm::erase(options.language.float8Types, ScalarType::Float8E4NV); // as on GPUs before capability 8.9
    options.language.hasBulkCopies = options.language.overlapsLaunches = architecture.starts_with("90");
  }
  if (llvm::StringRef architecture = words.split("hip-").second; !architecture.empty())
    options.language.target = {"hip", architecture.take_while(llvm::isAlnum).str(), 64};
  options.print = options.warn = [&stream](const std::string &text) { stream << text; };
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  try {
    for (llvm::StringRef argument : splitArguments(rest.rsplit(')').first))
      arguments.push_back(parseArgument(module, argument));
    std::shared_ptr<const Function> function = module.function(std::string_view(name.data(), name.size()));
    mlir::OwningOpRef<mlir::ModuleOp> lowered = lowerKernel(context, *function, arguments, options, name);
    print(*lowered, words.contains("locations"), stream);
    if (mlir::failed(mlir::verify(*lowered)))
      stream << "the lowered module is invalid\n";
    return true;
  } catch (const DiagnosticError &error) {
    stream << error.str();
    return false;
  }
}

} // namespace

bool dumpLowered(const std::string &text, const std::string &fileName, llvm::raw_ostream &stream) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  std::shared_ptr<LoadedModule> module;
  try {
    module = LoadedModule::fromText(text, fileName, builtinModule);
  } catch (const DiagnosticError &error) {
    stream << error.str();
    return false;
  }
  bool allGood = true;
  for (llvm::StringRef line : lines) {
    llvm::StringRef mark = line;
    if (!mark.consume_front("# lower"))
      continue;
    stream << line << '\n';
    allGood &= lowerMarked(*module, mark, stream);
  }
  return allGood;
}

} // namespace triton::frontend
