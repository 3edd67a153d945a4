// What a kernel in MLIR takes, as launches know it.
#pragma once

#include "base/CompiledKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace triton::backends {

/// A type of the IR as signatures spell it. None for what no launch can pass.
std::optional<base::ElementType> elementTypeOf(mlir::Type type);

/// Whether an argument of a `tt.func` is a tensor map, which a launch makes, rather than what its caller passes.
bool isTensorMap(mlir::FunctionOpInterface function, unsigned argument);

/// Reads what TTGIR says of launches: the tensor maps of the kernel of this name, the warps that are started. The error
/// says what is wrong with the attributes, which a user may have written.
llvm::Error readLaunchAttributes(mlir::ModuleOp module, llvm::StringRef kernel, base::StageResults &results);

} // namespace triton::backends
