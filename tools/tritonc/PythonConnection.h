// A Python program that answers questions, one line of JSON each: python/triton/tools/kernel_names.py.
#pragma once

#include "llvm/Support/JSON.h"

#include <mutex>
#include <optional>
#include <string>

namespace tritonc {

/// Python is started when there is a question. Thread-safe.
class PythonConnection {
public:
  /// `socket`: to a program that answers; -1: the Python of this name is started for that file, or, without a file, for
  /// the names of the package alone, without modules of the present folder.
  PythonConnection(std::string file, std::string python, int socket = -1)
      : file(std::move(file)), python(std::move(python)), socket(socket) {}
  PythonConnection(const PythonConnection &) = delete;
  PythonConnection &operator=(const PythonConnection &) = delete;
  ~PythonConnection();

  /// The answer; none when nobody answers, for which `problem` has the reason.
  std::optional<llvm::json::Object> ask(llvm::json::Object question);
  std::string problem();

private:
  void start();
  /// The line that answers this one; none when nobody does.
  std::optional<std::string> exchange(const std::string &line);

  const std::string file, python;
  std::mutex mutex;
  int socket, process = 0; ///< 0: not started
  std::string reason;      ///< why nobody answers
  std::string received;    ///< and not yet read
};

} // namespace tritonc
