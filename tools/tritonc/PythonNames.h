// Asks Python for the values of names that kernels read and no text shows, such as a function that a module chooses.
#pragma once

#include "Commands.h"

#include "frontend/ModuleLoader.h"

#include <map>
#include <memory>
#include <mutex>

namespace tritonc {

class PythonNames {
public:
  /// Python starts with the first question, imports the kernels' file as a program would, and ends with this object.
  static std::shared_ptr<PythonNames> forKernels(const KernelOptions &options);
  /// The program of Python that is asked: that of the options, or of the environment.
  static std::string programFor(const KernelOptions &options);
  ~PythonNames();

  /// What the name denotes in the file. Where Python does not say, the description says why. python/triton/tools/
  /// kernel_names.py answers.
  std::optional<triton::frontend::HostValue> ask(const std::string &file, std::string_view name);

private:
  PythonNames(std::string file, std::string python, int socket)
      : file(std::move(file)), python(std::move(python)), socket(socket) {}
  void start();
  triton::frontend::HostValue answer(const std::string &asking, std::string_view name);
  /// The line that answers this one; none when nobody does.
  std::optional<std::string> exchange(const std::string &line);

  std::string file, python;
  int socket = -1, process = 0; ///< 0: not started
  std::string problem;          ///< why nobody answers
  std::string received;         ///< and not yet read
  std::map<std::pair<std::string, std::string>, triton::frontend::HostValue> known;
  std::mutex mutex;
};

} // namespace tritonc
