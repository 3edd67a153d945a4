// The metadata of a compiled kernel: a JSON object for users and for the cache.
#pragma once

#include "base/Environment.h"
#include "compiler/Compiler.h"

namespace triton::compiler {

/// Changes with what machine code and its metadata ask of the launch, such as hidden arguments, members below and
/// functions of the runtime that are no more, and with the forms in which bundles have both. Releases that differ in
/// the last part of their version alone have the same, so that they read each other's bundles.
inline constexpr int launchFormat = 2;

/// The runtime arguments among `arguments`, tuples flattened, in ABI order.
std::vector<RuntimeArgument> flattenRuntimeArguments(const std::vector<Argument> &arguments);

/// The JSON text of everything in `kernel` except the artifacts, and of the variables that decided the code.
std::string writeMetadata(const CompiledKernel &kernel, const Environment &environment);

/// Sets the members of `kernel` that writeMetadata wrote and that launches need. False when `text` is not metadata of
/// the kernel with kernel.hash.
bool readMetadata(CompiledKernel &kernel, const std::string &text);

/// What readMetadata sets, except for the JSON text, as bytes that take no parser: the first launch of a kernel from a
/// bundle reads them. `kernel` stays as it is.
std::string packForLaunches(CompiledKernel &kernel);
/// Sets these members. False when `bytes` is not of the kernel with kernel.hash.
bool readPacked(CompiledKernel &kernel, llvm::StringRef bytes);

} // namespace triton::compiler
