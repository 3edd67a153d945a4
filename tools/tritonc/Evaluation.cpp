#include "Evaluation.h"
#include "ArgumentValues.h"
#include "KernelInput.h"

#include "api/Recording.h"
#include "base/Environment.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tritonc;

namespace {

/// What the child's results are written as: numbers of eight bytes, and texts behind their lengths.
class Writer {
public:
  void add(uint64_t number) { text.append(reinterpret_cast<const char *>(&number), sizeof(number)); }
  void add(llvm::StringRef bytes) {
    add(uint64_t(bytes.size()));
    text.append(bytes.data(), bytes.size());
  }
  void send(int pipe) const {
    for (std::size_t at = 0; at < text.size();) {
      ssize_t count = write(pipe, text.data() + at, text.size() - at);
      if (count < 0 && errno != EINTR)
        return;
      at += std::size_t(std::max<ssize_t>(count, 0));
    }
  }

private:
  std::string text;
};

class EvaluationReader {
public:
  explicit EvaluationReader(llvm::StringRef text) : text(text) {}
  uint64_t number() {
    uint64_t value;
    std::memcpy(&value, text.data(), sizeof(value));
    text = text.drop_front(sizeof(value));
    return value;
  }
  std::string bytes() {
    std::size_t size = number();
    std::string value = text.take_front(size).str();
    text = text.drop_front(size);
    return value;
  }

private:
  llvm::StringRef text;
};

} // namespace

static void sendTo(int pipe, const Evaluation &evaluation) {
  Writer writer;
  writer.add(uint64_t(evaluation.succeeded));
  writer.add(uint64_t(evaluation.isWrongLaunch));
  writer.add(evaluation.error);
  writer.add(uint64_t(evaluation.arrays.size()));
  for (const std::string &array : evaluation.arrays)
    writer.add(array);
  writer.add(uint64_t(evaluation.passes.size()));
  for (const triton::base::RecordedPass &pass : evaluation.passes) {
    writer.add(pass.stage);
    writer.add(pass.name);
    writer.add(uint64_t(pass.changes) | uint64_t(pass.isOptional) << 1);
    writer.add(pass.after.text);
  }
  writer.send(pipe);
}

static Evaluation receive(llvm::StringRef text) {
  EvaluationReader reader(text);
  Evaluation evaluation;
  evaluation.succeeded = reader.number() != 0;
  evaluation.isWrongLaunch = reader.number() != 0;
  evaluation.error = reader.bytes();
  evaluation.arrays.resize(reader.number());
  for (std::string &array : evaluation.arrays)
    array = reader.bytes();
  evaluation.passes.resize(reader.number());
  for (triton::base::RecordedPass &pass : evaluation.passes) {
    pass.stage = reader.bytes();
    pass.name = reader.bytes();
    uint64_t flags = reader.number();
    pass.changes = flags & 1;
    pass.isOptional = flags & 2;
    pass.after.text = reader.bytes();
  }
  return evaluation;
}

/// In the child.
static Evaluation launchHere(const RunCommand &command, const EvaluationOptions &options) {
  Evaluation evaluation;
  triton::base::CompilationRecord record;
  record.edit = options.edit;
  triton::base::Environment environment = triton::base::Environment::read();
  if (options.optionalPasses != ~0u)
    environment.stopAfterPass = std::to_string(options.optionalPasses);
  try {
    KernelPath path = splitInput(command.kernel.input);
    triton::Module module = triton::Module::load(path.file);
    TargetOption target = parseTarget(command.kernel.target);
    bool onDevice = usesDevice(target);
    ArgumentList arguments(module, onDevice, command.seed);
    for (const std::string &argument : command.arguments)
      arguments.addValue(argument);
    triton::LaunchOptions launch = launchOptions(command.kernel, target);
    launch.grid = parseGrid(command.grid);
    launch.threads = command.threads;
    triton::api::launchRecorded(openKernel(module, path), launch, arguments.arguments(), environment, record,
                                options.ttir);
    if (onDevice)
      triton::synchronize();
    arguments.download();
    for (const Array &array : arguments.arrays())
      evaluation.arrays.push_back(std::string(bytesOf(array)));
    evaluation.succeeded = true;
  } catch (const triton::Error &error) {
    evaluation.error = error.what();
    evaluation.isWrongLaunch = error.kind() == triton::Error::Kind::Launch;
  } catch (const std::exception &error) {
    evaluation.error = error.what();
  }
  evaluation.passes = std::move(record.passes);
  return evaluation;
}

[[noreturn]] static void runChild(const RunCommand &command, const EvaluationOptions &options, int pipe) {
  // What a crash or a count of passes prints is not the command's answer.
  if (int null = open("/dev/null", O_WRONLY); null >= 0)
    dup2(null, STDERR_FILENO);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    std::signal(signal, SIG_DFL);
  alarm(unsigned(options.timeLimit));
  sendTo(pipe, launchHere(command, options));
  _exit(0);
}

static std::string readAll(int pipe) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(buffer, std::size_t(count));
  }
}

Evaluation tritonc::evaluate(const RunCommand &command, const EvaluationOptions &options) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0)
    throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    runChild(command, options, ends[1]);
  }
  close(ends[1]);
  std::string text = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return receive(text);
  Evaluation evaluation;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    evaluation.error = "it does not end within " + std::to_string(options.timeLimit) + " s";
  else if (WIFSIGNALED(status))
    evaluation.error = std::string("the compiler or the kernel crashed: ") + strsignal(WTERMSIG(status));
  else
    evaluation.error = "the process ended with exit code " + std::to_string(WEXITSTATUS(status));
  return evaluation;
}
