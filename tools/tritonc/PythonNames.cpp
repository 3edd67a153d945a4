#include "PythonNames.h"
#include "KernelInput.h"

#include "base/Json.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tritonc;
using llvm::StringRef;
using llvm::json::Object;
using triton::frontend::HostValue;
using triton::frontend::ObjectRef;

constexpr char answerer[] = "triton.tools.kernel_names";

std::string PythonNames::programFor(const KernelOptions &options) {
  if (!options.python.empty())
    return options.python;
  const char *environment = std::getenv("VIRTUAL_ENV");
  return environment ? std::string(environment) + "/bin/python" : "python3";
}

std::shared_ptr<PythonNames> PythonNames::forKernels(const KernelOptions &options) {
  KernelPath path = splitInput(options.input);
  return std::shared_ptr<PythonNames>(new PythonNames(path.file, programFor(options), options.pythonSocket));
}

PythonNames::~PythonNames() {
  if (socket >= 0)
    close(socket); // which ends the process
  if (process > 0)
    waitpid(process, nullptr, 0);
}

void PythonNames::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    problem = "there is no socket for it";
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
  const char *arguments[] = {python.c_str(), "-m", answerer, file.c_str(), nullptr};
  pid_t started = 0;
  int error = posix_spawnp(&started, python.c_str(), &actions, &attributes, const_cast<char **>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    problem = "`" + python + "` does not start: " + std::strerror(error);
    return;
  }
  process = started;
  socket = ends[0];
}

std::optional<std::string> PythonNames::exchange(const std::string &line) {
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

/// A number, a text, None, a type or a tuple of these; null for others.
static ObjectRef readObject(const Object &answer) {
  namespace frontend = triton::frontend;
  if (answer.get("none"))
    return frontend::makeNone();
  if (std::optional<bool> value = answer.getBoolean("bool"))
    return frontend::makeObject(*value);
  if (std::optional<StringRef> digits = answer.getString("int"))
    return frontend::makeObject(
        llvm::APSInt(llvm::APInt(unsigned(digits->size()) * 4 + 8, *digits, 10), /*isUnsigned=*/false));
  if (std::optional<StringRef> digits = answer.getString("float"))
    return frontend::makeObject(std::strtod(digits->str().c_str(), nullptr));
  if (std::optional<StringRef> text = answer.getString("str"))
    return frontend::makeObject(text->str());
  if (std::optional<StringRef> name = answer.getString("dtype")) {
    std::optional<triton::base::ElementType> type = triton::base::parseElementType(name->str());
    return type ? frontend::makeObject(*type) : nullptr;
  }
  const llvm::json::Array *elements = answer.getArray("tuple");
  if (!elements)
    return nullptr;
  frontend::Tuple tuple;
  tuple.typeName = answer.getString("type").value_or("").str();
  for (const llvm::json::Value &element : *elements) {
    const Object *object = element.getAsObject();
    tuple.elements.push_back(object ? readObject(*object) : nullptr);
    if (!tuple.elements.back())
      return nullptr;
  }
  if (const llvm::json::Array *names = answer.getArray("fields"))
    for (const llvm::json::Value &name : *names)
      tuple.fieldNames.push_back(name.getAsString().value_or("").str());
  return frontend::makeObject(std::move(tuple));
}

static HostValue readAnswer(const Object &answer) {
  auto text = [&](const char *name) { return answer.getString(name).value_or("").str(); };
  HostValue value;
  value.object = readObject(answer);
  value.isConstexpr = answer.getBoolean("constexpr").value_or(false);
  value.member = text("member");
  value.file = text("file");
  value.function = text("function");
  value.line = unsigned(answer.getInteger("line").value_or(0));
  value.description = text("description");
  return value;
}

HostValue PythonNames::answer(const std::string &asking, std::string_view name) {
  HostValue value;
  if (socket < 0 && problem.empty())
    start();
  std::optional<std::string> line;
  if (problem.empty()) {
    std::string question;
    llvm::raw_string_ostream(question) << llvm::json::Value(Object{{"file", asking}, {"name", std::string(name)}})
                                       << "\n";
    line = exchange(question);
    if (!line)
      problem = "`" + python + " -m " + answerer + "` does not answer";
  }
  if (!line) {
    value.description = "a value that only Python can compute; " + problem +
                        " (name a Python that has this package and what the file imports by `--python`)";
    return value;
  }
  llvm::Expected<llvm::json::Value> parsed = triton::base::parseJson(*line);
  if (const Object *object = parsed ? parsed->getAsObject() : nullptr)
    value = readAnswer(*object);
  llvm::consumeError(parsed.takeError());
  return value;
}

std::optional<HostValue> PythonNames::ask(const std::string &asking, std::string_view name) {
  std::lock_guard lock(mutex);
  std::pair<std::string, std::string> key(asking, name);
  auto found = known.find(key);
  if (found == known.end())
    found = known.emplace(key, answer(asking, name)).first;
  return found->second;
}
