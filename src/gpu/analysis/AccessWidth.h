// Decides how many elements one access of global memory may move.
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/target/TargetInfo.h"
#include "layout/LinearLayout.h"

namespace triton::analysis {

/// What keeps an access from being wider.
enum class WidthLimit : uint8_t {
  None,       ///< it is as wide as those of the machine
  Contiguity, ///< neighbours of the tensor are not known to be neighbours in memory
  Alignment,  ///< addresses are not known to be multiples of more bytes
  Mask,       ///< neighbours are not known to be masked alike
  Layout,     ///< a thread holds no more neighbours
};

struct AccessWidth {
  unsigned elements = 1;
  WidthLimit limit = WidthLimit::None;
};

/// Consecutive registers that one access through `pointers` under `mask`, which may be null, moves together: neighbours
/// in memory and in the registers of a thread, aligned and equally masked, at most `accessBytes` of them. 1 for what is
/// no tensor with a layout.
AccessWidth findAccessWidth(const AxisInfoAnalysis &axisInfo, mlir::Value pointers, mlir::Value mask,
                            unsigned accessBytes);
/// The same if pointers and mask were in `layout`.
AccessWidth findAccessWidth(const AxisInfoAnalysis &axisInfo, mlir::Value pointers, mlir::Value mask,
                            unsigned accessBytes, const layout::LinearLayout &layout);

inline unsigned getVectorWidth(const AxisInfoAnalysis &axisInfo, mlir::Value pointers, mlir::Value mask,
                               unsigned accessBytes) {
  return findAccessWidth(axisInfo, pointers, mask, accessBytes).elements;
}

/// The bytes to which one instruction does `atomic`: neighbouring floats are added as pairs or vectors, where the
/// machine can and nobody needs the old ones. Operations on others are single.
unsigned getAtomicBytes(tt::AtomicOpInterface atomic, const gpu::Machine &machine);

} // namespace triton::analysis
