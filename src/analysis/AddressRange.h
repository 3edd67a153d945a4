// How far addresses lie behind an argument of their function.
#pragma once

#include "analysis/IndexRange.h"

namespace triton::analysis {

/// No address lies before the scalar pointer to which the tensor adds its offsets.
struct AddressRange {
  mlir::BlockArgument argument;
  int64_t mostBytes;   ///< behind the scalar pointer, at most
  bool needsMask;      ///< where the mask is false, addresses may lie before
  bool mayLieBefore{}; ///< the scalar pointer may lie before the argument

  /// Whether no address that lies in the argument's array is 2 GiB or more behind the scalar pointer. What the pointer
  /// is ahead of the argument makes the way to the end of a small array only shorter.
  bool isSmall() const;
};

/// Those of `pointers`, a tensor or one pointer, where `mask`, which may be null, is true. None if there may be an
/// address before the scalar pointer, or if there is no argument.
std::optional<AddressRange> findAddressRange(const AxisInfoAnalysis &axisInfo, mlir::Value pointers,
                                             mlir::Value mask = {});

} // namespace triton::analysis
