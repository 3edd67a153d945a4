// The dialect tt: its types, enumerations and operations.
#pragma once

#include "ir/Traits.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/TritonDialect.h.inc"
#include "ir/TritonEnums.h.inc"
// After the enumerations, which it names.
#include "ir/AtomicOpInterface.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/TritonAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TritonTypes.h.inc"

namespace triton::tt {

/// Of a module whose kernel knows how many warps a program has: the compiler may not choose fewer.
constexpr llvm::StringLiteral fixedWarpsAttribute = "tt.fixed_warps";

/// The type that stands for float8e4b15, which MLIR lacks: it has as many bits of each kind, but another bias. There
/// are no constants of it, since MLIR would take them for other numbers.
using Float8E4B15Type = mlir::Float8E4M3B11FNUZType;

/// `element` in the shape of `like`: a scalar for a scalar, else a tensor with the shape and encoding of `like`.
mlir::Type withElementType(mlir::Type like, mlir::Type element);

/// What a load through a value of this type yields: an element, a tensor of elements, or the block. Null when the type
/// is no pointer.
mlir::Type getPointeeType(mlir::Type pointer);

/// i1 in the shape of `type`.
mlir::Type getI1SameShape(mlir::Type type);

/// The pointer to the elements of the block that a block pointer points to.
mlir::Type getElementPointerType(mlir::Type blockPointer);

/// Whether `type` points to a tensor.
bool isBlockPointer(mlir::Type type);

/// Whether two lists of types differ at most in how encodings of the same meaning are written.
bool areTypesEquivalent(mlir::TypeRange left, mlir::TypeRange right);

} // namespace triton::tt

#define GET_OP_CLASSES
#include "ir/TritonOps.h.inc"
