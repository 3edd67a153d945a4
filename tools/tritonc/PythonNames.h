// Asks Python for the values of names that kernels read and no text shows, such as a function that a module chooses.
#pragma once

#include "Commands.h"
#include "PythonConnection.h"

#include "frontend/ModuleLoader.h"

#include <map>
#include <memory>
#include <mutex>

namespace tritonc {

class PythonNames {
public:
  explicit PythonNames(std::shared_ptr<PythonConnection> python) : python(std::move(python)) {}
  /// The program of Python that is asked: that of the options, or of the environment.
  static std::string programFor(const KernelOptions &options);

  /// What the name denotes in the file, which Python imports as a program would. Where Python does not say, the
  /// description says why. python/triton/tools/kernel_names.py answers.
  std::optional<triton::frontend::HostValue> ask(const std::string &file, std::string_view name);

private:
  triton::frontend::HostValue answer(const std::string &asking, std::string_view name);

  const std::shared_ptr<PythonConnection> python;
  std::map<std::pair<std::string, std::string>, triton::frontend::HostValue> known;
  std::mutex mutex;
};

} // namespace tritonc
