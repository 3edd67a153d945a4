#include "RecordedLaunches.h"
#include "KernelInput.h"
#include "PythonNames.h"

#include "base/Json.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace tritonc;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

RecordedLaunches::RecordedLaunches(const std::vector<std::string> &files, const KernelOptions &options) {
  if (files.empty())
    return;
  if (std::error_code error = fs::createUniqueDirectory("triton-launches", folder))
    throw UsageError("there is no folder for the arrays of launches: " + error.message());
  try {
    read(files, options);
  } catch (...) {
    fs::remove_directories(folder);
    throw;
  }
}

RecordedLaunches::~RecordedLaunches() { removeFiles(); }

void RecordedLaunches::removeFiles() const {
  if (!folder.empty())
    fs::remove_directories(folder);
}

void RecordedLaunches::read(const std::vector<std::string> &files, const KernelOptions &options) {
  std::string python = PythonNames::programFor(options);
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(python);
  llvm::SmallString<128> output = folder, problem = folder;
  llvm::sys::path::append(output, "launches.json");
  llvm::sys::path::append(problem, "problem.txt");
  std::vector<StringRef> words = {python, "-m", "triton.tools.recorded_launches", folder, options.target};
  llvm::append_range(words, files);
  const std::optional<StringRef> redirections[] = {StringRef(), StringRef(output), StringRef(problem)};
  std::string notStarted;
  int status = program ? llvm::sys::ExecuteAndWait(*program, words, std::nullopt, redirections, 0, 0, &notStarted) : -1;
  if (status < 0)
    throw UsageError("`" + python + "` does not start" + (notStarted.empty() ? "" : ": " + notStarted) +
                     "; name a Python that has this package by `--python`");
  if (status > 0) { // what is wrong stands last, behind a traceback if Python has one
    std::string text = readFile(problem.str().str());
    throw UsageError("a launch cannot be read: " +
                     StringRef(text).trim().substr(StringRef(text).trim().rfind('\n') + 1).str());
  }
  llvm::Expected<llvm::json::Value> parsed = triton::base::parseJson(readFile(output.str().str()));
  if (parsed && parsed->getAsArray())
    launches = std::move(*parsed->getAsArray());
  llvm::consumeError(parsed.takeError());
}

llvm::json::Array RecordedLaunches::of(StringRef kernel) const {
  llvm::json::Array found;
  for (const llvm::json::Value &launch : launches)
    if (kernel.empty() || launch.getAsObject()->getString("kernel") == kernel)
      found.push_back(launch);
  return found;
}
