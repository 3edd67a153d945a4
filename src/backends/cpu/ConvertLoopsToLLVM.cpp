#include "backends/cpu/Passes.h"
#include "passes/llvm/ForLoops.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace triton::cpu {

#define GEN_PASS_DEF_CONVERTLOOPSTOLLVM
#include "backends/cpu/Passes.h.inc"

namespace {

struct ConvertLoopsToLLVMPass : impl::ConvertLoopsToLLVMBase<ConvertLoopsToLLVMPass> {
  void runOnOperation() override {
    mlir::MLIRContext &context = getContext();
    if (mlir::failed(lowerStructuredControlFlow()))
      return signalPassFailure();
    mlir::LLVMTypeConverter converter(&context);
    mlir::RewritePatternSet patterns(&context);
    // Some vector operations first become other vector operations.
    mlir::vector::populateVectorBroadcastLoweringPatterns(patterns);
    mlir::vector::populateVectorInterleaveToShufflePatterns(patterns);
    mlir::vector::populateVectorStepLoweringPatterns(patterns);
    mlir::vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    mlir::vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/true);
    mlir::arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    mlir::arith::populateArithToLLVMConversionPatterns(converter, patterns);
    mlir::populateVectorToLLVMConversionPatterns(converter, patterns, /*reassociateFPReductions=*/false,
                                                 /*force32BitVectorIndices=*/true);
    mlir::populateMathToLLVMConversionPatterns(converter, patterns);
    mlir::cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    mlir::populateFuncToLLVMConversionPatterns(converter, patterns);
    mlir::ub::populateUBToLLVMConversionPatterns(converter, patterns);
    mlir::LLVMConversionTarget target(context);
    target.addLegalOp<mlir::ModuleOp>();
    if (mlir::failed(mlir::applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }

private:
  mlir::LogicalResult lowerStructuredControlFlow() {
    mlir::RewritePatternSet patterns(&getContext());
    passes::populateControlFlowPatterns(patterns);
    mlir::ConversionTarget target(getContext());
    target.addIllegalDialect<mlir::scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](mlir::Operation *) { return true; });
    return mlir::applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};

} // namespace
} // namespace triton::cpu
