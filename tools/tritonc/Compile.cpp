#include "KernelInput.h"

#include "aot/CompileFile.h"
#include "aot/OutputFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;

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
  if (command.kernel.signature.empty())
    requireNoSignature(openKernel(triton::Module::load(path.file), path));
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
  if (request.signatures.empty()) {
    requireNoSignature(openKernel(triton::Module::load(path.file), path));
    request.signatures.emplace_back();
  }
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
  std::vector<triton::aot::GeneratedFile> files;
  auto add = [&](const std::string &suffix, std::string text) {
    llvm::SmallString<128> path(command.outputDirectory);
    llvm::sys::path::append(path, compiled.name() + "." + suffix);
    files.push_back({std::string(path), std::move(text)});
  };
  for (const std::string &name : artifacts)
    if (command.emit.empty() || command.emit == name)
      add(name, compiled.artifact(name));
  if (command.emit.empty())
    add("json", compiled.metadata());
  triton::aot::writeFiles(files); // all of them or none
  for (const triton::aot::GeneratedFile &file : files)
    llvm::outs() << file.name << '\n';
}
