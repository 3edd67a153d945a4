#include "KernelInput.h"

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

void tritonc::compile(const CompileCommand &command) {
  Compiled compiled(command.kernel);
  if (std::error_code error = llvm::sys::fs::create_directories(command.outputDirectory))
    throw UsageError("cannot make `" + command.outputDirectory + "`: " + error.message());
  for (const std::string &name : compiled.artifactNames())
    writeFile(command.outputDirectory, compiled.name() + "." + name, compiled.artifact(name));
  writeFile(command.outputDirectory, compiled.name() + ".json", compiled.metadata());
}
