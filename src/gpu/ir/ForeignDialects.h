// The dialects in which Triton has what belongs to GPUs of one vendor. Most of their operations are read as those of
// dialect ttg; ForeignOps.td has what it takes several of these for, and AmdgOps.td what no other dialect has.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

bool isInTensorMemory(mlir::Type type);

namespace foreign {

/// On a module, `true`: pairs of blocks multiply, and use the unit of tensor memory together.
constexpr llvm::StringLiteral twoCtasAttribute = "ttng.two-ctas";
/// On what arrives at barriers when products are done, masks of bits of a block's number: it arrives at those of blocks
/// that differ from this one in bits of one mask alone, too.
constexpr llvm::StringLiteral arrivalBlocksAttribute = "ttg.arrival_blocks";

/// Of operations for which a GPU needs compute capability 10.0 at least.
template <typename Op> class OfBlackwell : public mlir::OpTrait::TraitBase<Op, OfBlackwell> {};

/// Checks that a buffer of this shape and element can be in tensor memory.
llvm::LogicalResult verifyTensorMemory(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                       llvm::ArrayRef<int64_t> shape, mlir::Type elementType, mlir::Attribute encoding);

} // namespace foreign
} // namespace triton::ttg

#define GET_ATTRDEF_CLASSES
#include "gpu/ir/ForeignAttrs.h.inc"

#define GET_OP_CLASSES
#include "gpu/ir/ForeignOps.h.inc"

#define GET_OP_CLASSES
#include "gpu/ir/AmdgOps.h.inc"

namespace triton::ttg {

/// A dialect with other spellings of operations.
class ForeignDialect : public mlir::Dialect {
public:
  /// Reads what follows the name of an operation.
  using Parse = mlir::ParseResult (*)(mlir::OpAsmParser &parser, mlir::OperationState &result);

  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override;

protected:
  ForeignDialect(llvm::StringRef name, mlir::MLIRContext *context, mlir::TypeID id) : Dialect(name, context, id) {}

  llvm::StringMap<Parse> spellings; ///< by the name without that of the dialect
};

class AmdgDialect : public ForeignDialect {
public:
  explicit AmdgDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "amdg"; }

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AmdgDialect)
};

class TtngDialect : public ForeignDialect {
public:
  explicit TtngDialect(mlir::MLIRContext *context);
  void registerAttributes();
  static constexpr llvm::StringLiteral getDialectNamespace() { return "ttng"; }

  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;
  void printAttribute(mlir::Attribute attribute, mlir::DialectAsmPrinter &printer) const override;

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TtngDialect)
};

} // namespace triton::ttg
