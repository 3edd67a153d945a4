#include "KernelInput.h"

#include "aot/CompileFile.h"
#include "base/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;

static void writeFile(const std::string &directory, const std::string &name, const std::string &bytes) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  if (std::error_code error = triton::base::writeWholeFile(std::string(path), bytes))
    throw UsageError("cannot write `" + std::string(path) + "`: " + error.message());
  llvm::outs() << path << '\n';
}

static void print(const std::vector<std::string> &files) {
  for (const std::string &file : files)
    llvm::outs() << file << '\n';
}

/// Reads what C and C++ have in common.
static triton::aot::Request describeKernel(const CompileCommand &command, KernelPath path) {
  if (!irStage(path.file).empty())
    throw UsageError("--emit=" + command.emit +
                     " needs a kernel's text, which has the names of its parameters, not IR");
  if (command.grid.empty())
    throw UsageError("--emit=" + command.emit +
                     " needs --grid: three expressions of C, such as --grid \"(n + 63) / 64, 1, 1\"");
  triton::aot::Request request;
  request.kernelName = std::move(path.kernel);
  request.outName = command.outName;
  request.grid = command.grid;
  request.numWarps = command.kernel.numWarps;
  request.numStages = command.kernel.numStages;
  request.numCtas = command.kernel.numCtas;
  return request;
}

static void compileToC(const CompileCommand &command) {
  KernelPath path = splitInput(command.kernel.input);
  triton::aot::FileRequest request;
  request.kernel = describeKernel(command, path);
  request.kernel.signature = command.kernel.signature;
  request.path = path.file;
  request.target = command.kernel.target;
  request.directory = command.outputDirectory;
  print(triton::aot::compileFile(request));
}

static void compileToCpp(const CompileCommand &command) {
  KernelPath path = splitInput(command.kernel.input);
  triton::aot::CppFileRequest request;
  request.kernel = describeKernel(command, path);
  request.signatures = command.signatures;
  if (request.signatures.empty())
    request.signatures.emplace_back();
  request.path = path.file;
  request.targets = command.targets;
  request.namespaceName = command.namespaceName;
  request.directory = command.outputDirectory;
  print(triton::aot::compileFileToCpp(request));
}

void tritonc::compile(const CompileCommand &command) {
  if (command.emit == "cpp")
    return compileToCpp(command);
  if (command.targets.size() > 1 || command.signatures.size() > 1)
    throw UsageError("several targets or signatures are for --emit=cpp; give one of each");
  if (command.emit == "c")
    return compileToC(command);
  Compiled compiled(command.kernel);
  std::vector<std::string> artifacts = compiled.artifactNames();
  bool isWanted = command.emit.empty() || llvm::is_contained(artifacts, command.emit);
  if (!isWanted)
    throw UsageError("--emit=" + command.emit + ": there are --emit=c, --emit=cpp and the artifacts of this target: " +
                     llvm::join(artifacts, ", "));
  if (std::error_code error = llvm::sys::fs::create_directories(command.outputDirectory))
    throw UsageError("cannot make `" + command.outputDirectory + "`: " + error.message());
  for (const std::string &name : artifacts)
    if (command.emit.empty() || command.emit == name)
      writeFile(command.outputDirectory, compiled.name() + "." + name, compiled.artifact(name));
  if (command.emit.empty())
    writeFile(command.outputDirectory, compiled.name() + ".json", compiled.metadata());
}
