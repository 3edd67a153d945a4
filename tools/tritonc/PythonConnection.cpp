#include "PythonConnection.h"

#include "base/Json.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tritonc;
using llvm::json::Object;

static constexpr char answerer[] = "triton.tools.kernel_names";
/// An editor opens any folder: what lies there is not to be executed.
static constexpr char isolatedAnswerer[] = "import sys; sys.path[:] = filter(None, sys.path); "
                                           "from triton.tools.kernel_names import main; main()";

PythonConnection::~PythonConnection() {
  if (socket >= 0)
    close(socket); // which ends the process
  if (process > 0)
    waitpid(process, nullptr, 0);
}

void PythonConnection::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    reason = "there is no socket for it";
    return;
  }
  // Signals are blocked where a server waits for them, and Python must not inherit that.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const char *ofFile[] = {python.c_str(), "-m", answerer, file.c_str(), nullptr};
  const char *ofPackage[] = {python.c_str(), "-c", isolatedAnswerer, nullptr};
  const char **arguments = file.empty() ? ofPackage : ofFile;
  pid_t started = 0;
  int error = posix_spawnp(&started, python.c_str(), &actions, &attributes, const_cast<char **>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    reason = "`" + python + "` does not start: " + std::strerror(error);
    return;
  }
  process = started;
  socket = ends[0];
}

std::optional<std::string> PythonConnection::exchange(const std::string &line) {
  for (std::size_t sent = 0; sent < line.size();) {
    ssize_t count = send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    sent += std::size_t(count);
  }
  while (received.find('\n') == std::string::npos) {
    char buffer[4096];
    ssize_t count = recv(socket, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    received.append(buffer, std::size_t(count));
  }
  std::size_t end = received.find('\n');
  std::string answer = received.substr(0, end);
  received.erase(0, end + 1);
  return answer;
}

std::optional<Object> PythonConnection::ask(Object question) {
  std::string line;
  llvm::raw_string_ostream(line) << llvm::json::Value(std::move(question)) << "\n";
  std::lock_guard lock(mutex);
  if (socket < 0 && reason.empty())
    start();
  std::optional<std::string> answer = reason.empty() ? exchange(line) : std::nullopt;
  if (!answer) {
    if (reason.empty())
      reason = "`" + python + " -m " + answerer + "` does not answer";
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> parsed = triton::base::parseJson(*answer);
  Object *object = parsed ? parsed->getAsObject() : nullptr;
  std::optional<Object> result = object ? std::move(*object) : Object();
  llvm::consumeError(parsed.takeError());
  return result;
}

std::string PythonConnection::problem() {
  std::lock_guard lock(mutex);
  return reason;
}
