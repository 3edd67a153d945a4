// Golden tests of the lowering: kernel files that hold their own expected results. A section of such a file is
//   # lower: name(*fp32, i32, 128, constant=tl.float16)
// then Python with the kernel `name`, then lines `#> ...` with the TTIR, or the diagnostics, for arguments of these types
// and constants. Expected lines are taken out before the file is read, so that they do not count in line numbers.
#include "frontend/Diagnostics.h"
#include "frontend/ModuleLoader.h"
#include "frontend/lowering/LowerKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton;
using namespace triton::frontend;
using llvm::StringRef;

namespace {

enum class Mode { Print, Check, Update };

llvm::cl::list<std::string> files(llvm::cl::Positional, llvm::cl::OneOrMore, llvm::cl::desc("<golden files>"));
llvm::cl::opt<Mode> mode(llvm::cl::desc("what to do:"), llvm::cl::init(Mode::Print),
                         llvm::cl::values(clEnumValN(Mode::Print, "print", "print the results"),
                                          clEnumValN(Mode::Check, "check", "fail where a result is not as expected"),
                                          clEnumValN(Mode::Update, "update", "write the results into the files")));

constexpr llvm::StringLiteral directive = "# lower: ", expectedPrefix = "#>";

/// The lines between one directive and the next; the first section has no directive.
struct Section {
  std::string call;                  ///< `add(*fp32, i32)`
  std::vector<StringRef> code;       ///< directive included, expected lines not
  std::vector<std::string> expected; ///< without prefix
};

std::vector<Section> splitSections(StringRef text) {
  std::vector<Section> sections(1);
  llvm::SmallVector<StringRef> lines;
  text.rtrim('\n').split(lines, '\n');
  for (StringRef line : lines) {
    if (line.consume_front(expectedPrefix)) {
      line.consume_front(" ");
      sections.back().expected.push_back(line.str());
      continue;
    }
    if (line.starts_with(directive)) {
      sections.emplace_back();
      sections.back().call = line.drop_front(directive.size()).trim().str();
    }
    sections.back().code.push_back(line);
  }
  return sections;
}

ObjectRef constantOf(StringRef text) {
  int64_t integer;
  double real;
  if (!text.getAsInteger(0, integer))
    return makeInteger(integer);
  if (!text.getAsDouble(real))
    return makeObject(real);
  if (text == "True" || text == "False")
    return makeObject(text == "True");
  if (text.consume_front("tl."))
    return makeObject(ElementType{*parseScalarType(std::string_view(text.data(), text.size()))});
  return text == "None" ? makeNone() : makeObject(text.trim('"').str());
}

/// `*fp32`, `i32` or a constant, each possibly after `name=`, which only serves the reader.
std::vector<compiler::Argument> parseArguments(StringRef text) {
  std::vector<compiler::Argument> arguments;
  llvm::SmallVector<StringRef> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    StringRef value = (entry.contains('=') ? entry.split('=').second : entry).trim();
    compiler::Argument argument;
    argument.name = entry.contains('=') ? entry.split('=').first.trim().str() : "";
    if (auto type = parseElementType(std::string_view(value.data(), value.size())))
      argument.type = *type;
    else
      argument.constant = constantOf(value);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::string lower(LoadedModule &module, StringRef call) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto [name, rest] = call.split('(');
  LoweringOptions options;
  options.debug = rest.ends_with(" debug");
  options.print = options.warn = [&](const std::string &line) { stream << line; };
  try {
    mlir::DialectRegistry registry;
    registerFrontendDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto function = module.function(std::string_view(name.data(), name.size()));
    auto arguments = parseArguments(rest.take_until([](char c) { return c == ')'; }));
    for (auto [index, argument] : llvm::enumerate(arguments))
      if (argument.name.empty())
        argument.name = "argument" + std::to_string(index);
    auto lowered = lowerKernel(context, *function, arguments, options, name);
    if (mlir::failed(mlir::verify(*lowered)))
      stream << "the verifier rejects this module\n";
    for (mlir::Operation &operation : *lowered->getBody()) {
      operation.print(stream, mlir::OpPrintingFlags().useLocalScope());
      stream << '\n';
    }
  } catch (const DiagnosticError &error) {
    stream << error.str();
  }
  return text;
}

/// The file with the results in it.
std::string process(StringRef path, StringRef text, bool &isCurrent) {
  std::vector<Section> sections = splitSections(text);
  std::string code, result;
  for (const Section &section : sections)
    for (StringRef line : section.code)
      code += line.str() + "\n";
  std::shared_ptr<LoadedModule> module;
  std::string failure;
  try {
    module = LoadedModule::fromText(code, llvm::sys::path::filename(path).str());
  } catch (const DiagnosticError &error) {
    failure = error.str();
  }
  for (const Section &section : sections) {
    llvm::ArrayRef<StringRef> lines = section.code;
    while (!lines.empty() && lines.back().trim().empty())
      lines = lines.drop_back();
    for (StringRef line : lines)
      result += line.str() + "\n";
    if (!section.call.empty()) {
      std::string output = module ? lower(*module, section.call) : failure;
      llvm::SmallVector<StringRef> outputLines;
      StringRef(output).rtrim('\n').split(outputLines, '\n');
      isCurrent &= llvm::equal(outputLines, section.expected, [](StringRef a, StringRef b) { return a.rtrim() == b; });
      for (StringRef line : outputLines)
        result += (expectedPrefix + (line.empty() ? "" : " ") + line.rtrim()).str() + "\n";
    }
    // Two empty lines between sections, as between Python's functions.
    if (&section != &sections.back())
      result += "\n\n";
  }
  return result;
}

bool processFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    llvm::errs() << path << ": " << buffer.getError().message() << '\n';
    return false;
  }
  bool isCurrent = true;
  std::string result = process(path, (*buffer)->getBuffer(), isCurrent);
  if (mode == Mode::Print)
    llvm::outs() << result;
  if (mode == Mode::Check && !isCurrent)
    llvm::errs() << path << ": results differ; see them with `triton-lower --update " << path << "`\n";
  if (mode != Mode::Update)
    return isCurrent || mode == Mode::Print;
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  stream << result;
  return !error;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "lowers the kernels of golden files\n");
  bool allGood = true;
  for (const std::string &path : files)
    allGood &= processFile(path);
  return allGood ? 0 : 1;
}
