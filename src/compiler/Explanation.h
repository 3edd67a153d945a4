// Why a kernel is as fast as it is: what its passes decided and could not do, what it moves, computes and takes of its
// machine. JSON; `tritonc explain` prints it as text. docs/tritonc.md describes the members.
#pragma once

#include "base/CompiledKernel.h"
#include "compiler/OptimizationRemarks.h"

namespace triton::compiler {

/// `resources` are the backend's (Backend::describeResources). `assemblerError` says why the last stages did not run.
std::string writeExplanation(const base::CompiledKernel &kernel, std::vector<OptimizationRemark> remarks,
                             llvm::json::Object resources, const std::string &assemblerError);

} // namespace triton::compiler
