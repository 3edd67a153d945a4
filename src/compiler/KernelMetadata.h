// The metadata of a compiled kernel: a JSON object for users and for the cache.
#pragma once

#include "base/Environment.h"
#include "compiler/Compiler.h"

namespace triton::compiler {

/// The runtime arguments among `arguments`, tuples flattened, in ABI order.
std::vector<RuntimeArgument> flattenRuntimeArguments(const std::vector<Argument> &arguments);

/// The JSON text of everything in `kernel` except the artifacts, and of the variables that decided the code.
std::string writeMetadata(const CompiledKernel &kernel, const Environment &environment);

/// Sets the members of `kernel` that writeMetadata wrote and that launches need. False when `text` is not metadata of
/// the kernel with kernel.hash.
bool readMetadata(CompiledKernel &kernel, const std::string &text);

} // namespace triton::compiler
