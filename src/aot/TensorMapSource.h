// The C that encodes the tensor maps of a launch, which tell the bulk copies of a GPU where arrays are.
#pragma once

#include "aot/CTypes.h"

#include "base/CompiledKernel.h"

namespace triton::aot {

/// The parts of a source for a kernel that takes tensor maps; all are empty for other kernels.
struct TensorMapSource {
  std::string definitions;  ///< functions and variables, which stand before the others
  std::string locals;       ///< of the function that loads
  std::string preparing;    ///< statements that follow the loading of a module; they set `code`
  std::string publishing;   ///< statements before other threads can find the module
  std::string unloading;    ///< statements
  std::string declarations; ///< of the maps in a launch
  std::string encoding;     ///< statements of a launch, which return where an array cannot be described
  std::string arguments;    ///< "&tt_maps[0], "
};

/// `names` are the expressions of the runtime arguments.
TensorMapSource writeTensorMaps(const Specification &specification, const base::CompiledKernel &kernel,
                                llvm::ArrayRef<std::string> names);

} // namespace triton::aot
