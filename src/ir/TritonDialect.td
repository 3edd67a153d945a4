// The dialect tt: kernels as programs over tensors and pointers. It does not know threads or layouts.
#ifndef TRITON_IR_DIALECT_TD
#define TRITON_IR_DIALECT_TD

include "mlir/IR/OpBase.td"

def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::triton::tt";
  let summary = "tile programs over tensors and pointers";
  let description = [{
    One function is run once for each point of the launch grid. Its values are scalars, pointers and statically shaped
    tensors whose extents are powers of two. Threads, warps and data layouts do not exist at this level.
    The textual form is the one of Triton 3.6; that of 3.9 is read too.

    Scalar and elementwise arithmetic comes from `arith` and `math`, control flow from `scf`, `cf` and `ub`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerInterfaces();
    void attachAssumptionModels();

    /// Operations that Triton spells otherwise since 3.9.
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif
