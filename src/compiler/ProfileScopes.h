// Scopes of the profiler inside of kernels. A kernel that is compiled with the option `profile_scopes` takes a last
// argument: a table with the sum of times and the number of executions of each scope, to which its programs add.
#pragma once

#include "base/CompiledKernel.h"
#include "base/PassRunner.h"
#include "base/StageError.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace triton::compiler {

/// Removes the marks of scopes from a module that the frontend has made; if the options ask for it, adds the table to
/// the kernel and makes code of the marks. Appends the table to `arguments`. `mistake` is called for what is wrong with
/// the user's scopes, and does not return.
llvm::Error instrumentScopes(mlir::ModuleOp module, const std::string &kernel, bool isOnGpu,
                             const base::Options &options, base::PassRunner &runner,
                             std::vector<base::RuntimeArgument> &arguments,
                             llvm::function_ref<void(const base::StageMessage &)> mistake);

/// The kernel with launches that make the table and report it to the launch observer, if the kernel takes one.
std::shared_ptr<const base::LoadedKernel> withScopes(const base::CompiledKernel &kernel,
                                                     std::shared_ptr<const base::LoadedKernel> loaded);

} // namespace triton::compiler
