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
// Follows the enumerations, because it uses them.
#include "ir/AtomicOpInterface.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/TritonAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/TritonTypes.h.inc"

namespace triton::tt {

/// On a module whose kernel depends on the number of warps of a program: the compiler may not choose fewer.
constexpr llvm::StringLiteral fixedWarpsAttribute = "tt.fixed_warps";
/// Of a module: how many blocks of a cluster run one program. Without it there is one.
constexpr llvm::StringLiteral blocksAttribute = "tt.blocks";
/// On the load of a block that all of these load at the same time.
constexpr llvm::StringLiteral allBlocksAttribute = "tt.all_blocks";
/// What `tt.blocks` says of the module that contains `op`.
unsigned getBlocks(mlir::Operation *op);

/// The type that represents float8e4b15, which MLIR lacks. It has the same bits, but another bias. Constants of it do
/// not exist, because MLIR would interpret them as other numbers.
using Float8E4B15Type = mlir::Float8E4M3B11FNUZType;

/// `element` with the shape of `like`: a scalar for a scalar, otherwise a tensor with the shape and encoding of `like`.
mlir::Type withElementType(mlir::Type like, mlir::Type element);

/// The result of a load through a value of this type: an element, a tensor of elements, or the block. Null when the
/// type is not a pointer.
mlir::Type getPointeeType(mlir::Type pointer);

/// i1 with the shape of `type`.
mlir::Type getI1SameShape(mlir::Type type);

/// The pointer to the elements of the block to which a block pointer points.
mlir::Type getElementPointerType(mlir::Type blockPointer);

/// Whether `type` points to a tensor.
bool isBlockPointer(mlir::Type type);

/// Whether the types in two lists are equal, except that encodings with the same meaning may be written in different
/// ways.
bool areTypesEquivalent(mlir::TypeRange left, mlir::TypeRange right);

} // namespace triton::tt

#define GET_OP_CLASSES
#include "ir/TritonOps.h.inc"
