// Why a pass leaves something as it is.
#pragma once

#include "ir/Remarks.h"

namespace triton::ttg {

/// The first reason why something is not done: where what stands in the way is, and a sentence about it.
struct Refusal {
  std::optional<mlir::Location> place;
  llvm::StringRef text;

  void add(mlir::Operation *reason, llvm::StringRef why) {
    if (!place) {
      place = reason->getLoc();
      text = why;
    }
  }

  /// Says in a remark on `op` what is not done, and the reason; nothing without one.
  void report(mlir::Operation *op, llvm::StringRef category, llvm::StringRef name, llvm::StringRef what) const {
    if (!place)
      return;
    if (remarks::InFlightRemark remark = remarks::missed(op, category, name))
      remark << what << remarks::reason("{0}", text) << remarks::Fact("Cause", mlir::Attribute(*place));
  }
};

} // namespace triton::ttg
