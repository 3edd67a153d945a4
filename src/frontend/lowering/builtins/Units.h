// What functions of Gluon for units of GPUs share: barriers in shared memory, numbers of buffers, and
// truth values.
#pragma once

#include "frontend/lowering/builtins/Functions.h"

namespace triton::frontend::builtin {

/// A barrier in shared memory; reports other values, and targets without such.
mlir::Value barrierArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name = "mbarrier");
mlir::Value barrierValue(Lowering &lowering, const Value &value, SourceRange range);
constexpr int64_t mostOfBarrier = (int64_t(1) << 20) - 1; ///< arrivals, or bytes, that a phase of a barrier counts
/// The parity of the phase for which the call waits, an i32.
mlir::Value awaitedPhase(Lowering &lowering, CallArguments &arguments);
/// All threads of the program wait for each other, also where no accesses of buffers need it.
void meet(Lowering &lowering);
/// The argument `index`, an i32: the number of one of the buffers of this type.
mlir::Value bufferNumber(Lowering &lowering, CallArguments &arguments, const TensorType &buffers);
/// A truth value that is the same for all threads, as an i1.
mlir::Value conditionArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// The same of one of the values that the argument has.
mlir::Value conditionValue(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, const Value &value);

} // namespace triton::frontend::builtin
