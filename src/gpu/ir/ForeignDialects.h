// The dialects in which Triton has what belongs to GPUs of one vendor. Most of their operations are read as those of
// dialect ttg; ForeignOps.td has what it takes several of these for.
#pragma once

#include "gpu/ir/Dialect.h"

#define GET_OP_CLASSES
#include "gpu/ir/ForeignOps.h.inc"

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
  static constexpr llvm::StringLiteral getDialectNamespace() { return "ttng"; }

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TtngDialect)
};

} // namespace triton::ttg
