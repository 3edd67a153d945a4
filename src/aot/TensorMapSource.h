// The C that encodes the tensor maps of a launch, which say to the bulk copies of a GPU where arrays are.
#pragma once

#include "aot/CTypes.h"

#include "base/CompiledKernel.h"

namespace triton::aot {

/// The parts of a source for a kernel that takes tensor maps; all are empty for other kernels.
struct TensorMapSource {
  std::string storage;      ///< a variable for what lies in the GPU's memory, for code with one context
  std::string definitions;  ///< functions and constants, which stand before the others
  std::string locals;       ///< of the function that loads
  std::string preparing;    ///< statements that follow the loading of a module; they set `code`
  std::string publishing;   ///< statements before other threads can find the module
  std::string unloading;    ///< statements
  std::string declarations; ///< of the maps in a launch
  std::string encoding;     ///< statements of a launch, which return where an array cannot be described
  std::string arguments;    ///< "&tt_maps[0], "
};

/// How a source reaches the driver and what it keeps for tensor maps.
struct TensorMapHost {
  std::string driver;  ///< what stands before the names of its functions
  std::string padding; ///< the expression of the address at which a GPU has the bytes of padding
};

/// `names` are the expressions of the runtime arguments.
TensorMapSource writeTensorMaps(const Specification &specification, const base::CompiledKernel &kernel,
                                llvm::ArrayRef<std::string> names, const TensorMapHost &host);

} // namespace triton::aot
