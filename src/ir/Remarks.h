// What passes say about the speed of a kernel: decisions, improvements that they could not make, and facts. Each is one
// of MLIR's remarks. Where nobody listens a remark is null and costs a comparison: what only it needs stands under
// `if (remark)`.
//
//   remarks::missed(loop, remarks::loop, "Pipeline") << "the loop is not pipelined" << remark::reason("{0}", why);
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace triton::remarks {

using mlir::remark::add;
using mlir::remark::metric;
using mlir::remark::reason;
using mlir::remark::suggest;
using mlir::remark::detail::InFlightRemark;
/// A fact with its name. Attributes keep their types: numbers, texts, lists, dictionaries, and locations.
using Fact = mlir::remark::detail::Remark::Arg;

// What a remark is about: its category.
inline constexpr llvm::StringLiteral access = "access"; ///< of global memory
inline constexpr llvm::StringLiteral conversion = "conversion", layout = "layout", loop = "loop", product = "product",
                                     program = "program";

namespace detail {
inline mlir::remark::RemarkOpts describe(llvm::StringRef category, llvm::StringRef name) {
  return mlir::remark::RemarkOpts::name(name).category(category);
}
} // namespace detail

/// What a pass decided or improved. `name` is one word that programs can look for.
inline InFlightRemark decided(mlir::Location place, llvm::StringRef category, llvm::StringRef name) {
  return mlir::remark::passed(place, detail::describe(category, name));
}
inline InFlightRemark decided(mlir::Operation *op, llvm::StringRef category, llvm::StringRef name) {
  return decided(op->getLoc(), category, name);
}

/// What would make the kernel faster and was not done: a sentence, `reason`, and `suggest` what the user can do. The
/// fact "Cause", a location, is where the reason lies.
inline InFlightRemark missed(mlir::Location place, llvm::StringRef category, llvm::StringRef name) {
  return mlir::remark::missed(place, detail::describe(category, name));
}
inline InFlightRemark missed(mlir::Operation *op, llvm::StringRef category, llvm::StringRef name) {
  return missed(op->getLoc(), category, name);
}

/// Facts about the program as it is.
inline InFlightRemark found(mlir::Operation *op, llvm::StringRef category, llvm::StringRef name) {
  return mlir::remark::analysis(op->getLoc(), detail::describe(category, name));
}

/// Whether somebody wants remarks at all.
inline bool areWanted(mlir::Operation *op) { return op->getContext()->getRemarkEngine() != nullptr; }

} // namespace triton::remarks
