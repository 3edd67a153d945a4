// Functions that kernels name by symbol (tt.extern_elementwise): those of libdevice and of the C library.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

/// Whether libdevice (`__nv_tanhf`) or C (`tanhf`) has a function `symbol` on elements of these types.
bool isExternFunction(llvm::StringRef symbol, mlir::TypeRange operandElements, mlir::Type resultElement);

/// The function applied to `operands`, which are scalars or vectors of one length. `resultElement` is the element type
/// that the call declares. The function must exist. May emit operations of the math dialect. The insertion point must
/// be inside a module.
mlir::Value emitExternFunction(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef symbol,
                               mlir::ValueRange operands, mlir::Type resultElement, const TargetDescription &target);

} // namespace triton::cpu
