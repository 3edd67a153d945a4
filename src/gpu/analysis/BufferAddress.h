// Accesses of global memory by a base that all threads share and an offset of each thread.
#pragma once

#include "analysis/AxisInfo.h"

namespace triton::analysis {

/// The addresses `base` + `offsets`. An access by them works with offsets of 32 bits, whose sign does not count: where
/// the mask is true, no offset in bytes is negative, and none reaches 2^31 if the access is within an array.
struct BufferAddress {
  mlir::Value base;       ///< a scalar pointer, which is in an array or behind it
  mlir::Value offsets;    ///< a tensor of elements; null: all are 0
  bool needsMask = false; ///< where the mask is false, offsets may be negative
};

/// Those of `pointers`, a tensor, under `mask`, which may be null; none if they cannot be proved.
std::optional<BufferAddress> findBufferAddress(const AxisInfoAnalysis &axisInfo, mlir::Value pointers,
                                               mlir::Value mask);

/// Whether `scalar` is computed from the kernel's arguments and numbers of programs alone, so that every compiler sees
/// that all threads have the same value.
bool isPlainlyUniform(mlir::Value scalar);

} // namespace triton::analysis
