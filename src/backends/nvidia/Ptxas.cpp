#include "backends/nvidia/Ptxas.h"

#include "backends/nvidia/Toolkit.h"
#include "compiler/PassRunner.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>

namespace triton::nvidia {

namespace fs = llvm::sys::fs;
using compiler::ToolchainError;

namespace {

/// A file of this process that is gone at the end of the scope unless kept.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef prefix, llvm::StringRef suffix) {
    TemporaryFile file;
    int descriptor;
    if (std::error_code error = fs::createTemporaryFile(prefix, suffix, descriptor, file.name))
      return llvm::createStringError("cannot make a temporary file: " + error.message());
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true);
    return file;
  }
  TemporaryFile(TemporaryFile &&other) : name(std::move(other.name)) { other.name.clear(); }
  ~TemporaryFile() {
    if (!name.empty() && !isKept)
      fs::remove(name);
  }

  llvm::StringRef path() const { return name; }
  void keep() { isKept = true; }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(name);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  TemporaryFile() = default;
  llvm::SmallString<128> name;
  bool isKept = false;
};

/// Runs a program with its output in a file; returns what it printed, and its exit code in `code`.
llvm::Expected<std::string> run(llvm::ArrayRef<llvm::StringRef> command, int &code) {
  llvm::Expected<TemporaryFile> log = TemporaryFile::create("triton-ptxas", "log");
  if (!log)
    return log.takeError();
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), log->path(), log->path()};
  std::string failure;
  code = llvm::sys::ExecuteAndWait(command.front(), command, std::nullopt, redirects, 0, 0, &failure);
  if (code < 0)
    return llvm::createStringError("cannot run `" + command.front().str() + "`: " + failure);
  return log->read();
}

/// 130 of "release 13.0"; 0 when the program does not say.
unsigned releaseOf(const std::string &ptxas) {
  static std::mutex mutex;
  static auto &releases = *new std::map<std::string, unsigned>();
  std::lock_guard lock(mutex);
  auto [it, isNew] = releases.try_emplace(ptxas, 0);
  if (!isNew)
    return it->second;
  int code;
  llvm::Expected<std::string> text = run({ptxas, "--version"}, code);
  if (!text) {
    llvm::consumeError(text.takeError());
    return 0;
  }
  llvm::StringRef rest = llvm::StringRef(*text).split("release ").second;
  unsigned major = 0, minor = 0;
  if (!rest.consumeInteger(10, major) && rest.consume_front(".") && !rest.consumeInteger(10, minor))
    it->second = major * 10 + minor;
  return it->second;
}

/// CUDA 11.x reads PTX 7.x, 12.x reads 8.x, 13.x reads 9.x; the minor numbers agree, but for 12.7, which has none.
PtxVersion ptxVersionOfRelease(unsigned release) {
  if (release == 0)
    return newestPtxVersion;
  return std::min(release - 40, newestPtxVersion);
}

/// The number in front of `label`: "Used 24 registers", "16 bytes spill stores".
int numberBefore(llvm::StringRef log, llvm::StringRef label) {
  std::size_t at = log.find(label);
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef before = log.take_front(at).rtrim();
  std::size_t begin = before.find_last_not_of("0123456789");
  int number = 0;
  before.substr(begin + 1).getAsInteger(10, number);
  return number;
}

llvm::Error refuse(const AssemblyOptions &options, int code, llvm::StringRef log, llvm::StringRef ptxFile,
                   llvm::ArrayRef<llvm::StringRef> command) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "ptxas cannot assemble kernel `" << options.kernel << "` for " << options.architecture.processor
         << " (exit code " << code << ")\n"
         << log.rtrim() << "\n  the PTX is kept in " << ptxFile << "\n  reproduce: " << llvm::join(command, " ");
  return llvm::make_error<ToolchainError>(text);
}

} // namespace

PtxVersion supportedPtxVersion(const Architecture &architecture) {
  llvm::Expected<std::string> ptxas = findPtxas(architecture.capability);
  if (!ptxas) {
    llvm::consumeError(ptxas.takeError());
    return newestPtxVersion;
  }
  return ptxVersionOfRelease(releaseOf(*ptxas));
}

std::string ptxasFingerprint(const Architecture &architecture) {
  llvm::Expected<std::string> ptxas = findPtxas(architecture.capability);
  if (!ptxas) {
    llvm::consumeError(ptxas.takeError());
    return "";
  }
  fs::file_status status;
  if (fs::status(*ptxas, status))
    return *ptxas;
  return *ptxas + ":" + std::to_string(status.getSize()) + ":" +
         std::to_string(status.getLastModificationTime().time_since_epoch().count());
}

llvm::Expected<Assembly> assemble(llvm::StringRef ptx, const AssemblyOptions &options) {
  llvm::Expected<std::string> ptxas = findPtxas(options.architecture.capability);
  if (!ptxas)
    return llvm::make_error<ToolchainError>("kernel `" + options.kernel +
                                            "` cannot be assembled: " + llvm::toString(ptxas.takeError()));
  llvm::Expected<TemporaryFile> input = TemporaryFile::create("triton-" + options.kernel.substr(0, 64), "ptx");
  llvm::Expected<TemporaryFile> output = TemporaryFile::create("triton-" + options.kernel.substr(0, 64), "cubin");
  if (llvm::Error error = llvm::joinErrors(input.takeError(), output.takeError()))
    return error;
  std::error_code failure;
  llvm::raw_fd_ostream(input->path(), failure) << ptx;
  if (failure)
    return llvm::createStringError("cannot write `" + input->path().str() + "`: " + failure.message());

  std::string architecture = "--gpu-name=" + options.architecture.processor;
  llvm::SmallVector<llvm::StringRef> command = {*ptxas, "-v", architecture};
  if (options.lineInfo)
    command.push_back("-lineinfo");
  if (!options.fuseMultiplyAdd)
    command.push_back("--fmad=false");
  if (!options.optimize)
    command.push_back("-O0");
  for (const std::string &flag : options.extraFlags)
    command.push_back(flag);
  command.append({input->path(), "-o", output->path()});
  int code;
  llvm::Expected<std::string> log = run(command, code);
  if (!log)
    return log.takeError();
  if (options.printLog)
    llvm::errs() << *log;
  if (code != 0) {
    input->keep();
    return refuse(options, code, *log, input->path(), command);
  }
  return Assembly{output->read(), numberBefore(*log, "registers"), numberBefore(*log, "bytes spill stores")};
}

} // namespace triton::nvidia
