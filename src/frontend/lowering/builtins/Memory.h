// What loads, stores and atomics share.
#pragma once

#include "frontend/lowering/builtins/Builtin.h"
#include "ir/Dialect.h"

namespace triton::frontend::builtin {

/// Reads the argument `cache_policy` of Gluon's functions into `cache_modifier` and `eviction_policy`, which must not
/// be given beside it.
void applyCachePolicy(Lowering &lowering, CallArguments &arguments);
/// The argument `pointer`: a scalar or block of pointers, which must not point to read-only memory if `forWriting`.
Tensor pointerArgument(Lowering &lowering, CallArguments &arguments, bool forWriting);
/// A pointer to booleans as a pointer to the bytes that contain them; other pointers unchanged.
Tensor asBytes(Lowering &lowering, const Tensor &pointer);
/// The argument `mask`, which must be boolean.
Tensor maskArgument(Lowering &lowering, CallArguments &arguments);
/// Broadcasts the pointer and the operands, each with the name of its argument, to one shape.
void bringToOneShape(Lowering &lowering, CallArguments &arguments, Tensor &pointer,
                     llvm::ArrayRef<std::pair<llvm::StringRef, Tensor *>> operands);
/// The pointer and the argument `mask`, if it is given, in one shape; the mask, or null.
mlir::Value broadcastMask(Lowering &lowering, CallArguments &arguments, Tensor &pointer);
/// The same, with one more operand.
mlir::Value broadcastMask(Lowering &lowering, CallArguments &arguments, Tensor &pointer, llvm::StringRef name,
                          Tensor &operand);

/// An atomic operation between the elements of a block and those of an array.
struct DescriptorReduction {
  llvm::StringLiteral name; ///< such as `atomic_add`
  tt::DescriptorReduceKind kind;
  llvm::ArrayRef<ScalarType> types; ///< that it takes
};

/// The reduction of this name, which must exist.
const DescriptorReduction *findReduction(llvm::StringRef name);

/// The arguments `ptr` and `offsets` as one block of pointers, of a function that Gluon has for AMD's GPUs.
Tensor bufferPointers(Lowering &lowering, CallArguments &arguments, bool forWriting);
/// Reports operands that would give the access another shape than the argument `offsets` has.
void checkBufferShape(Lowering &lowering, CallArguments &arguments, const Tensor &pointers);

/// Integer scalars converted to `type`: sizes, strides and offsets of block pointers and descriptors.
llvm::SmallVector<Tensor, 4> scalarsArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name,
                                             ScalarType type);
/// Reports a sequence whose length is not the number of dimensions.
void checkRank(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, size_t count, size_t rank);
llvm::SmallVector<mlir::Value, 4> irValues(llvm::ArrayRef<Tensor> tensors);

} // namespace triton::frontend::builtin
