// Compiles and runs a kernel in a process of its own, so that a wrong pass may let it crash or not end.
#pragma once

#include "Commands.h"

#include "base/CompilationRecord.h"

#include <string>
#include <vector>

namespace tritonc {

/// What a compilation and a launch gave.
struct Evaluation {
  bool succeeded = false;
  bool isWrongLaunch = false;                     ///< by its arguments or its grid, so that it never began
  std::string error;                              ///< of one that did not: an error, a crash, or no end
  std::vector<std::string> arrays;                ///< the bytes of each array after the launch
  std::vector<triton::base::RecordedPass> passes; ///< without places; of a compilation that failed, the first ones
};

struct EvaluationOptions {
  unsigned optionalPasses = ~0u; ///< how many of the passes that can be left out run
  int timeLimit = 60;            ///< seconds
  triton::base::PassEdit edit = nullptr;
  std::string ttir = {}; ///< compiled in place of the kernel's source; empty: the source
};

/// The process must have no other threads.
Evaluation evaluate(const RunCommand &command, const EvaluationOptions &options);

} // namespace tritonc
