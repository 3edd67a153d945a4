// The dialect ttg: the program of dialect tt with a decision for every tensor about which thread holds which element, and
// explicit shared memory.
#ifndef TRITON_GPU_IR_DIALECT_TD
#define TRITON_GPU_IR_DIALECT_TD

include "mlir/IR/OpBase.td"

def TritonGPU_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::triton::ttg";
  let summary = "tile programs whose tensors are distributed over the threads of a GPU";
  let description = [{
    Tensors carry an encoding that stands for a linear layout (register, lane, warp, block) -> element. Module attributes:
    `"ttg.num-warps"`, `"ttg.threads-per-warp"`, `"ttg.num-ctas"`, `ttg.target` ("family:architecture"), where
    some warps only move data, `ttg.launch_warps`, the warps that a launch starts, and perhaps `ttg.resident_programs`, the
    programs that a multiprocessor should run at once, and, once allocated, `ttg.shared`, the bytes of shared memory. A
    kernel may have tensor descriptors as its last arguments, each with the attribute `ttg.tensor_map`: tensor maps that the launch encodes.
  }];
  let dependentDialects = ["::triton::tt::TritonDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();

    /// Besides those of this dialect, `#ttg.amd_rotating_shared`, which is read as what it describes.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;

    /// Operations that Triton spells otherwise since 3.9.
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif
