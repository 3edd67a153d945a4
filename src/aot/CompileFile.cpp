#include "aot/CompileFile.h"

#include "aot/AotBackend.h"
#include "aot/CppSource.h"
#include "aot/Errors.h"
#include "aot/OutputFiles.h"
#include "aot/SourceKernel.h"

#include "backends/cpu/emitters/TargetDescription.h"
#include "compiler/Devices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace triton;
using namespace triton::aot;
using llvm::StringRef;

[[noreturn]] static void refuseTarget(const std::string &text, const std::string &message) {
  throw Error("target `" + text + "`: " + message +
              "; write cpu, cpu:<arch> such as cpu:x86-64-v3 or cpu:neoverse-v2, cuda:<compute capability> such as "
              "cuda:90:32, or "
              "hip:<architecture> such as hip:gfx942:64");
}

/// Reads the target's third part, which has to be what the architecture has.
static void checkWarpSize(const std::string &text, StringRef given, int warpSize) {
  int number = 0;
  if (given.getAsInteger(10, number))
    refuseTarget(text, "`" + given.str() + "` is not a number of lanes");
  if (number != warpSize && warpSize != 0) // 0: the compilation will say that there is no such architecture
    refuseTarget(text, "a warp has " + std::to_string(warpSize) + " lanes there, not " + given.str());
}

base::Target aot::readTarget(const std::string &text, std::string &arch) {
  llvm::SmallVector<StringRef, 4> parts;
  StringRef(text).split(parts, ':');
  StringRef backend = parts.front();
  if (backend == "sim")
    refuseTarget(text, "a simulated GPU runs nothing from C");
  if (!findAotBackend(backend))
    refuseTarget(text, "there is no backend `" + backend.str() + "`");
  if (parts.size() > 3 || (parts.size() > 1 && parts[1].empty()))
    refuseTarget(text, "these are not backend, architecture and lanes of a warp");
  base::Target target;
  if (backend == "cpu") {
    // The name under which Triton's tools know every such processor.
    bool isAnyX86 = parts.size() > 1 && parts[1] == "x86_64";
    if (isAnyX86 && cpu::hostArchitecture() != cpu::Architecture::X86_64)
      arch = cpu::baselineOf(cpu::Architecture::X86_64);
    else if (parts.size() > 1 && !isAnyX86)
      arch = parts[1].str();
  } else {
    target = compiler::parseTarget(parts.size() > 1 ? (backend + ":" + parts[1]).str() : backend.str());
  }
  if (parts.size() == 3)
    checkWarpSize(text, parts[2], target.warpSize);
  return target;
}

namespace {

/// Writes the files, whose names are extensions; `stem` stands before them.
std::vector<std::string> writeInto(const std::string &directory, const std::string &stem,
                                   std::vector<GeneratedFile> files) {
  std::vector<std::string> paths;
  for (GeneratedFile &file : files) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, stem + file.name);
    file.name = std::string(path);
    paths.push_back(file.name);
  }
  writeFiles(files);
  return paths;
}

} // namespace

std::vector<std::string> aot::compileFile(const FileRequest &request) {
  SourceKernel kernel(request.path, request.kernel.kernelName);
  Specification specification = kernel.specify(request.kernel);
  std::vector<GeneratedFile> files = generateC(specification, *kernel.compile(specification, request.target));
  return writeInto(request.directory, specification.outName + "." + specification.fileSuffix, std::move(files));
}

/// "cuda:90" for "cuda:90:32", "hip:gfx942" for "hip:gfx942:64", and for a processor as the user wrote it.
static std::string nameTarget(const std::string &text) {
  std::string arch;
  base::Target target = readTarget(text, arch);
  const std::string &name = target.backend == "cpu" ? arch : target.arch;
  return target.backend + (name.empty() ? "" : ":" + name);
}

/// One file of C++ has the assembly of one architecture of processors.
static void checkOneArchitecture(const std::vector<std::string> &targets) {
  std::optional<cpu::Architecture> known;
  for (const std::string &text : targets) {
    std::string arch;
    if (readTarget(text, arch).backend != "cpu")
      continue;
    llvm::Expected<const cpu::TargetDescription &> target = cpu::describeTarget(arch);
    if (!target) { // the compilation will say so
      llvm::consumeError(target.takeError());
      continue;
    }
    if (known && *known != target->architecture)
      refuseTarget(text,
                   "this is another architecture than that of the targets before it, and one file of C++ holds the "
                   "assembly of one; write two files");
    known = target->architecture;
  }
}

std::vector<std::string> aot::compileFileToCpp(const CppFileRequest &request) {
  SourceKernel source(request.path, request.kernel.kernelName);
  std::vector<std::string> namespaces = readNamespace(request.namespaceName);
  std::vector<Specification> specifications;
  for (const std::string &signature : request.signatures) {
    Request each = request.kernel;
    each.signature = signature;
    specifications.push_back(source.specify(std::move(each)));
  }
  std::string stem = specifications.front().outName;
  checkOneArchitecture(request.targets);
  CppKernel kernel = source.withPlace([&] { return joinSignatures(std::move(specifications), std::move(namespaces)); });
  std::vector<CppTarget> targets(request.targets.size());
  for (auto [target, text] : llvm::zip_equal(targets, request.targets))
    target.name = nameTarget(text);
  for (auto [target, text] : llvm::zip_equal(targets, request.targets))
    for (const CppSignature &signature : kernel.signatures)
      target.kernels.push_back(source.compile(signature.specification, text));
  return writeInto(request.directory, stem, generateCpp(kernel, targets, stem + ".h"));
}
