// The metadata of a compiled kernel: a JSON object for users and for the cache.
#pragma once

#include "compiler/Compiler.h"
#include "compiler/Environment.h"

#include "llvm/Support/JSON.h"

namespace triton::compiler {

/// The runtime arguments among `arguments`, tuples flattened, in ABI order.
std::vector<Argument> flattenRuntimeArguments(const std::vector<Argument> &arguments);

/// Fills kernel.metadata from the kernel's other members, the options and what the stages left.
void buildMetadata(CompiledKernel &kernel, const Options &options, const Environment &environment,
                   llvm::json::Object fromStages);

/// Sets the members that `metadata` holds: name, target, arguments, scratchBytes. False when it is not metadata of the
/// kernel with kernel.hash.
bool restoreFromMetadata(CompiledKernel &kernel, const std::string &metadata);

} // namespace triton::compiler
