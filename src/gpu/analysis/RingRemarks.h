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

/// Says that loads of `loop` have fewer buffers than was asked for.
inline void reportFewerStages(mlir::Operation *loop, int64_t stages, int64_t wanted) {
  remarks::missed(loop, remarks::loop, "Stages")
      << remarks::add("the loop has {0} of {1} stages", stages, wanted)
      << remarks::reason("shared memory holds no more buffers for its loads");
}

} // namespace triton::ttg
