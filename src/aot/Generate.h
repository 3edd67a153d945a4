// Writes the C of a compiled kernel: its machine code, and functions that load, launch and unload it.
#pragma once

#include "aot/Specification.h"

#include "base/CompiledKernel.h"

#include <string>
#include <vector>

namespace triton::aot {

struct GeneratedFile {
  std::string name; ///< of a file, or the part of it that follows a name that the caller chooses
  std::string text;
};

/// The extensions ".h" and ".c" with their texts, which follow from the arguments alone. Throws Error when the kernel
/// needs what a call from C cannot give it.
std::vector<GeneratedFile> generateC(const Specification &specification, const base::CompiledKernel &kernel);

} // namespace triton::aot
