#include "backends/nvidia/AssemblerProcess.h"

#include "base/FileStem.h"
#include "base/ForkSafeMutex.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace triton::nvidia {
namespace {

namespace fs = llvm::sys::fs;

base::ForkSafeMutex pipesMutex; ///< of OpenPipes

/// The pipes that are open. ptxas reads until no process can write any more, so a child that is forked meanwhile must
/// not keep them. It closes them first.
class OpenPipes {
public:
  static OpenPipes &get() {
    static auto &pipes = *new OpenPipes();
    return pipes;
  }
  int open(const std::string &path) {
    std::lock_guard lock(pipesMutex);
    int descriptor = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0)
      descriptors.insert(descriptor);
    return descriptor;
  }
  void close(int descriptor) {
    std::lock_guard lock(pipesMutex);
    if (descriptors.erase(descriptor))
      ::close(descriptor);
  }

private:
  OpenPipes() {
    pthread_atfork(nullptr, nullptr, [] { // The mutex is free: no other thread exists.
      for (int descriptor : get().descriptors)
        ::close(descriptor);
      get().descriptors.clear();
    });
  }
  std::set<int> descriptors;
};

/// ptxas asks for its memory in many small pieces. With this, glibc takes more memory at a time, in huge pages, which
/// saves a tenth of its time.
constexpr char allocatorTuning[] =
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216:glibc.malloc.mmap_threshold=1073741824:"
    "glibc.malloc.trim_threshold=1073741824";

std::vector<llvm::StringRef> environmentVariables() {
  std::vector<llvm::StringRef> variables;
  for (char **variable = environ; *variable; ++variable)
    variables.emplace_back(*variable);
  if (llvm::none_of(variables, [](llvm::StringRef variable) { return variable.starts_with("GLIBC_TUNABLES="); }))
    variables.emplace_back(allocatorTuning);
  return variables;
}

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

} // namespace

AssemblerProcess::AssemblerProcess(std::vector<std::string> command, llvm::StringRef kernel, base::ProcessLimit *limit)
    : command(std::move(command)), limit(limit) {
  if (fs::createUniqueDirectory("triton-" + base::fileStem(kernel.take_front(64).str()), folder))
    folder.clear(); // writing the input reports it
}

AssemblerProcess::~AssemblerProcess() {
  end();
  if (folder.empty())
    return;
  for (const char *name : {"log", "kernel.cubin"})
    fs::remove(filePath(name));
  if (keepsInput)
    return;
  unlink(inputPath().c_str()); // LLVM's function refuses pipes
  fs::remove(folder);
}

std::string AssemblerProcess::filePath(llvm::StringRef name) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

std::vector<std::string> AssemblerProcess::fullCommand() const {
  std::vector<std::string> full = command;
  full.insert(full.end(), {inputPath(), "-o", filePath("kernel.cubin")});
  return full;
}

std::string AssemblerProcess::commandLine() const { return llvm::join(fullCommand(), " "); }

llvm::Error AssemblerProcess::start() {
  std::vector<std::string> full = fullCommand();
  std::vector<llvm::StringRef> arguments(full.begin(), full.end());
  std::string log = filePath("log");
  fs::remove(log); // the program would write over an older file, which may be longer
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), log, log};
  std::string failure;
  process = llvm::sys::ExecuteNoWait(command.front(), arguments, environmentVariables(), redirects, 0, &failure);
  if (process.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return llvm::createStringError("cannot run `" + command.front() + "`: " + failure);
  return llvm::Error::success();
}

llvm::Error AssemblerProcess::wait(Result &result) {
  std::string failure;
  result.code = llvm::sys::Wait(process, std::nullopt, &failure).ReturnCode;
  process = {};
  leaveLimit();
  if (result.code == -1)
    return llvm::createStringError("cannot run `" + command.front() + "`: " + failure);
  result.log = readFile(filePath("log"));
  if (result.code == -2)
    result.log += failure + "\n";
  return llvm::Error::success();
}

/// Ends a program that waits for input or that is not wanted any more.
void AssemblerProcess::end() {
  if (process.Pid != llvm::sys::ProcessInfo::InvalidPid) {
    kill(process.Pid, SIGKILL);
    llvm::sys::Wait(process, std::nullopt);
    process = {};
  }
  leaveLimit();
  if (pipe >= 0)
    OpenPipes::get().close(pipe);
  pipe = -1;
}

void AssemblerProcess::leaveLimit() {
  if (std::exchange(isCounted, false))
    limit->release();
}

void AssemblerProcess::startAhead() {
  if (folder.empty() || (limit && !(isCounted = limit->tryAcquire())) || mkfifo(inputPath().c_str(), 0600) != 0)
    return;
  pipe = OpenPipes::get().open(inputPath());
  if (pipe < 0)
    return;
  if (llvm::Error error = start()) {
    llvm::consumeError(std::move(error)); // `run` gets the same error again
    end();
  }
}

/// Writes a file that replaces the pipe, if there is one.
llvm::Error AssemblerProcess::writeInput(llvm::StringRef ptx) {
  std::string written = filePath("written.ptx");
  std::error_code failure;
  {
    llvm::raw_fd_ostream stream(written, failure);
    if (!failure) {
      stream << ptx;
      stream.close();
      failure = stream.error();
      stream.clear_error();
    }
  }
  if (!failure)
    failure = fs::rename(written, inputPath());
  if (failure)
    return llvm::createStringError("cannot write `" + inputPath() + "`: " + failure.message());
  return llvm::Error::success();
}

/// Writes the input into the pipe. False if it does not fit.
bool AssemblerProcess::feed(llvm::StringRef ptx) {
  constexpr size_t usualCapacity = 65536;
  if (ptx.size() > usualCapacity && fcntl(pipe, F_SETPIPE_SZ, int(ptx.size())) < 0)
    return false;
  return write(pipe, ptx.data(), ptx.size()) == ssize_t(ptx.size());
}

llvm::Expected<AssemblerProcess::Result> AssemblerProcess::run(llvm::StringRef ptx) {
  // ptxas opens its input twice. From now on, it opens the file. If it waits at the pipe, the pipe contains everything
  // and ends when it is closed here.
  if (llvm::Error error = writeInput(ptx))
    return error;
  Result result;
  if (process.Pid != llvm::sys::ProcessInfo::InvalidPid && feed(ptx)) {
    OpenPipes::get().close(pipe);
    pipe = -1;
    if (llvm::Error error = wait(result))
      return error;
  } else {
    result.code = -1;
  }
  if (result.code != 0) { // a replacement for ptxas may need a file from the start; its answer for the file counts
    end();
    if (limit) {
      limit->acquire();
      isCounted = true;
    }
    if (llvm::Error error = start())
      return error;
    if (llvm::Error error = wait(result))
      return error;
  }
  result.cubin = readFile(filePath("kernel.cubin"));
  return result;
}

} // namespace triton::nvidia
