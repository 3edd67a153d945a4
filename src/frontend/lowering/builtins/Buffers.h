// What functions of Gluon for buffers in shared memory and in tensor memory share.
#pragma once

#include "frontend/lowering/builtins/Functions.h"
#include "gpu/ir/Dialect.h"

namespace triton::frontend::builtin {

ttg::MemDescType typeOf(const SharedBuffer &buffer);

/// The type in IR of a buffer in a memory; reports at `range` what the verifier of types says. `whole`: of a part, the
/// shape of its buffer.
ttg::MemDescType verifiedType(Lowering &lowering, const TensorType &type, mlir::Attribute memory,
                              llvm::ArrayRef<int64_t> whole, SourceRange range);

/// What the argument `value` writes to a buffer, which must be of its shape and dtype.
Tensor contentsArgument(Lowering &lowering, CallArguments &arguments, const TensorType &type);

/// The type with the dtype, the shape and the layout that the arguments of these names give instead.
TensorType reinterpretedType(Lowering &lowering, CallArguments &arguments, TensorType type);

/// What a verifier says against an operation, after its name; empty: nothing.
std::string findObjection(Lowering &lowering, llvm::function_ref<mlir::LogicalResult()> verify);

/// Reports what the verifier of an operation on buffers says, at the call.
template <typename Op> Op verified(Lowering &lowering, CallArguments &arguments, Op op) {
  if (std::string said = findObjection(lowering, [&] { return op.verify(); }); !said.empty())
    lowering.error(arguments.callRange, diagnostics::WrongView, arguments.builtin.displayName(), said);
  return op;
}

} // namespace triton::frontend::builtin
