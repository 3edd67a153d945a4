// tritonc classes, tritonc build: which variants the launches of a kernel can need, and those variants in one file.
// Launches are Python's, and so is what decides them (classes.py and build.py in python/triton/tools).
#include "Commands.h"
#include "PythonNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace tritonc;

/// Python takes the place of this process.
[[noreturn]] static void runPython(const std::string &python, std::vector<std::string> words) {
  words.insert(words.begin(), {python, "-m"});
  std::vector<char *> arguments;
  llvm::append_range(arguments, llvm::map_range(words, [](std::string &word) { return word.data(); }));
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  throw UsageError("`" + python + "` does not start: " + std::strerror(errno) +
                   "; name a Python that has this package by `--python`");
}

void tritonc::listClasses(const ClassesCommand &command) {
  if (command.kernel.input.empty())
    throw UsageError("name a kernel as file.py:kernel");
  std::vector<std::string> words = {"triton.tools.classes", command.kernel.input, "--target", command.kernel.target};
  for (const std::string &argument : command.arguments)
    words.push_back("--arg=" + argument);
  if (command.costs)
    words.push_back("--costs");
  if (command.json)
    words.push_back("--json");
  runPython(PythonNames::programFor(command.kernel), std::move(words));
}

void tritonc::build(const BuildCommand &command) {
  if (command.kernel.input.empty())
    throw UsageError(
        "name a file of classes, which a program writes that runs with TRITON_RECORD_CLASSES=classes.jsonl");
  if (command.output.empty())
    throw UsageError("name the bundle to write: -o kernels.bundle");
  if (command.targets.empty())
    throw UsageError("name the targets, such as --target cuda:90,cpu");
  std::vector<std::string> words = {
      "triton.tools.build", command.kernel.input, "--target", llvm::join(command.targets, ","),
      "--output",           command.output,       "--jobs",   std::to_string(command.jobs)};
  if (!command.key.empty())
    words.insert(words.end(), {"--key", command.key});
  if (!command.cluster.empty())
    words.insert(words.end(), {"--cluster", command.cluster});
  runPython(PythonNames::programFor(command.kernel), std::move(words));
}
