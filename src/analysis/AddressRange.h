// How far addresses lie behind an argument of their function.
#pragma once

#include "analysis/IndexRange.h"

namespace triton::analysis {

/// No address lies before `argument`, nor before the scalar pointer to which the tensor adds its offsets.
struct AddressRange {
  mlir::BlockArgument argument;
  int64_t mostBytes; ///< behind the scalar pointer, at most
  bool needsMask;    ///< where the mask is false, addresses may lie before

  /// Whether no address that lies in the argument's array is 2 GiB or more behind the scalar pointer: what the pointer
  /// is ahead of the argument makes the way to the end of a small array only shorter.
  bool isSmall() const;
};

/// Those of `pointers`, a tensor or one pointer, where `mask`, which may be null, is true. None if there may be an
/// address before the argument, or if there is no argument.
std::optional<AddressRange> findAddressRange(const AxisInfoAnalysis &axisInfo, mlir::Value pointers,
                                             mlir::Value mask = {});

} // namespace triton::analysis
