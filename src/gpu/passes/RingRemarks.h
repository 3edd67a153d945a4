// What remarks say about rings of buffers.
#pragma once

#include "gpu/analysis/Allocation.h"
#include "ir/Remarks.h"

namespace triton::ttg {

/// An element of the fact "rings" of a loop: the load that fills `slots` buffers of type `slot`.
inline mlir::Attribute describeRing(mlir::Location load, int64_t slots, MemDescType slot) {
  mlir::Builder builder(slot.getContext());
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("load", load), builder.getNamedAttr("slots", builder.getI64IntegerAttr(slots)),
       builder.getNamedAttr("slot_bytes", builder.getI64IntegerAttr(int64_t(analysis::getBufferBytes(slot))))});
}

} // namespace triton::ttg
