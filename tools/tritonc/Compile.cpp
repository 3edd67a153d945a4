#include "KernelInput.h"

#include "aot/CompileFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;

static void writeFile(const std::string &directory, const std::string &name, const std::string &bytes) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    throw UsageError("cannot write `" + std::string(path) + "`: " + error.message());
  llvm::outs() << path << '\n';
}

static void compileToC(const CompileCommand &command) {
  const KernelOptions &options = command.kernel;
  KernelPath path = splitInput(options.input);
  if (!irStage(path.file).empty())
    throw UsageError("--emit=c needs a kernel's text, which has the names of its parameters, not IR");
  if (command.grid.empty())
    throw UsageError("--emit=c needs --grid: three expressions of C, such as --grid \"(n + 63) / 64, 1, 1\"");
  triton::aot::FileRequest request;
  request.path = path.file;
  request.target = options.target;
  request.directory = command.outputDirectory;
  request.kernel.kernelName = path.kernel;
  request.kernel.outName = command.outName;
  request.kernel.signature = options.signature;
  request.kernel.grid = command.grid;
  request.kernel.numWarps = options.numWarps;
  request.kernel.numStages = options.numStages;
  for (const std::string &file : triton::aot::compileFile(std::move(request)))
    llvm::outs() << file << '\n';
}

void tritonc::compile(const CompileCommand &command) {
  if (command.emit == "c")
    return compileToC(command);
  if (!command.emit.empty())
    throw UsageError("--emit=" + command.emit + ": there is only --emit=c");
  Compiled compiled(command.kernel);
  if (std::error_code error = llvm::sys::fs::create_directories(command.outputDirectory))
    throw UsageError("cannot make `" + command.outputDirectory + "`: " + error.message());
  for (const std::string &name : compiled.artifactNames())
    writeFile(command.outputDirectory, compiled.name() + "." + name, compiled.artifact(name));
  writeFile(command.outputDirectory, compiled.name() + ".json", compiled.metadata());
}
