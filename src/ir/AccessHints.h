// The text of the hints that memory operations give to caches.
#pragma once

#include "ir/Dialect.h"

namespace triton::tt {

/// Reads `cacheModifier = ...`, `evictionPolicy = ...` and the other attributes. `cachePolicy`, which Triton 3.9 writes
/// among these, has the meaning of the first two.
mlir::ParseResult parseAccessHints(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, CacheModifierAttr &cache,
                                   EvictionPolicyAttr &evict);

/// Prints what differs from the default, with a space before each.
void printAccessHints(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DictionaryAttr attributes,
                      CacheModifierAttr cache, EvictionPolicyAttr evict);

} // namespace triton::tt
