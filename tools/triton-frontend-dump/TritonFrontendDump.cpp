// Shows what the frontend makes of source files: every result of the parser as text, except tokens.
#include "DumpLowered.h"
#include "base/Diagnostics.h"
#include "frontend/Dump.h"
#include "frontend/Parser.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace triton::frontend;

namespace {

enum class Mode { Ast, Ranges, Diagnostics, Lowering };

llvm::cl::list<std::string> files(llvm::cl::Positional, llvm::cl::OneOrMore,
                                  llvm::cl::desc("<files, or - for standard input>"));
llvm::cl::opt<Mode> mode("mode", llvm::cl::desc("what to print"), llvm::cl::init(Mode::Ast),
                         llvm::cl::values(clEnumValN(Mode::Ast, "ast", "the syntax tree"),
                                          clEnumValN(Mode::Ranges, "ranges", "the nodes and their byte ranges"),
                                          clEnumValN(Mode::Diagnostics, "diagnostics", "only what is wrong"),
                                          clEnumValN(Mode::Lowering, "lowering", "the TTIR of marked kernels")));
llvm::cl::opt<bool> isFunction("function", llvm::cl::desc("the text is one function, possibly indented"));

/// Prints one file's result. False when it has errors.
bool dump(llvm::StringRef path, llvm::raw_ostream &stream) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    stream << path << ": " << buffer.getError().message() << '\n';
    return false;
  }
  std::string text = (*buffer)->getBuffer().str();
  if (mode == Mode::Lowering)
    return dumpLowered(text, llvm::sys::path::filename(path).str(), stream);
  try {
    auto source =
        isFunction ? parseFunction(path.str(), std::move(text)).source : parseModule(path.str(), std::move(text));
    if (mode == Mode::Ast)
      dumpTree(moduleOf(*source), stream);
    else if (mode == Mode::Ranges)
      dumpRanges(moduleOf(*source), stream);
    return true;
  } catch (const DiagnosticError &error) {
    stream << error.str();
    return false;
  }
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "shows what the frontend makes of kernel files\n");
  bool allGood = true;
  for (const std::string &path : files) {
    // The results of several files are separated by a line with which no output begins.
    if (files.size() > 1)
      llvm::outs() << '\f' << path << '\n';
    allGood &= dump(path, llvm::outs());
  }
  return allGood ? 0 : 1;
}
