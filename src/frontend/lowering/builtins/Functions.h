// The lowering functions that Builtins.def and Libdevice.def name, and helpers that several of their files share.
#pragma once

#include "frontend/BuiltinDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/builtins/Builtin.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "ir/Dialect.h"

#include <limits>

namespace triton::frontend::builtin {

#define TRITON_BUILTIN(function, name, group, flags, parameters, result, documentation)                                \
  Value function(Lowering &lowering, CallArguments &arguments);
#include "frontend/lowering/builtins/Builtins.def"

/// The backends of the vendors whose GPUs the language has functions for.
constexpr llvm::StringLiteral nvidia = "cuda", amd = "hip";
/// Reports the use of a function of one vendor's GPUs for another target.
void requireVendor(Lowering &lowering, CallArguments &arguments, llvm::StringRef vendor);
/// Raises an error unless the target is an AMD GPU whose architecture begins so. Modules of architectures have
/// functions of the same name.
void requireArchitecture(Lowering &lowering, CallArguments &arguments, llvm::StringRef architecture);

/// The argument as a 64-bit integer; reports any other value.
int64_t integerArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// An integer from `least` to `most`. `refusal` says what the builtin cannot do with another one, for which `{0}`
/// stands.
int64_t countArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, const char *refusal,
                      int64_t least, int64_t most = std::numeric_limits<int32_t>::max());
bool booleanArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// A string; `None` counts as the empty string.
std::string stringArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// A dtype, also in the form of a block type.
ElementType dtypeArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// A dtype that elements may have: any but `tl.void`.
ElementType elementTypeArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// Raises an error unless the type says what the argument, a pointer or a block of them, points to.
void requirePointee(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// A list of ints: one int, a tuple, or, for a variadic parameter, several ints.
llvm::SmallVector<int64_t, 4> integersArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// As integersArgument, checked as the shape of a block.
llvm::SmallVector<int64_t, 4> shapeArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// The layout of a block of this shape that the argument `layout` names. Null for builtins without this parameter and
/// for `None`.
mlir::Attribute layoutArgument(Lowering &lowering, CallArguments &arguments, llvm::ArrayRef<int64_t> shape);
/// A dimension of a tensor of this rank, negative ones counted from the end.
int64_t axisArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, int64_t rank);
/// A tensor, or a number as a tensor.
Tensor tensorArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name);
/// How a cast to a narrower float rounds: the argument `fp_downcast_rounding`.
Rounding roundingArgument(Lowering &lowering, CallArguments &arguments);
/// The elements of a tuple, or the one value.
std::vector<Value> valuesArgument(CallArguments &arguments, llvm::StringRef name);

/// The hints of an access of global memory.
tt::EvictionPolicy evictionPolicy(Lowering &lowering, CallArguments &arguments);
tt::CacheModifier cacheModifier(Lowering &lowering, CallArguments &arguments, bool isStore,
                                llvm::StringRef name = "cache_modifier");

/// The index of one of the keywords that the parameter takes; reports any other. The keywords are separated by commas.
unsigned choiceArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name,
                        llvm::ArrayRef<llvm::StringLiteral> choices);

/// `PropagateNan.NONE` and `PropagateNan.ALL` as compile-time objects; null for other names.
ObjectRef propagateNanObject(llvm::StringRef name);

/// Lowers a call of a jit function on arguments of these types as the only block of a region. The caller terminates the
/// block with the results; the insertion point is left at its end.
llvm::SmallVector<Tensor, 2> lowerCombineRegion(Lowering &lowering, mlir::Region &region, const Value &function,
                                                llvm::ArrayRef<TensorType> scalars, SourceRange range);

} // namespace triton::frontend::builtin
