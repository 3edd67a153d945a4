// The layouts of a kernel's tensors as data from which a page can draw them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace triton::explorer {

/// For each type with a layout in a text of TTGIR: {"type", "shape", "element", "element_bits", "encoding",
/// "is_shared", "values", "inputs"}. `values` are the names of the values that have the type. `inputs` are the inputs
/// of the linear layout, {"name", "bases"}, and each basis has a component for each dimension. Empty when the text does
/// not parse.
llvm::json::Array describeLayouts(llvm::StringRef ttgir);

} // namespace triton::explorer
