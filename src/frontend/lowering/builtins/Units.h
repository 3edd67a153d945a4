// What functions of Gluon for the units of NVIDIA's GPUs share: barriers in shared memory, numbers of buffers, and
// truth values.
#pragma once

#include "frontend/lowering/builtins/Functions.h"

namespace triton::frontend::builtin {

/// A barrier in shared memory; reports other values, and targets without such.
mlir::Value barrierArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name = "mbarrier");
mlir::Value barrierValue(Lowering &lowering, const Value &value, SourceRange range);
/// The argument `index`, an i32: the number of one of the buffers of this type.
mlir::Value bufferNumber(Lowering &lowering, CallArguments &arguments, const TensorType &buffers);
/// A truth value that is the same for all threads, as an i1.
mlir::Value conditionArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// The same of one of the values that the argument has.
mlir::Value conditionValue(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, const Value &value);

} // namespace triton::frontend::builtin
