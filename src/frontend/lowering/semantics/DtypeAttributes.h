// Attributes of dtypes and of the `.type` of tensors: compile-time objects.
#pragma once

#include "frontend/Object.h"
#include "frontend/lowering/Value.h"

namespace triton::frontend {

/// `dtype.name`; null when dtypes do not have the attribute.
ObjectRef dtypeAttribute(const ElementType &type, llvm::StringRef name);

/// What `x.type` denotes: the dtype itself for a scalar, else an object with a block type's attributes, in Gluon also
/// its layout.
ObjectRef typeObject(const TensorType &type, const ObjectRef &layout = nullptr);

/// The `.type` of a pointer to a block, whose `element_ty` is the `.type` of the block.
ObjectRef blockPointerTypeObject(const TensorType &block);

} // namespace triton::frontend
