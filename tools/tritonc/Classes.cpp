// tritonc classes: which variants the launches of a kernel can need. Launches are Python's, and so is what decides them
// (python/triton/tools/classes.py).
#include "Commands.h"
#include "PythonNames.h"

#include "llvm/ADT/STLExtras.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace tritonc;

void tritonc::listClasses(const ClassesCommand &command) {
  if (command.kernel.input.empty())
    throw UsageError("name a kernel as file.py:kernel");
  std::string python = PythonNames::programFor(command.kernel);
  std::vector<std::string> words = {
      python, "-m", "triton.tools.classes", command.kernel.input, "--target", command.kernel.target};
  for (const std::string &argument : command.arguments)
    words.push_back("--arg=" + argument);
  if (command.json)
    words.push_back("--json");
  std::vector<char *> arguments;
  llvm::append_range(arguments, llvm::map_range(words, [](std::string &word) { return word.data(); }));
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  throw UsageError("`" + python + "` does not start: " + std::strerror(errno) +
                   "; name a Python that has this package by `--python`");
}
