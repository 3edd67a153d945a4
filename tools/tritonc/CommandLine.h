// tritonc as a function, for its program and for the Python package.
#pragma once

#include "explorer/Server.h"

#include <functional>
#include <string>

namespace tritonc {

/// What whoever runs the command line has for its commands.
struct Host {
  /// Serves the explorer's page; empty where there is no server, and pages are only written.
  std::function<void(const triton::explorer::ServerOptions &)> serve;
  std::string python; ///< is asked for values that only Python can compute; empty: that of the environment
};

/// Once in a process. The exit code: 0 success, 1 an error in the kernel or its run, 2 a wrong command line, 3 a defect
/// of the compiler.
int runCommandLine(int argc, const char *const *argv, const Host &host);

} // namespace tritonc
