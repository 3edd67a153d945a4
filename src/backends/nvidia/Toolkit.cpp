#include "backends/nvidia/Toolkit.h"

#include "backends/nvidia/BuildEnvironment.h"
#include "base/Environment.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <mutex>
#include <vector>

namespace triton::nvidia {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
using base::Environment;
using Directories = std::vector<std::string>;

std::mutex mutex;
Directories &addedDirectories() {
  static auto &directories = *new Directories();
  return directories;
}

std::string joinPath(llvm::StringRef first, llvm::StringRef second) {
  llvm::SmallString<128> joined(first);
  path::append(joined, second);
  return std::string(joined);
}

/// The entries of `directory` whose names start with `prefix`, the highest version first.
Directories matchingEntries(llvm::StringRef directory, llvm::StringRef prefix) {
  Directories found;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (path::filename(it->path()).starts_with(prefix))
      found.push_back(it->path());
  std::sort(found.begin(), found.end(),
            [](const std::string &a, const std::string &b) { return llvm::StringRef(a).compare_numeric(b) > 0; });
  return found;
}

/// The wheels in a folder of installed Python packages.
void addWheels(llvm::StringRef packages, Directories &out) {
  llvm::append_range(out, matchingEntries(joinPath(packages, "nvidia"), "cu"));
  out.push_back(joinPath(packages, "triton/backends/nvidia"));
}

Directories toolkitDirectories(const Environment &environment) {
  Directories directories;
  if (!environment.cudaHome.empty())
    directories.push_back(environment.cudaHome);
  directories.push_back("/usr/local/cuda");
  for (const std::string &directory : matchingEntries("/usr/local", "cuda-"))
    directories.push_back(directory);
  directories.push_back("/usr/lib/nvidia-cuda-toolkit");
  {
    std::lock_guard lock(mutex);
    llvm::append_range(directories, addedDirectories());
  }
  // of a virtual environment that is active although Python does not run
  if (!environment.virtualEnvironment.empty())
    for (const std::string &python : matchingEntries(joinPath(environment.virtualEnvironment, "lib"), "python3"))
      addWheels(joinPath(python, "site-packages"), directories);
  // Other machines do not have that of the build.
  if (llvm::StringRef packages = buildEnvironmentPackages; fs::is_directory(packages))
    addWheels(packages, directories);
  return directories;
}

llvm::Error notFound(llvm::StringRef what, llvm::StringRef wheel, llvm::StringRef variable,
                     const Directories &searched) {
  return llvm::createStringError(("no " + what + " in " + llvm::join(searched, ", ") +
                                  "; install the CUDA toolkit or `pip install " + wheel + "`, or set " + variable)
                                     .str());
}

} // namespace

void addToolkitDirectory(std::string directory) {
  std::lock_guard lock(mutex);
  if (!llvm::is_contained(addedDirectories(), directory))
    addedDirectories().push_back(std::move(directory));
}

/// The first of the programs that is found. `named`, the value of `variable`, comes first. PATH is searched for the
/// last name, each folder for all names.
static llvm::Expected<std::string> findProgram(llvm::ArrayRef<llvm::StringRef> names, llvm::StringRef wheel,
                                               llvm::StringRef variable, const std::string &named,
                                               const Environment &environment) {
  if (!named.empty()) {
    if (!fs::can_execute(named))
      return llvm::createStringError((variable + " names `" + named + "`, which is not a program").str());
    return named;
  }
  if (llvm::ErrorOr<std::string> onPath = llvm::sys::findProgramByName(names.back()))
    return *onPath;
  Directories searched = {"PATH"};
  for (const std::string &directory : toolkitDirectories(environment)) {
    for (llvm::StringRef name : names)
      if (std::string program = joinPath(joinPath(directory, "bin"), name); fs::can_execute(program))
        return program;
    searched.push_back(directory);
  }
  return notFound(("`" + names.back() + "`").str(), wheel, variable, searched);
}

llvm::Expected<std::string> findPtxas(int capability) {
  Environment environment = Environment::read();
  if (capability >= 100 && !environment.ptxasBlackwellPath.empty())
    return findProgram({"ptxas"}, "nvidia-cuda-nvcc", "TRITON_PTXAS_BLACKWELL_PATH", environment.ptxasBlackwellPath,
                       environment);
  // Triton's wheel contains a second ptxas for the newest architectures.
  llvm::SmallVector<llvm::StringRef, 2> names{"ptxas-blackwell", "ptxas"};
  return findProgram(llvm::ArrayRef(names).drop_front(capability >= 100 ? 0 : 1), "nvidia-cuda-nvcc",
                     "TRITON_PTXAS_PATH", environment.ptxasPath, environment);
}

llvm::Expected<std::string> findTool(llvm::StringRef name) {
  if (name == "ptxas" || name == "ptxas_blackwell")
    return findPtxas(name == "ptxas" ? 0 : 100);
  if (name == "libdevice")
    return findLibdevice();
  Environment environment = Environment::read();
  if (name == "nvdisasm")
    return findProgram({name}, "nvidia-cuda-nvdisasm", "TRITON_NVDISASM_PATH", environment.nvdisasmPath, environment);
  if (name == "cuobjdump")
    return findProgram({name}, "nvidia-cuda-cuobjdump", "TRITON_CUOBJDUMP_PATH", environment.cuobjdumpPath,
                       environment);
  return llvm::createStringError("NVIDIA's toolkit has no tool `" + name.str() + "` that is used here");
}

llvm::Expected<std::string> findLibdevice() {
  Environment environment = Environment::read();
  if (!environment.libdevicePath.empty()) {
    if (!fs::exists(environment.libdevicePath))
      return llvm::createStringError("TRITON_LIBDEVICE_PATH names `" + environment.libdevicePath +
                                     "`, which does not exist");
    return environment.libdevicePath;
  }
  Directories directories = toolkitDirectories(environment);
  for (const std::string &directory : directories)
    for (llvm::StringRef name : {"nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc", "lib/libdevice.10.bc"})
      if (std::string file = joinPath(directory, name); fs::exists(file))
        return file;
  return notFound("`libdevice.10.bc`", "nvidia-nvvm", "TRITON_LIBDEVICE_PATH", directories);
}

} // namespace triton::nvidia
