#include "PythonNames.h"
#include "PythonObjects.h"

#include <cstdlib>

using namespace tritonc;
using llvm::json::Object;
using triton::frontend::HostValue;

std::string PythonNames::programFor(const KernelOptions &options) {
  if (!options.python.empty())
    return options.python;
  const char *environment = std::getenv("VIRTUAL_ENV");
  return environment ? std::string(environment) + "/bin/python" : "python3";
}

HostValue PythonNames::answer(const std::string &asking, std::string_view name) {
  HostValue value;
  std::optional<Object> answer = python->ask(Object{{"file", asking}, {"name", std::string(name)}});
  if (!answer) {
    value.description = "a value that only Python can compute; " + python->problem() +
                        " (name a Python that has this package and what the file imports by `--python`)";
    return value;
  }
  auto text = [&](const char *name) { return answer->getString(name).value_or("").str(); };
  value.object = readObject(python, *answer);
  value.isConstexpr = answer->getBoolean("constexpr").value_or(false);
  value.member = text("member");
  value.file = text("file");
  value.function = text("function");
  value.line = unsigned(answer->getInteger("line").value_or(0));
  value.description = text("description");
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
